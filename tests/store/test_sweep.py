"""Sweeping: indexes lose what is gone, and nothing else, whatever happens at the same time."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from redis.asyncio import Redis
from tests.store.starting import archive, start

from contree.server.store import RedisStore, keys
from contree.server.store.commands import Command
from contree.server.store.sweep import sweep


async def sweep_all(store: RedisStore, limit: int = 10, feed_s: int | None = None) -> int:
    """One whole pass; how many members it removed."""
    cursor, removed = "", 0
    while True:
        swept = await store.sweep(cursor, limit=limit, feed_s=feed_s)
        cursor, removed = swept.cursor, removed + swept.removed
        if not cursor:
            return removed


async def test_an_id_in_the_indexes_without_a_journal_is_listed_and_swept(
    store: RedisStore, raw: Redis
) -> None:
    """A server died between the indexes and the journal's first entry."""
    await start(store, "m1", "event")
    for index in (keys.LIVE, keys.label("event")):
        await raw.zadd(index, {"m0": 0, "m2": 0})
    assert await store.live() == ["m0", "m1", "m2"]
    assert [bool(look.entries) for look in await store.look(await store.matches("event"))] == [
        False,
        True,
        False,
    ]
    assert await sweep_all(store) == 4
    assert await store.live() == await store.matches("event") == ["m1"]
    assert await sweep_all(store) == 0


async def test_matches_past_their_retention_leave_their_labels(
    store: RedisStore, raw: Redis
) -> None:
    for n in range(35):
        await start(store, f"m{n:02}", "event", f"label-{n % 5}")
        await archive(store, f"m{n:02}", retain_s=60)
    assert await sweep_all(store) == 0
    for n in range(30):
        await raw.delete(keys.archive(f"m{n:02}"))
    assert await sweep_all(store, limit=7) == 60
    assert await store.matches("event") == [f"m{n}" for n in range(30, 35)]
    for n in range(30, 35):
        await raw.delete(keys.archive(f"m{n:02}"))
    assert await sweep_all(store) == 10
    # Labels of which nothing is left are forgotten.
    assert await raw.keys(b"index:*") == []


async def test_an_archived_match_that_is_still_in_the_live_index_leaves_it(
    store: RedisStore, raw: Redis
) -> None:
    """A server died between the archive and the index."""
    await start(store, "a", "event")
    await archive(store, "a")
    await raw.zadd(keys.LIVE, {"a": 0})
    assert await sweep_all(store) == 1
    assert await store.live() == []
    assert await store.matches("event") == ["a"]


async def test_a_sweep_looks_at_so_many_members_at_most(store: RedisStore) -> None:
    for n in range(45):
        await start(store, f"m{n:02}", "event")
    commands = 0
    steps = 0
    cursor = ""
    run = store._nodes.run_each

    async def counted(batch: Sequence[Command]) -> list[Any]:
        nonlocal commands
        commands = max(commands, len(batch))
        return await run(batch)

    while True:
        swept = await sweep(counted, cursor, limit=10, feed_s=None)
        steps += 1
        cursor = swept.cursor
        if not cursor:
            break
    assert commands == 20
    assert steps == 10


@pytest.mark.parametrize("moment", [b"EXISTS", b"ZREM"])
async def test_the_sweeper_does_not_take_away_a_match_that_comes_meanwhile(
    store: RedisStore, raw: Redis, moment: bytes
) -> None:
    """Read, then write (flower PR #7282 revived what was deleted): the reverse must not happen."""
    await raw.zadd(keys.LIVE, {"a": 0})
    await raw.zadd(keys.label("event"), {"a": 0})
    await raw.zadd(keys.LABELS, {"event": 0})
    run = store._nodes.run_each
    made = False

    async def run_and_create(batch: Sequence[Command]) -> list[Any]:
        nonlocal made
        replies = await run(batch)
        # Right after the sweeper has found no journal, or right after it has removed the member.
        if not made and batch[0].packed.split(b"\r\n")[2] == moment:
            made = True
            await start(store, "a", "event")
        return replies

    cursor = ""
    while True:
        swept = await sweep(run_and_create, cursor, limit=10, feed_s=None)
        cursor = swept.cursor
        if not cursor:
            break
    assert made
    assert await store.live() == ["a"]
    assert await store.matches("event") == ["a"]


async def test_creations_and_sweeps_at_once_lose_nothing(store: RedisStore) -> None:
    async def create(worker: int) -> None:
        for n in range(60):
            await start(store, f"m{worker}-{n:02}", "event", f"label-{n % 3}")

    sweeping = True

    async def keep_sweeping() -> None:
        while sweeping:
            await sweep_all(store, limit=25)

    sweepers = [asyncio.create_task(keep_sweeping()) for _ in range(2)]
    await asyncio.gather(*(create(worker) for worker in range(4)))
    sweeping = False
    await asyncio.gather(*sweepers)
    assert len(await store.live()) == 240
    assert len(await store.matches("event", limit=1000)) == 240
    assert await sweep_all(store, limit=25) == 0


async def test_feeds_are_trimmed_by_age(store: RedisStore, raw: Redis) -> None:
    await start(store, "a", "event")
    for n in range(500):
        await raw.xadd(keys.feed("event"), {"p": b"old"}, id=f"{n + 1}-0")
    await store.feeds.announce([("event", b"new")] * 3)
    await sweep_all(store, feed_s=3600)
    left = await store.feeds.updates("event", "0")
    assert [payload for _, payload in left][-3:] == [b"new"] * 3
    assert len(left) < 110  # trimmed by whole nodes of 100


async def test_one_server_sweeps_at_a_time(store: RedisStore, raw: Redis) -> None:
    assert await store.may_sweep("ann", 60_000)
    assert await store.may_sweep("ann", 60_000)
    assert not await store.may_sweep("bob", 60_000)
    await raw.delete(keys.SWEEPER)
    assert await store.may_sweep("bob", 60_000)
    assert 0 < await raw.pttl(keys.SWEEPER) <= 60_000
