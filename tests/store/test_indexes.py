"""Records, indexes, feeds and request ids."""

import asyncio

import pytest
from redis.asyncio import Redis

from contree.server.store import Append, Created, MatchNotFound, RedisStore, keys

MINUTE = 60_000


async def start(store: RedisStore, match_id: str, *labels: str) -> Created:
    return await store.create(
        match_id, labels=labels, entries=[b"start"], owner="ann", lease_ms=MINUTE
    )


async def test_a_finished_match_has_a_record_and_is_no_longer_live(store: RedisStore) -> None:
    await start(store, "a", "event")
    await start(store, "b", "event")
    assert await store.live() == ["a", "b"]
    assert await store.record("a") is None
    for _ in range(2):
        await store.finish("a", b"the record", retain_s=None)
        assert await store.record("a") == b"the record"
        assert await store.live() == ["b"]
    assert await store.matches("event") == ["a", "b"]
    assert await store.read("a") == [b"start"]


async def test_creating_a_finished_match_again_does_not_bring_it_back(store: RedisStore) -> None:
    await start(store, "a")
    await store.finish("a", b"the record", retain_s=None)
    assert await start(store, "a") == Created(False, 0)
    assert await store.live() == []


async def test_what_was_never_a_match_cannot_finish(store: RedisStore, raw: Redis) -> None:
    with pytest.raises(MatchNotFound):
        await store.finish("a", b"the record", retain_s=None)
    assert await store.record("a") is None
    # It may be in an index when its creation was cut short; then it leaves it.
    await raw.zadd(keys.LIVE, {"a": 0})
    with pytest.raises(MatchNotFound):
        await store.finish("a", b"the record", retain_s=None)
    assert await store.live() == []
    with pytest.raises(ValueError, match="at least one second"):
        await store.finish("a", b"the record", retain_s=0)


async def test_retention_covers_all_of_a_match(store: RedisStore, raw: Redis) -> None:
    await start(store, "a")
    await store.finish("a", b"the record", retain_s=3600)
    for key in (keys.journal("a"), keys.lease("a"), keys.record("a")):
        assert 3590 < await raw.ttl(key) <= 3600
    await store.finish("a", b"the record", retain_s=None)
    for key in (keys.journal("a"), keys.lease("a"), keys.record("a")):
        assert await raw.ttl(key) == -1


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


async def test_a_feed_is_followed_from_any_item(store: RedisStore) -> None:
    first = await store.announce("event", b"1")
    second = await store.announce("event", b"2")
    await store.announce("other", b"x")
    assert await store.follow("event", "0", 0) == [(first, b"1"), (second, b"2")]
    assert await store.follow("event", first, 0) == [(second, b"2")]
    assert await store.follow("event", second, 0) == []
    assert await store.follow("event", second, 20) == []
    assert await store.follow("none", "0", 20) == []


async def test_a_follower_is_woken_by_the_next_item(store: RedisStore, raw: Redis) -> None:
    followers = [asyncio.create_task(store.follow("event", "0", 30_000)) for _ in range(20)]
    async with asyncio.timeout(5):
        while (await raw.info("clients"))["blocked_clients"] < 20:
            pass
        item = await store.announce("event", b"news")
        assert await asyncio.gather(*followers) == [[(item, b"news")]] * 20


async def test_a_follower_can_be_cancelled(store: RedisStore, raw: Redis) -> None:
    follower = asyncio.create_task(store.follow("event", "0", 30_000))
    async with asyncio.timeout(5):
        while not (await raw.info("clients"))["blocked_clients"]:
            pass
        follower.cancel()
        with pytest.raises(asyncio.CancelledError):
            await follower
        while (await raw.info("clients"))["blocked_clients"]:
            pass
    item = await store.announce("event", b"news")
    assert await store.follow("event", "0", 1000) == [(item, b"news")]


@pytest.mark.parametrize("token", ["", "$", "+", "1-2-3", "x", "1;FLUSHALL", "9" * 30])
async def test_a_feed_is_followed_only_from_an_id(store: RedisStore, token: str) -> None:
    with pytest.raises(ValueError, match="no id of a feed"):
        await store.follow("event", token, 0)


async def test_feeds_are_capped_and_expire(
    store: RedisStore, raw: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keys, "FEED_LENGTH", 100)
    for n in range(1000):
        await store.announce("event", b"%d" % n)
    assert 100 <= await raw.xlen(keys.feed("event")) < 300
    newest = await store.follow("event", "0", 0)
    assert newest[-1][1] == b"999"
    assert 0 < await raw.ttl(keys.feed("event")) <= keys.FEED_EXPIRY_S


async def test_a_request_stays_bound_to_its_first_match(store: RedisStore, raw: Redis) -> None:
    assert await store.remember("r", "a", 60) == "a"
    assert await store.remember("r", "b", 60) == "a"
    assert await store.remember("s", "b", 60) == "b"
    assert 0 < await raw.ttl(keys.request("r")) <= 60
    bound = await asyncio.gather(*(store.remember("t", f"m{i}", 60) for i in range(30)))
    assert len(set(bound)) == 1


async def test_every_key_is_of_a_known_family(store: RedisStore, raw: Redis) -> None:
    await start(store, "a", "event")
    await store.append([Append("a", 1, 1, (b"x",))])
    await store.finish("a", b"the record", retain_s=None)
    await start(store, "b", "event")
    await store.announce("event", b"news")
    await store.remember("r", "a", 60)
    assert sorted(await raw.keys()) == sorted(
        [
            *(b"{m:a}:journal", b"{m:a}:lease", b"{m:a}:record", b"{m:b}:journal", b"{m:b}:lease"),
            *(
                b"index:live",
                b"index:leases",
                b"index:label:event",
                b"index:feed:event",
                b"registry:request:r",
            ),
        ]
    )
    assert (await raw.xinfo_stream("{m:a}:journal"))["last-generated-id"] == b"2-0"
