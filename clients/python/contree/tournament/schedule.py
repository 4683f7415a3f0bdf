"""Tables: what they are called, and in which order they are handed out. Pure.

A board is one deck and one dealer. A pairing plays a board twice: at table A its first bot holds
the cards dealt to North and South, at table B those dealt to East and West. Which pairings play
which boards is the business of a format (``contree.tournament.formats``).

Ids follow from the schedule alone. That is all there is to resuming an event: run it again, and
what has a result is not played, what the service already knows by its id is not created twice.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
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


class Seating:
    """Hands out tables in their order, as far as the bots have room.

    No bot is ever seated at two tables of the same board at once: its hands there are the same
    cards, and what it does at one table must not depend on the other.
    """

    def __init__(self, bots: Iterable[str], room: Mapping[str, int] | None = None) -> None:
        """``room``: tables a bot plays at once, at most; without end for one that is not there."""
        self._bots = tuple(bots)
        self._room = room or {}
        self._playing: Counter[str] = Counter()
        self._untouched: deque[tuple[int, list[Table]]] = deque()
        self._waiting: dict[int, deque[Table]] = {}
        self._busy: dict[int, set[str]] = defaultdict(set)

    def open(self, tables: Iterable[Table]) -> None:
        """There are these to be played too; the tables of a board come together."""
        boards: dict[int, list[Table]] = defaultdict(list)
        for table in tables:
            boards[table.board].append(table)
        self._untouched.extend(sorted(boards.items()))

    def close(self, unwanted: Callable[[Table], bool]) -> None:
        """Some of the tables are not to be handed out any more."""
        for board, waiting in list(self._waiting.items()):
            self._keep(board, [table for table in waiting if not unwanted(table)])
        self._untouched = deque(
            (board, kept)
            for board, tables in self._untouched
            if (kept := [table for table in tables if not unwanted(table)])
        )

    def next(self) -> Table | None:
        """The next table that may be played now; None when there is none (at present)."""
        for board in list(self._waiting):
            if table := self._take(board):
                return table
        while self._untouched:
            if sum(map(self._has_room, self._bots)) < 2:
                return None
            board, tables = self._untouched.popleft()
            self._waiting[board] = deque(tables)
            if table := self._take(board):
                return table
        return None

    def left(self, table: Table, *, again: bool = False) -> None:
        """The table is not being played any more; ``again``: it is to be handed out once more."""
        self._playing.subtract(table.pairing)
        self._busy[table.board].difference_update(table.pairing)
        if again:
            # Re-inserted in schedule order, so that earlier boards close first.
            self._keep(table.board, [*self._waiting.get(table.board, ()), table])
            self._waiting = dict(sorted(self._waiting.items()))

    def _keep(self, board: int, tables: list[Table]) -> None:
        self._waiting[board] = deque(sorted(tables, key=lambda table: table.number))
        if not tables:
            del self._waiting[board]

    def _take(self, board: int) -> Table | None:
        waiting = self._waiting[board]
        busy = self._busy[board]
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
