"""SIGTERM and a new start, again and again while matches are played."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from tests.e2e.playing import LABEL, Player, all_matches, check_ended, check_records, dial, rest
from tests.e2e.server_process import ServerProcess
from tests.rpc.conftest import RawBot, board

from contree.client import Bot, Connection, play_bot
from contree.engine import View
from contree.v1 import match_service_pb2_grpc

MATCHES = 8
RESTARTS = 3
DRAIN_S = 10.0
CLOCK_S = 3
"""Less than a drain."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    server = ServerProcess(
        tmp_path,
        environment={
            "CONTREE_DRAIN_S": str(DRAIN_S),
            "CONTREE_LEASE_MS": "60000",
            "CONTREE_RETURN_S": "60",
        },
    )
    server.start()
    yield server
    if server.alive:
        assert server.stop() == 0


async def _create(channel: grpc.aio.Channel, clock_s: int = 30) -> None:
    """Matches in which the least absence is a fault."""
    stub: Any = match_service_pb2_grpc.MatchServiceStub(channel)
    for number in range(1, MATCHES + 1):
        request = board(number, labels=[LABEL])
        request.time_control.disconnect_grace.SetInParent()
        request.time_control.per_move.seconds = clock_s
        await stub.CreateMatch(request)


async def test_a_rolling_restart_loses_nothing_and_charges_nobody(server: ServerProcess) -> None:
    """Every acknowledged action once, no fault; leases (of a minute) are given up each time."""
    player = Player()
    async with grpc.aio.insecure_channel(server.address) as channel:
        bot = await dial(channel)
        await _create(channel)
        for restart in range(1, RESTARTS + 1):
            await player.play(bot, until_acts=restart * 15)
            began = time.monotonic()
            stopping = asyncio.create_task(asyncio.to_thread(server.stop))
            await player.play(bot, until_ended=2 * MATCHES)
            assert player.sent_away
            await bot.close()
            assert await stopping == 0
            # It waits for its bots, not for the end of the drain.
            assert time.monotonic() - began < DRAIN_S
            await asyncio.to_thread(server.start)
            bot = await dial(channel)
        await player.play(bot, until_ended=2 * MATCHES)
        matches = await all_matches(channel)
        assert len(matches) == MATCHES
        check_ended(matches)
        await check_records(channel, player)
        await bot.close()


async def test_answers_on_their_way_are_taken_in_a_drain_and_streams_stay_open(
    server: ServerProcess,
) -> None:
    """GoAway(10 s) means 10 s: the answer of a bot that thinks for some of them counts."""
    async with grpc.aio.insecure_channel(server.address) as channel:
        bot = await dial(channel)
        await _create(channel, CLOCK_S)
        player = Player()
        await player.play(bot, until_acts=5)
        turn = (await bot.next("turn")).turn
        stopping = asyncio.create_task(asyncio.to_thread(server.stop))
        await bot.next("go_away")
        await asyncio.sleep(
            CLOCK_S + 0.5
        )  # longer than the clock of the decision, which stands still
        assert not stopping.done()
        late_comer = RawBot(channel)
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await late_comer.hello(instance="two")
        assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
        await bot.act(turn)
        while True:
            result = (await bot.next("act_result")).act_result
            if result.decision_id == turn.decision.id:
                break
        assert result.status == 1  # ACCEPTED
        assert not any(message.HasField("turn") for message in await rest(bot))
        assert await stopping == 0


class Slow(Bot):
    """Thinks a little."""

    async def call(self, view: View) -> Any:
        await asyncio.sleep(0.01)
        return view.legal[0]

    async def play(self, view: View) -> Any:
        await asyncio.sleep(0.01)
        return view.legal[0]


async def test_13_a_bot_of_the_sdk_plays_through_restarts(server: ServerProcess) -> None:
    playing = asyncio.create_task(
        play_bot(
            Slow(),
            server=server.address,
            name="raw",
            matches=MATCHES,
            capacity=2 * MATCHES,
            connection=Connection(resume_patience=120.0),
        )
    )
    async with grpc.aio.insecure_channel(server.address) as channel:
        await _create(channel)
        for _ in range(RESTARTS):
            await asyncio.sleep(0.3)
            assert await asyncio.to_thread(server.stop) == 0
            await asyncio.to_thread(server.start)
        async with asyncio.timeout(200):
            summary = await playing
        check_ended(await all_matches(channel))
    assert (summary.illegal, summary.late, summary.faults) == (0, 0, 0)
