"""Ended matches: an archive in place of the journal, in one step, and nothing lost by it."""

import asyncio
import os
import random
import signal
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis
from tests.store.starting import MINUTE, archive, start, taken

from contree.server.store import (
    Append,
    Archived,
    Conflict,
    Created,
    Fenced,
    Finish,
    Kept,
    Look,
    MatchNotFound,
    RedisStore,
    StoreUnavailable,
    connect,
    embedded_store,
    keys,
)
from contree.server.store import archive as archives
from contree.server.store.commands import Command
from contree.server.store.connections import Connections
from contree.server.store.nodes import Nodes


async def test_an_archived_match_is_no_longer_live_and_has_no_journal(
    store: RedisStore, raw: Redis
) -> None:
    await start(store, "a", "event")
    await start(store, "b", "event")
    assert await store.live() == ["a", "b"]
    assert await store.kept("a") is None
    for _ in range(2):
        assert await archive(store, "a") == Archived()
        assert await store.kept("a") == Kept(b"the summary", b"the record")
        assert await store.live() == ["b"]
    assert await store.matches("event") == ["a", "b"]
    assert sorted(await raw.keys(b"{m:a}:*")) == [keys.archive("a")]


async def test_indexes_that_could_not_be_told_are_told_when_it_is_tried_again(
    store: RedisStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store goes away between the archive and the indexes: an answer, and nothing raised."""
    await start(store, "a")
    calls = 0
    nodes = type(store._nodes)
    run_all = nodes.run_all

    async def away(self: Nodes, commands: Sequence[Command], **how: Any) -> list[Any]:
        nonlocal calls
        calls += 1
        if calls == 2:
            return [StoreUnavailable("here", "down for the test") for _ in commands]
        return await run_all(self, commands, **how)

    with monkeypatch.context() as broken:
        broken.setattr(nodes, "run_all", away)
        assert isinstance(await archive(store, "a"), StoreUnavailable)
    assert calls == 2
    assert await store.live() == ["a"]
    assert await archive(store, "a") == Archived()
    assert await store.live() == []


async def test_all_of_an_archive_but_its_version_is_compressed(
    store: RedisStore, raw: Redis
) -> None:
    await start(store, "a")
    await archive(store, "a")
    fields: dict[bytes, bytes] = await raw.hgetall(keys.archive("a"))  # type: ignore[assignment]
    assert fields.pop(b"version") == b"1"
    assert set(fields) == {b"summary", b"record", b"j0"}
    assert zlib.decompress(fields[b"summary"]) == b"the summary"
    assert zlib.decompress(fields[b"record"]) == b"the record"
    assert archives.unpacked(fields[b"j0"]) == [b"start"]
    for name in ("version", "summary", "record"):
        assert f"`{name}`" in (keys.__doc__ or "")


async def test_an_archive_reads_like_the_journal_it_was(store: RedisStore) -> None:
    entries = [b"start", *(b"%d" % n for n in range(2, 3 * archives.CHUNK + 5)), b"", b"\x00\xff\n"]
    await start(store, "a")
    await store.append([Append("a", 1, 1, tuple(entries[1:]))])
    edges = [0, 1, archives.CHUNK - 1, archives.CHUNK, archives.CHUNK + 1, 2 * archives.CHUNK]
    places = [
        (after, limit) for after in [*edges, len(entries) - 1] for limit in (1, 7, 1500, None)
    ]
    before = [await store.read("a", after, limit=limit) for after, limit in places]
    assert await archive(store, "a", 1, entries) == Archived()
    assert [await store.read("a", after, limit=limit) for after, limit in places] == before
    for beyond in (len(entries), len(entries) + 1, 100_000):
        assert await store.read("a", beyond) == []


async def test_only_the_holder_of_the_newest_lease_archives(store: RedisStore, raw: Redis) -> None:
    await start(store, "a")
    await raw.hset(keys.lease("a"), mapping={"until": 0})
    assert await taken(store, "a", "bob") == 2
    assert await archive(store, "a", 1) == Fenced(2)
    assert await store.read("a") == [b"start"]
    assert await archive(store, "a", 2) == Archived()


@pytest.mark.parametrize("entries", [[b"start", b"more"], [b"other"]])
async def test_what_is_not_the_journal_does_not_replace_it(
    store: RedisStore, entries: list[bytes]
) -> None:
    await start(store, "a")
    assert await archive(store, "a", 1, entries) == Conflict(1)
    assert await store.read("a") == [b"start"]
    assert await store.live() == ["a"]


async def test_each_part_of_a_group_stands_alone(store: RedisStore) -> None:
    await start(store, "a")
    await start(store, "b")
    group = [
        Finish(name, fence, [b"start"], b"", b"")
        for name, fence in (("a", 1), ("none", 1), ("b", 7))
    ]
    done, missing, fenced = await store.finish(group, retain_s=None)
    assert (done, fenced) == (Archived(), Fenced(1))
    assert isinstance(missing, MatchNotFound)
    assert await store.live() == ["b"]
    assert await store.finish([], retain_s=None) == []
    with pytest.raises(ValueError, match="at least one second"):
        await store.finish(group, retain_s=0)


async def test_nothing_brings_an_archived_match_back(store: RedisStore, raw: Redis) -> None:
    await start(store, "a")
    await archive(store, "a")
    assert await start(store, "a") == Created(False, 0)
    assert await store.live() == []
    (refused,) = await store.append([Append("a", 1, 1, (b"late",))])
    assert isinstance(refused, MatchNotFound)
    assert await store.renew("ann", {"a": 1}, MINUTE) == ["a"]
    assert await taken(store, "a", "bob") is None
    await store.release({"a": 1})
    assert await raw.keys(b"{m:a}:*") == [keys.archive("a")]


async def test_retention_covers_all_of_a_match(store: RedisStore, raw: Redis) -> None:
    await start(store, "a")
    await archive(store, "a", retain_s=3600)
    assert 3500 < await raw.ttl(keys.archive("a")) <= 3600
    await raw.pexpire(keys.archive("a"), 1)
    async with asyncio.timeout(60):
        while await store.kept("a") is not None:
            pass
    with pytest.raises(MatchNotFound):
        await store.read("a")


async def test_a_page_of_matches_is_looked_at_in_one_round_trip(
    store: RedisStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    await start(store, "live")
    await store.append([Append("live", 1, 1, (b"x", b"y"))])
    await start(store, "ended")
    await archive(store, "ended")
    calls = []
    exchange = Connections.exchange

    async def counted(self: Connections, *arguments: Any, **named: Any) -> list[Any]:
        calls.append(self)
        return await exchange(self, *arguments, **named)

    monkeypatch.setattr(Connections, "exchange", counted)
    assert await store.look(["ended", "none", "live", "live"], limit=2) == [
        Look(b"the summary", 0, 0, []),
        Look(None, 0, 0, []),
        Look(None, 3, 0, [b"start", b"x"]),
        Look(None, 3, 0, [b"start", b"x"]),
    ]
    assert calls
    assert len(calls) == len(set(calls)), "one at each master"
    assert store.parts or len(calls) == 1
    assert await store.look([]) == []
    assert await store.look(["live"], after={"live": 1}) == [Look(None, 3, 1, [b"x", b"y"])]


async def test_a_journal_read_in_pages_may_be_archived_in_the_middle(store: RedisStore) -> None:
    entries = [b"start", *(b"%d" % n for n in range(2, 101))]
    await start(store, "a")
    await store.append([Append("a", 1, 1, tuple(entries[1:]))])
    found = await store.read("a", limit=40)
    await archive(store, "a", 1, entries)
    while page := await store.read("a", len(found), limit=40):
        found += page
    assert found == entries


async def test_a_killed_store_has_a_journal_or_an_archive_of_each_match_never_neither(
    tmp_path: Path,
) -> None:
    """faults-others-met #2: two stores out of step after an interrupt."""
    rng = random.Random(5)
    entries = [b"start", *(b"%d" % n for n in range(2, 50))]
    archived: set[str] = set()
    async with embedded_store(tmp_path) as embedded:
        async with asyncio.timeout(200):
            for round_ in range(3):
                store = await connected(embedded.url)
                ids = [f"m{round_}-{n:03}" for n in range(150)]
                await asyncio.gather(*(start(store, match_id, "event") for match_id in ids))
                await store.append([Append(one, 1, 1, tuple(entries[1:])) for one in ids])

                async def finish(match_id: str, store: RedisStore = store) -> None:
                    if await archive(store, match_id, 1, entries) == Archived():
                        archived.add(match_id)

                finishing = [asyncio.create_task(finish(match_id)) for match_id in ids]
                enough = rng.randrange(1, 140)
                for done in asyncio.as_completed(finishing):
                    await done
                    enough -= 1
                    if not enough:
                        break
                assert embedded.pid is not None
                os.kill(embedded.pid, signal.SIGKILL)
                await asyncio.gather(*finishing, return_exceptions=True)
                await store.close()

                store = await connected(embedded.url)
                for match_id in ids:
                    # What is there is whole, and what was said to be archived is.
                    assert await store.read(match_id) == entries
                    kept = await store.kept(match_id)
                    assert kept in (None, Kept(b"the summary", b"the record"))
                    assert kept or match_id not in archived
                    assert await archive(store, match_id, 1, entries) == Archived()
                assert await store.live() == []
                await store.close()
    assert archived


async def connected(url: str) -> RedisStore:
    """A connection, as soon as there is one."""
    while True:
        try:
            return await connect(url)
        except StoreUnavailable:
            await asyncio.sleep(0.01)
