"""kill -9 of the server in the middle of matches: they go on from their last committed move."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from tests.e2e.playing import LABEL, Player, all_matches, check_records
from tests.e2e.server_process import ServerProcess
from tests.rpc.conftest import RawBot, board

from contree.v1 import match_pb2, match_service_pb2_grpc

MATCHES = 6
ACTS_BEFORE_THE_KILL = 40


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    server = ServerProcess(tmp_path)
    server.start()
    yield server
    if server.alive:
        assert server.stop() == 0


async def test_killed_matches_go_on_from_their_last_committed_move(server: ServerProcess) -> None:
    player = Player()
    async with grpc.aio.insecure_channel(server.address) as channel:
        matches: Any = match_service_pb2_grpc.MatchServiceStub(channel)
        bot = RawBot(channel)
        await bot.hello(instance="one")
        for number in range(1, MATCHES + 1):
            await matches.CreateMatch(board(number, labels=[LABEL]))
        await player.play(bot, until_acts=ACTS_BEFORE_THE_KILL)
        before = {match.id: match.version for match in await all_matches(channel)}
        await asyncio.to_thread(server.kill)
        await bot.close()

    await asyncio.to_thread(server.start)
    async with grpc.aio.insecure_channel(server.address) as channel:
        bot = RawBot(channel)
        await bot.hello(instance="one")
        await player.play(bot, until_ended=2 * MATCHES)
        after = await all_matches(channel)
        assert len(after) == MATCHES
        for match in after:
            assert match.end_reason in (
                match_pb2.END_REASON_BOARD_DONE,
                match_pb2.END_REASON_PASSED_OUT,
            )
            assert match.version >= before[match.id]
            assert not match.faults
        await check_records(channel, player)
        await bot.close()


async def test_a_server_stops_on_sigterm_and_leaves_nothing_behind(server: ServerProcess) -> None:
    async with grpc.aio.insecure_channel(server.address) as channel:
        bot = RawBot(channel)
        await bot.hello()
        stopping = asyncio.create_task(asyncio.to_thread(server.stop))
        await bot.next("go_away")
        assert await stopping == 0
        await bot.close()


async def test_a_killed_store_comes_back_and_nobody_is_charged_for_it(
    server: ServerProcess,
) -> None:
    player = Player()
    async with grpc.aio.insecure_channel(server.address) as channel:
        matches: Any = match_service_pb2_grpc.MatchServiceStub(channel)
        bot = RawBot(channel)
        await bot.hello(instance="one")
        for number in range(1, MATCHES + 1):
            await matches.CreateMatch(board(number, labels=[LABEL]))
        await player.play(bot, until_acts=ACTS_BEFORE_THE_KILL)
        os.kill(server.store_pid(), signal.SIGKILL)
        await player.play(bot, until_ended=2 * MATCHES)
        for match in await all_matches(channel):
            assert match.end_reason in (
                match_pb2.END_REASON_BOARD_DONE,
                match_pb2.END_REASON_PASSED_OUT,
            )
            assert not match.faults
        await check_records(channel, player)
        await bot.close()
