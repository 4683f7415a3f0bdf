"""One bot's stream as the host sees it: who it is, the seats it has there, and its outbox."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from contree.engine import Seat
from contree.server.host.outbox import Outbox
from contree.v1.play_service_pb2 import ServerMessage

if TYPE_CHECKING:
    from contree.server.host.table import Table


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

    @property
    def key(self) -> InstanceKey:
        """What sessions are told apart by."""
        return InstanceKey(self.key_id, self.bot, self.instance_id)


class Session:
    """A connected bot instance. Its stream has one reader and one writer, in the servicer."""

    def __init__(self, identity: Identity, *, max_outbox: int, now: float) -> None:
        self.identity = identity
        self.connected_at = now
        self.outbox: Outbox[ServerMessage | bytes] = Outbox(max_outbox)
        self.seats: dict[int, tuple[Table, Seat]] = {}
        self.leaving = False
        """Takes no new seats."""
        self.reserved = 0
        """Seats offered whose entry is not in the journal yet."""
        self.seen: dict[tuple[str, Seat], int] = {}
        """Highest event seq that the client has seen of a seat, as its Hello said."""
        self.round_trip_ms: int | None = None
        self._next_ref = 1
        self._heartbeats: dict[int, float] = {}
        self._next_nonce = 1

    @property
    def free(self) -> int:
        """Seats it can take now."""
        if self.leaving or self.outbox.closed:
            return 0
        return max(0, self.identity.capacity - len(self.seats) - self.reserved)

    def bind(self, table: Table, seat: Seat) -> int:
        """Give a seat a short name on this stream."""
        ref = self._next_ref
        self._next_ref += 1
        self.seats[ref] = (table, seat)
        return ref

    def send(self, message: ServerMessage | bytes, *, past: bool = False) -> None:
        """Say something; dropped when the stream is ending."""
        self.outbox.put(message, past=past)

    def beat(self, now: float) -> int:
        """The nonce of a new heartbeat; only the newest is waited for."""
        nonce = self._next_nonce
        self._next_nonce += 1
        self._heartbeats = {nonce: now}
        return nonce

    def beaten(self, nonce: int, now: float) -> None:
        """A heartbeat came back: the round trip is known."""
        sent = self._heartbeats.pop(nonce, None)
        if sent is not None:
            self.round_trip_ms = int((now - sent) * 1000)
