"""Lost replies, closed connections, stores that are away: bounded, typed, and safe to repeat."""

import asyncio
import dataclasses
import secrets
import socket
import tempfile
from collections.abc import AsyncIterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis
from redis.asyncio.connection import SSLConnection
from redis.asyncio.sentinel import Sentinel

from contree.server import store as store_package
from contree.server.store import (
    Append,
    Appended,
    BadStoreUrl,
    Created,
    RedisStore,
    StoreRefused,
    StoreSettings,
    StoreUnavailable,
    connect,
    keys,
)
from contree.server.store.commands import ACQUIRE, RENEW
from contree.server.store.node import Node

from .lossy import LossyRoute
from .starting import masters

MINUTE = 60_000
WAIT_S = 60.0


@pytest.fixture
async def route(store_url: str, one_node: None, raw: Redis) -> AsyncIterator[LossyRoute]:
    with tempfile.TemporaryDirectory(prefix="route-") as folder:
        async with LossyRoute(store_url, Path(folder) / "s").listening() as route:
            yield route


@pytest.fixture
async def far(route: LossyRoute) -> AsyncIterator[RedisStore]:
    """The store at the end of the lossy route."""
    far = await connect(dataclasses.replace(StoreSettings.from_url(route.url), reply_s=60.0))
    yield far
    await far.close()


@pytest.fixture
async def given_up(route: LossyRoute) -> AsyncIterator[RedisStore]:
    """The same, given up after 0.3 s."""
    store = RedisStore(dataclasses.replace(StoreSettings.from_url(route.url), reply_s=0.3))
    yield store
    await store.close()


async def test_a_lost_reply_to_an_append_is_made_good(far: RedisStore, route: LossyRoute) -> None:
    for i in range(5):
        await far.create(f"m{i}", labels=[], entries=[b"start"], owner="ann", lease_ms=MINUTE)
    for version in (1, 2, 3):
        route.lose_in = 1
        group = [Append(f"m{i}", version, 1, (b"%d" % version,)) for i in range(5)]
        assert await far.append(group) == [Appended(version + 1)] * 5
        assert route.lost == version
    for i in range(5):
        assert await far.read(f"m{i}") == [b"start", b"1", b"2", b"3"]


async def test_a_lost_reply_to_a_creation_is_made_good(far: RedisStore, route: LossyRoute) -> None:
    async def create() -> Created:
        return await far.create("m", labels=[], entries=[b"start"], owner="ann", lease_ms=MINUTE)

    route.lose_in = 2  # the first reply is about the indexes
    assert await create() == Created(True, 1)
    assert route.lost == 1
    assert await create() == Created(False, 0)


async def test_a_silent_store_is_unavailable_and_the_append_can_be_repeated(
    far: RedisStore, given_up: RedisStore, route: LossyRoute
) -> None:
    await far.create("m", labels=[], entries=[b"start"], owner="ann", lease_ms=MINUTE)
    group = [Append("m", 1, 1, (b"a",)), Append("m", 2, 1, (b"b",))]
    route.silent = True
    async with asyncio.timeout(WAIT_S):
        results = await given_up.append(group)
    assert [type(result) for result in results] == [StoreUnavailable] * 2
    assert "no answer in 0.3 s" in str(results[0])
    with pytest.raises(StoreUnavailable):
        await given_up.read("m")
    route.silent = False
    async with asyncio.timeout(WAIT_S):
        while any(isinstance(result, StoreUnavailable) for result in results):
            results = await given_up.append(group)
    assert results == [Appended(2), Appended(3)]
    assert await far.read("m") == [b"start", b"a", b"b"]


async def test_a_cancelled_call_leaves_no_reply_for_the_next_one(
    far: RedisStore, route: LossyRoute
) -> None:
    await far.create("m", labels=[], entries=[b"start"], owner="ann", lease_ms=MINUTE)
    route.silent = True
    waiting = asyncio.create_task(far.append([Append("m", 1, 1, (b"a",))]))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    route.silent = False
    assert await far.kept("m") is None
    assert await far.registry.remember("r", "m", 60) == "m"


async def test_idle_connections_that_were_closed_are_replaced(
    store: RedisStore, raw: Redis
) -> None:
    await store.create("m", labels=[], entries=[b"start"], owner="ann", lease_ms=MINUTE)
    await asyncio.gather(*(store.ping() for _ in range(20)))
    await raw.client_kill_filter(_type="normal", skipme=True)
    assert await store.append([Append("m", 1, 1, (b"a",))]) == [Appended(2)]
    await raw.client_kill_filter(_type="normal", skipme=True)
    await asyncio.gather(*(store.ping() for _ in range(20)))


async def test_more_calls_than_connections(store_url: str, one_node: None, raw: Redis) -> None:
    settings = dataclasses.replace(StoreSettings.from_url(store_url), connections=2)
    store = await connect(settings)
    await asyncio.gather(*(store.registry.remember(f"r{i}", "m", 60) for i in range(200)))
    follower = [asyncio.create_task(store.feeds.follow({"event": "0"}, 10_000)) for _ in range(2)]
    assert len([c for c in await raw.client_list() if c["cmd"] != "client|list"]) <= 4
    await store.feeds.announce([("event", b"news")])  # followers do not take the place of others
    for task in follower:
        assert (await task)["event"][0][1] == b"news"
    await store.close()


async def test_a_closed_store_says_so(store_url: str) -> None:
    store = await connect(store_url)
    await store.close()
    await store.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        await store.ping()


async def test_nobody_listens_there() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        async with asyncio.timeout(WAIT_S):
            with pytest.raises(StoreUnavailable) as caught:
                await connect(f"redis://:{secrets.token_hex()}@127.0.0.1:{port}/0")
    assert caught.value.endpoint == f"127.0.0.1:{port}"
    assert str(caught.value) == (
        f"The match store at 127.0.0.1:{port} is unavailable (connection refused): "
        "check that it runs and can be reached, then try again."
    )


async def test_no_such_socket(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="no such file or directory"):
        await connect(f"unix://{tmp_path}/s")


async def test_somebody_listens_who_never_answers() -> None:
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        mute.listen()
        url = f"redis://127.0.0.1:{mute.getsockname()[1]}"
        settings = dataclasses.replace(StoreSettings.from_url(url), reply_s=0.2)
        async with asyncio.timeout(WAIT_S):
            with pytest.raises(StoreUnavailable, match=r"no answer in 0\.2 s"):
                await connect(settings)


async def test_a_wrong_password_is_named_as_such(store_url: str, raw: Redis) -> None:
    if not store_url.startswith("unix:") or "?" in store_url:
        pytest.skip("writes a password into the URL of the embedded store")
    await raw.acl_setuser(
        "guest", enabled=True, passwords=["+right"], commands=["+@all"], keys=["*"]
    )
    try:
        with pytest.raises(StoreUnavailable, match="check the user and password"):
            await connect(f"{store_url}?username=guest&password=wrong")
        guest = await connect(f"{store_url}?username=guest&password=right")
        await guest.close()
    finally:
        await raw.acl_deluser("guest")


async def test_an_error_of_the_state_of_the_store_can_be_tried_again(
    store: RedisStore, raw: Redis
) -> None:
    await store.create("m", labels=[], entries=[b"start"], owner="ann", lease_ms=MINUTE)
    part = Append("m", 1, 1, (b"a",))
    await raw.config_set("maxmemory", 1, **masters(raw))
    try:
        (result,) = await store.append([part])
        assert isinstance(result, StoreUnavailable)
        with pytest.raises(StoreUnavailable):
            await store.feeds.announce([("event", b"news")])
        await store.ping()
        with pytest.raises(StoreUnavailable):
            await store.probe()
    finally:
        await raw.config_set("maxmemory", 0, **masters(raw))
    await store.probe()
    assert await store.append([part]) == [Appended(2)]


async def test_an_error_of_ours_cannot(store: RedisStore, raw: Redis) -> None:
    await raw.set("{m:m}:lease", "no hash")
    (result,) = await store.append([Append("m", 1, 1, (b"a",))])
    assert isinstance(result, StoreRefused)
    assert "WRONGTYPE" in result.reason


async def test_only_commands_whose_script_was_unknown_are_sent_again(
    store_url: str, one_node: None, store: RedisStore, raw: Redis
) -> None:
    await store.create("m", labels=[], entries=[b"start"], owner="ann", lease_ms=MINUTE)
    pair = (keys.journal("m"), keys.lease("m"))
    taken = ACQUIRE.call(pair, b"ann", b"60000")  # which would show if it ran twice
    node = Node(StoreSettings.from_url(store_url))
    await node.run(taken)
    await raw.script_flush()
    await raw.script_load((files(store_package) / "scripts" / "acquire.lua").read_text())
    renewed = RENEW.call((keys.lease("m"),), b"ann", b"4", b"60000")
    assert await node.run_all([taken, renewed, taken]) == [3, 1, 4]
    await node.close()


def test_passwords_are_not_shown() -> None:
    settings = StoreSettings.from_url("rediss://ann:secret@example.org:7000/3")
    assert "secret" not in repr(settings)
    assert settings.endpoint == "example.org:7000"
    assert "secret" not in repr(settings.connection())
    for url in (
        "http://ann:secret@example.org",
        "redis://:secret@example.org/x",
        "unix:///s?password=secret&colour=blue",
        "redis://ann:secret@[::1/0",
        "redis+cluster://ann:secret@h:1/3",
        "rediss+sentinel://ann:secret@h:1,h:2?sentinel_password=secret",
    ):
        with pytest.raises(BadStoreUrl) as caught:
            StoreSettings.from_url(url)
        assert "secret" not in f"{caught.value!r} {caught.value}"
        assert "***" in caught.value.url


@pytest.mark.parametrize(
    ("url", "endpoint"),
    [
        ("redis://", "localhost:6379"),
        ("redis://h", "h:6379"),
        ("redis://[::1]:7/2", "::1:7"),
        ("unix:///run/s%20t.sock?db=1", "/run/s t.sock"),
        ("redis+cluster://:secret@h:7000,[::1]:7001", "h:7000,[::1]:7001"),
        ("rediss+sentinel://h:1,h/main/3", "h:1,h"),
    ],
)
def test_endpoints(url: str, endpoint: str) -> None:
    assert StoreSettings.from_url(url).endpoint == endpoint


@pytest.mark.parametrize(
    "url",
    ["", "localhost:6379", "redis:/x", "redis://h:port", "redis://h/x", "redis://h?colour=blue"],
)
def test_bad_urls(url: str) -> None:
    with pytest.raises(BadStoreUrl):
        StoreSettings.from_url(url)


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("redis+ring://h:1", "does not begin with"),
        ("unix+cluster:///s", "does not begin with"),
        ("redis+cluster://", "'' is no HOST:PORT"),
        ("redis+cluster://h:1,,h:2", "'' is no HOST:PORT"),
        ("redis+cluster://h:1,h:port", "'h:port' is no HOST:PORT"),
        ("redis+cluster://h:1,h:70000", "'h:70000' is no HOST:PORT"),
        ("redis+cluster://::1:7000", "'::1:7000' is no HOST:PORT"),
        ("redis+cluster://h:1/3", "a cluster has no databases"),
        ("redis+cluster://h:1?colour=blue", "unknown option"),
        ("redis+cluster://h:1?sentinel_password=x", "unknown option"),
        ("redis+sentinel://h:1,h:2", "comes the name of a master, as in /NAME/0"),
        ("redis+sentinel://h:1,h:2/", "comes the name of a master"),
        ("redis+sentinel://h:1/main/zero", "comes the number of a database"),
        ("redis+sentinel://h:1/main?colour=blue", "unknown option"),
    ],
)
def test_bad_urls_of_several(url: str, why: str) -> None:
    with pytest.raises(BadStoreUrl) as caught:
        StoreSettings.from_url(url)
    assert why in str(caught.value)


def test_a_url_of_several_says_how_each_is_connected_to() -> None:
    cluster = StoreSettings.from_url("rediss+cluster://ann:s%40t@h:1,[::1]?ssl_cert_reqs=none")
    assert cluster.cluster
    assert not cluster.sentinels
    assert cluster.hosts == (("h", 1), ("::1", 6379))
    found = cluster.connection("10.0.0.7", 7000)
    assert isinstance(found, SSLConnection)
    assert (found.host, found.port, found.username, found.password) == (
        *("10.0.0.7", 7000),
        *("ann", "s@t"),
    )
    assert cluster.cluster_options()["ssl"] is True
    watched = StoreSettings.from_url(
        "redis+sentinel://ann:one@h:1,h/main%20one/3?sentinel_password=two", replicas=2
    )
    assert watched.sentinels
    assert not watched.cluster
    assert (watched.hosts, watched.master) == ((("h", 1), ("h", 26379)), "main one")
    master = watched.connection("10.0.0.7", 7000)
    assert (master.username, master.password, master.db) == ("ann", "one", 3)
    options = watched.sentinel_options()
    assert options["password"] == "two"
    assert not options.keys() & {"username", "db", "sentinel_password", "host"}
    assert "one" not in repr(watched).replace("main one", "")


async def test_tls_is_for_sentinels_too() -> None:
    settings = StoreSettings.from_url("rediss+sentinel://h:1/main?ssl_cert_reqs=none")
    find: Any = Sentinel  # it has no types
    (sentinel,) = find(settings.hosts, sentinel_kwargs=settings.sentinel_options()).sentinels
    made = sentinel.connection_pool.make_connection()
    assert isinstance(made, SSLConnection)
    assert (made.host, made.port) == ("h", 1)
    assert isinstance(settings.connection("m", 2), SSLConnection)
