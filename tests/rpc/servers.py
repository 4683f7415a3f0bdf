"""Servers that share one store, in process."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import pytest
from redis.asyncio import Redis

from contree.server.app import running
from contree.server.settings import Settings
from contree.server.store import embedded_store
from contree.v1 import match_service_pb2_grpc

Start = Callable[..., Any]


@pytest.fixture
async def url(tmp_path: Path) -> AsyncIterator[str]:
    """The address of a store of its own."""
    async with embedded_store(tmp_path / "data", "everysec") as embedded:
        yield embedded.url


@pytest.fixture
async def raw(url: str) -> AsyncIterator[Redis]:
    """A plain client, to look at keys."""
    async with Redis.from_url(url) as client:
        yield client


@pytest.fixture
async def start(url: str, settings: Settings) -> AsyncIterator[Start]:
    """Starts a server on the store; a channel to it."""
    async with AsyncExitStack() as stack:

        async def start_one(server_id: str, **fields: Any) -> grpc.aio.Channel:
            mine = replace(settings, redis_url=url, server_id=server_id, **fields)
            serving = await stack.enter_async_context(running(mine))
            return await stack.enter_async_context(grpc.aio.insecure_channel(serving.address))

        yield start_one


def hosting(channel: grpc.aio.Channel) -> Any:
    """The host's side of a channel."""
    return match_service_pb2_grpc.MatchServiceStub(channel)
