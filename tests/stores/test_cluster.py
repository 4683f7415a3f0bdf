"""Masters of a cluster that come and go, and slots that move: what was acknowledged stays so."""

from __future__ import annotations

import asyncio
import dataclasses
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from redis.crc import key_slot
from tests.certificates import Authority
from tests.chaos.conftest import beside
from tests.ports import Port
from tests.stores.cluster import MASTERS, ClusterServer, StoreCluster, store_cluster
from tests.stores.servers import StoreServer, eventually, probed, reached
from tests.stores.tls import tls_front
from tests.stores.writing import MINUTE, Writer

from contree.server.store import (
    Append,
    Appended,
    Created,
    RedisStore,
    StoreSettings,
    StoreUnavailable,
    connect,
    keys,
)

pytestmark = [pytest.mark.stores, pytest.mark.timeout(400)]
IDS = [f"m{n}" for n in range(30)]
REPLY_S = 2.0


@pytest.fixture
async def cluster(tmp_path: Path) -> AsyncIterator[StoreCluster]:
    async with store_cluster(tmp_path) as cluster:
        yield cluster


@pytest.fixture
async def store(cluster: StoreCluster) -> AsyncIterator[RedisStore]:
    """Answers are waited for only so long."""
    settings = dataclasses.replace(StoreSettings.from_url(cluster.url), reply_s=REPLY_S)
    store = await reached(settings)
    yield store
    await store.close()


@pytest.fixture
async def writer(store: RedisStore) -> Writer:
    writer = Writer(store, IDS)
    await writer.create()
    return writer


def of(cluster: StoreCluster, holder: int) -> list[str]:
    """The matches that a master was given."""
    return [one for one in IDS if cluster.holder(keys.journal(one)) == holder]


async def errors(server: ClusterServer, kind: str) -> int:
    """How often a server answered by an error."""
    told = await server.raw.info("errorstats")
    return int(told.get(f"errorstat_{kind}", {"count": 0})["count"])


async def test_slots_move_in_mid_play(cluster: StoreCluster, writer: Writer) -> None:
    async with beside(writer.run()):
        for number, match_id in enumerate(IDS[:12]):
            holder = cluster.holder(keys.journal(match_id))
            source, target = cluster.masters[holder], cluster.masters[(holder + 1) % MASTERS]
            await cluster.move_slot(key_slot(keys.journal(match_id)), source, target)
            if number % 4 == 0:
                await writer.grown(IDS, 3)
        await writer.grown(IDS, 3)
    await writer.check()
    assert not writer.refused
    assert sum([await errors(one, "MOVED") for one in cluster.masters]) >= 12
    assert sorted(await writer.store.live()) == sorted(IDS)
    assert await writer.store.matches("event", limit=100) == sorted(IDS)


async def test_an_append_waits_for_keys_that_are_on_their_way(
    cluster: StoreCluster, store: RedisStore, writer: Writer
) -> None:
    slot = key_slot(keys.journal("m0"))
    holder = cluster.holder(keys.journal("m0"))
    source, target = cluster.masters[holder], cluster.masters[(holder + 1) % MASTERS]
    await cluster.open_slot(slot, source, target)
    assert await store.append([Append("m0", 1, 1, (b"a",))]) == [Appended(2)]
    await cluster.move_key(keys.journal("m0"), source, target)
    waiting = asyncio.create_task(store.append([Append("m0", 2, 1, (b"b",))]))

    async def put_off() -> bool:
        return await errors(source, "TRYAGAIN") > 0

    await eventually(put_off, "the append is put off")
    await cluster.move_key(keys.lease("m0"), source, target)
    assert await waiting == [Appended(3)]
    # The slot is the source's still, and its keys are all at the target.
    assert await store.append([Append("m0", 3, 1, (b"c",))]) == [Appended(4)]
    assert await errors(source, "ASK") >= 2
    newcomer = next(one for n in range(1 << 18) if key_slot(keys.journal(one := f"n{n}")) == slot)
    with pytest.raises(StoreUnavailable):
        await start(store, newcomer)
    await cluster.close_slot(slot, target)
    assert await start(store, newcomer) == Created(True, 1)
    assert await store.read("m0") == [b"start", b"a", b"b", b"c"]


async def start(store: RedisStore, match_id: str) -> Created:
    return await store.create(match_id, labels=[], entries=[b"start"], owner="ann", lease_ms=MINUTE)


async def test_parts_that_build_on_each_other_stay_in_order_when_their_slot_has_moved(
    cluster: StoreCluster, store: RedisStore, writer: Writer
) -> None:
    holder = cluster.holder(keys.journal("m0"))
    source, target = cluster.masters[holder], cluster.masters[(holder + 1) % MASTERS]
    await target.raw.script_flush()
    await cluster.move_slot(key_slot(keys.journal("m0")), source, target)
    group = [Append("m0", n, 1, (b"%d" % n,)) for n in range(1, 21)]
    others = [Append(one, 1, 1, (b"x",)) for one in IDS[1:]]
    results = await store.append([*group, *others])
    assert results == [Appended(n + 1) for n in range(1, 21)] + [Appended(2)] * len(others)


async def test_a_master_that_hangs_holds_up_no_match_of_the_others(
    cluster: StoreCluster, store: RedisStore, writer: Writer
) -> None:
    silent = cluster.masters[0]
    theirs, others = of(cluster, 0), of(cluster, 1) + of(cluster, 2)
    assert theirs
    assert others
    silent.freeze()
    try:
        group = [Append(one, 1, 1, (b"a",)) for one in IDS]
        for one, result in zip(IDS, await store.append(group), strict=True):
            if one in theirs:
                assert isinstance(result, StoreUnavailable)
                assert result.endpoint == silent.address
            else:
                assert result == Appended(2)
        began = time.monotonic()
        for version in range(2, 12):
            results = await store.append(
                [Append(theirs[0], 1, 1, (b"a",))]
                + [Append(one, version, 1, (b"%d" % version,)) for one in others]
            )
            assert isinstance(results[0], StoreUnavailable)
            assert results[1:] == [Appended(version + 1)] * len(others)
        assert time.monotonic() - began < REPLY_S, "they waited for the silent one"
        for question in (store.ping, store.probe, store.expired):
            with pytest.raises(StoreUnavailable):
                await question()
    finally:
        silent.thaw()
    await probed(store)
    group = [Append(one, 1, 1, (b"a",)) for one in theirs]
    assert await store.append(group) == [Appended(2)] * len(theirs)
    for one in theirs:
        assert await store.read(one) == [b"start", b"a"]


async def test_masters_are_killed_and_their_replicas_promoted(tmp_path: Path) -> None:
    async with store_cluster(tmp_path, replicas=True) as cluster:
        settings = StoreSettings.from_url(cluster.url, replicas=1)
        store = await reached(dataclasses.replace(settings, acknowledge_s=0.3))
        writer = Writer(store, IDS)
        await writer.create()
        async with beside(writer.run()):
            await writer.grown(IDS, 5)
            cluster.masters[0].kill()
            await writer.grown(of(cluster, 1) + of(cluster, 2), 5)
            await cluster.replicas[0].promoted()
            # It has no replica of its own, so that what it writes is not confirmed.
            before = [len(writer.acknowledged[one]) for one in of(cluster, 0)]
            await writer.grown(of(cluster, 1) + of(cluster, 2), 5)
            assert [len(writer.acknowledged[one]) for one in of(cluster, 0)] == before
            cluster.masters[0].start()
            await writer.grown(IDS, 5)
        await writer.check()
        await store.close()
    assert writer.refused


async def test_a_slot_that_is_on_its_way_hinders_no_acknowledgement(tmp_path: Path) -> None:
    """What is written for the replicas to acknowledge lies in some slot, too."""
    async with store_cluster(tmp_path, replicas=True) as cluster:
        store = await reached(cluster.url, replicas=1)
        await probed(store)
        (mark,) = await cluster.masters[0].raw.keys("registry:probe:*")
        slot = key_slot(mark)
        await cluster.open_slot(slot, cluster.masters[0], cluster.masters[1])
        await cluster.move_key(mark, cluster.masters[0], cluster.masters[1])
        match_id = next(
            one for one in IDS if key_slot(keys.journal(one)) != slot and one in of(cluster, 0)
        )
        assert await start(store, match_id) == Created(True, 1)
        assert await store.append([Append(match_id, 1, 1, (b"a",))]) == [Appended(2)]
        await store.close()
        for replicas in (0, 1):
            other = await reached(cluster.url, replicas=replicas)
            await probed(other)
            await other.close()


async def test_a_cluster_without_slots_is_away(tmp_path: Path) -> None:
    node = ClusterServer(tmp_path, "empty", "")
    node.start()
    try:
        await node.answers()
        with pytest.raises(StoreUnavailable):
            await connect(f"redis+cluster://{node.address}")
    finally:
        await node.close()


async def test_a_cluster_is_found_by_any_of_its_nodes(cluster: StoreCluster) -> None:
    cluster.masters[0].kill()
    addresses = ",".join(one.address for one in cluster.masters)
    store = await connect_to_part(f"redis+cluster://{addresses}")
    with pytest.raises(StoreUnavailable):
        await store.ping()
    await store.close()
    with pytest.raises(StoreUnavailable) as caught:
        await connect(f"redis+cluster://{cluster.masters[0].address}")
    assert caught.value.endpoint == cluster.masters[0].address


async def connect_to_part(url: str) -> RedisStore:
    """A store of which a master is away from the beginning; the others serve."""
    store = RedisStore(StoreSettings.from_url(url))
    ids = [f"p{n}" for n in range(40)]
    replies = await store.append([Append(one, 0, 1, (b"x",)) for one in ids])
    assert any(not isinstance(one, StoreUnavailable) for one in replies)
    assert any(isinstance(one, StoreUnavailable) for one in replies)
    return store


async def test_one_server_is_no_cluster(tmp_path: Path) -> None:
    """It is said what is wrong with the address."""
    server = StoreServer(tmp_path, "alone", {})
    server.start()
    try:
        await server.answers()
        with pytest.raises(StoreUnavailable, match="Cluster mode is not enabled"):
            await connect(f"redis+cluster://{server.address}")
    finally:
        await server.close()


async def test_the_password_is_that_of_all_nodes(tmp_path: Path) -> None:
    async with store_cluster(tmp_path, password="secret") as cluster:
        store = await reached(cluster.url)
        await probed(store)
        await store.close()
        for wrong in (cluster.url.replace("secret", "other"), cluster.url.replace(":secret@", "")):
            with pytest.raises(StoreUnavailable, match="check the user and password"):
                await connect(wrong)


async def test_tls_to_every_node(cluster: StoreCluster, tmp_path: Path) -> None:
    """Each node names the port of TLS as its own, as behind a proxy."""
    authority = Authority(tmp_path)
    pair = authority.issue("node")
    ports = [Port() for _ in cluster.masters]
    async with AsyncExitStack() as stack:
        for port, master in zip(ports, cluster.masters, strict=True):
            await stack.enter_async_context(tls_front(port.number, master.port, pair))
            await master.raw.config_set("cluster-announce-port", port.number)
        url = f"rediss+cluster://{ports[0].address}"
        for master in cluster.masters:
            await eventually(partial(names, master, {port.number for port in ports}), "all know")
        store = await reached(f"{url}?ssl_ca_certs={authority.certificate}")
        writer = Writer(store, IDS)
        await writer.create()
        async with beside(writer.run()):
            await writer.grown(IDS, 3)
        await writer.check()
        await probed(store)
        await store.close()
        with pytest.raises(StoreUnavailable, match="certificate verify failed"):
            await connect(url)


async def names(server: ClusterServer, ports: set[int]) -> bool:
    slots: list[list[Any]] = await server.raw.execute_command("CLUSTER SLOTS")
    return {int(one[2][1]) for one in slots} == ports
