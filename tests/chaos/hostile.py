"""What bad clients do: calls without a codec, and what they were told."""

from __future__ import annotations

import asyncio
from typing import Any, Final, NamedTuple, Self

import grpc
from google.rpc import error_details_pb2, status_pb2
from grpc import aio
from tests.chaos.player import PLAY

from contree.v1 import error_reason_pb2, play_service_pb2
from contree.v1.play_service_pb2 import ClientMessage, PlayRequest, ServerMessage

ANSWER_S: Final = 30.0
"""A server that says nothing for so long hangs."""
OUR_OWN: Final = "Internal error from Core"
"""What gRPC says here when it wrote to a stream that had been ended; why it was is lost then."""


class Told(NamedTuple):
    """How a stream ended; ``reason`` is empty where gRPC itself refused."""

    status: grpc.StatusCode
    reason: str
    text: str


def told(error: aio.AioRpcError) -> Told:
    """The status and the ErrorReason of a failed call."""
    details = dict(error.trailing_metadata() or ()).get("grpc-status-details-bin", b"")
    assert isinstance(details, bytes)
    reason = ""
    for detail in status_pb2.Status.FromString(details).details:
        info = error_details_pb2.ErrorInfo()
        if detail.Unpack(info):
            assert info.domain == "contree"
            assert info.reason in error_reason_pb2.ErrorReason.DESCRIPTOR.values_by_name
            reason = info.reason
    return Told(error.code(), reason, error.details() or "")


class RawStream:
    """A Play stream of bare bytes."""

    def __init__(self, channel: aio.Channel) -> None:
        open_stream: Any = channel.stream_stream(PLAY)
        self.call: Any = open_stream()
        self._inbox: list[ServerMessage] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.call.cancel()

    async def send(self, data: bytes) -> bool:
        """One frame; False when the server has ended the stream already."""
        try:
            await self.call.write(data)
        except (aio.AioRpcError, asyncio.InvalidStateError):
            return False
        return True

    async def say(self, *messages: ClientMessage) -> bool:
        return await self.send(PlayRequest(messages=messages).SerializeToString())

    async def hello(self, bot: str, **fields: Any) -> None:
        """Say Hello and wait for Welcome."""
        await self.say(hello(bot, **fields))
        await self.next("welcome")

    async def next(self, kind: str) -> ServerMessage:
        """The next message of a kind; others are passed over. EOFError at the end."""
        async with asyncio.timeout(ANSWER_S):
            while True:
                while self._inbox:
                    message = self._inbox.pop(0)
                    if message.WhichOneof("message") == kind:
                        return message
                frame: Any = await self.call.read()
                if frame is aio.EOF:
                    raise EOFError
                self._inbox += play_service_pb2.PlayResponse.FromString(frame).messages

    async def end(self) -> Told:
        """Read until the server ends the stream."""
        try:
            async with asyncio.timeout(ANSWER_S):
                while await self.call.read() is not aio.EOF:
                    pass
                return Told(await self.call.code(), "", "")
        except aio.AioRpcError as error:
            return told(error)


def hello(bot: str, **fields: Any) -> ClientMessage:
    """A Hello as it should be, but for the fields given."""
    fields = {"protocol_version": 1, "bot": bot, **fields}
    return ClientMessage(hello=play_service_pb2.Hello(**fields))


def ack(nonce: int) -> ClientMessage:
    """The answer to a heartbeat."""
    return ClientMessage(heartbeat_ack=play_service_pb2.HeartbeatAck(nonce=nonce))


def act(seat_ref: int, decision_id: bytes, card: int = 1) -> ClientMessage:
    """An answer to whatever decision."""
    message = ClientMessage(act=play_service_pb2.Act(seat_ref=seat_ref, decision_id=decision_id))
    message.act.action.play.card = card  # type: ignore[assignment]
    return message


def channel(address: str, *, narrow: bool = False) -> aio.Channel:
    """A connection of its own, that will send anything however large; ``narrow``, it does not take
    in more than it has to until it is read.
    """
    return aio.insecure_channel(
        address,
        options=[
            ("grpc.use_local_subchannel_pool", 1),
            ("grpc.max_send_message_length", -1),
            ("grpc.max_receive_message_length", -1),
            ("grpc.http2.bdp_probe", int(not narrow)),
        ],
    )
