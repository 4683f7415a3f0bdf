"""Compare-and-append: what is acknowledged is in the journal, once, and nothing else is."""

import asyncio

import pytest
from redis.asyncio import Redis
from tests.store.starting import taken

from contree.server.store import (
    Append,
    Appended,
    Conflict,
    Created,
    Fenced,
    MatchNotFound,
    MatchStore,
    RedisStore,
    StoreUnavailable,
)

MINUTE = 60_000
CHECKED: type[MatchStore] = RedisStore  # by the type checker


async def start(store: RedisStore, match_id: str = "m", owner: str = "ann") -> int:
    """A match with the single entry b"start"; the fence of its first lease."""
    made = await store.create(match_id, labels=[], entries=[b"start"], owner=owner, lease_ms=MINUTE)
    assert made.created
    return made.fence


async def test_entries_are_appended_in_order(store: RedisStore) -> None:
    fence = await start(store)
    assert await store.append([Append("m", 1, fence, (b"a", b"b"))]) == [Appended(3)]
    assert await store.append([Append("m", 3, fence, (b"c",))]) == [Appended(4)]
    assert await store.read("m") == [b"start", b"a", b"b", b"c"]


async def test_entries_may_hold_any_bytes(store: RedisStore) -> None:
    fence = await start(store)
    entries = (b"", b"\r\n$3\r\n", bytes(range(256)), b"x" * 200_000)
    assert await store.append([Append("m", 1, fence, entries)]) == [Appended(5)]
    assert await store.read("m", 1) == list(entries)


async def test_an_empty_group_and_an_empty_part_write_nothing(store: RedisStore) -> None:
    fence = await start(store)
    assert await store.append([]) == []
    assert await store.append([Append("m", 1, fence, ())]) == [Appended(1)]
    assert await store.append([Append("m", 0, fence, ())]) == [Conflict(1)]
    assert await store.read("m") == [b"start"]


@pytest.mark.parametrize("expected", [0, 2, 1_000_000])
async def test_another_version_is_a_conflict(store: RedisStore, expected: int) -> None:
    fence = await start(store)
    assert await store.append([Append("m", expected, fence, (b"a",))]) == [Conflict(1)]
    assert await store.read("m") == [b"start"]


async def test_the_second_of_two_writers_gets_a_conflict(store: RedisStore) -> None:
    fence = await start(store)
    parts = [Append("m", 1, fence, (b"a",)), Append("m", 1, fence, (b"b",))]
    assert await store.append(parts) == [Appended(2), Conflict(2)]
    assert await store.read("m") == [b"start", b"a"]


async def test_a_conflict_in_the_middle_of_a_group_stops_nobody_else(store: RedisStore) -> None:
    fences = {f"m{i}": await start(store, f"m{i}") for i in range(300)}
    group = [Append(m, 1, fence, (m.encode(),)) for m, fence in fences.items()]
    group[150] = group[150]._replace(expected_version=0)
    group[151] = group[151]._replace(fence=0)
    group[152] = group[152]._replace(match_id="nowhere")
    results = await store.append(group)
    assert results[150:152] == [Conflict(1), Fenced(1)]
    assert isinstance(results[152], MatchNotFound)
    assert results[:150] + results[153:] == [Appended(2)] * 297
    assert await store.read("m149") == [b"start", b"m149"]
    for i in (150, 151, 152):
        assert await store.read(f"m{i}") == [b"start"]


async def test_parts_for_one_match_build_on_each_other(store: RedisStore) -> None:
    fence = await start(store)
    group = [Append("m", n, fence, (b"%d" % n,)) for n in range(1, 50)]
    assert await store.append(group) == [Appended(n + 1) for n in range(1, 50)]


async def test_an_append_sent_twice_is_written_once(store: RedisStore) -> None:
    fence = await start(store)
    part = Append("m", 1, fence, (b"a", b"b"))
    assert await store.append([part, part]) == [Appended(3), Appended(3)]
    # Also long afterwards: the place in the journal tells, not the newest write.
    await store.append([Append("m", 3, fence, (b"c",))])
    assert await store.append([part]) == [Appended(3)]
    assert await store.read("m") == [b"start", b"a", b"b", b"c"]


@pytest.mark.parametrize("other", [(b"a", b"x"), (b"x", b"b"), (b"a", b"b", b"c")])
async def test_other_entries_at_that_place_are_a_conflict(
    store: RedisStore, other: tuple[bytes, ...]
) -> None:
    fence = await start(store)
    await store.append([Append("m", 1, fence, (b"a", b"b"))])
    assert await store.append([Append("m", 1, fence, other)]) == [Conflict(3)]


async def test_a_paused_owner_cannot_write_after_its_lease_was_taken(store: RedisStore) -> None:
    old = await start(store, owner="ann")
    await store.release({"m": old})
    new = await taken(store, "m", "bob")
    assert new is not None
    assert new > old
    assert await store.append([Append("m", 1, old, (b"late",))]) == [Fenced(new)]
    assert await store.append([Append("m", 1, new, (b"a",))]) == [Appended(2)]
    # Not even what would be a repeated append of the new owner's own words.
    assert await store.append([Append("m", 1, old, (b"a",))]) == [Fenced(new)]
    assert await store.read("m") == [b"start", b"a"]


async def test_an_owner_that_restarts_fences_its_former_self(store: RedisStore) -> None:
    old = await start(store, owner="ann")
    new = await taken(store, "m", "ann")
    assert new == old + 1
    assert await store.append([Append("m", 1, old, (b"late",))]) == [Fenced(new)]


async def test_nothing_is_written_after_release(store: RedisStore) -> None:
    fence = await start(store)
    await store.release({"m": fence})
    (result,) = await store.append([Append("m", 1, fence, (b"late",))])
    assert isinstance(result, Fenced)
    assert await store.read("m") == [b"start"]


async def test_the_scripts_are_loaded_again_when_the_store_forgot_them(
    store: RedisStore, raw: Redis
) -> None:
    fence = await start(store)
    for version in (1, 2, 3):
        await raw.script_flush()
        part = Append("m", version, fence, (b"%d" % version,))
        other = Append("nowhere", 0, 1, (b"x",))
        results = await store.append([part, other])
        assert results[0] == Appended(version + 1)
        assert isinstance(results[1], MatchNotFound)
    await raw.script_flush()
    assert await store.renew("ann", {"m": fence}, MINUTE) == []
    assert await store.read("m") == [b"start", b"1", b"2", b"3"]


async def test_a_script_forgotten_in_the_middle_of_a_group_is_loaded(
    store: RedisStore, raw: Redis
) -> None:
    fences = [await start(store, f"m{i}") for i in range(40)]
    stop = asyncio.Event()

    async def keep_forgetting() -> None:
        while not stop.is_set():
            await raw.script_flush()

    forgetting = asyncio.create_task(keep_forgetting())
    try:
        for version in range(1, 40):
            group = [Append(f"m{i}", version, fence, (b"x",)) for i, fence in enumerate(fences)]
            for part, result in zip(group, await store.append(group), strict=True):
                if isinstance(result, StoreUnavailable):  # flushed again between load and use
                    assert await retried(store, part) == Appended(version + 1)
                else:
                    assert result == Appended(version + 1)
    finally:
        stop.set()
        await forgetting


async def retried(store: RedisStore, part: Append) -> object:
    """The result of a part sent until it gets through, at most 1000 times."""
    for _ in range(1000):
        (result,) = await store.append([part])
        if not isinstance(result, StoreUnavailable):
            return result
    raise AssertionError("never got through")


async def test_reading_starts_after_a_number(store: RedisStore) -> None:
    fence = await start(store)
    await store.append([Append("m", 1, fence, tuple(b"%d" % n for n in range(2, 13)))])
    assert await store.read("m", 9) == [b"10", b"11", b"12"]
    assert await store.read("m", 12) == []
    assert await store.read("m", 99) == []
    with pytest.raises(MatchNotFound) as caught:
        await store.read("nowhere")
    assert caught.value.match_id == "nowhere"


async def test_creating_again_changes_nothing(store: RedisStore) -> None:
    fence = await start(store)
    again = await store.create(
        "m", labels=["late"], entries=[b"start"], owner="ann", lease_ms=MINUTE
    )
    assert again == Created(False, 0)
    other = await store.create("m", labels=[], entries=[b"other"], owner="bob", lease_ms=MINUTE)
    assert other == Created(False, 0)
    assert await store.read("m") == [b"start"]
    assert await store.append([Append("m", 1, fence, (b"a",))]) == [Appended(2)]


async def test_one_of_many_creators_wins(store: RedisStore) -> None:
    made = await asyncio.gather(
        *(
            store.create("m", labels=[], entries=[b"%d" % i], owner=f"o{i}", lease_ms=MINUTE)
            for i in range(30)
        )
    )
    (winner,) = [i for i, result in enumerate(made) if result.created]
    assert await store.read("m") == [b"%d" % winner]


@pytest.mark.parametrize(
    ("match_id", "labels", "entries", "owner"),
    [
        ("", [], [b"x"], "ann"),
        ("m", [""], [b"x"], "ann"),
        ("m", [], [], "ann"),
        ("m", [], [b"x"], ""),
    ],
    ids=["no id", "empty label", "no entry", "no owner"],
)
async def test_a_match_cannot_be_created_without(
    store: RedisStore, match_id: str, labels: list[str], entries: list[bytes], owner: str
) -> None:
    with pytest.raises(ValueError, match="a match is created with"):
        await store.create(match_id, labels=labels, entries=entries, owner=owner, lease_ms=MINUTE)
    assert await store.live() == []


async def test_ids_with_braces_and_accents_stay_apart(store: RedisStore) -> None:
    ids = ["a", "a}:journal", "{m:a}:journal", "é", "a b", "%61"]
    for match_id in ids:
        await store.create(
            match_id, labels=["é"], entries=[match_id.encode()], owner="ann", lease_ms=MINUTE
        )
    for match_id in ids:
        assert await store.read(match_id) == [match_id.encode()]
    assert sorted(await store.matches("é")) == sorted(ids)
