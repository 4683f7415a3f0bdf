"""What is shown, on a terminal and elsewhere."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from tests.tournament.samples import board, result, table_of

from contree.tournament.formats import RoundRobin
from contree.tournament.progress import Progress, Reporter, progress_line
from contree.tournament.report import interval
from contree.tournament.standings import Standings, standings
from contree.tournament.statistics.intervals import Estimate
from contree.tournament.tables import TableFault

THREE = RoundRobin(("x", "y", "[z]"), 2)
HALF = Progress(tables=6, of_tables=12, boards=3, of_boards=6, playing=2, played=4)


def table() -> Standings:
    results = [
        r for n in (1, 2) for p in THREE.pairings for r in board(THREE, n, p, (50, n), (n, 0))
    ]
    fault = TableFault("y", "N", "illegal_action", True, "")
    results[0] = result(table_of(THREE, 1, "x", "y", "A"), (50, 1), (fault,))
    return standings(THREE.bots, results)


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def shown(*, terminal: bool, width: int = 80) -> tuple[Reporter, io.StringIO, Clock]:
    out, clock = io.StringIO(), Clock()
    console = Console(file=out, force_terminal=terminal, width=width, color_system=None)
    return Reporter(console, clock), out, clock


def test_one_line() -> None:
    assert progress_line(HALF, 2.0) == (
        "3/6 boards closed, 6/12 tables, 2 in play, 2.0 tables/s, about 3 s left"
    )
    # What the first tables took says nothing of the others.
    assert progress_line(HALF._replace(played=1), 2.0).endswith("2 in play, 0.5 tables/s")
    assert (
        progress_line(HALF._replace(played=0), 2.0) == "3/6 boards closed, 6/12 tables, 2 in play"
    )


def test_a_mean_is_shown_with_its_interval_or_not_at_all() -> None:
    assert interval(Estimate(12.34, -1.0, 25.06, 40, "bootstrap")) == "+12.3 [-1.0, +25.1]"
    assert interval(None) == "-"


def test_plain_lines_now_and_then() -> None:
    reporter, out, clock = shown(terminal=False)
    with reporter:
        reporter.begin()
        for second in range(25):
            clock.now = 101.0 + second
            reporter.update(HALF, table)
    lines = out.getvalue().splitlines()
    assert len(lines) == 3
    assert lines[0].startswith("3/6 boards closed, 6/12 tables")
    assert "1. x +2" in lines[0]
    assert "\x1b" not in out.getvalue()


def test_live_on_a_terminal_and_gone_afterwards() -> None:
    reporter, out, clock = shown(terminal=True)
    with reporter:
        reporter.begin()
        clock.now += 1
        reporter.update(HALF, table)
        reporter.note("y ended: starting it again.")
    text = out.getvalue()
    assert "3/6 boards closed" in text
    assert "points/board" in text
    assert "y ended: starting it again." in text


def test_final_table() -> None:
    reporter, out, _ = shown(terminal=False)
    reporter.final(table())
    text = out.getvalue()
    assert "points/board [95%]" in text
    assert "[z]" in text
    assert "Faults of y: 1 illegal action, the house played on for it at 1 table." in text
    assert "row against column" in text
    assert "Points per board and 95% interval" in text
    assert "* y: the house played on for it at 1 table of 8; the points include that." in text
    assert " y* " in text


@pytest.mark.parametrize("width", [60, 79, 120])
def test_no_table_is_wider_than_the_terminal(width: int) -> None:
    names = ("a-rather-long-name-of-a-bot", *(f"bot-{number}" for number in range(7)))
    event = RoundRobin(names, 3)
    results = [
        r
        for n in (1, 2, 3)
        for place, pair in enumerate(event.pairings)
        for r in board(event, n, pair, (1250 * n, place), (0, 160))
    ]
    reporter, out, _ = shown(terminal=False, width=width)
    full = standings(event.bots, results)
    reporter.final(full)
    text = out.getvalue()
    tables = text[: text.index("Points per board")]
    assert max(map(len, tables.splitlines())) <= width
    for name in names:
        assert name in tables
    assert "…" not in text


def test_numbers_are_whole_however_narrow_the_terminal() -> None:
    reporter, out, _ = shown(terminal=False, width=30)
    reporter.final(table())
    assert "+25.0 [+25.0, +25.0]" in out.getvalue()
    assert "…" not in out.getvalue()


def test_nothing_yet() -> None:
    reporter, out, clock = shown(terminal=False)
    clock.now += 20
    reporter.update(HALF, lambda: standings(THREE.bots, []))
    reporter.final(standings(THREE.bots, []))
    assert "nan" not in out.getvalue()
