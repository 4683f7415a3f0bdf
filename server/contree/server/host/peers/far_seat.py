"""A seat of a bot that is connected here, at a table that another server hosts: its home."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from contree.engine import Seat
from contree.server.host.peers.far_feed import FarFeed
from contree.server.host.session import Session


class Pending(NamedTuple):
    """What a bot said and its home has not answered yet."""

    message: bytes
    decision: bytes
    """Of an Act; empty for others."""
    elapsed: int | None
    """Milliseconds that the decision had taken when it came in."""
    since: float
    """When it was said on, last."""
    offends: bool = False
    illegal: int | None = None
    """Of an Act: how many actions against the rules were charged before it, at least."""


class FarSeat:
    """It stays the bot's while its match changes hands; then it has no home for a while."""

    __slots__ = (
        "asked",
        "comes_back",
        "feed",
        "fence",
        "forgiven",
        "home",
        "homeless_since",
        "illegal",
        "last_home",
        "line",
        "match_id",
        "offences",
        "pending",
        "playing",
        "ref",
        "seat",
        "seq",
        "session",
        "untold",
    )

    def __init__(self, session: Session, match_id: str, seat: Seat, ref: int) -> None:
        """``ref`` is what the seat is called on the stream of its bot."""
        self.session = session
        self.match_id = match_id
        self.seat = seat
        self.ref = ref
        self.home: str | None = None
        self.line = 0
        """What it is called between this server and its home."""
        self.fence = 0
        self.last_home: str | None = None
        """The one that it lost; of no meaning while it has one."""
        self.homeless_since = 0.0
        """When it lost its home, or was looked for in the store; of no meaning while it has one."""
        self.seq = 0
        """Where the table stands, as far as the bot is told."""
        self.asked: tuple[bytes, float] = b"", 0.0
        """The decision that the bot was told of, and when its clock began."""
        self.comes_back = False
        """Its bot had the seat before it came here: the time of what it owes then has run on."""
        self.untold = b""
        """The decision that its home was last asked to say once more."""
        self.playing = False
        """A turn was told: the match has begun."""
        self.pending: dict[int, Pending] = {}
        self.illegal = 0
        """Actions against the rules that were charged to the seat, as far as is known here."""
        self.forgiven = 0
        self.offences = session.offences
        """Messages of the bot against the protocol before it had the seat."""
        self.feed: FarFeed | None = None

    def next_illegal(self, decision: bytes) -> int:
        """`Pending.illegal` of another Act on a decision: each has a number of its own, as if those
        before it were charged. If one of them was not, this one is not owed any more.
        """
        before = [
            one.illegal + 1
            for one in self.pending.values()
            if one.illegal is not None and one.decision == decision
        ]
        return max(self.illegal, *before) if before else self.illegal

    def done(self, number: int) -> bool:
        """A command was answered; False when that is known already."""
        if self.pending.pop(number, None) is None:
            return False
        self.session.answered()
        return True

    def drop(self, which: Callable[[Pending], bool] = lambda one: True) -> None:
        """Wait no more for answers to these commands."""
        for number in [number for number, one in self.pending.items() if which(one)]:
            self.done(number)
