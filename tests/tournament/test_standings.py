"""Standings against examples worked by hand."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from tests.tournament.samples import board, result, table_of

from contree.tournament.formats import RoundRobin
from contree.tournament.schedule import Pairing
from contree.tournament.standings import Tally, close_boards, standings
from contree.tournament.statistics.intervals import estimate
from contree.tournament.tables import TableFault

TWO = RoundRobin(("x", "y"), 6)
THREE = RoundRobin(("x", "y", "z"), 3)


def test_points_are_the_mean_of_the_two_tables_from_the_first_bots_side() -> None:
    # At table A x marks 160 and y 0; at table B, with the other cards, x marks 0 and y 100.
    (closed,) = close_boards(board(TWO, 1, ("x", "y"), (160, 0), (0, 100)))
    assert (closed.table_a, closed.table_b) == (160, -100)
    assert closed.points == 30.0


def test_the_luck_of_the_deal_cancels() -> None:
    # Whoever holds the North-South cards makes 250: nobody has won anything.
    (closed,) = close_boards(board(TWO, 1, ("x", "y"), (250, 0), (0, 250)))
    assert closed.points == 0.0


def test_3_a_board_is_closed_by_its_second_table_only() -> None:
    a, b = board(TWO, 1, ("x", "y"), (80, 0), (80, 0))
    assert close_boards([a]) == ()
    assert close_boards([b]) == ()
    assert [one.points for one in close_boards([b, a])] == [80.0]


def test_3_an_open_board_counts_nowhere_however_well_it_goes() -> None:
    closed = board(TWO, 1, ("x", "y"), (0, 0), (0, 0)) + board(TWO, 2, ("x", "y"), (0, 0), (0, 0))
    ahead = result(table_of(TWO, 3, "x", "y", "A"), (500, 0))
    table = standings(TWO.bots, [*closed, ahead])
    assert table.rows[0].points is not None
    assert table.rows[0].points.mean == 0.0
    assert table.rows[0].tally == Tally(won=0, tied=2, lost=0)


def test_27_results_count_in_schedule_order_however_they_come_in() -> None:
    results = [
        r
        for n in range(1, 4)
        for p in THREE.pairings
        for r in board(THREE, n, p, (10 * n, 0), (0, n))
    ]
    shuffled = random.Random(7).sample(results, len(results))
    assert close_boards(shuffled) == close_boards(results)
    assert standings(THREE.bots, shuffled) == standings(THREE.bots, results)
    order = [(b.board, b.pairing) for b in close_boards(shuffled)]
    assert order == [(n, p) for n in range(1, 4) for p in THREE.pairings]


def _event() -> list:  # type: ignore[type-arg]
    """Three bots, three boards: x beats y by 40, 20, 60; x and z tie; y beats z by 30, 0, -30."""
    results = []
    for number, (xy, yz) in enumerate([(40, 30), (20, 0), (60, -30)], start=1):
        results += board(THREE, number, ("x", "y"), (2 * xy, 0), (0, 0))
        results += board(THREE, number, ("x", "z"), (90, 0), (0, 90))
        results += board(THREE, number, ("y", "z"), (yz, 0), (yz, 0))
    return results


def test_worked_example() -> None:
    table = standings(THREE.bots, _event())
    assert [(row.place, row.bot) for row in table.rows] == [(1, "x"), (2, "z"), (3, "y")]
    x, z, y = table.rows
    # x: boards worth (40 + 0) / 2, (20 + 0) / 2, (60 + 0) / 2 on average; mean 20, s = 10, n = 3.
    assert x.points is not None
    assert x.points.mean == pytest.approx(20.0)
    assert x.points.high - x.points.mean == pytest.approx(10 * 4.302652729911275 / 3**0.5)
    assert x.tally == Tally(won=3, tied=3, lost=0)
    # y: (-40 + 30) / 2, (-20 + 0) / 2, (-60 - 30) / 2 = -5, -10, -45.
    assert y.points is not None
    assert y.points.mean == pytest.approx(-20.0)
    assert y.tally == Tally(won=1, tied=1, lost=4)
    assert z.points is not None
    assert z.points.mean == pytest.approx(0.0)
    assert sum(row.points.mean for row in table.rows if row.points) == pytest.approx(0.0)


@pytest.mark.parametrize("alike", [False, True], ids=["against each other", "alike"])
def test_26_the_interval_is_that_of_boards_and_not_of_tables(alike: bool) -> None:
    """fishtest #348: the two games of a pair hang together, and were counted as if they did not."""
    chance = random.Random(26)
    results, points = [], []
    for number in range(1, 7):
        luck, skill = chance.choice([-500, 500]), chance.choice([10, 30])
        a, b = luck + skill, luck + skill if alike else skill - luck
        points.append((a + b) / 2)
        marks = [(max(0, net), max(0, -net)) for net in (a, b)]
        results += board(TWO, number, ("x", "y"), *marks)
    row = standings(TWO.bots, results).rows[0]
    met = standings(TWO.bots, results).meetings[Pairing("x", "y")]
    expected = estimate(points if row.bot == "x" else [-one for one in points])
    assert row.points == expected
    assert met.points == estimate(points)
    assert met.points is not None
    width = met.points.high - met.points.low
    assert width > 900 if alike else width < 30


def test_cross_table_is_antisymmetric() -> None:
    met = standings(THREE.bots, _event()).meetings
    assert set(met) == {Pairing(a, b) for a in "xyz" for b in "xyz" if a != b}
    for (first, second), meeting in met.items():
        back = met[Pairing(second, first)]
        assert meeting.points is not None
        assert back.points is not None
        assert back.points == meeting.points.opposite
        assert back.tally == Tally(meeting.tally.lost, meeting.tally.tied, meeting.tally.won)
    versus = met[Pairing("x", "y")]
    assert versus.points is not None
    assert versus.points.mean == pytest.approx(40.0)
    assert met[Pairing("x", "z")].tally == Tally(0, 3, 0)


def test_equal_points_share_a_place() -> None:
    results = [
        r for n in (1, 2) for p in THREE.pairings for r in board(THREE, n, p, (50, 0), (0, 50))
    ]
    assert [row.place for row in standings(THREE.bots, results).rows] == [1, 1, 1]


def test_no_number_is_shown_without_its_error() -> None:
    table = standings(TWO.bots, board(TWO, 1, ("x", "y"), (160, 0), (0, 0)))
    assert [row.points for row in table.rows] == [None, None]
    assert table.meetings[Pairing("x", "y")].points is None
    assert table.rows[0].tally.boards == 1
    assert [row.points for row in standings(TWO.bots, []).rows] == [None, None]


def test_faults_are_counted_for_the_bot_that_made_them() -> None:
    late = TableFault("y", "E", "timeout", False, "late")
    gone = TableFault("y", "W", "disconnected", True, "away")
    results = [
        replace(
            result(table_of(TWO, 1, "x", "y", "A"), (0, 0), (late, late, gone)),
            overruns={"x": 2},
        ),
        result(table_of(TWO, 1, "x", "y", "B"), (0, 0), (late,)),
    ]
    conduct = {row.bot: row.conduct for row in standings(TWO.bots, results).rows}
    assert conduct["y"].faults == {"disconnected": 1, "timeout": 3}
    assert conduct["y"].replaced == 1
    assert conduct["x"].faults == {}
    assert conduct["x"].tables == 2
    assert (conduct["x"].overruns, conduct["y"].overruns) == (2, 0)
    assert conduct["x"].seconds_a_decision == pytest.approx(0.1)


def test_the_first_result_of_a_table_is_its_result() -> None:
    a, b = board(TWO, 1, ("x", "y"), (80, 0), (0, 0))
    second = result(a.table, (0, 500))
    assert [one.points for one in close_boards([a, b, second])] == [40.0]
