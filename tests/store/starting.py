"""Matches as the store sees them: made, and archived. And what a plain client asks of all of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from redis.asyncio import RedisCluster

from contree.server.store import Created, Finish, FinishResult, RedisStore, StoreError

MINUTE = 60_000


async def start(store: RedisStore, match_id: str, *labels: str) -> Created:
    return await store.create(
        match_id, labels=labels, entries=[b"start"], owner="ann", lease_ms=MINUTE
    )


async def archive(
    store: RedisStore,
    match_id: str,
    fence: int = 1,
    entries: Sequence[bytes] = (b"start",),
    *,
    retain_s: int | None = None,
) -> FinishResult | StoreError:
    finish = Finish(match_id, fence, entries, b"the summary", b"the record")
    (result,) = await store.finish([finish], retain_s=retain_s)
    return result


async def taken(store: RedisStore, match_id: str, owner: str, lease_ms: int = MINUTE) -> int | None:
    """The fencing number of a lease that is taken, if it can be."""
    return (await store.take([match_id], owner, lease_ms)).get(match_id)


def masters(raw: object) -> dict[str, Any]:
    """For commands without a key: in a cluster they are for all masters."""
    return {"target_nodes": RedisCluster.PRIMARIES} if isinstance(raw, RedisCluster) else {}
