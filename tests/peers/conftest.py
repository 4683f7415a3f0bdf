"""Servers of one store in one process, and bots that play at any of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partialmethod
from pathlib import Path
from typing import Any

import grpc
import pytest
from redis.asyncio import Redis
from tests.rpc.conftest import WAIT_S, RawBot

from contree.server.access import Guard
from contree.server.host import Host
from contree.server.host.peers.calls import Calls
from contree.server.rpc.servers import RpcServer
from contree.server.settings import Settings
from contree.server.store import connect, embedded_store
from contree.server.telemetry import Metrics
from contree.server.wall_clock import wall_ms
from contree.v1 import match_service_pb2_grpc

LEASE_MS = 6000


class Server:
    """A whole server, of which a test may also see the inside."""

    def __init__(self, host: Host, channel: grpc.aio.Channel) -> None:
        self.host = host
        self.channel = channel
        self.matches: Any = match_service_pb2_grpc.MatchServiceStub(channel)
        self._bots: list[RawBot] = []

    async def bot(self, instance: str = "one", bot: str = "raw", **hello: Any) -> RawBot:
        """A bot that is connected to it."""
        made = RawBot(self.channel)
        self._bots.append(made)
        made.welcome = (await made.hello(bot=bot, instance=instance, **hello)).welcome  # type: ignore[attr-defined]
        return made

    async def close(self) -> None:
        for bot in self._bots:
            await bot.close()


class Servers:
    """Starts servers that share a store."""

    def __init__(self, url: str, folder: Path, stack: AsyncExitStack) -> None:
        self.url = url
        self._folder = folder
        self._stack = stack
        self.all: list[Server] = []

    async def start(self, name: str, **fields: Any) -> Server:
        settings = replace(
            Settings(
                listen="127.0.0.1:0",
                data_dir=self._folder,
                server_id=name,
                lease_ms=LEASE_MS,
                heartbeat_s=20.0,  # a bot is often not read for a while
                drain_s=1.0,
            ),
            **fields,
        )
        store = await connect(self.url)
        self._stack.push_async_callback(store.close)
        host = Host(settings, store, Metrics())
        guard = Guard(store.api_keys, anonymous=True, wall_ms=wall_ms)
        rpc = RpcServer(host, guard)
        port = rpc.bind(settings.listen, None)
        await self._stack.enter_async_context(host.running())
        await self._stack.enter_async_context(guard.running())
        await rpc.start()
        self._stack.push_async_callback(rpc.stop, 0.1)
        channel = await self._stack.enter_async_context(
            grpc.aio.insecure_channel(f"127.0.0.1:{port}")
        )
        server = Server(host, channel)
        self._stack.push_async_callback(server.close)
        self.all.append(server)
        await until(
            lambda: all(len(one.host.peers.servers.there) == len(self.all) - 1 for one in self.all)
        )
        return server


@pytest.fixture
async def servers(tmp_path: Path) -> AsyncIterator[Servers]:
    async with embedded_store(tmp_path / "data", "everysec") as store, AsyncExitStack() as stack:
        yield Servers(store.url, tmp_path, stack)


@pytest.fixture
def answered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who asks its peers waits until all have answered; on a busy machine a quarter of a second is
    too short for that.
    """
    monkeypatch.setattr(Calls, "ask", partialmethod(Calls.ask, within_s=WAIT_S))


@pytest.fixture
async def raw(servers: Servers) -> AsyncIterator[Redis]:
    """A plain client of the store."""
    async with Redis.from_url(servers.url) as client:
        yield client


async def until(condition: Callable[[], object], within: float = WAIT_S) -> None:
    """Wait until so it is."""
    async with asyncio.timeout(within):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.005)


__all__ = ["LEASE_MS", "Server", "Servers", "answered", "until"]
