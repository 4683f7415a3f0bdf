"""What time bots took."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.tournament.samples import board

from contree.tournament.formats import RoundRobin
from contree.tournament.html_report.timing import time_use, times_grid
from contree.tournament.tables import TableFault

TWO = RoundRobin(("x", "y"), 4)


def results() -> list[object]:
    return [r for n in (1, 2, 3, 4) for r in board(TWO, n, ("x", "y"), (80, 0), (0, 80))]


def test_time_is_that_of_decisions_not_of_tables() -> None:
    played = [r for n in (1, 2) for r in board(TWO, n, ("x", "y"), (80, 0), (0, 80))]
    played[0] = replace(played[0], decisions={"x": 1, "y": 1}, seconds={"x": 1.0, "y": 0.5})
    x, y = time_use(("x", "y"), played, 2.0)
    assert x.decisions == 1 + 3 * 16
    assert x.mean is not None
    assert x.mean.mean == pytest.approx(1000 * (1.0 + 3 * 1.6) / 49)
    assert x.spread[-1] == pytest.approx(1000)
    assert x.spread[2] == pytest.approx(100)
    assert x.share == pytest.approx((1.0 + 3 * 1.6) / (49 * 2))
    assert y.spread[-1] == pytest.approx(500)


def test_near_and_late_are_counted() -> None:
    played = board(TWO, 1, ("x", "y"), (80, 0), (0, 80))
    late = TableFault("y", "E", "timeout", False, "")
    wrong = TableFault("y", "E", "illegal_action", False, "")
    played = [replace(r, overruns={"x": 2}, faults=(late, wrong)) for r in played]
    x, y = time_use(("x", "y"), played, 0.0)
    assert (x.near, x.timeouts, y.near, y.timeouts) == (4, 0, 0, 2)
    assert x.share is None, "no limit, no share of it"


def test_a_bot_that_decided_nothing_has_no_time() -> None:
    (x,) = time_use(("x",), (), 2.0)
    assert (x.mean, x.spread, x.share) == (None, (), None)
    (row,) = times_grid((x,), 2.0).rows
    assert row == ("x", "0", "-", "-", "-", "-", "-", "-", "0", "0")


def test_quantiles_are_those_of_single_decisions() -> None:
    played = [r for n in (1, 2) for r in board(TWO, n, ("x", "y"), (80, 0), (0, 80))]
    # 98 decisions of 4 or 5 ms at the first table, and two of a second at the second one.
    counts: list[dict[str, tuple[int, ...]]]
    counts = [{"x": (0, 0, 0, 0, 0, 98)}, {"x": (0,) * 21 + (2,)}, {}, {}]
    slowest: list[dict[str, float]] = [{"x": 0.005}, {"x": 1.25}, {}, {}]
    played = [
        replace(r, times=t, slowest=s) for r, t, s in zip(played, counts, slowest, strict=True)
    ]
    x, y = time_use(("x", "y"), played, 0.0)
    median, p90, p99, most = x.single
    assert 4 <= median <= p90 <= 6
    assert 1024 <= p99 <= most == 1250
    assert y.single == (), "not told is not nothing"
    of_x, of_y = times_grid((x, y), 0.0).rows
    assert of_x[6] == "1250"
    assert of_y[3:7] == ("-",) * 4
