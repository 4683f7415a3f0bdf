"""`contree serve --workers N`: one address and one store for several processes."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import urllib.request
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import grpc
import pytest
from prometheus_client.parser import text_string_to_metric_families
from tests.e2e.playing import LABEL, Player, all_matches, check_ended, check_records
from tests.rpc.conftest import RawBot, board
from tests.tournament.waiting import eventually
from tests.workers.crew import Crew, gone

from contree.server.telemetry import AddressUnavailable
from contree.server.workers.place import shared_address
from contree.v1 import match_service_pb2_grpc

OWN: Final = (("grpc.use_local_subchannel_pool", 1),)
"""A connection for each channel."""
MANY: Final = 24
"""Connections: that all of them come to one of two workers has a chance of 1 in 8 million."""


@pytest.fixture
async def crew(tmp_path: Path) -> AsyncIterator[Crew]:
    crew = Crew(tmp_path)
    try:
        await crew.serving()
        yield crew
    finally:
        crew.close()


async def _reached(address: str, connections: int = MANY) -> set[str]:
    """The servers that so many connections come to."""
    servers = set()
    for number in range(connections):
        async with grpc.aio.insecure_channel(address, options=OWN) as channel:
            bot = RawBot(channel)
            welcome = await bot.hello(bot=f"bot-{number}")
            servers.add(welcome.welcome.server_id)
            await bot.close()
    return servers


async def test_workers_share_the_address_and_the_connections(crew: Crew) -> None:
    servers = await _reached(crew.address)
    assert len(servers) == 2
    assert len({name.rsplit("-", 1)[0] for name in servers}) == 1
    assert {name.rsplit("-", 1)[1] for name in servers} == {"1.1", "2.1"}


async def test_a_scraper_finds_all_workers_and_can_tell_them_apart(crew: Crew) -> None:
    found = await asyncio.to_thread(crew.get, "/targets")
    assert [group["labels"] for group in found] == [{"worker": "1"}, {"worker": "2"}]
    servers = set()
    for group in found:
        (target,) = group["targets"]
        assert target.startswith("127.0.0.1:")
        servers.add(await asyncio.to_thread(_server_id, target))
    assert len(servers) == 2


async def test_the_supervisor_is_ready_where_a_worker_is(crew: Crew) -> None:
    assert await eventually(crew.ready)
    (store,) = set(crew.below()) - set(crew.pids.values())
    os.kill(store, signal.SIGSTOP)
    try:
        # No worker takes new matches without its store, and all of them are there.
        assert await eventually(lambda: not crew.ready())
        assert len(crew.pids) == 2
    finally:
        os.kill(store, signal.SIGCONT)
    assert await eventually(crew.ready)
    os.kill(crew.pids[1], signal.SIGSTOP)
    try:
        assert await eventually(crew.ready)  # one that hangs is not waited for
    finally:
        os.kill(crew.pids[1], signal.SIGCONT)


def _server_id(target: str) -> str:
    """Whom a page of metrics is about."""
    with urllib.request.urlopen(f"http://{target}/metrics", timeout=60) as page:
        families = text_string_to_metric_families(page.read().decode())
        (info,) = (one for one in families if one.name == "contree_build_info")
    return info.samples[0].labels["server_id"]


async def test_metrics_of_workers_are_on_the_ports_after_that_of_the_supervisor(
    tmp_path: Path,
) -> None:
    kept = _ports_in_a_row(3)
    port = kept[0].getsockname()[1]
    crew = Crew(tmp_path, "--metrics", f"127.0.0.1:{port}")
    try:
        await crew.serving()
        targets = [group["targets"] for group in await asyncio.to_thread(crew.get, "/targets")]
        assert targets == [[f"127.0.0.1:{port + 1}"], [f"127.0.0.1:{port + 2}"]]
    finally:
        crew.close()
        for one in kept:
            one.close()


def _ports_in_a_row(count: int) -> list[socket.socket]:
    """Bound, and never listening: servers may listen there, and nobody else is given one."""
    for _ in range(100):
        kept: list[socket.socket] = []
        try:
            for _ in range(count):
                kept.append(socket.socket())
                kept[-1].setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                port = kept[-2].getsockname()[1] + 1 if len(kept) > 1 else 0
                kept[-1].bind(("127.0.0.1", port))
        except (OSError, OverflowError):
            for one in kept:
                one.close()
        else:
            return kept
    raise AssertionError("no free ports in a row")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_stop_drains_all_and_leaves_nothing(crew: Crew, number: signal.Signals) -> None:
    below = crew.below()
    assert len(below) == 3  # two workers, one store
    async with grpc.aio.insecure_channel(crew.address) as channel:
        bot = RawBot(channel)
        await bot.hello()
        crew.signal(number)
        await bot.next("go_away")
        await bot.close()
        assert await asyncio.to_thread(crew.ends) == 0
    assert await gone(below)
    assert {line.get("worker") for line in crew.said("stopped")} == {None, 1, 2}


async def test_nothing_outlives_a_supervisor_that_is_killed(crew: Crew) -> None:
    below = crew.below()
    crew.signal(signal.SIGKILL)
    await asyncio.to_thread(crew.ends)
    assert await gone(below)


async def test_a_worker_that_dies_is_started_again_and_its_match_goes_on(crew: Crew) -> None:
    player = Player()
    async with grpc.aio.insecure_channel(crew.address, options=OWN) as channel:
        bot = RawBot(channel)
        welcome = await bot.hello(instance="one", capacity=4)
        stub: Any = match_service_pb2_grpc.MatchServiceStub(channel)
        await stub.CreateMatch(board(labels=[LABEL]))
        await player.play(bot, until_acts=5)
        number = int(welcome.welcome.server_id.rsplit("-", 1)[1].split(".")[0])
        before = crew.pids
        os.kill(before[number], signal.SIGKILL)
        assert await eventually(lambda: len(crew.pids) == 2 and crew.pids != before)
        assert crew.pids.keys() == before.keys()
        assert [line["worker"] for line in crew.said("worker_ended")] == [number]
    survivor = 3 - number
    async with _connection_to(crew.address, survivor) as channel:
        assert await eventually(lambda: bool(crew.said("match_adopted")))
        adopter = crew.said("match_adopted")[-1]["worker"]
    async with _connection_to(crew.address, adopter) as channel:
        bot = RawBot(channel)
        await bot.hello(instance="one", capacity=4)
        await player.play(bot, until_ended=2)
        check_ended(await all_matches(channel))
        await check_records(channel, player)
        await bot.close()


async def test_sighup_replaces_one_after_the_other(crew: Crew) -> None:
    before, address = crew.pids, crew.address
    serving: list[set[int]] = []

    def all_new() -> bool:
        serving.append(set(crew.pids.values()))
        return len(crew.pids) == 2 and not set(crew.pids.values()) & set(before.values())

    crew.signal(signal.SIGHUP)
    assert await eventually(all_new)
    assert all(serving)  # at every moment that was looked at
    assert crew.address == address
    assert await eventually(lambda: len(crew.said("rolling_restart_done")) == 1)
    order = [line["worker"] for line in crew.said("worker_replaced")]
    assert order == [1, 2]
    assert not crew.said("worker_ended")
    assert {name.rsplit("-", 1)[1] for name in await _reached(address)} == {"1.2", "2.2"}


async def test_a_worker_that_does_not_end_is_replaced_all_the_same(tmp_path: Path) -> None:
    crew = Crew(tmp_path, "--drain", "0")
    try:
        await crew.serving()
        os.kill(crew.pids[1], signal.SIGSTOP)
        crew.signal(signal.SIGHUP)
        assert await eventually(lambda: len(crew.said("rolling_restart_done")) == 1)
        codes = {line["worker"]: line["code"] for line in crew.said("worker_replaced")}
        assert codes == {1: -signal.SIGKILL, 2: 0}
    finally:
        crew.close()


async def test_a_terminal_that_is_closed_means_the_end(tmp_path: Path) -> None:
    """It says SIGHUP, too."""
    keeper, terminal = os.openpty()
    crew = Crew(tmp_path, terminal=os.ttyname(terminal))
    os.close(terminal)
    try:
        await crew.serving()
        below = crew.below()
        crew.signal(signal.SIGHUP)
        assert await eventually(lambda: len(crew.said("rolling_restart_done")) == 1)
        os.close(keeper)
        assert await asyncio.to_thread(crew.ends) == 0
        assert await gone(below)
    finally:
        crew.close()


async def test_who_is_sent_away_finds_another_worker_at_once(crew: Crew) -> None:
    """The door of a worker that drains is closed: its bots do not come back to it."""
    async with grpc.aio.insecure_channel(crew.address, options=OWN) as channel:
        bot = RawBot(channel)
        leaving = (await bot.hello()).welcome.server_id
        number = int(leaving.rsplit("-", 1)[1].split(".")[0])
        os.kill(crew.pids[number], signal.SIGTERM)
        await bot.next("go_away")
        # The stream is still open, so the worker still drains.
        assert leaving not in await _reached(crew.address, 8)
        again = RawBot(channel)  # also on the connection that is there
        assert (await again.hello(instance="other")).welcome.server_id != leaving
        await bot.close()


async def test_what_is_wrong_with_all_of_them_is_said_once(tmp_path: Path) -> None:
    options = ("--tls-cert", str(tmp_path / "none.pem"), "--tls-key", str(tmp_path / "none.key"))
    crew = Crew(tmp_path, *options)
    try:
        assert await asyncio.to_thread(crew.ends) == 2
        assert crew.log.count("cannot be used") == 1
        assert "Traceback" not in crew.log
    finally:
        crew.close()


async def test_the_address_of_another_supervisor_is_taken(crew: Crew, tmp_path: Path) -> None:
    taken = pytest.raises(AddressUnavailable, match="another program listens there")
    with taken, shared_address(crew.address):
        pass
    (tmp_path / "second").mkdir()
    second = Crew(tmp_path / "second", "--listen", crew.address)
    try:
        assert await asyncio.to_thread(second.ends) == 1
        assert "another program listens there" in second.log
    finally:
        second.close()


def test_a_port_that_was_asked_for_stays_reserved() -> None:
    with shared_address("127.0.0.1:0") as address:
        port = int(address.rsplit(":", 1)[1])
        assert port > 0
        with shared_address(address) as again:  # nobody listens: it may be taken again
            assert again == address


class _connection_to:
    """A connection that the kernel has given to one worker."""

    def __init__(self, address: str, worker: int) -> None:
        self._address, self._worker = address, worker

    async def __aenter__(self) -> grpc.aio.Channel:
        async with asyncio.timeout(60):
            while True:
                self._channel = grpc.aio.insecure_channel(self._address, options=OWN)
                bot = RawBot(self._channel)
                welcome = await bot.hello(bot="probe")
                await bot.close()
                if f"-{self._worker}." in welcome.welcome.server_id[-6:]:
                    return self._channel
                await self._channel.close()

    async def __aexit__(self, *_: object) -> None:
        await self._channel.close()
