"""What there is of a server in the store, and what it costs when it is alone."""

from __future__ import annotations

import asyncio

from redis.asyncio import Redis
from tests.peers.conftest import Servers, until
from tests.rpc.conftest import board

from contree.server.host import Host
from contree.server.store import connect


def entries(host: Host) -> float:
    return host.metrics.registry.get_sample_value("contree_peer_entries_total") or 0.0


async def test_a_server_alone_says_nothing_to_anybody(servers: Servers, raw: Redis) -> None:
    home = await servers.start("home")
    bot = await home.bot()
    await home.matches.CreateMatch(board(1))
    for _ in range(2):
        await bot.ready()
    await bot.next("turn")
    await bot.close()
    back = await home.bot()
    assert back.welcome.seats_owed == 2  # type: ignore[attr-defined]
    assert entries(home.host) == 0
    # The one entry that made its inbox.
    assert await raw.xlen(f"inbox:{home.host.peers.address}") == 1


async def test_idle_peers_say_nothing_to_each_other(servers: Servers) -> None:
    home, edge = [await servers.start(name) for name in ("home", "edge")]
    await edge.bot()
    # What does it hold elsewhere? Nothing. It is here.
    await until(lambda: (entries(home.host), entries(edge.host)) == (1, 2))
    for _ in range(10):
        for server in servers.all:
            await server.host.peers.servers.look()
            await server.host.peers.post.settled()
    assert (entries(home.host), entries(edge.host)) == (1, 2)


async def test_an_inbox_goes_with_its_server(servers: Servers, raw: Redis) -> None:
    home, edge = [await servers.start(name) for name in ("home", "edge")]
    address = edge.host.peers.address
    assert 0 < await raw.ttl(f"inbox:{address}") <= 60
    await edge.host.drain()
    assert not await raw.exists(f"inbox:{address}")
    assert not await raw.hexists("index:servers", address)
    # Whoever has not heard of it yet does not make it again.
    store = await connect(servers.url)
    assert await store.inboxes.put([(address, b"late")]) == [False]
    assert not await raw.exists(f"inbox:{address}")
    await store.close()
    await until(lambda: not home.host.peers.servers.there)


async def test_what_was_read_is_let_go_of(servers: Servers, raw: Redis) -> None:
    store = await connect(servers.url)
    await store.inboxes.announce("a", b"", 5000, "0")
    for _ in range(20):
        await store.inboxes.put([("a", b"x" * 100)] * 50)
    read = [await store.inboxes.read("a", "0", 10)]
    last = read[0][-1][0]
    while more := await store.inboxes.read("a", last, 10):
        last = more[-1][0]
    await store.inboxes.announce("a", b"", 5000, last)
    # By whole nodes of the stream, a hundred entries each.
    assert await raw.xlen("inbox:a") <= 101
    await store.close()


async def test_servers_that_are_gone_are_told_of_for_a_while_and_then_forgotten(
    servers: Servers, raw: Redis
) -> None:
    store = await connect(servers.url)
    await store.inboxes.announce("a", b"about a", 1, "0")
    await asyncio.sleep(0.01)
    listed = await store.inboxes.announce("b", b"about b", 5000, "0")
    assert listed["a"].left_ms < 0
    assert listed["a"].about == b"about a"
    assert 4000 < listed["b"].left_ms <= 5000
    await raw.hset("index:servers", "old", "1 about")
    assert "old" not in await store.inboxes.announce("b", b"about b", 5000, "0")
    assert not await raw.hexists("index:servers", "old")
    await store.close()
