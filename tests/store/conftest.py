"""A real store for every test: the embedded one, or the database at $CONTREE_TEST_REDIS; and with
`make test-stores` a cluster and a set with Sentinels, too.
"""

import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from redis.asyncio import Redis, RedisCluster
from tests.stores.cluster import store_cluster
from tests.stores.sentinel import sentinel_set
from tests.stores.servers import reached

from contree.server.store import RedisStore, embedded_store

KINDS = [
    pytest.param("node", id="node"),
    pytest.param("cluster", id="cluster", marks=pytest.mark.stores),
    pytest.param("sentinel", id="sentinel", marks=pytest.mark.stores),
]


@pytest_asyncio.fixture(scope="session", loop_scope="session", params=KINDS)
async def store_url(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[str]:
    """The address of a store that tests may empty."""
    folder: Path = tmp_path_factory.mktemp(request.param)
    given = os.environ.get("CONTREE_TEST_REDIS")
    if request.param == "cluster":
        async with store_cluster(folder) as cluster:
            yield cluster.url
    elif request.param == "sentinel":
        async with sentinel_set(folder) as watched:
            yield watched.url
    elif given:
        yield given
    else:
        async with embedded_store() as embedded:
            yield embedded.url


@pytest.fixture
def one_node(store_url: str) -> None:
    """For tests of connections, which are made one by one, and of keys of a single node."""
    if "+" in store_url.partition("://")[0]:
        pytest.skip("looks at a single node")


@pytest.fixture
async def raw(store_url: str) -> AsyncIterator[Any]:
    """A plain client, to look at keys and to break things; the store is empty."""
    async with await _client(store_url) as client:
        await client.flushdb()
        yield client


@pytest.fixture
async def store(store_url: str, raw: Redis) -> AsyncIterator[RedisStore]:
    store = await reached(store_url)
    yield store
    await store.close()


async def _client(url: str) -> Any:
    scheme, _, place = url.partition("://")
    if "+" not in scheme:
        return Redis.from_url(url)
    host, port = place.partition(",")[0].split(":")
    if scheme == "redis+cluster":
        return RedisCluster(host, int(port))
    client: Any = Redis(host=host, port=int(port))
    async with client as sentinel:
        address = await sentinel.sentinel_get_master_addr_by_name(place.split("/")[1])
    return Redis(host=address[0], port=int(address[1]))
