"""Leases: one owner at a time, told apart by numbers that only grow."""

import asyncio

import pytest
from redis.asyncio import Redis
from tests.store.starting import archive, taken

from contree.server.store import Append, Appended, Fenced, RedisStore

MINUTE = 60_000


async def start(store: RedisStore, match_id: str = "m", *, lease_ms: int = MINUTE) -> int:
    made = await store.create(
        match_id, labels=[], entries=[b"start"], owner="ann", lease_ms=lease_ms
    )
    assert made.created
    return made.fence


async def acquired(store: RedisStore, owner: str) -> int:
    """The fence, as soon as the lease can be taken."""
    async with asyncio.timeout(60):
        while (fence := await taken(store, "m", owner)) is None:
            pass
        return fence


async def test_a_live_lease_is_not_taken_over(store: RedisStore) -> None:
    await start(store)
    assert await taken(store, "m", "bob") is None
    assert await store.renew("bob", {"m": 1}, MINUTE) == ["m"]


async def test_the_same_owner_gets_a_higher_number(store: RedisStore) -> None:
    fence = await start(store)
    assert await taken(store, "m", "ann") == fence + 1
    assert await taken(store, "m", "ann") == fence + 2


async def test_a_lease_that_ran_out_can_be_taken(store: RedisStore) -> None:
    old = await start(store, lease_ms=20)
    new = await acquired(store, "bob")
    assert new > old
    assert await store.append([Append("m", 1, old, (b"late",))]) == [Fenced(new)]
    assert await store.renew("ann", {"m": old}, MINUTE) == ["m"]


async def test_a_lease_that_ran_out_goes_on_as_long_as_nobody_took_it(store: RedisStore) -> None:
    fence = await start(store, lease_ms=0)
    assert await store.append([Append("m", 1, fence, (b"a",))]) == [Appended(2)]
    assert await store.renew("ann", {"m": fence}, MINUTE) == []
    assert await taken(store, "m", "bob") is None


async def test_renewing_tells_what_is_lost(store: RedisStore) -> None:
    leases = {f"m{i}": await start(store, f"m{i}") for i in range(100)}
    lost = {"m3": await taken(store, "m3", "ann")}
    await store.release({"m50": leases["m50"]})
    leases["nowhere"] = 1
    assert await store.renew("ann", leases, MINUTE) == ["m3", "m50", "nowhere"]
    assert await store.renew("ann", {}, MINUTE) == []
    assert lost["m3"] == 2


async def test_a_short_renewal_counts_from_now(store: RedisStore) -> None:
    fence = await start(store)
    assert await store.renew("ann", {"m": fence}, 10) == []
    assert await acquired(store, "bob") > fence


async def test_release_lets_others_in_at_once(store: RedisStore) -> None:
    fence = await start(store)
    await store.release({"m": fence})
    await store.release({"m": fence})
    assert await taken(store, "m", "bob") is not None
    await store.release({"m": fence})  # of a lease that is history
    assert await taken(store, "m", "cat") is None
    await store.release({"nowhere": 1})


async def test_numbers_grow_through_every_change_of_hands(store: RedisStore) -> None:
    fences = [await start(store)]
    for owner in ("bob", "ann", "bob", "ann"):
        await store.release({"m": fences[-1]})
        fence = await taken(store, "m", owner)
        assert fence is not None
        fences.append(fence)
    assert fences == sorted(set(fences))


async def test_the_first_lease_comes_with_the_match(store: RedisStore, raw: Redis) -> None:
    await start(store)
    lease = await raw.hgetall("{m:m}:lease")
    assert (lease[b"owner"], lease[b"fence"]) == (b"ann", b"1")
    seconds, _ = await raw.time()
    assert 20 < int(lease[b"until"]) / 1000 - seconds <= 61


async def test_there_is_no_lease_without_a_match(store: RedisStore, raw: Redis) -> None:
    assert await taken(store, "nowhere", "ann") is None
    assert await raw.dbsize() == 0
    with pytest.raises(ValueError, match="needs an owner"):
        await taken(store, "nowhere", "")


async def test_leases_that_ended_are_found_without_asking_for_each(store: RedisStore) -> None:
    await start(store, "alive")
    fence = await start(store, "dead", lease_ms=0)
    gone = await start(store, "given-up")
    assert await store.expired() == ["dead"]
    await store.release({"given-up": gone})
    assert await store.expired() == ["dead", "given-up"]
    assert await store.expired(limit=1) == ["dead"]
    assert await store.renew("ann", {"dead": fence}, MINUTE) == []
    assert await store.expired() == ["given-up"]
    assert await taken(store, "given-up", "bob") is not None
    assert await store.expired() == []


async def test_many_are_taken_at_once(store: RedisStore, raw: Redis) -> None:
    await start(store, "alive")
    for match_id in ("a", "b"):
        await start(store, match_id, lease_ms=0)
    await raw.zadd("index:leases", {"cut-short": 0})
    asked = await store.expired()
    assert sorted(asked) == ["a", "b", "cut-short"]
    assert await store.take([*asked, "alive"], "bob", MINUTE) == {"a": 2, "b": 2}
    assert await store.expired() == []
    assert await store.take(["a", "b"], "cat", MINUTE) == {}
    assert await store.take([], "cat", MINUTE) == {}


async def test_a_finished_match_does_not_come_back_with_a_late_renewal(store: RedisStore) -> None:
    fence = await start(store)
    await archive(store, "m", fence)
    assert await store.renew("ann", {"m": fence}, 0) == ["m"]
    assert await store.expired() == []
    assert await store.reindex() == 0


async def test_live_matches_that_no_lease_is_known_of_are_found_again(
    store: RedisStore, raw: Redis
) -> None:
    """Those of older versions, and whatever an interrupted write left out."""
    for number in range(3):
        await start(store, f"m{number}", lease_ms=0)
    await start(store, "held")
    await raw.delete("index:leases")
    assert await store.expired() == []
    assert await store.reindex() == 4
    assert sorted(await store.expired()) == ["held", "m0", "m1", "m2"]
    # Only its own lease tells whether a match is held.
    assert set(await store.take(await store.expired(), "bob", MINUTE)) == {"m0", "m1", "m2"}
