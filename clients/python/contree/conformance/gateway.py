"""A gRPC server between the bot and the real one: it sees every message, and changes what a check
wants changed.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence
from typing import Any, Final, Self

import grpc
from grpc import aio

from contree.conformance.observer import Observer
from contree.conformance.script import NOTHING, Refusal, Script
from contree.v1 import play_service_pb2
from contree.v1.play_service_pb2 import (
    ClientMessage,
    HeartbeatAck,
    PlayRequest,
    PlayResponse,
    ServerMessage,
)

_PLAY: Final = f"/{play_service_pb2.DESCRIPTOR.services_by_name['PlayService'].full_name}/Play"
_CALL_S: Final = 10.0
_CLEAN: Final = (grpc.StatusCode.CANCELLED, grpc.StatusCode.OK)
_UNREAD: Final = 4096
"""Frames that may wait for a bot that does not read; a server keeps fewer."""
_AWAY: Final = Refusal(grpc.StatusCode.UNAVAILABLE, "the server is away")
_TOO_SLOW: Final = Refusal(
    grpc.StatusCode.RESOURCE_EXHAUSTED, "The bot does not read.", "ERROR_REASON_TOO_SLOW"
)
_GONE: Final = (grpc.RpcError, aio.BaseError)
"""Raised where a stream is read whose bot broke off, or that was ended."""
_log = logging.getLogger(__name__)


class Line:
    """One Play stream of the bot."""

    def __init__(self, gateway: Gateway, number: int, opened: float) -> None:
        self.number = number
        """From 1, in the order opened."""
        self.opened = opened
        self.hello: play_service_pb2.Hello | None = None
        self.welcomed = False
        self.over = False
        """It has ended, whoever ended it."""
        self.hung_up = False
        """The bot has no more to say on it."""
        self._gateway = gateway
        self._outbox: asyncio.Queue[bytes | Refusal | None] = asyncio.Queue()
        self._ending = False
        self._call: Any = None
        self._listening: asyncio.Task[None] | None = None

    def say(self, *messages: ServerMessage | bytes) -> None:
        """Send the bot these messages as one frame."""
        if not messages or self.over or self._ending:
            return
        if self._outbox.qsize() >= _UNREAD:
            self.end(_TOO_SLOW)
            return
        frame = b"".join(
            _field_1(one if isinstance(one, bytes) else one.SerializeToString()) for one in messages
        )
        self._outbox.put_nowait(frame)
        told = PlayResponse.FromString(frame).messages
        self.welcomed = self.welcomed or any(one.HasField("welcome") for one in told)
        self._gateway.observer.to_bot(self.number, told)
        self._gateway.changed()

    def end(self, refusal: Refusal | None = None) -> None:
        """End the stream, in good order or with an error, and let go of the server."""
        self._close(refusal)
        self.leave_server()

    def _close(self, refusal: Refusal | None) -> None:
        """Say nothing more; the first end counts."""
        if not self._ending:
            self._ending = True
            self._outbox.put_nowait(refusal)

    def leave_server(self) -> None:
        """End the stream to the server alone: it thinks that the bot is gone."""
        if self._listening is not None:
            self._listening.cancel()
        if self._call is not None:
            self._call.cancel()

    async def serve(self, requests: Any, context: Any) -> AsyncIterator[bytes]:
        """Pass everything on until either side ends the stream."""
        reading = asyncio.create_task(self._told(self._read(requests)))
        try:
            while (item := await self._outbox.get()) is not None:
                if isinstance(item, Refusal):
                    await context.abort(item.status, item.text, item.trailing)
                else:
                    yield item
        finally:
            self.over = True
            self.leave_server()
            reading.cancel()
            await asyncio.wait({task for task in (reading, self._listening) if task is not None})
            self._gateway.changed()

    async def _told(self, work: Coroutine[Any, Any, None]) -> None:
        """Do it; where it fails the stream ends, and the check hears why."""
        try:
            await work
        except _GONE:
            self.end()
        except Exception as error:
            _log.exception("stream %d of the kit failed", self.number)
            self._gateway.failures.append(error)
            self.end(Refusal(grpc.StatusCode.INTERNAL, "the kit failed"))

    async def _read(self, requests: Any) -> None:
        gateway = self._gateway
        first = True
        async for request in requests:
            gateway.observer.to_server(self.number, request.messages, first=first)
            if first and request.messages and request.messages[0].HasField("hello"):
                self.hello = request.messages[0].hello
            if first:
                refusal = gateway.script.greet(self)
                if refusal is None and not gateway.connected:
                    refusal = _AWAY
                if refusal is not None:
                    self.end(refusal)
                else:
                    self._dial()
            first = False
            gateway.changed()
            passed = [
                one
                for message in request.messages
                if not message.HasField("heartbeat_ack")
                for one in self._passed(message)
            ]
            await self.tell_server(*passed)
        self.hung_up = True
        gateway.changed()
        if self._call is None:
            self.end()
        else:
            with contextlib.suppress(aio.AioRpcError, asyncio.InvalidStateError, aio.UsageError):
                await self._call.done_writing()

    def _passed(self, message: ClientMessage) -> Iterable[ClientMessage]:
        """What becomes of a message; a word to a match that is over is not the script's matter."""
        gateway = self._gateway
        if message.HasField("act") and gateway.observer.is_late(message.act.decision_id):
            return (message,)
        return gateway.script.up(self, message)

    async def tell_server(self, *messages: ClientMessage) -> None:
        """Tell the server this as if the bot had said it."""
        if messages and self._call is not None:
            with contextlib.suppress(aio.AioRpcError, asyncio.InvalidStateError, aio.UsageError):
                await self._call.write(PlayRequest(messages=messages))

    def _dial(self) -> None:
        self._call = self._gateway.play()
        self._listening = asyncio.create_task(self._told(self._listen()))

    async def _listen(self) -> None:
        gateway = self._gateway
        try:
            async for response in self._call:
                out: list[ServerMessage | bytes] = []
                for message in response.messages:
                    if message.HasField("heartbeat"):
                        # The kit's own answer, so that one fault of a bot is not two.
                        ack = HeartbeatAck(nonce=message.heartbeat.nonce)
                        await self.tell_server(ClientMessage(heartbeat_ack=ack))
                    out += gateway.script.down(self, message)
                self.say(*out)
            self._close(None)
        except aio.AioRpcError as error:
            broken = error.code() not in _CLEAN
            self._close(Refusal(error.code(), error.details() or "") if broken else None)


class Gateway(grpc.GenericRpcHandler):
    """The server that the bot sees. ``script`` may be replaced at any moment."""

    def __init__(self, observer: Observer, changed: Callable[[], None]) -> None:
        self.observer = observer
        self.changed = changed
        """Called whenever something was sent, seen or ended."""
        self.address = ""
        self.script: Script = NOTHING
        self.lines: list[Line] = []
        self.failures: list[Exception] = []
        """What failed in the kit itself, such as a script, while it passed something on."""
        self._channel: aio.Channel | None = None

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[Self]:
        """Serve on a free port of this machine for the time of an ``async with``."""
        server = aio.server(
            options=(
                ("grpc.so_reuseport", 0),
                ("grpc.http2.min_ping_interval_without_data_ms", 500),
                ("grpc.http2.max_ping_strikes", 0),
            )
        )
        server.add_generic_rpc_handlers((self,))
        self.address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
        await server.start()
        try:
            yield self
        finally:
            for line in self.current():
                line.end()
            await server.stop(0.2)
            await self.connect(None)

    async def connect(self, server: str | None) -> None:
        """Pass on to this server from now on; None for none."""
        channel, self._channel = self._channel, None
        if channel is not None:
            await channel.close()
        if server is not None:
            self._channel = aio.insecure_channel(
                server, options=(("grpc.use_local_subchannel_pool", 1),)
            )

    @property
    def connected(self) -> bool:
        """Whether there is a server to pass anything on to."""
        return self._channel is not None

    def current(self) -> Sequence[Line]:
        """The streams that are open."""
        return [line for line in self.lines if not line.over]

    def play(self) -> Any:
        """A stream to the server."""
        assert self._channel is not None
        return self._channel.stream_stream(
            _PLAY,
            request_serializer=PlayRequest.SerializeToString,
            response_deserializer=PlayResponse.FromString,
        )(wait_for_ready=True)

    def service(self, details: Any) -> Any:
        """How a method is served: Play as above, the others are passed on as they are."""
        if details.method == _PLAY:
            return grpc.stream_stream_rpc_method_handler(
                self._serve, request_deserializer=PlayRequest.FromString
            )
        method = details.method

        async def unary(request: bytes, context: Any) -> bytes:
            channel: Any = self._channel
            if channel is None:
                await context.abort(_AWAY.status, _AWAY.text)
            try:
                reply = await channel.unary_unary(method)(request, timeout=_CALL_S)
            except aio.AioRpcError as error:
                await context.abort(error.code(), error.details() or "")
                raise
            return bytes(reply)

        return grpc.unary_unary_rpc_method_handler(unary)

    async def _serve(self, requests: Any, context: Any) -> AsyncIterator[bytes]:
        line = Line(self, len(self.lines) + 1, asyncio.get_running_loop().time())
        self.lines.append(line)
        self.changed()
        async for frame in line.serve(requests, context):
            yield frame


def _field_1(content: bytes) -> bytes:
    """The field ``messages`` of a PlayResponse with this content."""
    size, left = bytearray(), len(content)
    while left > 0x7F:
        size.append(left & 0x7F | 0x80)
        left >>= 7
    size.append(left)
    return b"\x0a" + bytes(size) + content
