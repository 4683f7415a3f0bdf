"""How an event stands, from its folder alone: also while it runs, and when nothing runs it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from contree.tournament.bot_endings import read_endings, restarts
from contree.tournament.documents import Derived
from contree.tournament.folder import EventFolder
from contree.tournament.progress import Progress, duration, progress_line
from contree.tournament.proof import EventProof
from contree.tournament.report import needed_lines
from contree.tournament.running import read_run
from contree.tournament.schedule import Side
from contree.tournament.tables import FORFEITED

_NAMED: Final = 8


class Status(NamedTuple):
    """An event as it stands."""

    event: str
    format: str
    state: str
    """``complete``, ``cancelled``, ``running`` or ``interrupted``."""
    process: int | None
    """The runner, while there is one."""
    tables: int
    of_tables: int
    boards: int
    """Boards of pairings that are closed."""
    of_boards: int
    playing: tuple[str, ...]
    """Tables in play."""
    tables_a_second: float
    seconds_left: float | None
    """As long as it runs and has a speed."""
    replayed: Mapping[str, tuple[str, ...]]
    """Tables that were played again, and why each attempt was no result."""
    forfeited: tuple[str, ...]
    faults: Mapping[str, int]
    """By bot."""
    restarts: Mapping[str, int]
    """How often processes of a bot were started again, by bot; those of which any was."""
    boards_needed: Mapping[str, Mapping[str, int]]
    """By meeting (``a~b``): boards in all until it is clear who is better, if it goes on like
    this, and the bounds of that number; those that are not clear yet.
    """
    memory_mib: Mapping[str, int]
    """The most that the last run took."""
    cancelled: Mapping[str, Any]
    """When it was cancelled, and why; empty when it was not."""
    needed_lines: tuple[str, ...] = ()
    """The boards needed as a sentence; empty when all is clear."""

    def lines(self) -> list[str]:
        """The same for people."""
        told = {
            "complete": "complete",
            "running": f"running (process {self.process})",
            "interrupted": "interrupted: run the same command again to go on",
            "cancelled": f"cancelled {self.cancelled.get('at', '')}".rstrip(),
        }[self.state]
        if self.cancelled.get("reason"):
            told += f": {self.cancelled['reason']}"
        lines = [f"Event {self.event}, {self.format}: {told}."]
        progress = Progress(
            self.tables, self.of_tables, self.boards, self.of_boards, len(self.playing), 0
        )
        line = progress_line(progress, 0.0)
        if self.tables_a_second:
            line += f", {self.tables_a_second:.1f} tables/s"
        if self.seconds_left is not None:
            line += f", about {duration(self.seconds_left)} left"
        lines.append(line)
        for what, tables in (
            ("In play", self.playing),
            ("Forfeited", self.forfeited),
            ("Played again", [f"{t} ({', '.join(why)})" for t, why in self.replayed.items()]),
        ):
            if tables:
                more = f" and {len(tables) - _NAMED} more" if len(tables) > _NAMED else ""
                lines.append(f"{what}: {', '.join(tables[:_NAMED])}{more}")
        if self.faults:
            counted = (f"{bot} {count}" for bot, count in self.faults.items())
            lines.append(f"Faults: {', '.join(counted)}")
        if self.restarts:
            counted = (f"{bot} {count}" for bot, count in self.restarts.items())
            lines.append(f"Started again: {', '.join(counted)}")
        lines += self.needed_lines
        return lines


def status_of(folder: Path) -> Status:
    """How the event in a folder stands. Raises ResultsError when there is none."""
    proof = EventProof.read(folder)
    process = EventFolder.runner_of(folder)
    said = {} if process is None else read_run(folder)
    if said.get("process") != process:
        said = {}
    derived = Derived.of(proof.schedule, proof.results, quick=True)
    opened, results = derived.opened, derived.results
    sides = Counter((result.table.board, result.table.pairing) for result in results)
    cancelled = EventFolder(folder).cancelled()
    faults = Counter(fault.bot for result in results for fault in result.faults)
    state = "running" if process is not None else "cancelled" if cancelled else "interrupted"
    return Status(
        event=proof.id,
        format=proof.kind,
        state="complete" if derived.complete and process is None else state,
        process=process,
        tables=len(results),
        of_tables=opened.of_tables,
        boards=sum(count == len(Side) for count in sides.values()),
        of_boards=opened.of_tables // len(Side),
        playing=tuple(said.get("playing", ())),
        tables_a_second=float(said.get("tables_a_second", 0.0)),
        seconds_left=said.get("seconds_left"),
        replayed={
            result.table.id: tuple(attempt.reason for attempt in result.attempts)
            for result in results
            if result.attempts
        },
        forfeited=tuple(r.table.id for r in results if r.reason == FORFEITED),
        faults=dict(sorted(faults.items())),
        restarts=dict(sorted(restarts(read_endings(EventFolder(folder).endings)).items())),
        boards_needed={
            str(pair): met.needed._asdict()
            for pair, met in derived.standings.meetings.items()
            if pair.first < pair.second and met.needed is not None
        },
        needed_lines=tuple(needed_lines(derived.standings)),
        memory_mib=read_run(folder).get("memory_mib", {}),
        cancelled=cancelled,
    )
