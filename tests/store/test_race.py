"""Writers that race, take leases from each other and repeat themselves lose and double nothing."""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import dataclass, field
from typing import Literal

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.store.starting import taken

from contree.server.store import Append, Appended, Conflict, Fenced, RedisStore, connect

Step = tuple[Literal["append", "repeat", "take", "read"], int]

STEPS = st.lists(
    st.tuples(st.sampled_from(["append", "append", "repeat", "take", "read"]), st.integers(1, 3)),
    max_size=12,
)
_match_ids = itertools.count()


@dataclass
class Writer:
    """One of the racing writers; it believes what it last saw."""

    store: RedisStore
    match_id: str
    name: str
    fence: int = 1
    version: int = 1
    written: int = 0
    acknowledged: dict[int, bytes] = field(default_factory=dict)  # entry number to entry

    async def run(self, steps: list[Step]) -> None:
        for verb, count in steps:
            match verb:
                case "read":
                    self.version = len(await self.store.read(self.match_id))
                case "take":
                    # All call themselves the same, so that a lease is taken without waiting.
                    fence = await taken(self.store, self.match_id, "owner")
                    assert fence is not None
                    assert fence > self.fence
                    self.fence = fence
                case "append" | "repeat":
                    await self.append(count, 2 if verb == "repeat" else 1)

    async def append(self, count: int, times: int) -> None:
        entries = tuple(f"{self.name}{self.written + i}".encode() for i in range(count))
        self.written += count
        part = Append(self.match_id, self.version, self.fence, entries)
        results = await self.store.append([part] * times)
        for result in results:
            match result:
                case Appended(version):
                    assert version == part.expected_version + count
                    for number, entry in enumerate(entries, part.expected_version + 1):
                        assert self.acknowledged.setdefault(number, entry) == entry
                    self.version = version
                case Conflict(version):
                    assert version != part.expected_version
                    self.version = version
                case Fenced(fence):
                    assert fence > part.fence
                case _:
                    raise AssertionError(result)


@settings(max_examples=150)
@given(scripts=st.lists(STEPS, min_size=2, max_size=4), together=st.booleans())
def test_racing_writers(store_url: str, scripts: list[list[Step]], together: bool) -> None:
    asyncio.run(race(store_url, scripts, together))


async def race(url: str, scripts: list[list[Step]], together: bool) -> None:
    match_id = f"race-{next(_match_ids)}-{id(scripts)}"
    shared = await connect(url)
    stores = [shared if together else await connect(url) for _ in scripts]
    await shared.create(match_id, labels=[], entries=[b"start"], owner="owner", lease_ms=60_000)
    writers = [Writer(s, match_id, name) for s, name in zip(stores, "abcd", strict=False)]
    await asyncio.gather(*(w.run(steps) for w, steps in zip(writers, scripts, strict=True)))
    journal = await shared.read(match_id)
    for store in {shared, *stores}:
        await store.close()
    acknowledged = {1: b"start"}
    for writer in writers:
        assert not acknowledged.keys() & writer.acknowledged.keys(), "one place given twice"
        acknowledged |= writer.acknowledged
    # Nothing got lost on the way here, so the journal is the acknowledged entries and no others.
    assert dict(enumerate(journal, 1)) == acknowledged
