"""What a server that serves counts: calls, refusals, streams, bots, matches that change hands."""

from __future__ import annotations

import asyncio
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import grpc
import pytest
from prometheus_client.parser import text_string_to_metric_families
from tests.rpc.conftest import QUICK_HEARTBEATS, WAIT_S, RawBot, board
from tests.rpc.keyed import key_ring

from contree.server.access import Role
from contree.server.app import Serving, running
from contree.server.settings import Settings
from contree.v1 import match_service_pb2
from contree.v1.match_service_pb2_grpc import MatchServiceStub

PLAY = "/contree.v1.PlayService/Play"


class Counted(NamedTuple):
    """The metrics of a server, read as Prometheus reads them."""

    address: str

    async def all(self) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
        def read() -> str:
            with urllib.request.urlopen(f"http://{self.address}/metrics", timeout=60) as answer:
                return str(answer.read().decode())

        families = text_string_to_metric_families(await asyncio.to_thread(read))
        return {
            (sample.name, frozenset(sample.labels.items())): sample.value
            for family in families
            for sample in family.samples
        }

    async def value(self, name: str, **labels: str) -> float:
        return (await self.all())[name, frozenset(labels.items())]

    async def becomes(self, wanted: float, name: str, **labels: str) -> None:
        """Wait until a metric has this value; some are measured once a second."""
        async with asyncio.timeout(WAIT_S):
            # What was never counted is not there yet.
            while (await self.all()).get((name, frozenset(labels.items()))) != wanted:  # noqa: ASYNC110
                await asyncio.sleep(0.05)


@pytest.fixture
def settings(tmp_path: Path, heartbeat_s: float) -> Settings:
    return settings_of(tmp_path, heartbeat_s=heartbeat_s)


def settings_of(tmp_path: Path, **fields: Any) -> Settings:
    given = {"heartbeat_s": 5.0, "lease_ms": 6000, "drain_s": 0.2, "return_s": 0.2, **fields}
    return Settings(
        listen="127.0.0.1:0",
        metrics="127.0.0.1:0",
        data_dir=tmp_path / "data",
        fsync="everysec",
        **given,
    )


@pytest.fixture
def counted(serving: Serving) -> Counted:
    assert serving.metrics_address is not None
    return Counted(serving.metrics_address)


async def test_refusals_by_reason_and_calls_under_way(
    matches: Any, bots: Callable[[], RawBot], counted: Counted
) -> None:
    with pytest.raises(grpc.aio.AioRpcError):
        await matches.GetMatch(match_service_pb2.GetMatchRequest(match_id="none"))
    await counted.becomes(1, "contree_refusals_total", reason="match_not_found")
    bot = bots()
    await bot.hello()
    await counted.becomes(1, "contree_rpcs_in_flight", method=PLAY)
    await counted.becomes(1, "contree_streams")
    await bot.close()
    await counted.becomes(0, "contree_rpcs_in_flight", method=PLAY)
    await counted.becomes(1, "contree_rpcs_total", method=PLAY, code="CANCELLED")


async def test_seats_that_wait_and_leases(
    matches: Any, bots: Callable[[], RawBot], counted: Counted
) -> None:
    await matches.CreateMatch(board())
    await counted.becomes(2, "contree_seats_waiting")
    await counted.becomes(1, "contree_leases_held")
    bot = bots()
    await bot.hello(capacity=2)
    await counted.becomes(0, "contree_seats_waiting")
    await counted.becomes(1, "contree_ready")
    async with asyncio.timeout(WAIT_S):
        while not await counted.value("contree_event_loop_lag_seconds_count"):  # noqa: ASYNC110
            await asyncio.sleep(0.05)


@QUICK_HEARTBEATS
async def test_7_a_stream_without_a_sign_of_life_is_cut_and_counted(
    bots: Callable[[], RawBot], counted: Counted
) -> None:
    bot = bots()
    await bot.hello()
    await counted.becomes(1, "contree_streams_cut_total", reason="silent")
    assert await counted.value("contree_streams_cut_total", reason="overflow") == 0
    await counted.becomes(1, "contree_refusals_total", reason="too_slow")


@pytest.mark.parametrize("heartbeat_s", [2.0])  # it is not read while metrics are
async def test_bots_with_a_key_are_counted_by_name(
    settings: Settings, serving: Serving, counted: Counted
) -> None:
    async with (
        key_ring(settings.data_dir) as keys,
        grpc.aio.insecure_channel(serving.address) as channel,
    ):
        host, player = await keys.make(Role.HOST), await keys.make(Role.BOT)
        stub = MatchServiceStub(channel)
        await stub.CreateMatch(board(), metadata=host.metadata)
        bot = RawBot(channel, player.metadata)
        await bot.hello(capacity=2)
        await counted.becomes(1, "contree_bot_instances", bot="raw")
        for _ in range(2):
            await bot.ready()
        turn = (await bot.next("turn")).turn
        await bot.act(turn)
        await bot.next("act_result")
        assert await counted.value("contree_bot_decision_seconds_count", bot="raw") == 1
        # It answers heartbeats as it reads. Not for a time only: a read that is given up ends its
        # stream.
        reading = asyncio.create_task(bot.next("match_ended"))
        async with asyncio.timeout(WAIT_S):
            while not await counted.value("contree_bot_round_trip_seconds_count", bot="raw"):
                assert not reading.done()
                await asyncio.sleep(0.05)
        reading.cancel()
        await asyncio.wait((reading,))
        await bot.close()
        await counted.becomes(0, "contree_bot_instances", bot="raw")


async def test_matches_handed_over_and_adopted(tmp_path: Path) -> None:
    first, second = (settings_of(tmp_path, server_id=f"s-{number}") for number in (1, 2))
    async with running(second) as other:
        assert other.metrics_address is not None
        async with running(first) as one, grpc.aio.insecure_channel(one.address) as channel:
            await MatchServiceStub(channel).CreateMatch(board())
        counted = Counted(other.metrics_address)
        await counted.becomes(1, "contree_leases_held")
        # Most often it is told of it first; it may also find it by itself. A lease is held from
        # before the match is read.
        reasons = ("handed_over", "lease_ended")
        adopted: list[float] = []
        async with asyncio.timeout(WAIT_S):
            while not any(adopted):
                adopted = [
                    await counted.value("contree_matches_adopted_total", reason=why)
                    for why in reasons
                ]
        assert sum(adopted) == 1
