"""Rows 7 to 9 of docs/faults-met-by-others.md: a stream that looks alive and is not, and one that
ends before the match does. A bot of the SDK plays on at a real server, and nobody is charged.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from tests.chaos.proxy import Proxy
from tests.client.bots import playing
from tests.e2e.playing import LABEL, all_matches, check_ended
from tests.e2e.relay import Relay
from tests.e2e.server_process import ServerProcess
from tests.rpc.conftest import WAIT_S, board

from contree.client import Bot, Delivery, MatchEnded, SeatInfo, Summary
from contree.engine import PASS, Action, View
from contree.v1 import match_service_pb2_grpc
from contree.v1.play_service_pb2 import PlayResponse

pytestmark = pytest.mark.slow
HEARTBEAT_S = 0.5


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    server = ServerProcess(
        tmp_path, environment={"CONTREE_DRAIN_S": "1", "CONTREE_HEARTBEAT_S": f"{HEARTBEAT_S}"}
    )
    server.start()
    yield server
    assert server.stop() == 0


class Waiting(Bot):
    """Remembers what it is told; waits at its first decision until it may go on."""

    def __init__(self) -> None:
        self.asked, self.go_on = asyncio.Event(), asyncio.Event()
        self.decisions: list[tuple[str, ...]] = []
        self.told: asyncio.Queue[str] = asyncio.Queue()
        self.ended: list[MatchEnded] = []

    async def decide(self, turn: Any) -> Action:
        self.asked.set()
        view: View = turn.view
        self.decisions.append((str(turn.table.seat), str(view.calls), str(view.cards_played)))
        async with asyncio.timeout(WAIT_S):
            await self.go_on.wait()
        return PASS if PASS in view.legal else view.legal[0]

    def connected(self) -> None:
        self.told.put_nowait("connected")

    def disconnected(self, reason: str) -> None:
        self.told.put_nowait(reason)

    def match_ended(self, table: SeatInfo, ended: MatchEnded) -> None:
        self.ended.append(ended)

    async def hears(self, *expected: str) -> None:
        """The next things that it is told of its connection."""
        async with asyncio.timeout(WAIT_S):
            assert [await self.told.get() for _ in expected] == list(expected)


@asynccontextmanager
async def seated(
    bot: Waiting, door: str, server: ServerProcess, **options: Any
) -> AsyncIterator[asyncio.Task[Summary]]:
    """A bot at a table of the server, which it dials through a door."""
    async with grpc.aio.insecure_channel(server.address) as channel:
        async with playing(bot, door, name="raw", matches=1, **options) as played:
            stub: Any = match_service_pb2_grpc.MatchServiceStub(channel)
            made = board(labels=[LABEL])
            made.time_control.per_move.seconds = 100
            await stub.CreateMatch(made)
            yield played
        check_ended(await all_matches(channel))


async def over(bot: Waiting, played: asyncio.Task[Summary], connections: int) -> None:
    """It plays to the end, once, is asked nothing twice and makes no fault."""
    summary = await asyncio.wait_for(played, WAIT_S)
    assert (summary.matches, summary.connections) == (1, connections)
    assert (summary.illegal, summary.late, summary.faults) == (0, 0, 0)
    assert len(bot.ended) == 2  # its two seats
    assert len(bot.decisions) == len(set(bot.decisions))


def without(frame: PlayResponse, *kinds: str) -> PlayResponse:
    """A frame without messages of these kinds."""
    kept = [one for one in frame.messages if one.WhichOneof("message") not in kinds]
    return PlayResponse(messages=kept)


async def test_7_a_connection_that_swallows_everything_is_noticed_and_dialled_again(
    server: ServerProcess,
) -> None:
    """lichess-bot #1200. Neither side is told anything: bytes are taken and come to nobody."""
    bot = Waiting()
    async with (
        Proxy(server.address, random.Random(7)).listening() as proxy,
        seated(bot, proxy.address, server) as played,
    ):
        await asyncio.wait_for(bot.asked.wait(), WAIT_S)
        await bot.hears("connected")
        proxy.stall_all(3600)
        await bot.hears("the server fell silent", "connected")
        bot.go_on.set()
        await over(bot, played, 2)


async def test_7_a_frozen_server_is_noticed_and_dialled_until_it_goes_on(
    server: ServerProcess,
) -> None:
    """Its kernel keeps the connection, and takes new ones; nobody answers."""
    bot = Waiting()
    async with seated(bot, server.address, server) as played:
        await asyncio.wait_for(bot.asked.wait(), WAIT_S)
        await bot.hears("connected")
        server.pause()
        try:
            await bot.hears("the server fell silent")
        finally:
            server.go_on()
        await bot.hears("connected")
        bot.go_on.set()
        await over(bot, played, 2)


async def test_8_a_stream_that_brings_heartbeats_only_is_dialled_again(
    server: ServerProcess,
) -> None:
    """lila #13069. The first stream is alive, but no event and no turn comes through."""
    bot = Waiting()
    bot.go_on.set()

    def spoil(stream: int, frame: PlayResponse) -> tuple[PlayResponse, bool]:
        lost = ("event", "turn", "deal_ended", "match_ended")
        return without(frame, *lost) if stream == 1 else frame, True

    async with (
        Relay(server.address, spoil).listening() as relay,
        seated(bot, relay.address, server, delivery=Delivery.EVENTS) as played,
    ):
        await bot.hears("connected", "something was lost on the way", "connected")
        await over(bot, played, 2)
    assert relay.streams == 2
    assert bot.decisions


async def test_9_the_end_of_a_stream_is_not_the_end_of_the_match(server: ServerProcess) -> None:
    """lichess-bot #1237. Streams end in good order with a turn open, again and again."""
    bot = Waiting()
    bot.go_on.set()
    ends = 3

    def spoil(stream: int, frame: PlayResponse) -> tuple[PlayResponse, bool]:
        left = without(frame, "turn") if stream <= ends else frame
        return left, left == frame

    async with (
        Relay(server.address, spoil).listening() as relay,
        seated(bot, relay.address, server) as played,
    ):
        for _ in range(ends):
            await bot.hears("connected", "the server ended the stream")
            assert not bot.ended
            assert not played.done()
        await bot.hears("connected")
        await over(bot, played, ends + 1)
