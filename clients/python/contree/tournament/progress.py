"""What the person at the terminal sees: live on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import Final, NamedTuple

from rich import box
from rich.console import Console, Group
from rich.live import Live
from rich.markup import escape
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from contree.tournament.intervals import Estimate
from contree.tournament.schedule import Pairing
from contree.tournament.standings import Conduct, Standings

_LIVE_EVERY_S: Final = 0.5
_PLAIN_EVERY_S: Final = 10.0
_SHARE: Final = 20
"""The standings take at most one part in so many of the time."""


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
        shown = Group(standings_table(table()), Text(progress_line(progress, now - self._started)))
        self._live.update(shown, refresh=True)
        self._next = now + max(_LIVE_EVERY_S, (self._clock() - now) * _SHARE)

    def final(self, standings: Standings) -> None:
        """The standings and the cross table, for good."""
        self._whole(standings_table(standings))
        if len(standings.rows) > 2:
            self._whole(cross_table(standings))
        for row in standings.rows:
            if row.conduct.faults or row.conduct.replaced:
                self.note(f"Faults of {row.bot}: {faults_line(row.conduct)}.")
            if row.conduct.overruns:
                count = row.conduct.overruns
                decisions = "1 decision" if count == 1 else f"{count} decisions"
                self.note(f"The allowance saved {decisions} of {row.bot} from being late.")
        self.note(
            "Points per board and 95% interval: the bot's marks minus its opponents', mean of the "
            "two tables of a board."
        )

    def _whole(self, table: Table) -> None:
        """Print a table as wide as it is: numbers are not to be cut off."""
        unbounded = self._console.options.update(width=10_000)
        width = Measurement.get(self._console, unbounded, table).maximum
        usual, self._console.width = self._console.width, max(width, self._console.width)
        self._console.print(table)
        self._console.width = usual


def progress_line(progress: Progress, seconds: float) -> str:
    """One line: boards, tables, speed."""
    speed = f", {progress.played / seconds:.1f} tables/s" if seconds > 0 and progress.played else ""
    return (
        f"{progress.boards}/{progress.of_boards} boards closed, "
        f"{progress.tables}/{progress.of_tables} tables, {progress.playing} in play{speed}"
    )


def leaders(standings: Standings) -> str:
    """The standings in one line."""
    shown = [
        f"{row.place}. {row.bot} {interval(row.points)}" for row in standings.rows if row.points
    ]
    return "; ".join(shown)


def interval(points: Estimate | None) -> str:
    """A mean with its interval; a dash when there is none, for then the mean is not shown."""
    if points is None:
        return "-"
    digits = 1 if max(-points.low, points.high) < 1000 else 0
    mean, low, high = (f"{value:+.{digits}f}" for value in points[:3])
    return f"{mean} [{low}, {high}]"


def standings_table(standings: Standings) -> Table:
    """The standings as a table."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    columns = "", "bot", "points/board [95%]", "boards", "won-tied-lost", "faults", "ms/move"
    for name in columns:
        table.add_column(name, justify="left" if name == "bot" else "right", no_wrap=True)
    for row in standings.rows:
        table.add_row(
            str(row.place) if row.points else "-",
            escape(row.bot),
            interval(row.points),
            str(row.tally.boards),
            "-".join(map(str, row.tally)),
            str(sum(row.conduct.faults.values())),
            f"{row.conduct.seconds_a_decision * 1000:.1f}",
        )
    return table


def faults_line(conduct: Conduct) -> str:
    """What a bot did wrong, in words."""
    parts = [
        f"{count} {kind.replace('_', ' ')}{'s' if count > 1 else ''}"
        for kind, count in conduct.faults.items()
    ]
    if conduct.replaced:
        tables = "1 table" if conduct.replaced == 1 else f"{conduct.replaced} tables"
        parts.append(f"the house played on for it at {tables}")
    return ", ".join(parts)


def cross_table(standings: Standings) -> Table:
    """How each did against each, seen from the row."""
    table = Table(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        title="row against column",
        title_justify="left",
    )
    table.add_column("")
    bots = [row.bot for row in standings.rows]
    for bot in bots:
        table.add_column(escape(bot), justify="right", no_wrap=True)
    for bot in bots:
        cells = []
        for opponent in bots:
            met = standings.meetings.get(Pairing(bot, opponent))
            cells.append("" if met is None else interval(met.points))
        table.add_row(escape(bot), *cells)
    return table
