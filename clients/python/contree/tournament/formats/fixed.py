"""Round robin and gauntlet: all pairings play the same boards, one board after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from contree.tournament.formats.base import Opened, Report, Results, tables_on
from contree.tournament.schedule import Pairing, Table


@dataclass(frozen=True, slots=True)
class _Fixed:
    bots: tuple[str, ...]
    boards: int

    @property
    def asks_every(self) -> int | None:
        return None

    @property
    def pairings(self) -> tuple[Pairing, ...]:
        raise NotImplementedError

    def tables_of(self, board: int) -> tuple[Table, ...]:
        """The tables of a board, in order; empty when there is no such board."""
        return tables_on([board], self.pairings) if 1 <= board <= self.boards else ()

    def __iter__(self) -> Iterator[Table]:
        """All tables, in the order in which they are played and counted."""
        yield from tables_on(range(1, self.boards + 1), self.pairings)

    def __len__(self) -> int:
        return 2 * self.boards * len(self.pairings)

    def opened(self, results: Results) -> Opened:
        return Opened(tuple(self), len(self), complete=True)

    def report(self, results: Results) -> Report:
        return Report()


@dataclass(frozen=True, slots=True)
class RoundRobin(_Fixed):
    """Everybody meets everybody."""

    @property
    def pairings(self) -> tuple[Pairing, ...]:
        """Each two of the bots, once."""
        return tuple(Pairing(first, second) for first, second in combinations(self.bots, 2))


@dataclass(frozen=True, slots=True)
class Gauntlet(_Fixed):
    """One bot meets all others; these do not meet."""

    bot: str

    @property
    def pairings(self) -> tuple[Pairing, ...]:
        """The one with each of the others."""
        return tuple(Pairing(self.bot, other) for other in self.bots if other != self.bot)
