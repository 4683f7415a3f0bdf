"""A master of a real cluster dies: servers whose inboxes others hold hear on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from itertools import count
from pathlib import Path
from typing import Final

import pytest
from tests.chaos.conftest import beside
from tests.chaos.waiting import until
from tests.stores.cluster import MASTERS, StoreCluster, store_cluster
from tests.stores.servers import START_S, probed, reached

from contree.peers.v1 import peers_pb2
from contree.peers.v1.peers_pb2 import Item
from contree.server.host.peers.post import Post
from contree.server.store import RedisStore, keys
from contree.server.telemetry import Metrics

pytestmark = [pytest.mark.stores, pytest.mark.timeout(400)]
_KEPT_MS: Final = 600_000


@pytest.fixture
async def cluster(tmp_path: Path) -> AsyncIterator[StoreCluster]:
    async with store_cluster(tmp_path) as cluster:
        yield cluster


def post(store: RedisStore, address: str, heard: list[tuple[str, str]], missed: list[str]) -> Post:
    """The post of a server, of which there is nothing else."""
    return Post(
        store.inboxes,
        address,
        deliver=lambda _, item: heard.append((address, item.gone.nonce)),
        missed=missed.append,
        metrics=Metrics(),
    )


async def test_servers_hear_on_while_the_master_of_anothers_inbox_is_dead(
    cluster: StoreCluster,
) -> None:
    peers = [
        next(name for n in count() if cluster.holder(keys.inbox(name := f"s{n}")) == holder)
        for holder in range(MASTERS)
    ]
    heard: list[tuple[str, str]] = []
    missed: list[str] = []
    async with AsyncExitStack() as stack:
        stores = [await reached(cluster.url) for _ in range(MASTERS + 1)]
        for store in stores:
            stack.push_async_callback(store.close)
        sender = post(stores[-1], "sender", heard, missed)
        readers = [post(*one, heard, missed) for one in zip(stores, peers, strict=False)]
        for peer in peers:
            await stores[-1].inboxes.announce(peer, b"", _KEPT_MS, "0")
            sender.open(peer)

        def say(name: str) -> None:
            sender.say_all(Item(gone=peers_pb2.Gone(nonce=name)))

        async def by(those: list[str], name: str) -> None:
            await until(
                lambda: all((peer, name) in heard for peer in those),
                START_S,
                f"{those} hear {name}",
            )

        async with beside(sender.write(), *(reader.read() for reader in readers)):
            say("before")
            await by(peers, "before")
            cluster.masters[0].kill()
            for number in range(10):
                say(f"n{number}")
                await by(peers[1:], f"n{number}")
            assert (peers[0], "n0") not in heard
            cluster.masters[0].start()
            await probed(stores[-1])
            say("after")
            await by(peers, "after")
    told = ["before", *(f"n{number}" for number in range(10)), "after"]
    for peer in peers:
        assert [name for reader, name in heard if reader == peer] == told
    assert not missed
