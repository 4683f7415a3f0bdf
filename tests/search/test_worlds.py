"""Sampled worlds: never against what the seat knows, all of them, and each as often.

A world agrees with a view if the engine, given its hands, takes all that was said and played, and
then shows the seat just that view. 100,000 worlds with ``FULL=1``, else 5,000.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import chisquare
from tests.search.deals import (
    FULL,
    KINDS,
    RULES,
    bid_and_played,
    unequal_hands,
    uniform_hands,
    variant,
)

from contree.engine import (
    Action,
    Deal,
    IllegalAction,
    RuleSet,
    Seat,
    Strain,
    View,
    cards_in,
    mask_of,
    parse_cards,
    project,
)
from contree.engine.masks import legal_cards
from contree.search import Hidden, Position, hidden_from
from contree.search.evidence import evidence_in

PER_KIND = 100_000 // len(KINDS) if FULL else 5_000 // len(KINDS)
FROM_A_VIEW = 20

ANNOUNCED = variant("ffb-mixte", belote_mode="announced")
OTHERS = {
    "belote aloud": (ANNOUNCED, Strain.SPADES),
    "rise at sans-atout": (variant("coinche-annonce", sa_rise="always"), Strain.NO_TRUMP),
    "no overtrump": (variant("ffb-mixte", overtrump=False), Strain.DIAMONDS),
    "undertrump": (variant("ffb-mixte", undertrump="must"), Strain.DIAMONDS),
    "must rise": (variant("ffb-mixte", partner_master="must_rise"), Strain.DIAMONDS),
    "may rise": (variant("ffb-mixte", partner_master="voluntary_rise"), Strain.DIAMONDS),
}

Done = Sequence[tuple[Seat, Action]]


def agrees(view: View, dealt: Sequence[int], done: Done) -> bool:
    deal = Deal.start(view.rules, view.dealer, dealt)
    try:
        for seat, action in done:
            deal = deal.apply(seat, action)
    except IllegalAction:
        return False
    return project(deal, view.seat) == view


def dealt_in(hidden: Hidden, world: Sequence[int]) -> list[int]:
    return [hand | played for hand, played in zip(world, hidden.evidence.played, strict=True)]


def some_view(
    rng: random.Random, rules: RuleSet, strain: Strain, cards: int
) -> tuple[Deal, View, Done]:
    hands = unequal_hands(rng, strain) if rng.random() < 0.5 else uniform_hands(rng)
    deal, done = bid_and_played(rules, strain, hands, rng, cards)
    return deal, project(deal, Seat(rng.randrange(4))), done


def check(rules: RuleSet, strain: Strain, worlds: int, seed: str) -> None:
    rng = random.Random(seed)
    cases: Counter[int] = Counter()
    for number in range(0, worlds, FROM_A_VIEW):
        deal, view, done = some_view(rng, rules, strain, rng.randrange(32))
        hidden = hidden_from(view)
        cases[len(hidden.evidence.cases)] += 1
        for world in hidden.sample(FROM_A_VIEW, number).tolist():
            assert world[view.seat] == mask_of(view.hand)
            assert agrees(view, dealt_in(hidden, world), done)
        assert any(
            all(
                not hand & ~may
                for seat, (hand, may) in enumerate(zip(deal.hands, case, strict=True))
                if seat != view.seat
            )
            for case in hidden.evidence.cases
        )
    print(f"{rules.name} {strain}: {worlds} worlds, none contradicts. Cases: {dict(cases)}")


@pytest.mark.parametrize(("name", "strain"), KINDS)
def test_no_world_contradicts_what_the_seat_knows(name: str, strain: Strain) -> None:
    check(RULES[name], strain, PER_KIND, f"{name} {strain}")


@pytest.mark.parametrize("name", OTHERS)
def test_nor_under_rules_that_no_preset_has(name: str) -> None:
    check(*OTHERS[name], PER_KIND, name)


def all_worlds(view: View, done: Done) -> Iterator[tuple[int, ...]]:
    """Every way to deal the unseen cards that agrees with a view, tried one by one."""
    evidence = evidence_in(view)
    others = [seat for seat in range(4) if seat != view.seat]
    unseen = set(cards_in(evidence.unseen))
    for first in combinations(sorted(unseen), evidence.left[others[0]]):
        rest = unseen - set(first)
        for second in combinations(sorted(rest), evidence.left[others[1]]):
            hands = [0, 0, 0, 0]
            hands[view.seat] = mask_of(view.hand)
            for seat, cards in zip(others, (first, second, rest - set(second)), strict=True):
                hands[seat] = mask_of(cards)
            if agrees(
                view, [hand | had for hand, had in zip(hands, evidence.played, strict=True)], done
            ):
                yield tuple(hands)


@pytest.mark.parametrize(("name", "strain"), KINDS)
def test_all_worlds_are_found_and_each_as_often(name: str, strain: Strain) -> None:
    check_uniform(RULES[name], strain, f"uniform {name} {strain}", 20 if FULL else 3)


@pytest.mark.parametrize("name", OTHERS)
def test_they_are_under_other_rules(name: str) -> None:
    check_uniform(*OTHERS[name], f"uniform {name}", 20 if FULL else 2)


def check_uniform(rules: RuleSet, strain: Strain, seed: str, endings: int) -> None:
    rng = random.Random(seed)
    done_so_far = 0
    while done_so_far < endings:
        _, view, done = some_view(rng, rules, strain, rng.randrange(18, 28))
        hidden = hidden_from(view)
        if not 2 <= hidden.count <= 500:
            continue
        done_so_far += 1
        is_uniform(hidden, set(all_worlds(view, done)))


def is_uniform(hidden: Hidden, expected: set[tuple[int, ...]]) -> None:
    assert hidden.count == len(expected)
    drawn = Counter(map(tuple, hidden.sample(60 * hidden.count, 5).tolist()))
    assert set(drawn) == expected
    if len(drawn) > 1:
        assert chisquare(list(drawn.values())).pvalue > 1e-6


def test_belotes_at_tout_atout_leave_several_cases_open() -> None:
    """Kings and queens of two suits were played by a seat that said belote once."""
    rng = random.Random(12)
    rules = RULES["coinche-annonce"]
    found = 0
    for _ in range(20_000):
        _, view, done = some_view(rng, rules, Strain.ALL_TRUMP, rng.randrange(12, 24))
        if len(evidence_in(view).cases) < 2:
            continue
        hidden = hidden_from(view)
        if hidden.count > 2000:
            continue
        is_uniform(hidden, set(all_worlds(view, done)))
        found += 1
        if found == (20 if FULL else 3):
            return
    pytest.fail("no such view came up")


def test_before_the_first_card_any_deal_of_the_others_is_possible() -> None:
    hands = uniform_hands(random.Random(1))
    deal = Deal.start(RULES["ffb-mixte"], Seat.NORTH, hands)
    hidden = hidden_from(project(deal, Seat.EAST))
    assert hidden.count == 9_465_511_770  # 24! / 8!³
    worlds = hidden.sample(20_000, 3)
    assert (worlds[:, Seat.EAST] == hands[Seat.EAST]).all()
    held = np.array([[world[0] >> card & 1 for card in range(32)] for world in worlds.tolist()])
    often = held.sum(axis=0)[[card for card in range(32) if not hands[Seat.EAST] >> card & 1]]
    assert abs(often / 20_000 - 1 / 3).max() < 0.02


def test_nothing_is_hidden_at_the_end() -> None:
    deal, _ = bid_and_played(
        RULES["ffb-mixte"], Strain.CLUBS, uniform_hands(random.Random(2)), random.Random(3), 32
    )
    hidden = hidden_from(project(deal, Seat.WEST))
    assert hidden.count == 1
    assert hidden.sample(2, 1).tolist() == [[0, 0, 0, 0]] * 2


def test_the_same_seed_gives_the_same_and_another_does_not() -> None:
    rng = random.Random(5)
    _, view, _ = some_view(rng, RULES["ffb-mixte"], Strain.HEARTS, 9)
    hidden = hidden_from(view)
    assert (hidden.sample(100, 7) == hidden.sample(100, 7)).all()
    assert (hidden.sample(100, 7) != hidden.sample(100, 8)).any()
    assert hidden.sample(0, 1).shape == (0, 4)


def test_a_view_that_nothing_agrees_with() -> None:
    """East follows a trump with the 7 below the lead, and later plays the jack of trump."""
    rng = random.Random(6)
    _, view, _ = some_view(rng, RULES["ffb-mixte"], Strain.HEARTS, 20)
    few = view._replace(tricks=view.tricks[:-1])
    with pytest.raises(ValueError, match="agrees"):
        Hidden(evidence_in(few)._replace(cases=((0, 0, 0, 0),)))


def test_weights_make_worlds_as_likely_as_they_say() -> None:
    """A partner who is three times as likely to hold the ace of trump has it three times as often
    as its own share.
    """
    hands = [
        mask_of(parse_cards(text))
        for text in (
            "AS KS QS JS TS 9S 8S 7S",
            "AH KH QH JH TH 9H 8H 7H",
            "AD KD QD JD TD 9D 8D 7D",
            "AC KC QC JC TC 9C 8C 7C",
        )
    ]
    hidden = hidden_from(project(Deal.start(RULES["ffb-mixte"], Seat.NORTH, hands), Seat.NORTH))
    ace = mask_of(parse_cards("AD"))
    worlds = hidden.sample_weighted(
        20_000, 4, lambda dealt: 0.9 if dealt[Seat.SOUTH] & ace else 0.3
    )
    assert len(worlds) == 20_000
    with_ace = (worlds[:, Seat.SOUTH] & ace > 0).mean()
    assert abs(with_ace - 3 / 5) < 0.015  # 3 x 1/3 against 1 x 2/3
    none = hidden.sample_weighted(10, 4, lambda _: 0.0, tries=3)
    assert none.shape == (0, 4)


def test_a_card_is_made_illegal_by_a_single_other_one() -> None:
    """What ``evidence`` builds on, under every combination of duties."""
    rng = random.Random(9)
    seen: Counter[bool] = Counter()
    for _ in range(400_000 if FULL else 40_000):
        strain, duties, partner = rng.randrange(6), rng.randrange(1024), rng.random() < 0.5
        best = rng.randrange(32)
        cut = strain < 4 and best >> 3 == strain and rng.random() < 0.7
        led = rng.randrange(4) if cut else best >> 3
        cards = rng.sample([card for card in range(32) if card != best], rng.randrange(1, 9))
        hand, card = mask_of(cards), cards[0]
        legal = legal_cards(hand, strain, led, best, partner, duties) >> card & 1
        alone = [
            legal_cards(1 << card | 1 << other, strain, led, best, partner, duties) >> card & 1
            for other in cards
        ]
        assert bool(legal) == all(alone)
        seen[bool(legal)] += 1
    assert min(seen.values()) > 1000


def test_positions_of_worlds() -> None:
    rng = random.Random(10)
    deal, _ = bid_and_played(RULES["ffb-mixte"], Strain.HEARTS, uniform_hands(rng), rng, 11)
    view = project(deal, deal.owed[0])
    assert Position.of_view(view, deal.hands) == Position.of_deal(deal)
    for world in hidden_from(view).sample(20, 1):
        position = Position.of_view(view, world)
        assert position.turn is view.seat
        assert position.legal == view.legal
