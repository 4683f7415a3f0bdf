"""One bot's stream as the host sees it: who it is, what it has been told, and its outbox.

Which seats it has is in `seats`.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, NamedTuple

from contree.engine import Seat
from contree.server.host.errors import MatchLost
from contree.server.host.outbox import Outbox
from contree.server.host.readers import Reader
from contree.server.telemetry import BotCounts
from contree.v1.play_service_pb2 import ServerMessage

_A_SEAT: Final = 4
"""Messages that may come of one seat at once: a result, a fault, the ends of a deal and a match."""
_MISSED_BEATS: Final = 3
"""Heartbeats without an answer after which a stream is dead."""
_HEARTBEAT: Final = 1
_FIRST_SEAT: Final = 2
"""Keys in the outbox: the heartbeat has one, and each seat three."""
MOST_OFFENCES: Final = 100
"""Messages against the protocol after which a stream without a seat in play is ended."""
_FORGIVEN: Final = 64.0
"""Words of no use that any stream may say; and a few for each seat that it holds, for after an
outage all its answers may be said again.
"""
_FORGOTTEN_A_SECOND: Final = 5.0
_UNANSWERED: Final = 64
"""Commands of a stream that may wait for their tables, and a few more for each seat."""


_NOTHING: Final[Mapping[tuple[str, Seat], int]] = MappingProxyType({})


class Said(NamedTuple):
    """What is said to a bot of something that it said."""

    message: ServerMessage | bytes | None
    """None where nothing is to be said."""
    in_passing: bool = False
    """The bot has moved on: it hears of it with its next turn."""
    useless: bool = False
    """Nothing came of it."""
    offence: bool = False
    """It was against the protocol."""


class InstanceKey(NamedTuple):
    """One process of one bot: whoever comes back with it gets its seats back."""

    key_id: str
    bot: str
    instance_id: str


@dataclass(frozen=True, slots=True)
class Identity:
    """Who is at the other end. The newest session of an instance counts."""

    bot: str
    bot_version: str
    instance_id: str
    capacity: int
    """Seats it plays at once, at most."""
    events: bool = False
    """Wants every visible event (delivery EVENTS), not turns and results only."""
    key_id: str = ""
    """Of the API key that the stream was opened with; empty without one."""
    key: InstanceKey = field(init=False, repr=False, compare=False)
    """What sessions are told apart by."""

    def __post_init__(self) -> None:
        key = InstanceKey(self.key_id, self.bot, self.instance_id)
        object.__setattr__(self, "key", key)  # one for all who remember it


@dataclass(slots=True)
class Holding:
    """What an instance has, whichever of its sessions is there."""

    seats: dict[tuple[str, Seat], None] = field(default_factory=dict)
    """Seats of live matches that it took."""
    reserved: int = 0
    """Seats offered whose entry is not in the journal yet."""
    leaving: bool = False
    """It said Leave while it held seats, on a stream that broke: until they are played, it takes
    no new ones.
    """


class Session:
    """A connected bot instance. Its stream has one reader and one writer, in the servicer.

    Thousands that hold no seat are connected at once, so what only a few have is made when they
    have it.
    """

    __slots__ = (
        "_beats",
        "_caught_up",
        "_next_nonce",
        "_next_ref",
        "_parted",
        "_readers",
        "_unanswered",
        "_wasted",
        "_wasted_at",
        "connected_at",
        "counts",
        "failure",
        "holding",
        "identity",
        "leaving",
        "nonce",
        "offences",
        "on_close",
        "on_offence",
        "outbox",
        "round_trip_ms",
        "seen",
        "sent_away",
        "silent",
    )

    def __init__(
        self,
        identity: Identity,
        *,
        max_outbox: int,
        now: float,
        counts: BotCounts | None = None,
    ) -> None:
        """``counts`` is where its bot is counted."""
        self.identity = identity
        self.counts = BotCounts() if counts is None else counts
        self.connected_at = now
        self.nonce = secrets.token_hex(8)
        """Tells it from all other sessions of its instance."""
        self.outbox: Outbox[ServerMessage | bytes] = Outbox(
            max_outbox + _A_SEAT * identity.capacity, self._closed
        )
        self.on_close: Callable[[bool, Exception | None], None] | None = None
        """Called when the stream is to end, though its writer may be stuck: with whether all that
        was still to be said was dropped, and the error that it ends for.
        """
        self.on_offence: Callable[[Session], None] | None = None
        """Called, with it, when it has said something against the protocol."""
        self.holding = Holding()
        self.leaving = False
        """Takes no new seats."""
        self.seen: Mapping[tuple[str, Seat], int] = _NOTHING
        """Highest event seq that the client has seen of a seat, as its Hello said."""
        self._readers: dict[int, Reader] | None = None
        self._parted: set[tuple[str, Seat]] | None = None
        self.offences = 0
        """Messages of this stream against the protocol."""
        self.failure: Exception | None = None
        """Why the stream is ended by the server, if it is for an error."""
        self.sent_away = False
        """It was told to dial another server: that it is away is no fault of its bot."""
        self.silent = False
        """It was cut because its heartbeats had no answer."""
        self.round_trip_ms: int | None = None
        self._next_ref = 1
        self._beats: tuple[tuple[int, float], ...] = ()
        """Heartbeats without an answer: their nonces, and when they were sent."""
        self._next_nonce = 1
        self._wasted = 0.0
        self._wasted_at = now
        self._unanswered = 0
        self._caught_up: asyncio.Future[None] | None = None

    @property
    def here(self) -> bool:
        """Its stream ends at this server."""
        return True

    @property
    def free(self) -> int:
        """Seats it can take now."""
        holding = self.holding
        if self.leaving or holding.leaving or self.outbox.closed:
            return 0
        return max(0, self.identity.capacity - len(holding.seats) - holding.reserved)

    @property
    def readers(self) -> dict[int, Reader]:
        """Who follows the events of a seat (delivery EVENTS)."""
        if self._readers is None:
            self._readers = {}
        return self._readers

    def parts(self, match_id: str, seat: Seat) -> bool:
        """Whether this session has still to be told of a seat whose match ended; only once."""
        if self._parted is None:
            self._parted = set()
        if (match_id, seat) in self._parted:
            return False
        self._parted.add((match_id, seat))
        return True

    def new_ref(self) -> int:
        """A short name for a seat on this stream, never given before."""
        ref = self._next_ref
        self._next_ref += 1
        return ref

    def knows(self, ref: int) -> bool:
        """Whether the client may have heard of a seat by this name."""
        return 0 < ref < self._next_ref

    # -- saying ---------------------------------------------------------------------------------

    def send(self, message: ServerMessage | bytes, *, past: bool = False) -> None:
        """Say something; dropped when the stream is ending."""
        self.outbox.put(message, past=past)

    def send_in_passing(self, message: ServerMessage | bytes) -> None:
        """Say something that nobody waits for: with the next message, or a little later."""
        self.outbox.put(message, hurry=False)

    def heard(self, said: Said | Exception) -> None:
        """Say what came of a command: see `Answers`. A match that is lost is answered by whoever
        holds it now.
        """
        self.answered()
        if isinstance(said, Said):
            try:
                self._tell(said)
            except Exception as error:  # the match goes on without this stream
                self.fail(error)
        elif not isinstance(said, MatchLost):
            self.fail(said)

    def _tell(self, said: Said) -> None:
        if said.message is not None:
            self.outbox.put(said.message, hurry=not said.in_passing)
        if said.useless:
            self.waste(asyncio.get_running_loop().time())
        if said.offence and self.on_offence is not None:
            self.on_offence(self)

    def send_assigned(self, ref: int, message: ServerMessage) -> None:
        """Say that a seat is the client's: once for each, so it does not count as waiting."""
        self.outbox.keep(_FIRST_SEAT + 3 * ref, message)

    def send_turn(self, ref: int, message: ServerMessage | bytes) -> None:
        """Say what a seat owes, in place of what it owed before if that is still to be said."""
        self.outbox.keep(_FIRST_SEAT + 3 * ref + 1, message)

    def withdraw_turn(self, ref: int) -> None:
        """A seat owes nothing any more: a turn that is still to be said is not said."""
        self.outbox.withdraw(_FIRST_SEAT + 3 * ref + 1)

    def send_parting(self, ref: int, message: ServerMessage) -> None:
        """Say that the match of a seat ended while its bot was away: once for each."""
        self.outbox.keep(_FIRST_SEAT + 3 * ref + 2, message)

    def send_last(self, ref: int, message: ServerMessage) -> None:
        """Say the last word about a seat, after all its events."""
        reader = self._readers.pop(ref, None) if self._readers else None
        if reader is not None and reader.behind:
            reader.last_word = message
        else:
            self.send(message)

    # -- ending ---------------------------------------------------------------------------------

    def lose(self, ref: int) -> None:
        """The table of a seat cannot go on here. The end of a stream is never the end of a match:
        the bot dials again and is given its seats by whoever holds them then.
        """
        del ref
        self.outbox.close()

    def cut(self) -> None:
        """Break the stream off: nothing is heard of its client."""
        self.silent = True
        self.outbox.overflow()

    def fail(self, error: Exception) -> None:
        """End the stream with an error, after what is still to be said."""
        self.failure = error
        self.outbox.close()

    def _closed(self) -> None:
        if self.on_close is not None:
            self.on_close(self.outbox.overflowed, self.failure)

    # -- waste ----------------------------------------------------------------------------------

    def waste(self, now: float) -> None:
        """It said something of no use, at a time of the event loop."""
        self._wasted = 1.0 + max(0.0, self._wasted - (now - self._wasted_at) * _FORGOTTEN_A_SECOND)
        self._wasted_at = now

    def wasteful(self, now: float) -> bool:
        """Whether it says more of no use than is forgiven."""
        forgiven = _FORGIVEN + _A_SEAT * len(self.holding.seats)
        if self._wasted <= forgiven:
            return False
        return self._wasted - (now - self._wasted_at) * _FORGOTTEN_A_SECOND > forgiven

    def commanded(self) -> None:
        """It gave a table a command; ``answered`` follows."""
        self._unanswered += 1

    def answered(self) -> None:
        """A command of its has been answered."""
        self._unanswered -= 1
        # Its reader may be gone, and the answer comes all the same.
        if self._caught_up is not None and not self._caught_up.done() and not self._behind:
            self._caught_up.set_result(None)

    @property
    def _behind(self) -> bool:
        return self._unanswered > _UNANSWERED + _A_SEAT * len(self.holding.seats)

    async def catch_up(self) -> None:
        """Wait while too many of its commands wait for their tables, such as in an outage of the
        store. For the one reader of its stream.
        """
        if self._behind:
            self._caught_up = asyncio.get_running_loop().create_future()
            try:
                await self._caught_up
            finally:
                self._caught_up = None

    # -- heartbeats -----------------------------------------------------------------------------

    def beat(self, now: float) -> int | None:
        """The nonce of a new heartbeat; None when too many had no answer."""
        if len(self._beats) >= _MISSED_BEATS:
            return None
        nonce = self._next_nonce
        self._next_nonce += 1
        self._beats = (*self._beats, (nonce, now))
        return nonce

    def send_heartbeat(self, message: ServerMessage | bytes) -> None:
        """Give a proof of life, in place of one that is still to be given."""
        self.outbox.keep(_HEARTBEAT, message)

    def beaten(self, nonce: int, now: float) -> bool:
        """A heartbeat came back: the round trip is known. False when it is none that is awaited."""
        for one, sent in self._beats:
            if one == nonce:
                self.round_trip_ms = int((now - sent) * 1000)
                self.counts.travelled(now - sent)
                self._beats = tuple(beat for beat in self._beats if beat[0] > nonce)
                return True
        return False
