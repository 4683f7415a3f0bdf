"""What the person at the terminal sees: live on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Final, NamedTuple

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from contree.tournament.report import (
    closing_lines,
    cross_tables,
    footnotes,
    interval,
    needed_lines,
    report_tables,
    standings_table,
    width_of,
)
from contree.tournament.standings import Standings

_LIVE_EVERY_S: Final = 0.5
_PLAIN_EVERY_S: Final = 10.0
_SHARE: Final = 20
"""The standings take at most one part in so many of the time."""
_LEADERS: Final = 4
"""Bots that are named in a line, at most."""
ENOUGH: Final = 4
"""Tables after which it is said how long the rest takes."""


class Progress(NamedTuple):
    """How far an event is."""

    tables: int
    """Tables with a result, those of earlier runs included."""
    of_tables: int
    boards: int
    """Boards of pairings that are closed."""
    of_boards: int
    playing: int
    """Tables being played."""
    played: int
    """Tables that got their result in this run."""
    forfeited: int = 0
    """Tables with a result that were not played."""
    replayed: int = 0
    """Attempts at tables that were no result, those of earlier runs included."""


class Reporter:
    """Shows how an event goes. Use as a context manager."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._clock = clock
        self._started = clock()
        self._live: Live | None = None
        self._next = self._started

    def __enter__(self) -> Reporter:
        if self._console.is_terminal:
            self._live = Live(console=self._console, auto_refresh=False, transient=True)
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def note(self, text: str) -> None:
        """Say something, once."""
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)

    def begin(self) -> None:
        """The first card is about to be dealt: the speed counts from here."""
        self._started = self._next = self._clock()

    def update(self, progress: Progress, table: Callable[[], Standings]) -> None:
        """Show how far it is, if that is due; ``table`` gives the present standings."""
        now = self._clock()
        if now < self._next:
            return
        if self._live is None:
            self._next = now + _PLAIN_EVERY_S
            line = progress_line(progress, now - self._started)
            self.note(f"{line}  {leaders(table())}".rstrip())
            return
        standings = table()
        lines = (*needed_lines(standings), progress_line(progress, now - self._started))
        shown = Group(standings_table(standings), *map(Text, lines))
        self._live.update(shown, refresh=True)
        self._next = now + max(_LIVE_EVERY_S, (self._clock() - now) * _SHARE)

    def final(self, standings: Standings, lines: Sequence[str] = ()) -> None:
        """The standings and the cross table, for good, no wider than the terminal."""
        width = self._console.width
        for table in (*report_tables(standings, width), *cross_tables(standings, width)):
            self._whole(table)
        for line in (*footnotes(standings), *lines, *closing_lines(standings)):
            self.note(line)

    def _whole(self, table: Table) -> None:
        """Print a table as wide as it is: numbers are not to be cut off."""
        width = width_of(self._console, table)
        usual, self._console.width = self._console.width, max(width, self._console.width)
        self._console.print(table)
        self._console.width = usual


def progress_line(progress: Progress, seconds: float) -> str:
    """One line: boards, tables, speed, time left."""
    speed = progress.played / seconds if seconds > 0 else 0.0
    left = progress.of_tables - progress.tables
    pace = f", {speed:.1f} tables/s" if speed else ""
    if progress.played >= ENOUGH and left > 0:
        pace += f", about {duration(left / speed)} left"
    return (
        f"{progress.boards}/{progress.of_boards} boards closed, "
        f"{progress.tables}/{progress.of_tables} tables, {progress.playing} in play{pace}"
    )


def duration(seconds: float) -> str:
    """A time for people: 40 s, 12 min, 3 h 20 min."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def leaders(standings: Standings) -> str:
    """The standings in one line."""
    shown = [
        f"{row.place}. {row.bot} {interval(row.points)}" for row in standings.rows if row.points
    ]
    more = [f"{len(shown) - _LEADERS} more"] if len(shown) > _LEADERS else []
    return "; ".join([*shown[:_LEADERS], *more])
