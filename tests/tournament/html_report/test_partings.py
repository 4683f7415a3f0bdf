"""The first decision at which two tables of a board parted."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contree.engine import (
    CONTRE,
    DECLINE,
    PASS,
    SEATS,
    Action,
    FixedDeal,
    Game,
    Mode,
    Record,
    RecordedDeal,
    RuleSet,
    Seat,
    SeededDeals,
    disguise,
    parse_action,
    preset,
)
from contree.tournament.html_report.partings import Part, Parting, parted, undone

RULES = preset("ffb-mixte")
ANY_MOMENT = preset("coinche-annonce")
AFTER = preset("contree-generale")
NORTH, EAST, SOUTH, WEST = SEATS
SEED = bytes(32)


def deal_of(rules: RuleSet, chance: random.Random, number: int = 1) -> RecordedDeal:
    """A deal of this number in which everybody acts at random."""
    game = Game.start(rules, SeededDeals(SEED, "x").board(number, rules), Mode.BOARD, number)
    while game.owed:
        seat = chance.choice(game.owed)
        game = game.apply(seat, chance.choice(game.legal_actions(seat)))
    return Record.of(game, list("NESW")).deals[0]


def said(rules: RuleSet, doings: Sequence[tuple[Seat, Action]]) -> RecordedDeal:
    """A deal whose auction went so, with North as dealer."""
    hands = SeededDeals(SEED, "x").board(1, rules).hands
    game = Game.start(rules, FixedDeal(NORTH, hands), Mode.BOARD, 1)
    for seat, action in doings:
        game = game.apply(seat, action)
    return Record.of(game, list("NESW")).deals[0]


def test_tables_that_went_the_same_way_did_not_part() -> None:
    deal = deal_of(RULES, random.Random(1))
    assert parted(RULES, deal, deal) is None


@given(st.integers(0, 10**9), st.integers(2, 50), st.integers(1, 30))
def test_a_disguise_is_undone(chance: int, table: int, number: int) -> None:
    deal = deal_of(ANY_MOMENT, random.Random(chance), number)
    worn = disguise(SEED, number, table)
    other = undone(deal, worn.inverse)  # puts it on
    assert other.hands != deal.hands
    assert undone(other, worn) == deal
    assert parted(ANY_MOMENT, undone(other, worn), deal) is None


def test_another_card_is_where_they_part() -> None:
    deal = next(
        deal
        for deal in (deal_of(RULES, random.Random(n)) for n in range(100))
        if len(deal.cards) == 32
    )
    mine = deal.cards[17]
    yours = mine._replace(action=deal.cards[21].action)
    other = deal._replace(cards=(*deal.cards[:17], yours, *deal.cards[18:]))
    expected = Parting(Part.PLAY, 17, mine.seat, (mine.action, yours.action))
    assert parted(RULES, deal, other) == expected
    assert parted(RULES, deal._replace(cards=deal.cards[:17]), other) is None, "broken off before"


def test_another_call_is_where_they_part() -> None:
    bid = parse_action("80S")
    one = said(RULES, [(WEST, PASS), (SOUTH, bid)])
    other = said(RULES, [(WEST, PASS), (SOUTH, PASS)])
    assert parted(RULES, one, other) == Parting(Part.AUCTION, 1, SOUTH, (bid, PASS))


def test_other_cards_are_not_compared() -> None:
    chance = random.Random(1)
    assert parted(RULES, deal_of(RULES, chance, 1), deal_of(RULES, chance, 2)) is None


BID = parse_action("80S")


@pytest.mark.parametrize(
    ("doings", "expected"),
    [
        ([(WEST, BID), (NORTH, CONTRE)], (NORTH, CONTRE)),
        ([(WEST, BID), (NORTH, DECLINE), (SOUTH, CONTRE)], (SOUTH, CONTRE)),
    ],
    ids=["window", "turn"],
)
def test_a_contre_parts_from_what_was_done_instead(
    doings: list[tuple[Seat, Action]], expected: tuple[Seat, Action]
) -> None:
    # Turns go from West to South: South is next, North is asked out of turn.
    quiet = said(ANY_MOMENT, [(WEST, BID), (NORTH, DECLINE), (SOUTH, PASS)])
    one = said(ANY_MOMENT, doings)
    instead = DECLINE if expected[0] is NORTH else PASS
    seat, said_so = expected
    assert parted(ANY_MOMENT, one, quiet) == Parting(Part.AUCTION, 1, seat, (said_so, instead))
    assert parted(ANY_MOMENT, quiet, one) == Parting(Part.AUCTION, 1, seat, (instead, said_so))


def test_a_contre_in_the_window_comes_before_one_in_turn() -> None:
    window = said(ANY_MOMENT, [(WEST, BID), (NORTH, CONTRE)])
    turn = said(ANY_MOMENT, [(WEST, BID), (NORTH, DECLINE), (SOUTH, CONTRE)])
    assert parted(ANY_MOMENT, window, turn) == Parting(Part.AUCTION, 1, NORTH, (CONTRE, DECLINE))


def passed(answers: Sequence[tuple[Seat, Action]]) -> RecordedDeal:
    # Clockwise: East bids, the others pass, then North and South are asked.
    bidding = [(EAST, BID), (SOUTH, PASS), (WEST, PASS), (NORTH, PASS)]
    return said(AFTER, [*bidding, *answers])


def test_contres_of_two_seats_after_the_auction() -> None:
    first = passed([(SOUTH, CONTRE), (NORTH, DECLINE)])
    second = passed([(SOUTH, DECLINE), (NORTH, CONTRE)])
    found = parted(AFTER, first, second)
    assert found is not None
    assert (found.place, found.seat, found.actions) == (4, SOUTH, (CONTRE, DECLINE))
    turned = parted(AFTER, second, first)
    assert turned is not None
    assert (turned.seat, turned.actions) == (SOUTH, (DECLINE, CONTRE))
