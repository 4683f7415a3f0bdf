"""What a key has open ends with it, whatever else goes wrong."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, cast

from contree.server.access import ApiKey, Guard, encode_key
from contree.server.access.callers import Caller
from contree.server.store import KeyStore, StoredKey

SOON_S = 0.001
WAIT_S = 60.0


class Keys:
    """Keys in memory; what ``faults`` holds is raised first, one at each question."""

    def __init__(self, *keys: ApiKey) -> None:
        self.known: dict[str, StoredKey] = {key.key_id: encode_key(key) for key in keys}
        self.faults: list[Exception] = []

    async def get(self, key_ids: Sequence[str]) -> list[StoredKey | None]:
        if self.faults:
            raise self.faults.pop()
        return [self.known.get(key_id) for key_id in key_ids]


ANN, BOB = ApiKey(key_id="ann", digest=b"a" * 32), ApiKey(key_id="bob", digest=b"b" * 32)


def guard_of(keys: Keys) -> Guard:
    return Guard(cast(KeyStore, keys), anonymous=False, wall_ms=lambda: 1_000, fresh_s=SOON_S)


async def test_what_cannot_be_ended_keeps_nothing_else_open() -> None:
    keys = Keys(ANN, BOB)
    guard = guard_of(keys)
    asked: list[str] = []
    ended: list[Any] = []

    def stuck(error: Exception) -> None:
        asked.append(str(error))
        raise RuntimeError("cannot")

    with (
        guard.open(Caller.of(ANN), stuck),
        guard.open(Caller.of(ANN), ended.append),
        guard.open(Caller.of(BOB), ended.append),
    ):
        del keys.known["ann"], keys.known["bob"]
        await guard.look()
        assert len(asked) == 1
        assert [str(one)[:15] for one in ended] == ["The key ann is ", "The key bob is "]
        await guard.look()
        assert len(asked) == 2, "it is tried again"


async def test_a_look_that_fails_is_not_the_last() -> None:
    keys = Keys(ANN)
    guard = guard_of(keys)
    ended = asyncio.Event()
    async with guard.running():
        with guard.open(Caller.of(ANN), lambda error: ended.set()):
            keys.faults = [ValueError("a reply that cannot be"), RuntimeError("another")]
            del keys.known["ann"]
            await asyncio.wait_for(ended.wait(), WAIT_S)
            assert not keys.faults
