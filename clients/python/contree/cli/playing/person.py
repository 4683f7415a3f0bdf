"""A person as the client SDK sees one: a bot that is told everything and asks somebody."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple

from contree.client import Bot, Event, FaultCharged, MatchEnded, SeatInfo, Turn
from contree.engine import Action

if TYPE_CHECKING:
    from contree.cli.spectate import What


class Seated(NamedTuple):
    """The person has got a seat."""

    info: SeatInfo


class Happened(NamedTuple):
    """Something happened at the table."""

    what: What


class Asked(NamedTuple):
    """A turn is owed; ``answer`` takes what the person does."""

    turn: Turn
    answer: asyncio.Future[Action]


class Withdrawn(NamedTuple):
    """The turn is not owed any more, though the person has not answered."""

    turn: Turn


class Fault(NamedTuple):
    """A fault was charged to the person's seat."""

    fault: FaultCharged
    detail: str


class Linked(NamedTuple):
    """The connection stands."""


class Cut(NamedTuple):
    """The connection does not stand; it is dialled again."""

    reason: str


class Over(NamedTuple):
    """The match is over."""

    ended: MatchEnded


class Joined(NamedTuple):
    """So many people are at the table, which is not full yet; who, by seat."""

    names: tuple[str, ...]


class Closed(NamedTuple):
    """Nothing more comes: all is played, or ``error`` says why not."""

    error: BaseException | None


News = Seated | Happened | Asked | Withdrawn | Fault | Linked | Cut | Over | Joined | Closed


class Person(Bot):
    """Tells all that happens through ``news`` and waits for the answers."""

    def __init__(self, name: str, shown: str) -> None:
        """``name`` is what seats are given by, ``shown`` how the person is called at the table."""
        self.name = name
        self.version = shown
        self.news: asyncio.Queue[News] = asyncio.Queue()

    async def decide(self, turn: Turn) -> Action:
        """What the person does."""
        answer: asyncio.Future[Action] = asyncio.get_running_loop().create_future()
        self.news.put_nowait(Asked(turn, answer))
        try:
            return await answer
        except asyncio.CancelledError:
            self.news.put_nowait(Withdrawn(turn))
            raise

    def seated(self, table: SeatInfo) -> None:
        """A seat is the person's."""
        self.news.put_nowait(Seated(table))

    def event(self, table: SeatInfo, event: Event) -> None:
        """Something happened."""
        del table
        self.news.put_nowait(Happened(event.what))

    def match_ended(self, table: SeatInfo, ended: MatchEnded) -> None:
        """The match is over."""
        del table
        self.news.put_nowait(Over(ended))

    def fault(self, table: SeatInfo, fault: FaultCharged, detail: str) -> None:
        """A fault was charged."""
        del table
        self.news.put_nowait(Fault(fault, detail))

    def connected(self) -> None:
        """The connection stands."""
        self.news.put_nowait(Linked())

    def disconnected(self, reason: str) -> None:
        """The connection does not stand."""
        self.news.put_nowait(Cut(reason))
