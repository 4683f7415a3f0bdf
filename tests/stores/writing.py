"""Writers that append to many matches whatever happens to the store, and keep books of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Final

from contree.server.store import Append, Appended, RedisStore, StoreUnavailable

MINUTE: Final = 60_000


class Writer:
    """Writes entry after entry to some matches, one append of each in a group, as a server does."""

    def __init__(self, store: RedisStore, match_ids: Sequence[str]) -> None:
        self.store = store
        self.acknowledged: dict[str, list[bytes]] = {one: [b"start"] for one in match_ids}
        self.refused: list[StoreUnavailable] = []

    async def create(self) -> None:
        """Make the matches."""
        for match_id in self.acknowledged:
            made = await self.store.create(
                match_id, labels=["event"], entries=[b"start"], owner="ann", lease_ms=MINUTE
            )
            assert made.created

    async def run(self) -> None:
        """Write until cancelled; what got no answer is sent again until it does."""
        while True:
            group = []
            for match_id, entries in self.acknowledged.items():
                version = len(entries)
                group.append(Append(match_id, version, 1, (b"%d" % version,)))
            results = await self.store.append(group)
            for part, result in zip(group, results, strict=True):
                if isinstance(result, StoreUnavailable):
                    self.refused.append(result)
                    continue
                assert result == Appended(part.expected_version + 1), (part, result)
                self.acknowledged[part.match_id] += part.entries
            if any(isinstance(result, StoreUnavailable) for result in results):
                await asyncio.sleep(0.05)

    async def grown(self, match_ids: Sequence[str], by: int, within_s: float = 90) -> None:
        """Wait until so many more entries of each of some matches are acknowledged."""
        before = {one: len(self.acknowledged[one]) for one in match_ids}
        await _until(
            lambda: all(len(self.acknowledged[one]) >= before[one] + by for one in match_ids),
            within_s,
            "all journals grow",
        )

    async def check(self) -> None:
        """What was acknowledged is in the journals, once; besides at most what was under way."""
        for match_id, entries in self.acknowledged.items():
            journal = await self.store.read(match_id)
            assert journal[: len(entries)] == entries
            assert journal[len(entries) :] in ([], [b"%d" % len(entries)])


async def _until(true: Callable[[], bool], within_s: float, what: str) -> None:
    deadline = time.monotonic() + within_s
    while not true():
        assert time.monotonic() < deadline, f"not within {within_s:g} s: {what}"
        await asyncio.sleep(0.01)
