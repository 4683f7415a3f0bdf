"""A scripted server: a real grpc.aio server whose every word is written by the test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, TypeVar

import grpc
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2
from grpc import aio
from tests.ports import Port

from contree.client import Backoff, Connection
from contree.engine import Deal, RuleSet, Seat, SeededDeals, View, preset, project
from contree.v1 import (
    error_reason_pb2,
    event_pb2,
    match_pb2,
    match_service_pb2_grpc,
    play_service_pb2,
    play_service_pb2_grpc,
    spectate_service_pb2_grpc,
)
from contree.v1.play_service_pb2 import ClientMessage, PlayResponse, ServerMessage
from contree.wire import Clock, duration_to_pb, rules_to_pb, seat_to_pb, turn_to_pb

WAIT_S = 60.0
"""How long a test waits for what will come: only a hang lasts as long."""
RULES = preset("ffb-mixte")
QUICK = Connection(
    patience=WAIT_S, resume_patience=WAIT_S, backoff=Backoff(first=0.001, longest=0.02)
)
"""Redials at once, and long enough for a slow machine."""
_T = TypeVar("_T")


async def soon(awaitable: Awaitable[_T]) -> _T:
    """What is awaited, within a bounded time."""
    async with asyncio.timeout(WAIT_S):
        return await awaitable


async def exhaust(iterator: AsyncIterator[_T]) -> list[_T]:
    """Everything that an iterator gives, within a bounded time."""
    async with asyncio.timeout(WAIT_S):
        return [value async for value in iterator]


def deal(number: int = 1, rules: RuleSet = RULES) -> Deal:
    """A deal before its first call."""
    return Deal.start(rules, *SeededDeals(b"d" * 32).board(number, rules))


def opening(number: int = 1) -> View:
    """What the seat that speaks first sees."""
    start = deal(number)
    return project(start, start.owed[0])


def turn(
    ref: int,
    view: View,
    decision_id: bytes = b"decision",
    *,
    remaining: int = 10_000,
    again: bool = False,
) -> ServerMessage:
    """A turn of a seat."""
    clock = Clock(remaining, 0, 200, 5, 1)
    return ServerMessage(turn=turn_to_pb(ref, 1, view, decision_id, clock, again=again))


def accepted(act: play_service_pb2.Act) -> ServerMessage:
    """An answer was taken."""
    return act_result(act, play_service_pb2.ACT_STATUS_ACCEPTED)


def act_result(act: play_service_pb2.Act, status: Any, **fields: Any) -> ServerMessage:
    """What became of an answer."""
    result = play_service_pb2.ActResult(
        seat_ref=act.seat_ref, decision_id=act.decision_id, status=status, **fields
    )
    return ServerMessage(act_result=result)


def assigned(
    ref: int,
    seat: Seat = Seat.NORTH,
    match_id: str = "m1",
    *,
    ready_owed: bool = False,
    resumed: bool = False,
) -> ServerMessage:
    """A seat is the client's."""
    message = play_service_pb2.SeatAssigned(
        seat_ref=ref,
        match_id=match_id,
        seat=seat_to_pb(seat),
        rules=rules_to_pb(RULES),
        single_deal=play_service_pb2.SingleDeal(),
        time_control=match_pb2.TimeControl(per_move=duration_to_pb(10_000)),
        fault_policy=match_pb2.FaultPolicy(illegal_strikes=2),
        ready_owed=ready_owed,
        resumed=resumed,
    )
    return ServerMessage(seat_assigned=message)


def match_ended(ref: int, match_id: str = "m1") -> ServerMessage:
    """A match is over."""
    ended = event_pb2.MatchEnded(reason=match_pb2.END_REASON_BOARD_DONE)
    ended.scores.north_south = 250
    return ServerMessage(
        match_ended=play_service_pb2.SeatMatchEnded(
            seat_ref=ref, match_ended=ended, match_id=match_id
        )
    )


def heartbeat(nonce: int, *seats: tuple[int, int]) -> ServerMessage:
    return ServerMessage(
        heartbeat=play_service_pb2.Heartbeat(
            nonce=nonce,
            seats=[play_service_pb2.SeatSeq(seat_ref=ref, seq=seq) for ref, seq in seats],
        )
    )


class Line:
    """One Play stream, seen from the server. It ends when the client has no more to say."""

    def __init__(self, context: Any) -> None:
        self.metadata = dict(context.invocation_metadata())
        self.batches: list[int] = []
        """How many messages each request held."""
        self.outbox: asyncio.Queue[Any] = asyncio.Queue()
        self._inbox: asyncio.Queue[ClientMessage | None] = asyncio.Queue()
        self.heard = asyncio.Event()
        """The client has said something, or will say nothing."""

    async def read(self, requests: Any) -> None:
        """Take in what the client says."""
        try:
            async for request in requests:
                self.heard.set()
                self.batches.append(len(request.messages))
                for message in request.messages:
                    self._inbox.put_nowait(message)
        finally:
            self.heard.set()
            self._inbox.put_nowait(None)
            self.end()

    async def hear(self, kind: str) -> Any:
        """What the next message holds, which is of this kind; acks are passed over."""
        while True:
            message = await soon(self._inbox.get())
            assert message is not None, f"the stream ended before {kind}"
            which = message.WhichOneof("message")
            if which == kind:
                return getattr(message, kind)
            assert which == "heartbeat_ack", f"heard {message} instead of {kind}"

    async def hear_end(self) -> list[str]:
        """Wait for the client to end the stream; the kinds of its last messages."""
        kinds = []
        while (message := await soon(self._inbox.get())) is not None:
            kinds.append(str(message.WhichOneof("message")))
        return [kind for kind in kinds if kind != "heartbeat_ack"]

    def say(self, *messages: ServerMessage) -> None:
        """Say these in one frame."""
        self.outbox.put_nowait(PlayResponse(messages=messages))

    def say_bytes(self, frame: bytes) -> None:
        """Say something that this version has no words for."""
        self.outbox.put_nowait(frame)

    def end(self) -> None:
        """End the stream in good order."""
        self.outbox.put_nowait(None)

    def fail(self, error: ServerError) -> None:
        """End the stream with an error."""
        self.outbox.put_nowait(error)

    async def welcome(self, *, heartbeat: int = 60_000, seats_owed: int = 0) -> Any:
        """Hear Hello and answer it; the Hello."""
        hello = await self.hear("hello")
        welcome = play_service_pb2.Welcome(
            protocol_version=1,
            server_version="0",
            server_id="scripted",
            instance_id=hello.instance_id,
            heartbeat=duration_to_pb(heartbeat),
            capacity=64,
            seats_owed=seats_owed,
        )
        self.say(ServerMessage(welcome=welcome))
        return hello


class ServerError:
    """A status with its google.rpc.ErrorInfo, and a RetryInfo of so many seconds."""

    def __init__(
        self,
        status: grpc.StatusCode,
        text: str,
        reason: str = "",
        retry_s: float = 0.0,
        **info: str,
    ) -> None:
        self.status = status
        self.text = text
        self.reason = reason
        self.retry_s = retry_s
        self.info = info

    @property
    def trailing(self) -> tuple[tuple[str, bytes], ...]:
        """The trailing metadata."""
        if not self.reason:
            return ()
        assert self.reason in error_reason_pb2.ErrorReason.DESCRIPTOR.values_by_name
        detail = any_pb2.Any()
        detail.Pack(
            error_details_pb2.ErrorInfo(reason=self.reason, domain="contree", metadata=self.info)
        )
        status = status_pb2.Status(code=self.status.value[0], message=self.text, details=[detail])
        if self.retry_s:
            retry = error_details_pb2.RetryInfo()
            retry.retry_delay.FromMilliseconds(int(self.retry_s * 1000))
            status.details.add().Pack(retry)
        return (("grpc-status-details-bin", status.SerializeToString()),)


class ScriptedServer(
    play_service_pb2_grpc.PlayServiceServicer,
    match_service_pb2_grpc.MatchServiceServicer,
    spectate_service_pb2_grpc.SpectateServiceServicer,
):
    """The server. ``dialled`` is the next stream that a client opens."""

    def __init__(self) -> None:
        self._lines: asyncio.Queue[Line] = asyncio.Queue()
        self.dials = 0
        """How many streams were opened."""
        self._server: aio.Server | None = None
        self.credentials: grpc.ServerCredentials | None = None
        self._port = Port()
        self.answers: dict[str, Callable[[Any], Any]] = {}
        """What other calls are answered, by method: a message, a list of them, a ServerError."""
        self.calls: list[tuple[str, Any]] = []

    @property
    def address(self) -> str:
        return self._port.address

    async def start(self) -> None:
        self._server = server = aio.server(options=(("grpc.so_reuseport", 0),))
        server.add_generic_rpc_handlers(
            (
                grpc.method_handlers_generic_handler(
                    "contree.v1.PlayService",
                    {
                        "Play": grpc.stream_stream_rpc_method_handler(
                            self.Play,
                            play_service_pb2.PlayRequest.FromString,
                            lambda frame: (
                                frame if isinstance(frame, bytes) else frame.SerializeToString()
                            ),
                        )
                    },
                ),
            )
        )
        match_service_pb2_grpc.add_MatchServiceServicer_to_server(self, server)
        spectate_service_pb2_grpc.add_SpectateServiceServicer_to_server(self, server)
        if self.credentials is None:
            server.add_insecure_port(self.address)
        else:
            server.add_secure_port(self.address, self.credentials)
        await server.start()

    async def stop(self) -> None:
        if self._server is not None:
            await self._server.stop(None)
            self._server = None
            while self.dialled_again:  # a stream that just reached it is as dead as it is
                self._lines.get_nowait()

    async def dialled(self) -> Line:
        return await soon(self._lines.get())

    async def welcomed(self, *, heartbeat: int = 60_000, seats_owed: int = 0) -> Line:
        """The next stream, after Hello and Welcome."""
        line = await self.dialled()
        await line.welcome(heartbeat=heartbeat, seats_owed=seats_owed)
        return line

    @property
    def dialled_again(self) -> bool:
        """Whether a stream is open that the test has not asked for."""
        return not self._lines.empty()

    async def Play(self, request_iterator: Any, context: Any) -> AsyncIterator[Any]:
        line = Line(context)
        self.dials += 1
        reading = asyncio.create_task(line.read(request_iterator))
        self._lines.put_nowait(line)
        try:
            while (frame := await line.outbox.get()) is not None:
                if isinstance(frame, ServerError):
                    # A client whose Hello is still on its way is told "Internal error from Core"
                    # in place of the status (grpc/grpc#36066).
                    await line.heard.wait()
                    await context.abort(frame.status, frame.text, frame.trailing)
                yield frame
        finally:
            reading.cancel()
            await asyncio.wait({reading})

    async def _answer(self, method: str, request: Any, context: Any) -> Any:
        self.calls.append((method, request))
        answer = self.answers[method](request)
        if isinstance(answer, ServerError):
            await context.abort(answer.status, answer.text, answer.trailing)
        return answer

    async def _stream(self, method: str, request: Any, context: Any) -> AsyncIterator[Any]:
        self.calls.append((method, request))
        for answer in self.answers[method](request):
            if isinstance(answer, ServerError):
                await context.abort(answer.status, answer.text, answer.trailing)
            yield answer

    async def CreateMatch(self, request: Any, context: Any) -> Any:
        return await self._answer("CreateMatch", request, context)

    async def GetMatch(self, request: Any, context: Any) -> Any:
        return await self._answer("GetMatch", request, context)

    async def ListMatches(self, request: Any, context: Any) -> Any:
        return await self._answer("ListMatches", request, context)

    async def CancelMatch(self, request: Any, context: Any) -> Any:
        return await self._answer("CancelMatch", request, context)

    async def GetRecord(self, request: Any, context: Any) -> Any:
        return await self._answer("GetRecord", request, context)

    async def ReleaseGroup(self, request: Any, context: Any) -> Any:
        return await self._answer("ReleaseGroup", request, context)

    async def ListBots(self, request: Any, context: Any) -> Any:
        return await self._answer("ListBots", request, context)

    async def WatchMatches(self, request: Any, context: Any) -> AsyncIterator[Any]:
        async for answer in self._stream("WatchMatches", request, context):
            yield answer

    async def Watch(self, request: Any, context: Any) -> AsyncIterator[Any]:
        async for answer in self._stream("Watch", request, context):
            yield answer


def a_match(match_id: str = "m1", **fields: Any) -> match_pb2.Match:
    """A match that is being played."""
    return match_pb2.Match(
        id=match_id,
        rules=rules_to_pb(RULES),
        board=match_pb2.BoardMode(number=3),
        **{"state": match_pb2.MATCH_STATE_PLAYING, **fields},
    )
