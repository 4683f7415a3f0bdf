"""Who meets whom on which board, and in which order: pure, and the same each time it is asked.

A board is one deck and one dealer. Every pairing plays every board twice: at table A the first bot
of the pairing holds the cards dealt to North and South, at table B those dealt to East and West.
Boards come one after the other, so that at any moment all pairings have played about as many.

Ids follow from the schedule alone. That is all there is to resuming an event: run it again, and
what has a result is not played, what the service already knows by its id is not created twice.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter, deque
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import combinations
from typing import NamedTuple


class Side(Enum):
    """Which of the two tables of a pairing on a board."""

    A = "A"
    """The first bot of the pairing holds the cards of North and South."""
    B = "B"
    """It holds the cards of East and West."""


class Pairing(NamedTuple):
    """Two bots that meet, in the order of the event's file."""

    first: str
    second: str

    def __str__(self) -> str:
        return f"{self.first}~{self.second}"


class Table(NamedTuple):
    """One match of the schedule."""

    board: int
    """The number of the board, from 1."""
    pairing: Pairing
    side: Side
    number: int
    """Among all tables of the board, from 1; those after the first are disguised by it."""

    @property
    def id(self) -> str:
        """Names the table within its event; fit for a file name."""
        return f"b{self.board:04d}-{self.pairing}-{self.side.value}"


@dataclass(frozen=True, slots=True)
class RoundRobin:
    """Everybody meets everybody on the same boards."""

    bots: tuple[str, ...]
    boards: int

    @property
    def pairings(self) -> tuple[Pairing, ...]:
        """Each two of the bots, once."""
        return tuple(Pairing(first, second) for first, second in combinations(self.bots, 2))

    def tables_of(self, board: int) -> tuple[Table, ...]:
        """The tables of a board, in order; empty when there is no such board."""
        if not 1 <= board <= self.boards:
            return ()
        meetings = ((pairing, side) for pairing in self.pairings for side in Side)
        return tuple(
            Table(board, pairing, side, number)
            for number, (pairing, side) in enumerate(meetings, start=1)
        )

    def __iter__(self) -> Iterator[Table]:
        """All tables, in the order in which they are played and counted."""
        for board in range(1, self.boards + 1):
            yield from self.tables_of(board)

    def __len__(self) -> int:
        return self.boards * len(self.pairings) * len(Side)


class Seating:
    """Hands out the tables of a schedule in its order, as far as the bots have room.

    No bot is ever seated at two tables of the same board at once: its hands there are the same
    cards, and what it does at one table must not depend on the other.
    """

    def __init__(
        self,
        schedule: RoundRobin,
        done: Collection[str] = (),
        room: Mapping[str, int] | None = None,
    ) -> None:
        """``done``: ids of tables with a result; ``room``: tables a bot plays at once, at most."""
        self._schedule = schedule
        self._done = done
        self._room = room or {}
        self._playing: Counter[str] = Counter()
        self._waiting: dict[int, deque[Table]] = {}
        self._busy: dict[int, set[str]] = {}
        self._next_board = 1

    def next(self) -> Table | None:
        """The next table that may be played now; None when there is none (at present)."""
        for board in list(self._waiting):
            if table := self._take(board):
                return table
        while self._next_board <= self._schedule.boards:
            board = self._next_board
            if sum(map(self._has_room, self._schedule.bots)) < 2:
                return None
            self._next_board += 1
            tables = self._schedule.tables_of(board)
            self._waiting[board] = deque(t for t in tables if t.id not in self._done)
            if table := self._take(board):
                return table
        return None

    def left(self, table: Table, *, again: bool = False) -> None:
        """The table is not being played any more; ``again``: it is to be handed out once more."""
        self._playing.subtract(table.pairing)
        self._busy[table.board].difference_update(table.pairing)
        if again:
            # Re-inserted in schedule order, so that earlier boards close first.
            tables = sorted([*self._waiting.get(table.board, ()), table], key=lambda t: t.number)
            self._waiting[table.board] = deque(tables)
            self._waiting = dict(sorted(self._waiting.items()))

    def _take(self, board: int) -> Table | None:
        waiting = self._waiting[board]
        busy = self._busy.setdefault(board, set())
        found = None
        for table in waiting:
            if busy.isdisjoint(table.pairing) and all(map(self._has_room, table.pairing)):
                found = table
                break
        if found:
            waiting.remove(found)
            busy.update(found.pairing)
            self._playing.update(found.pairing)
        if not waiting:
            del self._waiting[board]
        return found

    def _has_room(self, bot: str) -> bool:
        return bot not in self._room or self._playing[bot] < self._room[bot]


def event_id(name: str, settings: Mapping[str, object]) -> str:
    """The id of an event: its name and a digest of all that bears on its results."""
    text = json.dumps(settings, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "event"
    return f"{slug[:32]}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def request_id(event: str, table: Table, attempt: int) -> str:
    """The id under which an attempt at a table is created, once, however often it is asked for."""
    return f"{event}/{table.id}/{attempt}"


def board_group(event: str, board: int) -> str:
    """The disclosure group of a board: all its tables, for all of them show the same cards."""
    return f"{event}/b{board:04d}"
