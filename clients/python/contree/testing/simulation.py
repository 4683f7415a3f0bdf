"""Many boards without a server: the tables of a round robin, played in a pool of processes.

The cards and disguises are those that an event with the same seed and label has. A board depends on
nothing but its number: players are made afresh for every seat of every table, so boards can be
shared out by ranges, over processes and machines, and put together again.
"""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Generator
from functools import partial
from itertools import combinations
from typing import Any, Final, NamedTuple

from contree.engine import SEATS, Action, Deal, DealResult, Policy, RuleSet, Seat, View, drive
from contree.testing.pool import in_processes
from contree.tournament.layout import lay_out
from contree.tournament.schedule import Pairing, Side, Table

MOST_BOARDS: Final = 1_000_000_000
_CHUNKS: Final = 16
"""Chunks for each process, if these are no larger than ``_LARGEST``."""
_LARGEST: Final = 50

MakePlayer = Callable[[str, str], Policy]
"""Makes the player of a name for a seat; the text names table and seat, to draw by."""


class PlayerFailed(Exception):
    """A player raised, or did what the rules forbid."""

    def __init__(self, player: str, table: str, reason: str, detail: str) -> None:
        """``reason`` is one sentence, ``detail`` the traceback."""
        super().__init__(player, table, reason, detail)
        self.player = player
        self.table = table
        self.reason = reason
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.player} failed at table {self.table}: {self.reason}"


class Simulation(NamedTuple):
    """What is played: boards by number, by every two of the players, both ways round."""

    players: tuple[str, ...]
    rules: RuleSet
    seed: bytes
    label: str
    make: MakePlayer
    """To be called in another process: a function of a module, or a ``partial`` of one."""

    def board(self, number: int) -> list[Played]:
        """All pairings on one board. Raises PlayerFailed."""
        tables = self.tables(number)
        return [
            Played(number, at_a.pairing, self._table(at_a), self._table(at_b))
            for at_a, at_b in zip(tables[::2], tables[1::2], strict=True)
        ]

    def tables(self, number: int) -> list[Table]:
        """The tables of a board, as a round robin has them: both of a pairing, then the next."""
        pairings = [Pairing(first, second) for first, second in combinations(self.players, 2)]
        both = [(pairing, side) for pairing in pairings for side in Side]
        return [Table(number, *one, place) for place, one in enumerate(both, start=1)]

    def _table(self, table: Table) -> Swing:
        laid = lay_out(table, self.seed, self.label, self.rules)
        acting = ""

        def watched(name: str, player: Policy) -> Policy:
            def act(view: View) -> Action:
                nonlocal acting
                acting = name
                return player(view)

            return act

        try:
            players: dict[Seat, Policy] = {}
            for seat in SEATS:
                acting = laid.seats[seat]
                key = f"{self.seed.hex()}/{table.id}/{seat}"
                players[seat] = watched(acting, self.make(acting, key))
            deal = drive(players, Deal.start(self.rules, laid.deal.dealer, laid.deal.hands))
        except Exception as error:
            detail = "".join(traceback.format_exception(error))
            reason = f"{type(error).__name__}: {error}"
            raise PlayerFailed(acting, table.id, reason, detail) from error
        assert deal.result is not None
        marks = deal.result.marks
        return Swing(marks[laid.first_team] - marks[laid.first_team.other], deal.result)


class Swing(NamedTuple):
    """How a table ended."""

    marks: int
    """Of the first player of the pairing less those of the second."""
    result: DealResult

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        contract = self.result.contract
        return {
            "contract": "" if contract is None else str(contract),
            "made": None if contract is None else self.result.winner is contract.team,
            "swing": self.marks,
        }


class Played(NamedTuple):
    """A board of a pairing."""

    board: int
    pairing: Pairing
    table_a: Swing
    table_b: Swing

    @property
    def points(self) -> float:
        """What the board is worth to the first player, as in an event."""
        return (self.table_a.marks + self.table_b.marks) / 2

    def line(self) -> str:
        """One line of JSON."""
        row = {
            "board": self.board,
            "first": self.pairing.first,
            "second": self.pairing.second,
            "points": self.points,
            "table_a": self.table_a.to_dict(),
            "table_b": self.table_b.to_dict(),
        }
        return json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n"


def simulate(
    simulation: Simulation, boards: range, workers: int = 1
) -> Generator[tuple[Played, ...], None, None]:
    """Play these boards, in this order; some at a time, so that what is played is not lost.

    With one worker in this process, else in so many others, which end with the generator. Raises
    PlayerFailed, WorkerLost.
    """
    size = max(1, min(_LARGEST, len(boards) // (workers * _CHUNKS)))
    chunks = (boards[start : start + size] for start in range(0, len(boards), size))
    yield from in_processes(partial(_chunk, simulation), chunks, workers)


def _chunk(simulation: Simulation, boards: range) -> tuple[Played, ...]:
    return tuple(played for number in boards for played in simulation.board(number))
