"""What a bot is: a class with two methods.

    class MyBot(Bot):
        def call(self, view): ...   # what to say in the auction
        def play(self, view): ...   # which card to play

Every method may be ``async``. A bot without an ``async`` method is run in a thread of its own, one
method at a time, so that it may think as long as its clock allows; with ``threaded = False`` it is
run in place, which is faster for bots that answer in microseconds, but nothing else happens
meanwhile. An ``async`` bot runs on the event loop and may be asked about several seats at once.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, NamedTuple

from contree.client.events import DealEnded, Event, FaultCharged, MatchEnded
from contree.client.matches import Board, FaultPolicy, Race, TimeControl
from contree.engine import (
    DECLINE,
    Action,
    Announced,
    Call,
    Card,
    DecisionKind,
    RuleSet,
    Seat,
    View,
)


class Delivery(Enum):
    """How much of the table a bot is told."""

    STATE = "state"
    """Its turns, each with the whole view, and results."""
    EVENTS = "events"
    """Everything that its seat may see, one event after the other, besides."""


@dataclass(frozen=True, slots=True)
class Practice:
    """A match against the house, created when the bot connects: the bot is north and south. One
    follows the other while the bot wants more ``matches``.
    """

    preset: str = ""
    """Empty for the default rules."""
    opponents: str = "rules"
    """The house player of the opponents: ``rules`` or ``random``."""
    partner: str = ""
    """The house player of the partner; empty for the bot itself."""
    deals: int = 0
    """0 for a race to the target of the rules."""


class SeatInfo(NamedTuple):
    """A seat that the bot has been given."""

    match_id: str
    seat: Seat
    rules: RuleSet
    mode: Board | Race
    """The number of a board is not told to players: it reads 0."""
    time_control: TimeControl
    fault_policy: FaultPolicy
    resumed: bool
    """It was this instance's before."""


class Turn(NamedTuple):
    """A decision that the bot owes, with the clock that a view does not have."""

    view: View
    table: SeatInfo
    deadline: float
    """On ``time.monotonic()``: when the time is up, without the allowance."""
    bank: float
    """Seconds of the time left that are kept for later decisions when unused."""
    allowance: float
    """Seconds of tolerance after the deadline."""
    charged: float
    """Seconds charged for the previous decision."""
    round_trip: float | None
    """Seconds to the server and back as the server measures them."""

    def time_left(self) -> float:
        """Seconds until the deadline, never negative."""
        return max(0.0, self.deadline - time.monotonic())


class Bot:
    """A bot. Write ``call`` and ``play``; the rest has defaults."""

    name: str = ""
    """Seats are given by it; CONTREE_BOT wins over it, and the class's name stands in for it."""
    version: str = ""
    """For the record."""
    threaded: ClassVar[bool] = True
    """Run in a thread of its own (unless it has ``async`` methods)."""

    def call(self, view: View) -> Call | Awaitable[Call]:
        """What to say at one's turn in the auction: one of ``view.legal``."""
        raise NotImplementedError

    def play(self, view: View) -> Card | Announced | Awaitable[Card | Announced]:
        """Which card to play: one of ``view.legal``."""
        raise NotImplementedError

    def contre(self, view: View) -> Call | Awaitable[Call]:
        """Contre or decline, when one is asked out of turn; declines."""
        del view
        return DECLINE

    def surcontre(self, view: View) -> Call | Awaitable[Call]:
        """Surcontre or decline, when one is asked out of turn; declines."""
        del view
        return DECLINE

    def decide(self, turn: Turn) -> Action | Awaitable[Action]:
        """Answer a turn: by default with the method for its kind. Write this one instead of the
        others to see the clock.
        """
        view = turn.view
        kind = view.kind
        if kind is DecisionKind.CARD:
            return self.play(view)
        if kind is DecisionKind.CALL:
            return self.call(view)
        if kind is DecisionKind.CONTRE:
            return self.contre(view)
        return self.surcontre(view)

    # -- told, when it cares

    def seated(self, table: SeatInfo) -> Awaitable[None] | None:
        """A seat is the bot's. The seat is ready when this returns: the place to prepare."""

    def event(self, table: SeatInfo, event: Event) -> Awaitable[None] | None:
        """Something happened (delivery ``EVENTS`` only)."""

    def deal_ended(self, table: SeatInfo, ended: DealEnded) -> Awaitable[None] | None:
        """A deal is over; told for each seat of the bot."""

    def match_ended(self, table: SeatInfo, ended: MatchEnded) -> Awaitable[None] | None:
        """A match is over; told for each seat of the bot."""

    def fault(self, table: SeatInfo, fault: FaultCharged, detail: str) -> Awaitable[None] | None:
        """A fault was charged to a seat of the bot; ``detail`` is one sentence."""

    def connected(self) -> Awaitable[None] | None:
        """The server has said welcome: for the first time, or again after a lost connection."""

    def disconnected(self, reason: str) -> Awaitable[None] | None:
        """The connection was lost, or could not be had; it is dialled again."""


class BatchBot:
    """A bot that decides many positions at once, on a GPU for example; see ``Bot`` for the rest."""

    name: str = ""
    version: str = ""
    threaded: ClassVar[bool] = True

    def act(self, views: Sequence[View]) -> Sequence[Action] | Awaitable[Sequence[Action]]:
        """One of ``view.legal`` for each view, in their order. ``view.kind`` tells what is owed;
        declining is ``contree.engine.DECLINE``.
        """
        raise NotImplementedError

    def seated(self, table: SeatInfo) -> Awaitable[None] | None:
        """As in ``Bot``."""

    def event(self, table: SeatInfo, event: Event) -> Awaitable[None] | None:
        """As in ``Bot``."""

    def deal_ended(self, table: SeatInfo, ended: DealEnded) -> Awaitable[None] | None:
        """As in ``Bot``."""

    def match_ended(self, table: SeatInfo, ended: MatchEnded) -> Awaitable[None] | None:
        """As in ``Bot``."""

    def fault(self, table: SeatInfo, fault: FaultCharged, detail: str) -> Awaitable[None] | None:
        """As in ``Bot``."""

    def connected(self) -> Awaitable[None] | None:
        """As in ``Bot``."""

    def disconnected(self, reason: str) -> Awaitable[None] | None:
        """As in ``Bot``."""
