"""Who a bot is, the seats it holds, and what became of them."""

from __future__ import annotations

from dataclasses import dataclass

from contree.client.bot import Delivery, Practice, SeatInfo
from contree.client.pace import Pace
from contree.client.thinking import Question
from contree.engine import Action
from contree.wire import ViewReader


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a bot says it is."""

    name: str
    version: str
    instance_id: str
    capacity: int
    """0 for the server's default."""
    delivery: Delivery
    practice: Practice | None


@dataclass(slots=True)
class Counts:
    """What became of a session so far."""

    matches: int = 0
    decisions: int = 0
    illegal: int = 0
    late: int = 0
    faults: int = 0
    replaced: int = 0
    """Seats that the house played on with, for faults of the bot."""
    connections: int = 0


class HeldSeat:
    """A seat of this session."""

    __slots__ = (
        "answer",
        "behind",
        "info",
        "pace",
        "prepared",
        "question",
        "ready_owed",
        "ref",
        "seen",
        "settled",
        "views",
    )

    def __init__(self, info: SeatInfo) -> None:
        self.info = info
        self.views = ViewReader(info.rules)
        self.ref: int | None = None
        """Its short name on the stream that is up; None while it has none."""
        self.ready_owed = False
        self.prepared = False
        """The bot has been told of the seat and is ready."""
        self.question: Question | None = None
        """The decision that is owed."""
        self.answer: Action | None = None
        """What the bot said to it."""
        self.settled: tuple[bytes, Action] | None = None
        """The last decision that was settled, and how."""
        self.seen = 0
        """The highest event seq seen."""
        self.pace = Pace()
        """How fast the bot decides here."""
        self.behind = 0
        """Heartbeats in a row that told of events never seen."""

    def __str__(self) -> str:
        return f"seat {self.info.seat} of match {self.info.match_id}"
