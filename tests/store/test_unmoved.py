"""What servers let each other know of tables that stand still, and who holds a match."""

from redis.asyncio import Redis
from tests.store.starting import archive, start, taken

from contree.server.store import RedisStore, Unmoved, keys

STILL = Unmoved(61_000, (True, False, True, True))


async def test_what_one_server_tells_all_may_ask(store: RedisStore, raw: Redis) -> None:
    await store.unmoved.tell("one", {"a": STILL, "b": STILL._replace(milliseconds=7000)})
    await store.unmoved.tell("two", {"c": STILL})
    assert await store.unmoved.told({"one", "two", "nobody"}) == {
        "a": STILL,
        "b": Unmoved(7000, STILL.connected),
        "c": STILL,
    }
    assert set(await store.unmoved.told({"two"})) == {"c"}
    assert await store.unmoved.told(set()) == {}
    assert 0 < await raw.pttl(keys.unmoved("one")) <= 10_000, "it is gone soon after its server"


async def test_what_was_told_last_counts(store: RedisStore) -> None:
    await store.unmoved.tell("one", {"a": STILL})
    await store.unmoved.tell("one", {})
    assert await store.unmoved.told({"one"}) == {}


async def test_who_holds_a_match(store: RedisStore) -> None:
    for match_id in ("a", "b", "c"):
        await start(store, match_id)
    await store.release({"b": 1})
    assert await taken(store, "b", "bob")
    await store.release({"c": 1})
    assert await store.unmoved.holders(["a", "b", "c", "none"]) == ["ann", "bob", "", ""]
    await archive(store, "a")
    assert await store.unmoved.holders(["a"]) == [""]
    assert await store.unmoved.holders([]) == []
