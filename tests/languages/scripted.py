"""A server that says what a test tells it to say."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from typing import Any, NamedTuple

import grpc
from google.protobuf.duration_pb2 import Duration
from grpc import aio

from contree.v1 import play_service_pb2, play_service_pb2_grpc
from contree.v1.play_service_pb2 import ClientMessage, PlayRequest, PlayResponse, ServerMessage

PATIENCE_S = 90.0


class Refusal(NamedTuple):
    """The status with which a stream ends."""

    code: grpc.StatusCode
    details: str


class Line:
    """One stream of a bot, from the server's end."""

    def __init__(self, metadata: dict[str, str]) -> None:
        self.metadata = metadata
        self.heard: asyncio.Queue[PlayRequest | None] = asyncio.Queue()
        self.to_say: asyncio.Queue[PlayResponse | Refusal | None] = asyncio.Queue()

    def says(self, *messages: ServerMessage) -> None:
        """Send these messages as one batch."""
        self.to_say.put_nowait(PlayResponse(messages=messages))

    def hangs_up(self) -> None:
        """End the stream."""
        self.to_say.put_nowait(None)

    def refuses(self, code: grpc.StatusCode, details: str) -> None:
        """End the stream with an error."""
        self.to_say.put_nowait(Refusal(code, details))

    async def hears(self) -> Sequence[ClientMessage]:
        """The next batch of the bot."""
        async with asyncio.timeout(PATIENCE_S):
            request = await self.heard.get()
        assert request is not None, "the bot has ended the stream"
        return request.messages

    async def is_left(self) -> None:
        """Wait until the bot ends the stream."""
        async with asyncio.timeout(PATIENCE_S):
            assert await self.heard.get() is None


class ScriptedServer(play_service_pb2_grpc.PlayServiceServicer):
    """Hands every stream to the test."""

    def __init__(self) -> None:
        self._lines: asyncio.Queue[Line] = asyncio.Queue()

    async def Play(
        self, request_iterator: AsyncIterator[PlayRequest], context: Any
    ) -> AsyncIterator[PlayResponse]:
        line = Line({key: str(value) for key, value in context.invocation_metadata()})

        async def listen() -> None:
            async for request in request_iterator:
                line.heard.put_nowait(request)
            line.heard.put_nowait(None)

        self._lines.put_nowait(line)
        listening = asyncio.create_task(listen())
        try:
            while (response := await line.to_say.get()) is not None:
                if isinstance(response, Refusal):
                    await context.abort(*response)
                else:
                    yield response
        finally:
            listening.cancel()
            with contextlib.suppress(asyncio.CancelledError, aio.AioRpcError):
                await listening

    async def next_line(self) -> Line:
        """The next stream that a bot opens."""
        async with asyncio.timeout(PATIENCE_S):
            return await self._lines.get()

    async def welcomes(self, heartbeat_s: int = 60) -> tuple[Line, play_service_pb2.Hello]:
        """The next stream, its Hello answered."""
        line = await self.next_line()
        (message,) = await line.hears()
        assert message.WhichOneof("message") == "hello"
        welcome = play_service_pb2.Welcome(
            protocol_version=1,
            server_id="scripted",
            instance_id=message.hello.instance_id,
            heartbeat=Duration(seconds=heartbeat_s),
            seats_owed=1,
        )
        line.says(ServerMessage(welcome=welcome))
        return line, message.hello


@contextlib.asynccontextmanager
async def scripted_server(
    credentials: grpc.ServerCredentials | None = None,
) -> AsyncIterator[tuple[ScriptedServer, str]]:
    """A scripted server and its address; with credentials it has TLS."""
    script = ScriptedServer()
    server = aio.server()
    play_service_pb2_grpc.add_PlayServiceServicer_to_server(script, server)
    if credentials is None:
        port = server.add_insecure_port("127.0.0.1:0")
    else:
        port = server.add_secure_port("127.0.0.1:0", credentials)
    await server.start()
    try:
        yield script, f"127.0.0.1:{port}"
    finally:
        await server.stop(None)
