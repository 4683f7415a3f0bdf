"""PlayService: one stream for all seats of a bot instance."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from importlib.metadata import version
from typing import Any

import grpc
import structlog
from grpc import aio

from contree.server.access import HELLO, Admission, Quotas, current_caller
from contree.server.host import Host, Session, frames
from contree.server.host.answers import OFFENDED
from contree.server.host.errors import Draining
from contree.server.host.seating import Seating
from contree.server.host.watch import TooSlow
from contree.server.match import MatchSpec
from contree.server.rpc.errors import (
    FrameTooLong,
    HelloExpected,
    InvalidArgument,
    NotUnderstood,
    ProtocolVersion,
)
from contree.server.rpc.penalty_box import SLICE, PenaltyBox
from contree.server.rpc.requests import (
    MAX_CAPACITY,
    PROTOCOL_VERSION,
    identity,
    practice_spec,
)
from contree.server.rpc.stalls import Ending, Farewells
from contree.v1 import play_service_pb2
from contree.wire import WireError, duration_to_pb, frame_to_bytes, seat_from_pb

Context = aio.ServicerContext[Any, Any]
_HELLO_S = 10.0
"""A stream that says nothing for so long is ended."""
_BREAK_S = 0.02
"""A stream that breaks off looks like one that ends in good order, until its handler is cancelled
a moment later.
"""
_AT_ONCE = 128
"""Messages of a frame that are taken in one go."""
_FRAME = 4096
_A_SEAT = 4
"""Messages that one frame may have, and so many more for each seat that the client may hold."""
_DECISION_ID = 64
"""Bytes that a decision id may have, whatever server made it."""
_log = structlog.get_logger(__name__)


class PlayServicer:
    """Playing, for bots and people."""

    def __init__(
        self, host: Host, quotas: Quotas, admission: Admission, farewells: Farewells
    ) -> None:
        self._host = host
        self._farewells = farewells
        self._quotas = quotas
        self._admission = admission
        self._penalty_box = PenaltyBox(lambda: host.tables.in_play > 0)
        self._time = asyncio.get_running_loop().time
        self._version = version("contree")
        self._on_offence = self._offend  # one for all of thousands of sessions

    async def Play(
        self,
        request_iterator: AsyncIterator[play_service_pb2.PlayRequest],
        context: Context,
    ) -> AsyncIterator[bytes]:
        """One stream, from Hello to whichever end comes first."""
        metrics = self._host.metrics
        try:
            async with asyncio.timeout(_HELLO_S):
                first = await anext(request_iterator, None)
        except TimeoutError:
            raise HelloExpected from None
        if first is None or not first.messages or not first.messages[0].HasField("hello"):
            raise HelloExpected
        session, practice = self._session(first.messages[0].hello)
        most = _FRAME + _A_SEAT * session.identity.capacity
        if len(first.messages) - 1 > most:  # before they are objects of Python, each
            raise FrameTooLong(len(first.messages), most)
        besides = first.messages[1:]
        del first  # thousands of streams are open at once: what one keeps, it keeps for long
        seating = self._host.seating
        if not seating.owed(session):
            await self._admission.turn(current_caller().counted_as, HELLO)
        with self._quotas.playing(
            current_caller(), session.identity.key, owed=seating.owed(session) > 0
        ):
            ending = _Parting(context, self._farewells, seating, session)
            session.on_close = ending.soon
            session.on_offence = self._on_offence
            metrics.streams.inc()
            session.counts.connected += 1
            reading: asyncio.Task[bool] | None = None
            try:
                await self._arrive(session, practice)
                reading = asyncio.create_task(self._read(request_iterator, session, besides))
                del besides, practice
                while batch := await session.outbox.batch():
                    metrics.frame("out", len(batch))
                    yield frame_to_bytes(batch)
                ending.over()
                if session.outbox.overflowed:
                    raise TooSlow
                if session.failure is not None:
                    raise session.failure
            finally:
                ending.over()
                metrics.streams.dec()
                session.counts.connected -= 1
                _log.info("bot_disconnected", bot=session.identity.bot, how=_how(session, reading))
                if session.outbox.overflowed:
                    metrics.streams_cut["silent" if session.silent else "overflow"].inc()
                seating.depart(
                    session, in_good_order=reading is not None and _in_good_order(reading)
                )
                if reading is not None:
                    reading.cancel()
                    await asyncio.wait({reading})

    def _session(self, hello: play_service_pb2.Hello) -> tuple[Session, MatchSpec | None]:
        if hello.protocol_version != PROTOCOL_VERSION:
            raise ProtocolVersion(hello.protocol_version, PROTOCOL_VERSION)
        host = self._host
        caller = current_caller()
        who = identity(hello, caller.key_id)
        caller.must_play_as(who.bot)
        practice = None
        if hello.HasField("practice"):
            practice = practice_spec(hello.practice, who, host.settings.time_control)
        session = host.new_session(who)
        if len(hello.seen) > MAX_CAPACITY:
            raise InvalidArgument("hello.seen", f"names more than {MAX_CAPACITY} seats")
        if hello.seen:
            session.seen = {
                (one.match_id, seat_from_pb(one.seat, "hello.seen.seat")): one.seq
                for one in hello.seen
            }
        return session, practice

    async def _arrive(self, session: Session, practice: MatchSpec | None) -> None:
        host, who = self._host, session.identity
        elsewhere = await host.peers.questions.owed(session)
        if host.draining:  # since Hello: it waited for its turn, or for the peers
            raise Draining
        owed = host.seating.owed(session) + elsewhere
        session.send(
            frames.ServerMessage(
                welcome=play_service_pb2.Welcome(
                    protocol_version=PROTOCOL_VERSION,
                    server_version=self._version,
                    server_id=host.settings.server_id,
                    instance_id=who.instance_id,
                    heartbeat=duration_to_pb(int(host.settings.heartbeat_s * 1000)),
                    capacity=who.capacity,
                    seats_owed=owed,
                    max_message_bytes=host.settings.max_message_bytes,
                )
            )
        )
        host.peers.arrived(session, elsewhere)
        host.seating.arrive(session)
        host.registry.enter(session)
        if practice is not None and (practice.request_id or not owed):
            admit = partial(self._quotas.create, current_caller())
            match = await host.matches.create(practice, admit)
            if match.ended:
                host.seating.tell_of(session, await host.queries.match(match.id))
        _log.info("bot_connected", bot=who.bot, version=who.bot_version, seats_owed=owed)

    async def _read(
        self,
        requests: AsyncIterator[play_service_pb2.PlayRequest],
        session: Session,
        besides: Any,
    ) -> bool:
        """Take what the client says until it says no more; then the stream ends.

        True when it ended the stream in good order.
        """
        try:
            await self._hear(session, besides)
            del besides
            async for request in requests:
                self._host.metrics.frame("in", len(request.messages))
                await self._hear(session, request.messages)
                del request
            if session.leaving:
                await asyncio.sleep(_BREAK_S)
            return True
        except (grpc.RpcError, aio.UsageError):
            return False
        except Exception as error:
            session.fail(error)
            return False
        finally:
            session.outbox.close()

    async def _hear(self, session: Session, messages: Any) -> None:
        if len(messages) <= _AT_ONCE and not session.wasteful(self._time()):
            self._take(session, messages)
        else:
            await self._take_many(session, messages)
        await session.catch_up()

    def _take(self, session: Session, messages: Any) -> None:
        for message in messages:
            if session.outbox.closed:
                return  # nobody would hear what becomes of it
            try:
                self._one(session, message)
            except WireError as error:
                self._refuse(session, str(error))

    async def _take_many(self, session: Session, messages: Any) -> None:
        """Take a long frame in slices: others have their turn between them."""
        most = _FRAME + _A_SEAT * session.identity.capacity
        if len(messages) > most:
            session.fail(FrameTooLong(len(messages), most))
            return
        start = 0
        while start < len(messages) and not session.outbox.closed:
            if session.wasteful(self._time()):
                async with self._penalty_box.turn():
                    self._take(session, messages[start : start + SLICE])
                start += SLICE
            else:
                self._take(session, messages[start : start + _AT_ONCE])
                start += _AT_ONCE
                await asyncio.sleep(0)
            await session.catch_up()

    def _one(self, session: Session, message: play_service_pb2.ClientMessage) -> None:
        which = message.WhichOneof("message")
        if which == "act":
            self._act(session, message)
        elif which == "ready":
            self._seat(session, message.ready.seat_ref, message)
        elif which == "heartbeat_ack":
            if not session.beaten(message.heartbeat_ack.nonce, self._host.now()):
                session.waste(self._time())
        elif which == "resign":
            self._seat(session, message.resign.seat_ref, message)
        elif which == "leave" and not session.leaving:
            session.leaving = True
        elif which == "hello":
            self._refuse(session, "Hello was said before: it opens a stream, once.")
        else:  # a message of a kind that this version does not know is passed over
            session.waste(self._time())

    def _seat(self, session: Session, ref: int, message: play_service_pb2.ClientMessage) -> None:
        if not self._taken(session, ref, message):
            self._no_seat(session, ref)

    def _taken(self, session: Session, ref: int, message: play_service_pb2.ClientMessage) -> bool:
        """Take what a client says of a seat to its table, wherever that is; False when it has no
        such seat.
        """
        held = self._host.tables.seats.at(session, ref)
        if held is None:
            return self._host.peers.edge.command(session, ref, message)
        session.commanded()
        self._host.answers.take(held, ref, message, session.heard, who=session)
        return True

    def _no_seat(self, session: Session, ref: int) -> None:
        if session.knows(ref):  # its match ended meanwhile
            session.waste(self._time())
            session.send(frames.refused(_no_seat(ref)))
        else:
            self._refuse(session, _no_seat(ref))

    def _refuse(self, session: Session, problem: str) -> None:
        """A message against the protocol: tell the client, and count it."""
        session.waste(self._time())
        session.send(frames.refused(problem))
        self._offend(session)

    def _offend(self, session: Session) -> None:
        if not self._host.seating.offend(session, OFFENDED):
            session.fail(NotUnderstood(session.offences))

    def _act(self, session: Session, message: play_service_pb2.ClientMessage) -> None:
        act = message.act
        ref, decision = act.seat_ref, act.decision_id
        if len(decision) > _DECISION_ID:
            # Not said back: a client that does not read would have the server keep it.
            self._refuse(session, f"A decision id has {len(decision)} bytes; none has so many.")
            return
        if not self._taken(session, ref, message):
            session.waste(self._time())
            status = play_service_pb2.ACT_STATUS_UNKNOWN_SEAT
            session.send(frames.act_result(ref, decision, status, _no_seat(ref)))


class _Parting(Ending):
    """When the stream of a bot is cut, its seats are given up first."""

    __slots__ = ("_seating", "_session")

    def __init__(
        self, context: Context, farewells: Farewells, seating: Seating, session: Session
    ) -> None:
        super().__init__(context, farewells)
        self._seating = seating
        self._session = session

    def on_cut(self) -> None:
        self._seating.depart(self._session)


def add_play_service(servicer: PlayServicer, server: aio.Server) -> None:
    """Serve it; its responses are serialized already."""
    name = play_service_pb2.DESCRIPTOR.services_by_name["PlayService"].full_name
    handlers: dict[str, Any] = {
        "Play": grpc.stream_stream_rpc_method_handler(
            servicer.Play, request_deserializer=play_service_pb2.PlayRequest.FromString
        )
    }
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(name, handlers),))


def _in_good_order(reading: asyncio.Task[bool]) -> bool:
    """The client ended the stream by itself."""
    return (
        reading.done() and not reading.cancelled() and not reading.exception() and reading.result()
    )


def _how(session: Session, reading: asyncio.Task[bool] | None) -> str:
    """How a stream came to its end, for the log."""
    if session.silent:
        return "silent"
    if session.outbox.overflowed:
        return "overflow"
    if session.failure is not None:
        return "refused"
    if reading is not None and _in_good_order(reading):
        return "left"
    by_server = session.outbox.closed and (reading is None or not reading.done())
    return "closed by the server" if by_server else "broke off"


def _no_seat(ref: int) -> str:
    return f"There is no seat {ref} on this stream: see the last SeatAssigned."
