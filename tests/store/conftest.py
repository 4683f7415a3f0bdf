"""A real store for every test: the embedded one, or the database at $CONTREE_TEST_REDIS."""

import os
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from redis.asyncio import Redis

from contree.server.store import RedisStore, connect, embedded_store


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def store_url() -> AsyncIterator[str]:
    """The address of a store that tests may empty."""
    given = os.environ.get("CONTREE_TEST_REDIS")
    if given:
        yield given
        return
    async with embedded_store() as embedded:
        yield embedded.url


@pytest.fixture
async def raw(store_url: str) -> AsyncIterator[Redis]:
    """A plain client, to look at keys and to break things; the store is empty."""
    async with Redis.from_url(store_url) as client:
        await client.flushdb()
        yield client


@pytest.fixture
async def store(store_url: str, raw: Redis) -> AsyncIterator[RedisStore]:
    store = await connect(store_url)
    yield store
    await store.close()
