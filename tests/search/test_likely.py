"""Worlds that are likely after an auction."""

from __future__ import annotations

import random

import numpy as np
import numpy.typing as npt
from tests.search.deals import KINDS, RULES, bid_and_played, uniform_hands

from contree.bots.likely import LikelyWorlds, worth_of
from contree.engine import (
    PASS,
    SEATS,
    Bid,
    Call,
    Deal,
    Seat,
    Strain,
    View,
    drive,
    mask_of,
    parse_cards,
    project,
)
from contree.policy import rules_player
from contree.policy.hand import HELPING, TAKING
from contree.search import Position, hidden_from

FFB = RULES["ffb-mixte"]
HEARTS = 255 << 8 * Strain.HEARTS


def after(*calls: Call) -> View:
    """What North sees after these calls of West, South, East ... (the order of the FFB)."""
    north = mask_of(parse_cards("7S 8S 9S 7D 8D 7C 8C 7H"))
    rest = [card for card in range(32) if not north >> card & 1]
    random.Random(2).shuffle(rest)
    others = [mask_of(rest[first : first + 8]) for first in (0, 8, 16)]
    deal = Deal.start(FFB, Seat.NORTH, [north, *others])
    for call in calls:
        deal = deal.apply(deal.owed[0], call)
    return project(deal, Seat.NORTH)


def hearts(worlds: npt.NDArray[np.int64], seat: Seat) -> float:
    return float(np.mean([(hand & HEARTS).bit_count() for hand in worlds[:, seat].tolist()]))


def test_who_has_bid_a_suit_holds_it() -> None:
    view = after(Bid(110, Strain.HEARTS), PASS, PASS)
    taker = view.calls[0].seat
    likely = LikelyWorlds(view).sample(2000, 1)
    alike = hidden_from(view).sample(2000, 1)
    assert hearts(likely, taker) > hearts(alike, taker) + 1
    jacks = [
        float((worlds[:, taker] & HEARTS & mask_of(parse_cards("JH")) > 0).mean())
        for worlds in (likely, alike)
    ]
    assert jacks[0] > jacks[1] + 0.3


def test_who_has_passed_is_weak_and_the_others_are_not() -> None:
    view = after(PASS, PASS, PASS)
    likely, alike = LikelyWorlds(view).sample(2000, 1), hidden_from(view).sample(2000, 1)
    for seat in (seat for seat in SEATS if seat is not Seat.NORTH):
        best = [
            np.max([worth_of(TAKING, worlds[:, seat], strain) for strain in FFB.strains], axis=0)
            for worlds in (likely, alike)
        ]
        assert best[0].mean() < best[1].mean() - 2


def test_without_a_call_all_worlds_are_alike() -> None:
    deal = Deal.start(FFB, Seat.NORTH, uniform_hands(random.Random(1)))
    view = project(deal, deal.owed[0])
    assert (LikelyWorlds(view).sample(50, 3) == hidden_from(view).sample(50, 3)).all()


def test_worlds_are_possible_and_the_same_for_the_same_seed() -> None:
    rng = random.Random(4)
    for name, strain in KINDS:
        deal, _ = bid_and_played(RULES[name], strain, uniform_hands(rng), rng, rng.randrange(28))
        view = project(deal, deal.owed[0])
        likely = LikelyWorlds(view)
        worlds = likely.sample(40, 5)
        assert (worlds == LikelyWorlds(view).sample(40, 5)).all()
        for world in worlds.tolist():
            Position.of_view(view, world)  # which checks it
            assert any(
                all(
                    not hand & ~may
                    for seat, (hand, may) in enumerate(zip(world, case, strict=True))
                    if seat != view.seat
                )
                for case in likely.hidden.evidence.cases
            )


def test_worth_is_that_of_the_rules_player() -> None:
    hands = np.array(uniform_hands(random.Random(6)), dtype=np.int64)
    for tables in (TAKING, HELPING):
        for strain in Strain:
            expected = [tables.worth(hand, strain) for hand in hands.tolist()]
            assert np.allclose(worth_of(tables, hands, strain), expected)


def test_the_true_hands_are_likelier_than_others() -> None:
    """Of deals that the rules player has bid, which is what is taken for granted."""
    rng = random.Random(8)
    better = deals = 0
    for _ in range(60):
        end = drive([rules_player] * 4, Deal.start(FFB, SEATS[0], uniform_hands(rng)))
        if end.contract is None:
            continue
        start = Deal.start(FFB, SEATS[0], end.dealt)
        for seat, call in end.auction.calls:
            start = start.apply(seat, call)
        view = project(start, Seat.NORTH)
        worlds = hidden_from(view).sample(200, 1)
        worlds[0] = end.dealt
        chances = LikelyWorlds(view).likelihood(worlds)
        better += bool(chances[0] > np.median(chances[1:]))
        deals += 1
    assert deals > 40
    assert better > 0.75 * deals
