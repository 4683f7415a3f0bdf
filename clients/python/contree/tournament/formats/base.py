"""What a format is, and what all of them have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from contree.tournament.schedule import Pairing, Side, Table
from contree.tournament.tables import TableResult

Results = Mapping[str, TableResult]
"""The finished tables, by table id."""


class Opened(NamedTuple):
    """The tables of an event, as far as they are known."""

    tables: tuple[Table, ...]
    """All that are to be played, the finished ones included, in order. These count."""
    of_tables: int
    """How many there will be in all, as far as can be said."""
    complete: bool
    """Nothing else will be opened."""
    surplus: tuple[Table, ...] = ()
    """Tables that were played and do not count: the event was decided before them."""

    def over(self, results: Results) -> bool:
        """Whether the event has been played to its end."""
        return self.complete and all(table.id in results for table in self.tables)

    def counted(self, results: Results) -> tuple[TableResult, ...]:
        """The results that count, in the order of the schedule."""
        return tuple(results[table.id] for table in self.tables if table.id in results)


@dataclass(frozen=True, slots=True)
class Report:
    """What a format has to say besides the points of boards."""

    places: Mapping[str, int] = field(default_factory=dict)
    """The places of the bots, from 1, where it is not the points that decide."""
    lines: tuple[str, ...] = ()
    """For people."""
    data: Mapping[str, Any] = field(default_factory=dict)
    """The same for programs."""


class Format(Protocol):
    """A way to hold an event."""

    @property
    def bots(self) -> tuple[str, ...]:
        """Who takes part."""

    @property
    def asks_every(self) -> int | None:
        """How many boards are closed before it is asked again what is to be played; None: it is
        asked only when everything it opened has been played.
        """

    def opened(self, results: Results) -> Opened:
        """The tables that there are after these results."""

    def report(self, results: Results) -> Report:
        """What the results come to."""


def tables_on(boards: Iterable[int], pairings: Sequence[Pairing]) -> tuple[Table, ...]:
    """Each pairing at both tables of each board, numbered from 1 on each board."""
    return tuple(
        Table(board, pairing, side, 1 + 2 * place + (side is Side.B))
        for board in boards
        for place, pairing in enumerate(pairings)
        for side in Side
    )


def total(results: Results, tables: Iterable[Table]) -> float | None:
    """What some tables of a pairing were worth to its first bot; None while one is missing."""
    worth = 0.0
    for table in tables:
        result = results.get(table.id)
        if result is None:
            return None
        worth += result.worth
    return worth
