"""The front door: streams and calls over all servers, none of which may go down unnoticed."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import grpc
import pytest
import yaml
from tests.certificates import Authority, Pair
from tests.chaos.waiting import until
from tests.rpc.conftest import RawBot, board
from tests.servers.front_door import DEPLOYED
from tests.servers.site import Site
from tests.servers.site import site as site_of

from contree.server.store import embedded_store
from contree.v1 import match_service_pb2, match_service_pb2_grpc

pytestmark = [pytest.mark.servers, pytest.mark.timeout(400)]

OWN: Final = (("grpc.use_local_subchannel_pool", 1),)
DRAIN: Final = {"CONTREE_DRAIN_S": "60"}


@asynccontextmanager
async def two_servers(folder: Path, tls: Pair | None = None) -> AsyncIterator[Site]:
    async with (
        embedded_store(folder / "store", "everysec") as store,
        site_of(folder, store.url, settings=DRAIN, tls=tls) as made,
    ):
        yield made


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Site]:
    async with two_servers(tmp_path) as site:
        yield site


@pytest.fixture
async def channel(site: Site) -> AsyncIterator[grpc.aio.Channel]:
    async with grpc.aio.insecure_channel(site.door.address, options=OWN) as channel:
        yield channel


async def _welcomed(channel: grpc.aio.Channel, instance: str) -> tuple[RawBot, str]:
    bot = RawBot(channel)
    welcome = await bot.hello(instance=instance, capacity=4)
    return bot, welcome.welcome.server_id


async def _list(channel: grpc.aio.Channel) -> Any:
    stub: Any = match_service_pb2_grpc.MatchServiceStub(channel)
    return await stub.ListMatches(match_service_pb2.ListMatchesRequest(label="cup"), timeout=60)


async def test_streams_of_one_connection_are_shared_out_evenly(channel: grpc.aio.Channel) -> None:
    at: Counter[str] = Counter()
    bots = []
    for number in range(40):
        bot, server = await _welcomed(channel, f"i-{number}")
        bots.append(bot)
        at[server] += 1
    assert at.keys() == {"server-1", "server-2"}
    assert max(at.values()) <= 22, at
    for bot in bots:
        await bot.close()


async def test_calls_go_to_any_server_and_know_of_all_matches(
    site: Site, channel: grpc.aio.Channel
) -> None:
    stub: Any = match_service_pb2_grpc.MatchServiceStub(channel)
    made = [
        (await stub.CreateMatch(board(number, labels=["cup"]))).match.id for number in range(1, 9)
    ]
    for _ in range(8):
        assert {match.id for match in (await _list(channel)).matches} >= set(made)
    counts = [await server.metric("contree_rpcs_total") for server in site.servers]
    assert min(counts) > 2


async def test_a_server_that_drains_keeps_its_streams_and_gets_no_new_ones(
    site: Site, channel: grpc.aio.Channel
) -> None:
    bot, at = await _welcomed(channel, "stays")
    (draining,) = (server for server in site.servers if server.name == at)
    os.kill(draining.pid, signal.SIGTERM)
    await bot.next("go_away")
    for number in range(10):  # from the first moment on
        other, server = await _welcomed(channel, f"new-{number}")
        assert server != at
        await other.close()
        await _list(channel)
    await until(lambda: site.door.healthy() == 1, 60, "it is seen to drain")
    assert draining.alive  # for the sake of the stream that is open
    assert not bot.call.done()
    await bot.close()
    await until(lambda: not draining.alive, 45, "all bots have left")


async def test_calls_do_not_fail_when_a_server_is_killed(
    site: Site, channel: grpc.aio.Channel
) -> None:
    """Those that it had taken may; what comes after them goes to the other one."""
    await _list(channel)
    await site.servers[0].kill()
    for _ in range(20):
        await _list(channel)
    bot, server = await _welcomed(channel, "late")
    assert server == "server-2"
    await bot.close()
    await site.servers[0].start()
    await site.door.open(2)


async def test_without_any_server_callers_are_told_at_once(
    site: Site, channel: grpc.aio.Channel
) -> None:
    for server in site.servers:
        await server.kill()
    await until(lambda: site.door.healthy() == 0, 60, "it is seen")
    began = asyncio.get_running_loop().time()
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await _list(channel)
    assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
    assert asyncio.get_running_loop().time() - began < 10


async def test_a_message_that_is_too_large_is_refused_by_the_server_and_not_on_the_way(
    channel: grpc.aio.Channel,
) -> None:
    stub: Any = match_service_pb2_grpc.MatchServiceStub(channel)
    with pytest.raises(grpc.aio.AioRpcError) as fits:
        await stub.CreateMatch(board(request_id="x" * (3 << 20)))
    assert fits.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await stub.CreateMatch(board(request_id="x" * (5 << 20)))
    assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED


async def test_tls_and_a_certificate_that_is_renewed_under_open_streams(tmp_path: Path) -> None:
    first, second = Authority(tmp_path, "first"), Authority(tmp_path, "second")

    def dial(authority: Authority, address: str) -> grpc.aio.Channel:
        roots = grpc.ssl_channel_credentials(authority.certificate.read_bytes())
        return grpc.aio.secure_channel(address, roots, options=OWN)

    async def served_with(authority: Authority, address: str) -> None:
        while True:
            async with dial(authority, address) as channel:
                try:
                    await _list(channel)
                    return
                except grpc.aio.AioRpcError:
                    await asyncio.sleep(0.1)

    async with (
        two_servers(tmp_path, first.issue("front-1")) as site,
        dial(first, site.door.address) as channel,
    ):
        bot, _ = await _welcomed(channel, "stays")
        site.door.certify(second.issue("front-2"))
        await asyncio.wait_for(served_with(second, site.door.address), 90)
        await _list(channel)
        assert not bot.call.done()
        await bot.close()


async def test_the_health_check_of_compose_hears_it(site: Site, tmp_path: Path) -> None:
    compose = yaml.safe_load((DEPLOYED.parent / "compose.yaml").read_text("utf-8"))
    _, *command = compose["services"]["front"]["healthcheck"]["test"]

    def healthy(address: str) -> bool:
        # Compose makes $ of $$.
        script = [part.replace("$$", "$") for part in command]
        script[-1] = script[-1].replace("127.0.0.1/9902", address.replace(":", "/"))
        return subprocess.run(script, capture_output=True, timeout=60, check=False).returncode == 0

    assert await asyncio.to_thread(healthy, site.door.telemetry)
    assert not await asyncio.to_thread(healthy, "127.0.0.1:1")
    assert not await asyncio.to_thread(healthy, site.door.address)  # no HTTP/1 there


async def test_only_probes_and_metrics_of_the_admin_interface_are_shown(site: Site) -> None:
    assert await asyncio.to_thread(site.door.get, "/ready") == 200
    assert await asyncio.to_thread(site.door.get, "/metrics") == 200
    for path in ("/", "/config_dump", "/quitquitquit", "/stats", "/ready/../quitquitquit"):
        assert await asyncio.to_thread(site.door.get, path) == 404
