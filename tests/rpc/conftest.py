"""A real server in process, on the embedded store, and a bot made of bare messages."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import grpc
import pytest

from contree.server.app import Serving, running
from contree.server.settings import Settings
from contree.v1 import (
    match_pb2,
    match_service_pb2,
    match_service_pb2_grpc,
    play_service_pb2,
    play_service_pb2_grpc,
)
from contree.v1.play_service_pb2 import ClientMessage, ServerMessage

WAIT_S = 60.0


QUICK_HEARTBEATS = pytest.mark.parametrize("heartbeat_s", [0.5])
"""For tests about heartbeats. A bot that does not answer three is cut: others have time for it."""


@pytest.fixture
def heartbeat_s() -> float:
    return 5.0


@pytest.fixture
def settings(tmp_path: Path, heartbeat_s: float) -> Settings:
    return Settings(
        listen="127.0.0.1:0",
        metrics=None,
        data_dir=tmp_path / "data",
        fsync="everysec",
        heartbeat_s=heartbeat_s,
        lease_ms=12_000,
        drain_s=1.0,
    )


@pytest.fixture
async def serving(settings: Settings) -> AsyncIterator[Serving]:
    async with running(settings) as serving:
        yield serving


@pytest.fixture
async def channel(serving: Serving) -> AsyncIterator[grpc.aio.Channel]:
    async with grpc.aio.insecure_channel(serving.address) as channel:
        yield channel


@pytest.fixture
def matches(channel: grpc.aio.Channel) -> Any:
    return match_service_pb2_grpc.MatchServiceStub(channel)


class RawBot:
    """One Play stream, message by message."""

    def __init__(
        self,
        channel: grpc.aio.Channel,
        metadata: tuple[tuple[str, str], ...] = (),
        *,
        acks: bool = True,
    ) -> None:
        """With ``acks`` off it leaves heartbeats without an answer: grpc.aio lets a client that
        writes in the moment in which its stream is ended not read what was said last.
        """
        self._acks = acks
        self._call = play_service_pb2_grpc.PlayServiceStub(channel).Play(metadata=metadata)
        self._inbox: list[ServerMessage] = []

    @property
    def call(self) -> Any:
        return self._call

    async def say(self, *messages: ClientMessage) -> None:
        await self._call.write(play_service_pb2.PlayRequest(messages=messages))

    async def hello(self, bot: str = "raw", instance: str = "", **fields: Any) -> ServerMessage:
        hello = play_service_pb2.Hello(protocol_version=1, bot=bot, instance_id=instance, **fields)
        await self.say(ClientMessage(hello=hello))
        return await self.next("welcome")

    def taken(self) -> list[ServerMessage]:
        """What was read and not looked at yet; it is not there any more."""
        taken, self._inbox = self._inbox, []
        return taken

    async def anything(self) -> ServerMessage:
        """The next message but heartbeats, within a bounded time."""
        async with asyncio.timeout(WAIT_S):
            while True:
                while self._inbox:
                    message = self._inbox.pop(0)
                    if message.HasField("heartbeat"):
                        if not self._acks:
                            continue
                        ack = play_service_pb2.HeartbeatAck(nonce=message.heartbeat.nonce)
                        # A stream that has been ended takes none; what it says last is read.
                        with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
                            await self.say(ClientMessage(heartbeat_ack=ack))
                        continue
                    return message
                frame: Any = await self._call.read()
                if frame is grpc.aio.EOF:
                    raise EOFError
                self._inbox += frame.messages

    async def next(self, kind: str) -> ServerMessage:
        """The next message of this kind; others are passed over."""
        while True:
            message = await self.anything()
            if message.WhichOneof("message") == kind:
                return message

    async def ready(self) -> int:
        """Wait for a seat and say Ready; its seat_ref."""
        assigned = (await self.next("seat_assigned")).seat_assigned
        await self.say(ClientMessage(ready=play_service_pb2.Ready(seat_ref=assigned.seat_ref)))
        return int(assigned.seat_ref)

    async def act(self, turn: play_service_pb2.Turn, **fields: Any) -> None:
        """Answer a turn: with the first legal action, or as given."""
        act = play_service_pb2.Act(seat_ref=turn.seat_ref, decision_id=turn.decision.id)
        if turn.decision.cards:
            act.action.play.card = turn.decision.cards[0]
        else:
            act.action.call.CopyFrom(turn.decision.calls[0])
        act.MergeFrom(play_service_pb2.Act(**fields))
        await self.say(ClientMessage(act=act))

    async def close(self) -> None:
        self._call.cancel()


@pytest.fixture
async def bots(channel: grpc.aio.Channel) -> AsyncIterator[Callable[[], RawBot]]:
    opened: list[RawBot] = []

    def open_one() -> RawBot:
        opened.append(RawBot(channel))
        return opened[-1]

    yield open_one
    for bot in opened:
        await bot.close()


def board(number: int = 1, **fields: Any) -> match_service_pb2.CreateMatchRequest:
    """A board of the bot "raw", north and south, against the house, which does not let all pass."""
    request = match_service_pb2.CreateMatchRequest(
        preset="ffb-mixte",
        board=match_pb2.BoardMode(number=number),
        deals=match_pb2.DealSource(seeded=match_pb2.SeededDeals(seed=b"a" * 32)),
        seats=[
            match_pb2.SeatSpec(seat=1, bot="raw"),  # type: ignore[arg-type]
            match_pb2.SeatSpec(seat=2, house="rules"),  # type: ignore[arg-type]
            match_pb2.SeatSpec(seat=3, bot="raw"),  # type: ignore[arg-type]
            match_pb2.SeatSpec(seat=4, house="rules"),  # type: ignore[arg-type]
        ],
    )
    request.MergeFrom(match_service_pb2.CreateMatchRequest(**fields))
    return request


__all__ = ["QUICK_HEARTBEATS", "WAIT_S", "RawBot", "board"]
