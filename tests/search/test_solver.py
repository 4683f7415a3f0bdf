"""The solver against two minimaxes that know nothing of it.

One goes through the engine's own deals and takes their results; the other (``plain.py``) is quick.
1,000 endings of four tricks for each preset and kind of strain with ``FULL=1``, else 100, of which
40 and 8 by the engine too.
"""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction

import pytest
from tests.search.deals import (
    FULL,
    KINDS,
    RULES,
    bid_and_played,
    unequal_hands,
    uniform_hands,
    variant,
)
from tests.search.plain import plain_outcome

from contree.engine import Card, Deal, RuleSet, Seat, Strain, Suit
from contree.search import Position, Solver, solve, stakes_of

ENDINGS = 1000 if FULL else 100
BY_THE_ENGINE = 40 if FULL else 8
DEALS = 40 if FULL else 20

DUTIES = {
    "rise at sans-atout": variant("coinche-annonce", sa_rise="always"),
    "rise over opponents": variant("coinche-annonce", ta_rise="opponents", trump_rise="opponents"),
    "no duty to overtrump": variant("ffb-mixte", overtrump=False, trump_rise="never"),
    "must rise on a partner's cut": variant("ffb-mixte", partner_master="must_rise"),
    "may rise on a partner's cut": variant("ffb-mixte", partner_master="voluntary_rise"),
}
"""Rules that no preset has."""


Seen = dict[tuple[object, ...], int | Fraction]


def perfect(deal: Deal, seen: Seen) -> int | Fraction:
    """How many points North-South win more than East-West if all play perfectly. It looks at every
    line of play, but only once at what different lines come to: the same cards left to the same
    seats, the same tricks taken.
    """
    if deal.result is not None:
        return deal.result.points[0] - deal.result.points[1]
    past = deal.past
    key = (deal.unplayed, deal.owed, deal.cards, past.taken, tuple(sorted(past.winners)))
    if key not in seen:
        seat = deal.owed[0]
        cards = [card for card in deal.choices if type(card) is Card]
        after = [perfect(deal.apply(seat, card), seen) for card in cards]
        seen[key] = min(after) if seat & 1 else max(after)
    return seen[key]


def ending(rng: random.Random, rules: RuleSet, strain: Strain, cards: int) -> Deal:
    """After so many cards, played at random, or so that one pair wins all it can."""
    if rng.random() < 0.5:
        return bid_and_played(rules, strain, uniform_hands(rng), rng, cards)[0]
    side = rng.randrange(2)

    def greedy(deal: Deal) -> Card:
        cards = [card for card in deal.choices if type(card) is Card]
        return min(cards, key=lambda card: _favour(deal, card, side))

    return bid_and_played(rules, strain, unequal_hands(rng, strain), rng, cards, greedy)[0]


def _favour(deal: Deal, card: Card, side: int) -> tuple[bool, int]:
    after = deal.apply(deal.owed[0], card)
    ours = deal.owed[0] & 1 == side
    return (after.holder & 1 == side) != ours, card if ours else -card


def by_the_engine(deal: Deal) -> dict[Card, int | Fraction]:
    seat, known = deal.owed[0], Seen()
    return {
        card: perfect(deal.apply(seat, card), known) for card in deal.choices if type(card) is Card
    }


def differences(deal: Deal, solver: Solver) -> dict[Card, int | Fraction]:
    solution = solver.solve(Position.of_deal(deal))
    return {card: north - east for card, (north, east) in solution.points.items()}


def check(rules: RuleSet, strain: Strain, seed: str, count: int) -> Counter[str]:
    rng = random.Random(seed)
    solver = Solver(table_bits=12)
    seen: Counter[str] = Counter()
    stakes = stakes_of(rules, strain)
    for number in range(count):
        deal = ending(rng, rules, strain, 16 + rng.choice((0, 0, 0, 1, 2, 3, 5)))
        while len(Position.of_deal(deal).legal) == 1:
            deal = ending(rng, rules, strain, 16 + rng.choice((0, 0, 0, 1, 2, 3, 5)))
        position = Position.of_deal(deal)
        outcomes = solver.solve(position).outcomes
        assert outcomes == {
            card: plain_outcome(position.play(card), stakes) for card in position.legal
        }
        if number < BY_THE_ENGINE:
            assert differences(deal, solver) == by_the_engine(deal)
        winners = {winner & 1 for winner in deal.past.winners}
        seen["capot possible"] += len(winners) == 1
        seen["one player's"] += len(set(deal.past.winners)) == 1
        seen["matters"] += len(set(outcomes.values())) > 1
        slams = {
            stakes.capot,
            stakes.generale,
            stakes.total - stakes.capot,
            stakes.total - stakes.generale,
        }
        seen["eight tricks"] += not slams.isdisjoint(outcomes.values())
    print(f"{rules.name} {strain}: {count} endings of four tricks, no difference. {dict(seen)}")
    return seen


@pytest.mark.parametrize(("name", "strain"), KINDS)
def test_endings_of_four_tricks(name: str, strain: Strain) -> None:
    seen = check(RULES[name], strain, f"{name} {strain}", ENDINGS)
    assert min(seen["capot possible"], seen["matters"], seen["one player's"]) > ENDINGS // 20


@pytest.mark.parametrize("name", DUTIES)
@pytest.mark.parametrize("strain", [Strain.CLUBS, Strain.NO_TRUMP, Strain.ALL_TRUMP], ids=str)
def test_endings_under_other_duties(name: str, strain: Strain) -> None:
    if strain in DUTIES[name].strains:
        check(DUTIES[name], strain, name, ENDINGS // 2)


def test_whole_deals_equal_colver() -> None:
    """The points of the cards, where the rules agree: FFB's duties, a capot at 252."""
    colver = pytest.importorskip("colver")
    rules = variant("ffb-mixte", turn_direction="cw", capot_total="off", capot_last_trick=100)
    rng = random.Random(40)
    solver = Solver()
    capots = 0
    for number in range(DEALS * 2):
        strain = Strain(rng.randrange(4))
        hands = unequal_hands(rng, strain) if number % 2 else uniform_hands(rng)
        theirs = colver.Env.deal_with_hands(
            rng.randrange(4), [[card for card in range(32) if hand >> card & 1] for hand in hands]
        )
        theirs.set_contract(int(strain), 80, 0, 0)
        theirs.set_phase_playing()
        position = Position.start(rules, strain, hands, Seat(theirs.current_player()))
        expected = dict(theirs.solve_scores()["scores"])
        solution = solver.solve(position)
        assert {int(card): points[0] for card, points in solution.points.items()} == expected
        capots += 252 in expected.values()
    assert 0 < capots < DEALS * 2
    print(f"{DEALS * 2} deals: no difference, {capots} with a capot")


@pytest.mark.parametrize(("name", "strain"), KINDS)
def test_a_line_brings_what_was_promised_and_a_used_solver_says_the_same(
    name: str, strain: Strain
) -> None:
    rng = random.Random(f"line {name} {strain}")
    used = Solver(table_bits=14)
    for hands in (uniform_hands(rng), unequal_hands(rng, strain)):
        deal, _ = bid_and_played(RULES[name], strain, hands, rng, rng.randrange(4, 9))
        promised = used.outcome(Position.of_deal(deal))
        assert promised == solve(Position.of_deal(deal)).outcome
        for card in used.line(Position.of_deal(deal)):
            position = Position.of_deal(deal)
            assert used.outcome(position) == promised
            assert used.solve(position).outcomes == solve(position).outcomes
            assert card in used.solve(position).best
            deal = deal.apply(deal.owed[0], card)
        assert deal.result is not None
        assert stakes_of(RULES[name], strain).points(promised) == deal.result.points


def test_suits_and_seats_can_be_exchanged() -> None:
    rng = random.Random(11)
    rules = RULES["ffb-mixte"]
    for _ in range(10):
        hands = uniform_hands(rng)
        position = Position.start(rules, Strain.SPADES, hands, Seat.NORTH)
        order = rng.sample(range(4), 4)
        turned = [_moved(hands[(seat + 1) & 3], order) for seat in range(4)]
        other = Position.start(rules, Strain(order[0]), turned, Seat.WEST)
        solution, swapped = solve(position, slams=False), solve(other, slams=False)
        assert {_moved(1 << card, order): total for card, total in solution.outcomes.items()} == {
            1 << card: 162 - total for card, total in swapped.outcomes.items()
        }


def _moved(hand: int, order: list[int]) -> int:
    return sum((hand >> 8 * suit & 255) << 8 * order[suit] for suit in Suit)


def test_a_play_that_is_over() -> None:
    rng = random.Random(3)
    deal, _ = bid_and_played(RULES["ffb-mixte"], Strain.SPADES, uniform_hands(rng), rng, 31)
    position = Position.of_deal(deal)
    last = position.play(position.legal[0])
    assert last.over
    assert Solver().outcome(last) == solve(position).outcome
    with pytest.raises(ValueError, match="over"):
        solve(last)


def test_what_takes_more_nodes_than_allowed_is_gone_on_with() -> None:
    rng = random.Random(11)
    for _ in range(5):
        position = Position.start(RULES["ffb-mixte"], Strain.HEARTS, uniform_hands(rng), Seat.EAST)
        solver = Solver()
        assert solver.solve_within(position, 10) is None
        assert solver.nodes_left == 0
        slices = 1
        while (found := solver.solve_within(position, 5_000)) is None:
            slices += 1
        assert 1 < slices < 200
        assert 0 <= solver.nodes_left < 5_000
        assert found == solve(position)


def test_a_search_that_was_broken_off_leaves_nothing_wrong_behind() -> None:
    """Neither in the table nor in the stack: other positions, and its own later ones, are right."""
    rng = random.Random(12)
    solver = Solver()
    for nodes in (1, 100, 1_000, 3_000):
        hands = uniform_hands(rng)
        position = Position.start(RULES["ffb-mixte"], Strain.CLUBS, hands, Seat.SOUTH)
        assert solver.solve_within(position, nodes) is None
        for _ in range(6):
            position = position.play(rng.choice(position.legal))
            if rng.random() < 0.5:
                assert solver.solve(position) == solve(position)
