"""Servers that are killed while bots at one of them play at tables of another."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import grpc
import pytest
from tests.e2e.playing import (
    LABEL,
    Player,
    all_matches,
    check_ended,
    check_records,
    dial,
    until,
)
from tests.e2e.server_process import ServerProcess
from tests.rpc.conftest import board

from contree.server.store import embedded_store
from contree.v1 import match_service_pb2_grpc

pytestmark = pytest.mark.slow
MATCHES = 6
ACTS = 40


@pytest.fixture
async def servers(tmp_path: Path) -> AsyncIterator[list[ServerProcess]]:
    async with embedded_store() as store:
        made = [
            ServerProcess(tmp_path / name, redis=store.url, environment={"CONTREE_DRAIN_S": "1"})
            for name in ("home", "edge", "third")
        ]
        yield made
        for server in made:
            if server.alive:
                server.go_on()
                assert await asyncio.to_thread(server.stop) == 0


async def start(servers: list[ServerProcess]) -> None:
    """Start servers, and wait until they know of each other."""
    for server in servers:
        await asyncio.to_thread(server.start)
    await until(lambda: all(one.logged("peer_came") >= len(servers) - 1 for one in servers))


async def begin(home: ServerProcess, edge: ServerProcess, player: Player, stack: Any) -> Any:
    """Matches without any grace, in the middle of their deals, of a bot at another server."""
    channel = await stack.enter_async_context(grpc.aio.insecure_channel(home.address))
    there = await stack.enter_async_context(grpc.aio.insecure_channel(edge.address))
    bot = await dial(there)
    stub: Any = match_service_pb2_grpc.MatchServiceStub(channel)
    for number in range(1, MATCHES + 1):
        request = board(number, labels=[LABEL])
        request.time_control.disconnect_grace.SetInParent()
        await stub.CreateMatch(request)
    await player.play(bot, until_acts=ACTS)
    assert any(not match.end_reason for match in await all_matches(channel))
    return bot


async def check(server: ServerProcess, player: Player, stack: Any) -> None:
    channel = await stack.enter_async_context(grpc.aio.insecure_channel(server.address))
    matches = await all_matches(channel)
    assert len(matches) == MATCHES
    check_ended(matches)
    await check_records(channel, player)


async def test_bots_of_a_server_that_is_killed_play_on_from_another(
    servers: list[ServerProcess],
) -> None:
    """Nobody is charged for it, though the matches allow no absence at all."""
    home, edge, third = servers
    await start(servers)
    player = Player()
    async with AsyncExitStack() as stack:
        bot = await begin(home, edge, player, stack)
        await asyncio.to_thread(edge.kill)
        # Longer than a killed server counts as there.
        await until(lambda: home.logged("peer_gone") >= 1)
        await bot.close()
        channel = await stack.enter_async_context(grpc.aio.insecure_channel(third.address))
        bot = await dial(channel)
        await player.play(bot, until_ended=2 * MATCHES)
        await bot.close()
        await check(third, player, stack)
    assert home.logged("match_lost") == 0


@pytest.mark.parametrize("count", [2, 3], ids=["by-the-edge", "by-any"])
async def test_bots_whose_tables_lose_their_server_notice_nothing(
    servers: list[ServerProcess], count: int
) -> None:
    """Their stream goes on: whoever takes the matches over finds them where they are."""
    home, edge, *_ = servers
    await start(servers[:count])
    player = Player()
    async with AsyncExitStack() as stack:
        bot = await begin(home, edge, player, stack)
        await asyncio.to_thread(home.kill)
        await player.play(bot, until_ended=2 * MATCHES)
        assert not player.sent_away
        await bot.close()
        await check(edge, player, stack)
    assert sum(one.logged("match_adopted") for one in servers[1:count]) > 0


@pytest.mark.parametrize("which", [0, 1], ids=["home", "edge"])
async def test_a_pause_longer_than_a_lease_charges_nobody(
    servers: list[ServerProcess], which: int
) -> None:
    await start(servers[:2])
    player = Player()
    async with AsyncExitStack() as stack:
        bot = await begin(servers[0], servers[1], player, stack)
        other = servers[1 - which]
        before = other.logged("peer_gone")
        servers[which].pause()
        await until(lambda: other.logged("peer_gone") > before)
        servers[which].go_on()
        await player.play(bot, until_ended=2 * MATCHES)
        await bot.close()
        await check(servers[1], player, stack)


async def test_a_server_that_stops_hands_its_tables_to_one_that_is_told(
    servers: list[ServerProcess],
) -> None:
    """Its far bots are asked on where they are; nobody is charged."""
    home, edge, _ = servers
    await start(servers)
    player = Player()
    async with AsyncExitStack() as stack:
        bot = await begin(home, edge, player, stack)
        stopping = asyncio.create_task(asyncio.to_thread(home.stop))
        await player.play(bot, until_ended=2 * MATCHES)
        assert not player.sent_away
        assert await stopping == 0
        await bot.close()
        await check(edge, player, stack)
