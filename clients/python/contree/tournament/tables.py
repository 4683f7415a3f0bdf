"""The result of a table, as a value and as one line of ``tables.jsonl``: pure."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from contree.tournament.result_kinds import check_result
from contree.tournament.schedule import Pairing, Side, Table

SCHEMA = 1
"""The version of a line; a reader refuses what it does not know."""
FORFEITED = "forfeited"
"""The reason of a table that was not played: a bot had failed for good."""


class TableFault(NamedTuple):
    """Something a bot did wrong."""

    bot: str
    seat: str
    """N E S W, as it sat."""
    kind: str
    """timeout, illegal_action, disconnected, protocol_error, resigned."""
    replaced: bool
    """From there on the house played the seat."""
    detail: str


class Attempt(NamedTuple):
    """An attempt at a table that was no result: a failure of the house, not of a bot."""

    match_id: str
    reason: str
    """not_started, cancelled, infrastructure."""
    detail: str = ""
    """One sentence: the seats not taken, the reason given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableResult:
    """How a table ended."""

    table: Table
    match_id: str
    reason: str
    """board_done, passed_out, target_reached, deals_played or forfeited."""
    seats: Mapping[str, str]
    """Who sat where (N E S W), the disguise included."""
    marks: tuple[int, int]
    """Marked by the (first, second) bot of the pairing."""
    contract: str = ""
    """As in ``90HEx`` (90 hearts by East, contre), seats and suits as played; empty when passed
    out.
    """
    made: bool | None = None
    faults: tuple[TableFault, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    """Attempts before this one."""
    decisions: Mapping[str, int] = field(default_factory=dict)
    """Decisions made, by bot."""
    seconds: Mapping[str, float] = field(default_factory=dict)
    """Time charged for them, by bot."""
    overruns: Mapping[str, int] = field(default_factory=dict)
    """Decisions that only the allowance saved from being late, by bot; those that had any."""
    times: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """How many decisions took about how long, by bot, as ``statistics.times`` reads it."""
    slowest: Mapping[str, float] = field(default_factory=dict)
    """Seconds of the longest decision, by bot."""
    race: bool = False
    """A race to a target, of which only the winner counts."""
    forfeited_by: tuple[str, ...] = ()
    """The bots that had failed, when the table was not played."""

    @property
    def swing(self) -> int:
        """Marks of the first bot minus marks of the second."""
        return self.marks[0] - self.marks[1]

    @property
    def worth(self) -> int:
        """What counts, for the first bot: the swing of a board, +1, 0 or -1 of a race."""
        if not self.race:
            return self.swing
        return (self.swing > 0) - (self.swing < 0)

    def to_dict(self) -> dict[str, Any]:
        """The result as plain values, for JSON."""
        return {
            "schema": SCHEMA,
            "table": self.table.id,
            "board": self.table.board,
            "first": self.table.pairing.first,
            "second": self.table.pairing.second,
            "side": self.table.side.value,
            "number": self.table.number,
            "match_id": self.match_id,
            "reason": self.reason,
            "seats": dict(self.seats),
            "marks": list(self.marks),
            "contract": self.contract,
            "made": self.made,
            "faults": [fault._asdict() for fault in self.faults],
            "attempts": [attempt._asdict() for attempt in self.attempts],
            "decisions": dict(self.decisions),
            "seconds": {bot: round(value, 3) for bot, value in self.seconds.items()},
            "overruns": dict(self.overruns),
            "times": {bot: list(counts) for bot, counts in self.times.items()},
            "slowest": {bot: round(value, 3) for bot, value in self.slowest.items()},
            **({"race": True} if self.race else {}),
            **({"forfeited_by": list(self.forfeited_by)} if self.forfeited_by else {}),
        }

    def line(self) -> str:
        """The line of ``tables.jsonl``."""
        return json.dumps(self.to_dict(), ensure_ascii=False, separators=(",", ":")) + "\n"

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> TableResult:
        """The result that ``to_dict`` gave; ValueError, KeyError or TypeError for anything else."""
        check_result(values)
        if values["schema"] != SCHEMA:
            raise ValueError(f"schema {values['schema']}; this version reads {SCHEMA}")
        first, second = values["marks"]
        return cls(
            table=Table(
                int(values["board"]),
                Pairing(values["first"], values["second"]),
                Side(values["side"]),
                int(values["number"]),
            ),
            match_id=values["match_id"],
            reason=values["reason"],
            seats=values["seats"],
            marks=(int(first), int(second)),
            contract=values["contract"],
            made=values["made"],
            faults=tuple(TableFault(**fault) for fault in values["faults"]),
            attempts=tuple(Attempt(**attempt) for attempt in values["attempts"]),
            decisions=values["decisions"],
            seconds=values["seconds"],
            # Not in the lines of earlier versions:
            overruns=values.get("overruns", {}),
            times={bot: tuple(counts) for bot, counts in values.get("times", {}).items()},
            slowest=values.get("slowest", {}),
            race=bool(values.get("race", False)),
            forfeited_by=tuple(map(str, values.get("forfeited_by", ()))),
        )


def forfeited(
    table: Table, out: Collection[str], marks: int, *, race: bool, attempts: tuple[Attempt, ...]
) -> TableResult:
    """The result of a table that is not played because some of its bots have failed for good."""
    blamed = tuple(bot for bot in table.pairing if bot in out)
    first, second = (0 if bot in blamed or len(blamed) == 2 else marks for bot in table.pairing)
    return TableResult(
        table=table,
        match_id="",
        reason=FORFEITED,
        seats={},
        marks=(first, second),
        attempts=attempts,
        race=race,
        forfeited_by=blamed,
    )
