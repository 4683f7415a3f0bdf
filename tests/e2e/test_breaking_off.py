"""Bots that break off while what they said is still on its way: nobody else notices."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from tests.chaos.server import Server
from tests.chaos.waiting import until
from tests.e2e.playing import LABEL, Player, all_matches, check_ended, check_records
from tests.e2e.server_process import store_below
from tests.rpc.conftest import RawBot, board

from contree.v1 import match_pb2, match_service_pb2, match_service_pb2_grpc, play_service_pb2
from contree.v1.play_service_pb2 import ClientMessage

PASSES = 3
ACTS = 120
"""In one frame: more than a reader takes before it waits for what becomes of them."""
WAIT_S = 60.0


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    settings = {"CONTREE_LEASE_MS": "30000", "CONTREE_HEARTBEAT_S": "60", "CONTREE_DRAIN_S": "1"}
    with Server(tmp_path, "server", settings=settings) as server:
        await server.start()
        yield server
        await server.stop()


async def test_a_cut_stream_with_commands_under_way_stops_nobody(server: Server) -> None:
    """Its reader waits for its commands, which wait for the store, and is gone when they come."""
    player = Player()
    async with grpc.aio.insecure_channel(server.address) as channel:
        matches: Any = match_service_pb2_grpc.MatchServiceStub(channel)
        healthy = RawBot(channel)
        await healthy.hello("healthy", instance="one")
        for number in range(1, 4):
            made = board(number, labels=[LABEL], time_control=_patient())
            made.seats[0].bot = made.seats[2].bot = "healthy"
            await matches.CreateMatch(made)
        attacked = []
        for number in range(PASSES):
            await player.play(healthy, until_acts=8 * (number + 1))
            attacked.append(await _break_off(server, matches, f"i{number}"))
            assert server.alive, server.last_words()
        await player.play(healthy, until_ended=6)
        check_ended(await all_matches(channel))
        await check_records(channel, player)
        # The match itself goes on where it was: its bot comes back and is asked again.
        for number, match_id in enumerate(attacked):
            back = RawBot(channel)
            assert (await back.hello(instance=f"i{number}")).welcome.seats_owed == 2
            assert (await back.next("turn")).turn.decision.id
            request = match_service_pb2.GetMatchRequest(match_id=match_id)
            assert (await matches.GetMatch(request)).match.state == match_pb2.MATCH_STATE_PLAYING
            await back.close()
        await healthy.close()
    assert await server.metric("contree_telling_failures_total") == 0
    assert not server.said("match_lost")


def _patient() -> match_pb2.TimeControl:
    """For bots that are not read, or away, while others break off."""
    patient = match_pb2.TimeControl()
    patient.per_move.FromSeconds(120)
    patient.disconnect_grace.FromSeconds(120)
    return patient


async def _break_off(server: Server, matches: Any, instance: str) -> str:
    """Say too much at once while the store does not answer, and be gone before it does."""
    store = store_below(server.pid)
    frames = server.metric_of("contree_frames_total")
    streams = server.metric_of("contree_streams")
    options = (("grpc.use_local_subchannel_pool", 1),)
    async with grpc.aio.insecure_channel(server.address, options=options) as channel:
        bot = RawBot(channel)
        await bot.hello(instance=instance)
        made = await matches.CreateMatch(board(request_id=instance, time_control=_patient()))
        await bot.ready()
        await bot.ready()
        turn = (await bot.next("turn")).turn
        act = play_service_pb2.Act(seat_ref=turn.seat_ref, decision_id=turn.decision.id)
        act.action.call.CopyFrom(turn.decision.calls[0])
        os.kill(store, signal.SIGSTOP)
        try:
            seen, open_ = await asyncio.to_thread(frames), await asyncio.to_thread(streams)
            await bot.say(*[ClientMessage(act=act)] * ACTS)
            await until(lambda: frames() > seen, WAIT_S, "the frame is read")
            bot.call.cancel()
            await until(lambda: streams() < open_, WAIT_S, "the stream is over")
        finally:
            os.kill(store, signal.SIGCONT)
    return str(made.match.id)
