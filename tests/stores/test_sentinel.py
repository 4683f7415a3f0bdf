"""Sentinels, failovers, and what replicas have acknowledged."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
from redis.exceptions import ResponseError
from tests.chaos.conftest import beside
from tests.stores.sentinel import NAME, SentinelSet, sentinel_set
from tests.stores.servers import eventually
from tests.stores.writing import MINUTE, Writer

from contree.server.store import (
    Append,
    Appended,
    RedisStore,
    StoreSettings,
    StoreUnavailable,
    connect,
)

pytestmark = [pytest.mark.stores, pytest.mark.timeout(400)]
IDS = [f"m{n}" for n in range(10)]


@asynccontextmanager
async def connected(watched: SentinelSet, replicas: int) -> AsyncIterator[RedisStore]:
    settings = StoreSettings.from_url(watched.url, replicas)
    store = await connect(dataclasses.replace(settings, acknowledge_s=0.3, reply_s=1.0))
    try:
        yield store
    finally:
        await store.close()


async def test_what_was_acknowledged_survives_the_death_of_the_master(tmp_path: Path) -> None:
    async with (
        sentinel_set(tmp_path) as watched,
        connected(watched, replicas=1) as store,
    ):
        writer = Writer(store, IDS)
        await writer.create()
        async with beside(writer.run()):
            await writer.grown(IDS, 20)
            watched.master.kill()
            await watched.failed_over()
            watched.master.start()
            await watched.master.answers()
            await watched.master.raw.replicaof("127.0.0.1", await watched.master_port())
            await writer.grown(IDS, 20)
        await writer.check()
        assert writer.refused
        # The store is another server now, and knows all of it.
        assert sorted(await store.live()) == IDS


async def test_a_master_that_hangs_is_left(tmp_path: Path) -> None:
    """Connections to it stay open, and lead nowhere: none of them is tried again."""
    async with (
        sentinel_set(tmp_path) as watched,
        connected(watched, replicas=0) as store,
    ):
        writer = Writer(store, IDS)
        await writer.create()
        await asyncio.gather(*(store.ping() for _ in range(20)))
        watched.master.freeze()
        await watched.failed_over()
        async with beside(writer.run()):
            await writer.grown(IDS, 5, within_s=12)  # all of them would take 20
        watched.master.thaw()
        await watched.all_follow()
        await writer.check()


async def test_a_master_that_steps_down_alive_is_left(tmp_path: Path) -> None:
    """While it does, its other replica still acknowledges: only what both have is sure to stay."""
    async with (
        sentinel_set(tmp_path, replicas=2) as watched,
        connected(watched, replicas=2) as store,
    ):
        writer = Writer(store, IDS)
        await writer.create()
        async with beside(writer.run()):
            await writer.grown(IDS, 5)
            await eventually(
                partial(told_to_fail_over, watched), "the Sentinel finds a replica good"
            )
            await watched.failed_over()
            # Not before the former master is one of the two replicas.
            await writer.grown(IDS, 20)
        await writer.check()

        async def follows() -> bool:
            return bool((await watched.master.raw.info("replication"))["role"] == "slave")

        await eventually(follows, "the former master follows")


async def told_to_fail_over(watched: SentinelSet) -> bool:
    """Refused while the Sentinel has not heard of its replicas for some seconds."""
    try:
        await watched.sentinels[0].raw.execute_command("SENTINEL", "FAILOVER", NAME)
    except ResponseError as error:
        if "INPROG" not in str(error):  # it was told, and its answer was late
            raise
    return True


async def test_what_no_replica_has_is_told_to_nobody(tmp_path: Path) -> None:
    async with (
        sentinel_set(tmp_path) as watched,
        connected(watched, replicas=1) as store,
    ):
        await store.create("m", labels=[], entries=[b"start"], owner="ann", lease_ms=MINUTE)
        (replica,) = watched.replicas
        replica.freeze()
        try:
            part = Append("m", 1, 1, (b"a",))
            (result,) = await store.append([part])
            assert isinstance(result, StoreUnavailable)
            assert "0 of 1 replicas acknowledged in time" in str(result)
            assert "CONTREE_STORE_REPLICAS" in str(result)
            # It was written, and is found when it is sent again. That is no acknowledgement either,
            # on this connection or another.
            async with connected(watched, replicas=1) as another:
                for again in (store, another):
                    (result,) = await again.append([part])
                    assert isinstance(result, StoreUnavailable)
            with pytest.raises(StoreUnavailable):
                await store.probe()
            with pytest.raises(StoreUnavailable):
                await store.registry.remember("r", "m", None)
            # Nor is anything read out of feeds, where it is before the replica has it.
            announced = asyncio.create_task(store.feeds.announce([("event", b"news")]))
            async with connected(watched, replicas=0) as careless:
                while not await careless.feeds.follow({"event": "0"}, 5):
                    pass
            for reading in (
                store.feeds.follow({"event": "0"}, 0),
                store.feeds.updates("event", "0"),
                store.feeds.newest("event"),
                announced,
            ):
                with pytest.raises(StoreUnavailable):
                    await reading
            # Who asks for no replica does not wait for one.
            async with connected(watched, replicas=0) as careless:
                assert await careless.append([part]) == [Appended(2)]
        finally:
            replica.thaw()

        async def caught_up() -> bool:
            return (await store.append([part]))[0] == Appended(2)

        await eventually(caught_up, "the replica has it")
        assert await store.read("m") == [b"start", b"a"]
        assert [payload for _, payload in await store.feeds.updates("event", "0")] == [b"news"]


async def test_the_name_of_the_master_is_asked_of_sentinels(tmp_path: Path) -> None:
    async with sentinel_set(tmp_path) as watched:
        for sentinel in watched.sentinels[:2]:
            sentinel.kill()  # one that is left is enough
        async with connected(watched, replicas=0) as store:
            await store.probe()
        with pytest.raises(StoreUnavailable, match="none of the Sentinels knows a master 'other'"):
            await connect(watched.url.replace(f"/{NAME}/", "/other/"))
        watched.sentinels[2].kill()
        with pytest.raises(StoreUnavailable, match="none of the Sentinels answers"):
            await connect(watched.url)


async def test_passwords_of_the_servers_and_of_the_sentinels(tmp_path: Path) -> None:
    async with sentinel_set(tmp_path, password="one", sentinel_password="two") as watched:
        async with connected(watched, replicas=1) as store:
            await store.probe()
        for wrong in (watched.url.replace("one", "1"), watched.url.replace("two", "2")):
            with pytest.raises(StoreUnavailable) as caught:
                await connect(wrong)
            assert "check the user and password" in str(caught.value)
            assert "one" not in str(caught.value).replace("none", "")
