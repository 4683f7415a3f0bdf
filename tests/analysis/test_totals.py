"""What players gave away over many records."""

from __future__ import annotations

import random
from math import sqrt
from statistics import fmean, stdev

import pytest
from tests.analysis.samples import analysis, card, deal

from contree.analysis import Share, Total, totals
from contree.engine import Seat


def row(rows: list[Total], player: str) -> Total:
    (found,) = (row for row in rows if row.player == player)
    return found


def test_a_few_boards_come_to_sums_without_errors() -> None:
    cards = [card(0, marks=12.5, open_marks=40), card(4, marks=0.5), card(9, Seat.EAST, marks=3.0)]
    rows = totals([analysis(deal(*cards))])
    assert [row.player for row in rows] == ["b", "a"], "who gave away least a card comes first"
    mine = row(rows, "a")
    assert (mine.boards, mine.cards, mine.house) == (1, 2, 0)
    assert mine.seen == Share(13.0, 6.5, None)
    assert mine.open == Share(40.0, 20.0, None)
    assert mine.costly == Share(1, 0.5, None)
    assert mine.auction == Share(70, 70.0, None), "from -110 to -180, once for both seats"
    assert row(rows, "b").auction == Share(-70, -70.0, None)
    (alone,) = totals([analysis(deal(*cards), names=("a",) * 4)])
    assert alone.auction == Share(0, 0.0, None), "what one pair lost the other won"
    mixed = totals([analysis(deal(*cards), names=("a", "b", "c", "d"))])
    assert {row.player: row.auction and row.auction.total for row in mixed} == {
        **dict.fromkeys("ac", 70),
        **dict.fromkeys("bd", -70),
    }


def test_the_error_is_that_of_a_mean_over_boards() -> None:
    """With one card a board, a ratio of sums is a mean, and its error the usual one."""
    rng = random.Random(1)
    lost = [round(rng.expovariate(0.1), 3) for _ in range(200)]
    rows = totals(
        analysis(deal(card(0, marks=marks), number=n)) for n, marks in enumerate(lost, start=1)
    )
    share = row(rows, "a").seen
    assert share is not None
    assert share.each == pytest.approx(fmean(lost), abs=1e-4)
    assert share.reach == pytest.approx(1.96 * stdev(lost) / sqrt(200), abs=1e-4)


def test_tables_of_one_board_are_no_more_than_one() -> None:
    """Nine boards at many tables tell no error, ten do; deals of races are each by themselves."""
    tables = [analysis(deal(card(0, marks=n), number=n % 9)) for n in range(90)]
    (first, _) = totals(tables)
    assert first.boards == 9
    assert first.auction is not None
    assert first.auction.reach is None
    (first, _) = totals([*tables, analysis(deal(card(0, marks=2.0), number=77))])
    assert first.auction is not None
    assert first.auction.reach is not None
    races = [analysis(deal(number=1), deal(number=2), board=False) for _ in range(3)]
    assert {row.boards for row in totals(races)} == {6}


def test_what_the_house_played_is_left_out() -> None:
    deals = [deal(card(0, marks=30.0), number=n) for n in (1, 2, 3)]
    (first,) = (
        row
        for row in totals([analysis(*deals, board=False, house=((2, 3), (), (), ()))])
        if row.player == "a"
    )
    assert (first.cards, first.house) == (1, 2)
    assert first.auction == Share(70, 70.0, None), "of its first deal"


def test_a_deal_in_which_the_house_acted_once_is_left_out() -> None:
    """For the seat that it acted for; the auction, which is the pair's, for both."""
    deals = [deal(card(0, marks=30.0), card(2, Seat.SOUTH, marks=4.0), number=n) for n in (1, 2, 3)]
    names = ("a", "b", "c", "d")
    rows = totals([analysis(*deals, board=False, names=names, house=((2,), (), (), ()))])
    mine, partner = row(rows, "a"), row(rows, "c")
    assert (mine.cards, mine.house) == (2, 1)
    assert (partner.cards, partner.house) == (3, 0)
    assert mine.auction == partner.auction == Share(140, 70.0, None)
    assert row(rows, "b").auction == Share(-210, -70.0, None)


def test_boards_of_one_number_in_two_events_are_two() -> None:
    tables = [
        analysis(deal(card(0, marks=n), number=n), event=event)
        for event in ("one", "other")
        for n in range(1, 7)
        for _ in range(2)
    ]
    rows = totals(tables)
    assert row(rows, "a").boards == 12
    assert row(totals(tables[:12]), "a").boards == 6


def test_costly_is_what_is_more_than_chance() -> None:
    assert card(0, marks=10.0, error=4.9).costly
    assert not card(0, marks=9.9, error=0.1).costly
    assert not card(0, marks=50.0, error=25.0).costly
    assert not card(0, marks=50.0, error=None).costly, "a single world says nothing"
    assert card(0, open_marks=10, worlds=False).costly
    assert card(0, marks=50.0, error=20.0).surely == 10.0
    assert card(0, marks=50.0, error=40.0).surely == 0.0


def test_nobody_did_anything() -> None:
    for found in totals([analysis(deal(broken=True), worlds=0)]):
        assert (found.cards, found.open, found.seen, found.costly) == (0, None, None, None)
