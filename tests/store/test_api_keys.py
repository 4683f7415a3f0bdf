"""API keys in the store: what is kept of them, and that changes do not overwrite each other."""

from __future__ import annotations

import asyncio

import pytest
from redis.asyncio import Redis

from contree.server.store import RedisStore, StoredKey, StoreRefused, keys

A = StoredKey("a", b"a" * 32, b'{"of":"a"}')
B = StoredKey("b", b"b" * 32, b"\x00\xff")


async def test_a_key_is_added_once(store: RedisStore) -> None:
    assert await store.api_keys.get(["a", "b"]) == [None, None]
    assert await store.api_keys.get([]) == []
    assert await store.api_keys.add(A)
    assert not await store.api_keys.add(StoredKey("a", b"x" * 32, b"other"))
    assert await store.api_keys.get(["b", "a"]) == [None, A]


async def test_a_revoked_key_stays_revoked_and_the_first_time_counts(store: RedisStore) -> None:
    assert not await store.api_keys.revoke("a", 5)
    assert await store.api_keys.get(["a"]) == [None]
    await store.api_keys.add(A)
    assert await store.api_keys.revoke("a", 5)
    assert await store.api_keys.revoke("a", 9)
    assert await store.api_keys.rotate("a", b"n" * 32)
    assert await store.api_keys.get(["a"]) == [A._replace(digest=b"n" * 32, revoked_ms=5)]


async def test_a_rotated_key_has_only_its_newest_token(store: RedisStore) -> None:
    assert not await store.api_keys.rotate("a", b"n" * 32)
    assert await store.api_keys.get(["a"]) == [None]
    await store.api_keys.add(A)
    for digest in (b"1" * 32, b"2" * 32):
        assert await store.api_keys.rotate("a", digest)
        assert await store.api_keys.get(["a"]) == [A._replace(digest=digest)]


async def test_keys_are_listed_page_by_page(store: RedisStore, raw: Redis) -> None:
    assert await store.api_keys.page() == []
    await asyncio.gather(store.api_keys.add(B), store.api_keys.add(A))
    # A key whose creation was cut short is in the index only.
    await raw.zadd(keys.API_KEYS, {"a0": 0, "a1": 0})
    assert await store.api_keys.page(limit=1) == [A]
    assert await store.api_keys.page(after="a", limit=1) == [B]
    assert await store.api_keys.page(after="b") == []
    assert await store.api_keys.page() == [A, B]


async def test_a_digest_is_a_digest(store: RedisStore) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        await store.api_keys.add(StoredKey("a", b"short", b""))
    with pytest.raises(ValueError, match="32 bytes"):
        await store.api_keys.rotate("a", b"short")


async def test_what_stands_in_the_place_of_a_key_is_refused(store: RedisStore, raw: Redis) -> None:
    await raw.set(keys.api_key("a"), "a text")
    with pytest.raises(StoreRefused):
        await store.api_keys.get(["b", "a"])
