"""What tests of play streams ask for, with the bots at another server than their tables."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import pytest
from tests.rpc.conftest import RawBot

from contree.server.app import Serving, running
from contree.server.settings import Settings
from contree.v1 import match_service_pb2_grpc


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
        lease_ms=6000,
        drain_s=1.0,
    )


@pytest.fixture
async def matches(settings: Settings, answered: None) -> AsyncIterator[Any]:
    """The host's side of the server that has the tables."""
    async with (
        running(replace(settings, server_id="home")) as home,
        grpc.aio.insecure_channel(home.address) as channel,
    ):
        yield match_service_pb2_grpc.MatchServiceStub(channel)


@pytest.fixture
async def serving(matches: Any, settings: Settings) -> AsyncIterator[Serving]:
    """The server that has the bots."""
    del matches  # it has the store
    async with running(replace(settings, server_id="edge")) as serving:
        yield serving


@pytest.fixture
async def channel(serving: Serving) -> AsyncIterator[grpc.aio.Channel]:
    async with grpc.aio.insecure_channel(serving.address) as channel:
        yield channel


@pytest.fixture
async def bots(channel: grpc.aio.Channel) -> AsyncIterator[Callable[[], RawBot]]:
    opened: list[RawBot] = []

    def open_one() -> RawBot:
        opened.append(RawBot(channel))
        return opened[-1]

    yield open_one
    for bot in opened:
        await bot.close()
