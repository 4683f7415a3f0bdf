"""Putting away matches that cannot be read, while this server takes over what has no owner."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence

import pytest
from tests.host.conftest import WAIT_S, a_match

from contree.server.host import Host
from contree.server.match import Created, EndReason, create, encode_entry


async def test_a_match_that_is_being_taken_over_is_put_away_all_the_same(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both want its lease, and the second to have it has the only one that counts."""
    store = host.matches._store
    take = store.take
    asked, salvaged, taken = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def in_between(ids: Sequence[str], owner: str, lease_ms: int) -> dict[str, int]:
        """Whoever takes matches over comes second, if it may."""
        if not asked.is_set():
            asked.set()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(salvaged.wait(), 0.5)
            found = await take(ids, owner, lease_ms)
            taken.set()
            return found
        found = await take(ids, owner, lease_ms)
        salvaged.set()
        await taken.wait()
        return found

    monkeypatch.setattr(store, "take", in_between)
    spec = a_match()
    entries = [encode_entry(one) for one in create(Created(spec), 1).entries] + [b"\xff\xfe"]
    await store.create(spec.match_id, labels=(), entries=entries, owner="gone", lease_ms=1)
    async with asyncio.timeout(WAIT_S):
        await asked.wait()
        match = await host.matches.cancel(spec.match_id, "a bad disk")
        kept = await store.kept(spec.match_id)
    assert match is not None
    assert match.end is EndReason.INFRASTRUCTURE
    assert kept is not None
