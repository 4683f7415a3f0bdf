"""Indexes, feeds and request ids."""

import asyncio
from typing import Any

import pytest
from redis.asyncio import Redis
from tests.store.starting import archive, masters, start

from contree.server.store import Append, FeedTrimmed, RedisStore, keys


async def test_indexes_are_written_before_the_journal(store: RedisStore, raw: Redis) -> None:
    # A key of the wrong type stands for a crash in the middle: the script cannot do its part.
    await raw.set(keys.lease("a"), "in the way")
    with pytest.raises(Exception, match="WRONGTYPE"):
        await start(store, "a", "event")
    assert await store.live() == ["a"]
    assert await store.matches("event") == ["a"]


async def test_indexes_are_paged_in_order(store: RedisStore) -> None:
    ids = [f"m{i:03}" for i in range(25)]
    for match_id in reversed(ids):
        await start(store, match_id, "event", "all")
    await start(store, "other", "all")
    for page in (store.live, lambda **kw: store.matches("event", **kw)):
        found: list[str] = []
        while page_of_ids := await page(after=found[-1] if found else "", limit=10):
            assert len(page_of_ids) <= 10
            found += page_of_ids
        assert found[:25] == ids
    assert len(await store.matches("all")) == 26
    assert await store.matches("none") == []
    assert await store.matches("event", after="m0105") == ids[11:]
    with pytest.raises(ValueError, match="at least one match"):
        await store.matches("event", limit=0)


async def blocked(raw: Any) -> int:
    """How many clients wait at the store for something."""
    await asyncio.sleep(0)
    told = await raw.info("clients", **masters(raw))
    each = told.values() if masters(raw) else [told]
    return sum(one["blocked_clients"] for one in each)


async def one(store: RedisStore, label: str, payload: bytes) -> str:
    (item_id,) = await store.feeds.announce([(label, payload)])
    return item_id


async def test_a_feed_is_followed_from_any_item(store: RedisStore) -> None:
    first, second, _ = await store.feeds.announce(
        [("event", b"1"), ("event", b"2"), ("other", b"x")]
    )
    assert await store.feeds.follow({"event": "0"}, 0) == {"event": [(first, b"1"), (second, b"2")]}
    assert await store.feeds.follow({"event": first}, 0) == {"event": [(second, b"2")]}
    assert await store.feeds.follow({"event": second}, 0) == {}
    assert await store.feeds.follow({"event": second}, 20) == {}
    assert await store.feeds.follow({"none": "0"}, 20) == {}
    assert await store.feeds.follow({}, 20) == {}
    assert await store.feeds.updates("event", "0") == [(first, b"1"), (second, b"2")]
    assert await store.feeds.updates("event", "0", limit=1) == [(first, b"1")]
    assert await store.feeds.updates("event", first) == [(second, b"2")]
    assert await store.feeds.updates("event", second) == []
    assert await store.feeds.updates("none", "0") == []
    assert (await store.feeds.newest("event"), await store.feeds.newest("none")) == (second, "0")


async def test_many_feeds_are_followed_at_once(store: RedisStore, raw: Redis) -> None:
    labels = [f"event-{n}" for n in range(50)]
    waiting = asyncio.create_task(store.feeds.follow(dict.fromkeys(labels, "0"), 30_000))
    async with asyncio.timeout(60):
        while await blocked(raw) != 1:
            pass
        item = await one(store, "event-33", b"news")
        assert await waiting == {"event-33": [(item, b"news")]}


async def test_a_follower_is_woken_by_the_next_item(store: RedisStore, raw: Redis) -> None:
    followers = [asyncio.create_task(store.feeds.follow({"event": "0"}, 30_000)) for _ in range(20)]
    async with asyncio.timeout(60):
        while await blocked(raw) < 20:
            pass
        item = await one(store, "event", b"news")
        assert await asyncio.gather(*followers) == [{"event": [(item, b"news")]}] * 20


async def test_a_follower_can_be_cancelled(store: RedisStore, raw: Redis) -> None:
    follower = asyncio.create_task(store.feeds.follow({"event": "0"}, 30_000))
    async with asyncio.timeout(60):
        while not await blocked(raw):
            pass
        follower.cancel()
        with pytest.raises(asyncio.CancelledError):
            await follower
        while await blocked(raw):
            pass
    item = await one(store, "event", b"news")
    assert await store.feeds.follow({"event": "0"}, 1000) == {"event": [(item, b"news")]}


@pytest.mark.parametrize("token", ["", "$", "+", "1-2-3", "x", "1;FLUSHALL", "9" * 30])
async def test_a_feed_is_followed_only_from_an_id(store: RedisStore, token: str) -> None:
    with pytest.raises(ValueError, match="no id of a feed"):
        await store.feeds.follow({"event": token}, 0)
    with pytest.raises(ValueError, match="no id of a feed"):
        await store.feeds.updates("event", token)


async def test_a_token_that_is_not_in_the_feed_is_refused_and_not_skipped_over(
    store: RedisStore, raw: Redis
) -> None:
    old, kept, _ = await store.feeds.announce([("event", b"1"), ("event", b"2"), ("event", b"3")])
    await raw.xtrim(keys.feed("event", parts=store.parts), maxlen=2, approximate=False)
    assert [payload for _, payload in await store.feeds.updates("event", kept)] == [b"3"]
    assert [payload for _, payload in await store.feeds.updates("event", "0")] == [b"2", b"3"]
    # Trimmed; never given, and far in the future; of a feed that is gone altogether.
    for label, token in (("event", old), ("event", "9999999999999-0"), ("none", kept)):
        with pytest.raises(FeedTrimmed, match="read its matches with ListMatches"):
            await store.feeds.updates(label, token)


async def test_feeds_are_capped_and_expire(
    store: RedisStore, raw: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keys, "FEED_LENGTH", 100)
    for n in range(1000):
        await one(store, "event", b"%d" % n)
    assert 100 <= await raw.xlen(keys.feed("event", parts=store.parts)) < 300
    newest = await store.feeds.updates("event", "0")
    assert newest[-1][1] == b"999"
    assert 0 < await raw.ttl(keys.feed("event", parts=store.parts)) <= keys.FEED_EXPIRY_S


async def test_a_request_stays_bound_to_its_first_match(store: RedisStore, raw: Redis) -> None:
    assert await store.registry.remember("r", "a", 60) == "a"
    assert await store.registry.remember("r", "b", 60) == "a"
    assert await store.registry.remember("s", "b", 60) == "b"
    assert 0 < await raw.ttl(keys.request("r")) <= 60
    assert await store.registry.remember("u", "a", None) == "a"
    assert await raw.ttl(keys.request("u")) == -1
    bound = await asyncio.gather(*(store.registry.remember("t", f"m{i}", 60) for i in range(30)))
    assert len(set(bound)) == 1


async def test_every_key_is_of_a_known_family(store: RedisStore, raw: Redis) -> None:
    await start(store, "a", "event")
    await store.append([Append("a", 1, 1, (b"x",))])
    await archive(store, "a", 1, [b"start", b"x"])
    await start(store, "b", "event")
    await store.feeds.announce([("event", b"news")])
    await store.registry.remember("r", "a", 60)
    await store.registry.disclose("g")
    await store.may_sweep("ann", 1000)
    feed = b"index:{feed}:event" if store.parts else b"index:feed:event"
    assert sorted(await raw.keys(**masters(raw))) == sorted(
        [
            *(b"{m:a}:archive", b"{m:b}:journal", b"{m:b}:lease"),
            *(b"index:live", b"index:leases"),
            *(b"index:label:event", b"index:labels", feed),
            *(b"registry:request:r", b"registry:disclosed:g", b"registry:sweeper"),
        ]
    )


async def test_ids_of_entries_are_their_numbers(store: RedisStore, raw: Redis) -> None:
    await start(store, "a", "event")
    await store.append([Append("a", 1, 1, (b"x",))])
    assert (await raw.xinfo_stream("{m:a}:journal"))["last-generated-id"] == b"2-0"


async def test_a_released_group_is_kept_as_long_as_its_matches(
    store: RedisStore, raw: Redis
) -> None:
    assert not await store.registry.disclosed("g")
    await store.registry.disclose("g", 60)
    await store.registry.keep_disclosed(["g", "other"], 100)
    assert 60 < await raw.ttl(keys.disclosed("g")) <= 100
    await store.registry.keep_disclosed(["g"], 10)
    assert await raw.ttl(keys.disclosed("g")) > 60
    assert await store.registry.disclosed("g")
    assert not await store.registry.disclosed("other")
    await store.registry.disclose("g")
    await store.registry.keep_disclosed(["g"], 100)
    assert await raw.ttl(keys.disclosed("g")) == -1


async def test_the_newest_session_of_an_instance_is_known(store: RedisStore, raw: Redis) -> None:
    await store.registry.enter_sessions({"a": "1", "b": "1"}, 60)
    assert await store.registry.keep_sessions({"a": "1", "b": "1"}, 600) == []
    assert 590 < await raw.ttl(keys.session("a")) <= 600
    await store.registry.enter_sessions({"b": "2"}, 60)
    assert await store.registry.keep_sessions({"a": "1", "b": "1"}, 60) == ["b"]
    assert await store.registry.keep_sessions({"b": "2"}, 60) == []
    await raw.flushdb()
    assert await store.registry.keep_sessions({"a": "1", "b": "1"}, 60) == []
    assert await store.registry.keep_sessions({"b": "3"}, 60) == ["b"]
    assert await store.registry.keep_sessions({}, 60) == []
