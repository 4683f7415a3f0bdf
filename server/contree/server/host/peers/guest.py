"""A guest: a bot in seats here that is connected to another server, its edge.

It stands in for a session: tables speak to it as to any other, and what it is told goes to its
edge. Its seats are called by lines, numbers that no other seat of this server ever has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from contree.engine import Seat
from contree.peers.v1 import peers_pb2
from contree.peers.v1.peers_pb2 import Item, Told
from contree.server.host import frames
from contree.server.host.readers import Reader
from contree.server.host.session import Identity, Said
from contree.server.host.table import Table
from contree.server.host.tables import Tables
from contree.server.match import Match
from contree.v1.event_pb2 import Event
from contree.v1.play_service_pb2 import ServerMessage

Say = Callable[[str, Item], None]
"""Says something to a server."""


class Guest:
    """The stand-in of a session at another server: see `Seated`."""

    __slots__ = (
        "_line",
        "_say",
        "_tables",
        "edge",
        "identity",
        "nonce",
        "offences",
        "round_trip_ms",
        "since",
    )

    def __init__(
        self,
        edge: str,
        nonce: str,
        identity: Identity,
        *,
        since: float,
        tables: Tables,
        say: Say,
        line: Callable[[Guest], int],
    ) -> None:
        """``line`` gives it a new line."""
        self.edge = edge
        self.nonce = nonce
        """Of the session."""
        self.identity = identity
        self.since = since
        """When it was first heard of."""
        self.offences = 0
        self.round_trip_ms: int | None = None
        self._tables = tables
        self._say = say
        self._line = line

    @property
    def here(self) -> bool:
        """Its stream ends at another server."""
        return False

    @property
    def seated(self) -> bool:
        """It has a seat here."""
        return bool(self._tables.seats.of(self))

    def new_ref(self) -> int:
        """See `Seated.new_ref`."""
        return self._line(self)

    def send(self, message: ServerMessage | bytes, *, past: bool = False) -> None:
        """See `Seated.send`."""
        del past
        if isinstance(message, bytes):
            message = ServerMessage.FromString(message)
        line = getattr(message, message.WhichOneof("message") or "fault").seat_ref
        self._tell(Told(line=line, way=peers_pb2.WAY_SAY, messages=[message.SerializeToString()]))

    def send_assigned(self, ref: int, message: ServerMessage) -> None:
        """See `Seated.send_assigned`."""
        table, seat = self._place(ref)
        match = table.match
        self._say(
            self.edge,
            Item(
                assigned=peers_pb2.Assigned(
                    line=ref,
                    match_id=match.id,
                    seat=seat,
                    nonce=self.nonce,
                    fence=table.fence,
                    message=message.SerializeToString(),
                    seq=match.seq,
                    resumed=message.seat_assigned.resumed,
                    forgiven=match.spec.faults.protocol_strikes,
                    illegal=match.seats[seat].illegal,
                )
            ),
        )

    def send_turn(self, ref: int, message: ServerMessage | bytes) -> None:
        """See `Seated.send_turn`."""
        table, seat = self._place(ref)
        self._tell(
            Told(
                line=ref,
                way=peers_pb2.WAY_TURN,
                messages=[_bytes(message)],
                seq=table.match.seq,
                decision=table.match.decision_id(seat),
                elapsed=self._tables.deadlines.elapsed_ms(table, seat),
                illegal=table.match.seats[seat].illegal,
            )
        )

    def withdraw_turn(self, ref: int) -> None:
        """See `Seated.withdraw_turn`."""
        self._tell(Told(line=ref, way=peers_pb2.WAY_WITHDRAW))

    def send_last(self, ref: int, message: ServerMessage) -> None:
        """See `Seated.send_last`."""
        self._tell(Told(line=ref, way=peers_pb2.WAY_LAST, messages=[_bytes(message)]))

    def lose(self, ref: int) -> None:
        """See `Seated.lose`."""
        self._say(self.edge, Item(unseated=peers_pb2.Unseated(line=ref)))

    def answer(self, ref: int, number: int, said: Said) -> None:
        """Say what came of one of its commands."""
        if said.message is None:
            answered = peers_pb2.Answered(line=ref, number=number, useless=said.useless)
            self._say(self.edge, Item(answered=answered))
            return
        place = self._tables.seats.at(self, ref)
        self._tell(
            Told(
                line=ref,
                way=peers_pb2.WAY_IN_PASSING if said.in_passing else peers_pb2.WAY_SAY,
                messages=[_bytes(said.message)],
                answers=number,
                useless=said.useless,
                offence=said.offence,
                illegal=0 if place is None else place[0].match.seats[place[1]].illegal,
            )
        )

    def follow(self, table: Table, seat: Seat, ref: int) -> None:
        """Say all events of a seat from here on; what was before, the edge reads in the journal."""

        def deliver(events: Sequence[Event], match: Match) -> None:
            messages = [frames.seat_event(one, ref).SerializeToString() for one in events]
            told = Told(line=ref, way=peers_pb2.WAY_EVENTS, messages=messages, seq=match.seq)
            self._tell(told)

        reader = Reader(self, seat, 0, deliver, has_room=lambda: True)
        reader.skip_to(table.match)
        table.readers.append(reader)

    def _place(self, ref: int) -> tuple[Table, Seat]:
        place = self._tables.seats.at(self, ref)
        if place is None:
            raise ValueError(f"line {ref} is history")
        return place

    def _tell(self, told: Told) -> None:
        self._say(self.edge, Item(told=told))


def _bytes(message: ServerMessage | bytes) -> bytes:
    return message if isinstance(message, bytes) else message.SerializeToString()
