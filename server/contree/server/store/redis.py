"""The match store on the Redis protocol: Redis 7, Valkey 7.2 and newer, also as a cluster.

Here are journals, leases, archives and their indexes; `feeds`, `registry` and `api_keys` are parts
of it, on the same connections.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from contree.server.store import archive, keys, sweep
from contree.server.store.api import (
    Append,
    Appended,
    AppendResult,
    Archived,
    Conflict,
    Created,
    Fenced,
    Finish,
    FinishResult,
    Kept,
    Look,
    Swept,
)
from contree.server.store.api_keys import RedisKeys
from contree.server.store.cluster import Cluster
from contree.server.store.commands import (
    ACQUIRE,
    APPEND,
    CREATE,
    EXPIRED,
    FINISH,
    HOLD,
    LEASED,
    RELEASE,
    RENEW,
    Command,
    command,
)
from contree.server.store.errors import MatchNotFound, StoreError
from contree.server.store.feeds import RedisFeeds
from contree.server.store.inboxes import RedisInboxes
from contree.server.store.node import Node
from contree.server.store.nodes import Nodes
from contree.server.store.registry import RedisRegistry
from contree.server.store.settings import StoreSettings
from contree.server.store.unmoved import RedisUnmoved

_LONG = 4096
"""Entries that are too many to be compressed while others wait."""


async def connect(where: str | StoreSettings, *, replicas: int = 0) -> RedisStore:
    """Connect to the store at a URL. `replicas` is for a URL only: see `StoreSettings`.

    Raises `BadStoreUrl`, `StoreUnavailable`, `StoreRefused`.
    """
    settings = StoreSettings.from_url(where, replicas) if isinstance(where, str) else where
    store = RedisStore(settings)
    try:
        await store.ping()
    except BaseException:
        await store.close()
        raise
    return store


class RedisStore:
    """A `MatchStore`. Make one with `connect`; it owns its connections until `close`."""

    def __init__(self, settings: StoreSettings) -> None:
        self._settings = settings
        self._nodes = _nodes(settings)
        self.feeds = RedisFeeds(self._nodes)
        self.registry = RedisRegistry(self._nodes)
        self.api_keys = RedisKeys(self._nodes)
        self.inboxes = RedisInboxes(self._nodes, _nodes(settings))
        self.unmoved = RedisUnmoved(self._nodes)

    @property
    def parts(self) -> bool:
        """See `MatchStore.parts`."""
        return self._nodes.parts

    def __repr__(self) -> str:
        return f"RedisStore({self._settings.endpoint!r})"

    async def create(
        self,
        match_id: str,
        *,
        labels: Sequence[str],
        entries: Sequence[bytes],
        owner: str,
        lease_ms: int,
    ) -> Created:
        """See `MatchStore.create`."""
        if not (match_id and owner and entries and all(labels)):
            raise ValueError("a match is created with an id, an owner, entries and no empty label")
        member = match_id.encode()
        # The indexes come first, so that no crash leaves a match that none of them names. And once
        # more after the journal: a sweep that took the new member for a stale one cannot have it
        # away for good.
        named = [
            _leased(b"NX", lease_ms, [match_id]),
            *(
                command(b"ZADD", index, b"0", name)
                for index, name in (
                    (keys.LIVE, member),
                    *((keys.label(label), member) for label in labels),
                    *((keys.LABELS, label.encode()) for label in labels),
                )
            ),
        ]
        await self._nodes.run_each(named)
        make = CREATE.call(
            (keys.journal(match_id), keys.lease(match_id), keys.archive(match_id)),
            owner.encode(),
            b"%d" % lease_ms,
            secrets.token_bytes(8),
            *entries,
        )
        outcome, *_ = await self._nodes.run_in_turn([make], named, lasting=True)
        if outcome == b"created":
            return Created(True, 1)
        if outcome == b"finished":
            await self._nodes.run_each(_forget([match_id]))
        return Created(False, 0)

    async def append(self, group: Sequence[Append]) -> list[AppendResult | StoreError]:
        """See `MatchStore.append`."""
        if not group:
            return []
        call = APPEND.call
        replies = await self._nodes.run_all(
            [
                call(
                    (keys.journal(match_id), keys.lease(match_id)),
                    b"%d" % expected_version,
                    b"%d" % fence,
                    *entries,
                )
                for match_id, expected_version, fence, entries in group
            ],
            lasting=True,
        )
        return [
            Appended(reply) if type(reply) is int else _refusal(part.match_id, reply)
            for part, reply in zip(group, replies, strict=True)
        ]

    async def read(self, match_id: str, after: int = 0, *, limit: int | None = None) -> list[bytes]:
        """See `MatchStore.read`."""
        items = await self._nodes.run(_range(match_id, after, limit))
        if items:
            return [fields[1] for _, fields in items]
        # A journal has its first entry from the moment it exists, and never comes back once it is
        # archived: none at all means that there was no journal when it was read.
        if after and await self._nodes.run(command(b"EXISTS", keys.journal(match_id))):
            return []
        return await self._archived(match_id, after, limit)

    async def _archived(self, match_id: str, after: int, limit: int | None) -> list[bytes]:
        """Entries of an archived match."""
        entries: list[bytes] = []
        wanted = limit
        while True:
            part = archive.chunk_of(after)
            value, version = await self._nodes.run(
                command(b"HMGET", keys.archive(match_id), part, archive.VERSION)
            )
            if version is None:
                raise MatchNotFound(match_id)
            if value is None:
                return entries
            found = archive.unpacked(value)[after % archive.CHUNK :][:wanted]
            entries += found
            after += len(found)
            wanted = None if limit is None else limit - len(entries)
            if not found or wanted == 0 or after >= int(version):
                return entries

    async def look(
        self, match_ids: Sequence[str], *, after: Mapping[str, int] | None = None, limit: int = 1024
    ) -> list[Look]:
        """See `MatchStore.look`."""
        places = [(after or {}).get(match_id, 0) for match_id in match_ids]
        # The journal first: a match that is archived between the two is seen in its archive.
        replies = await self._nodes.run_each(
            [
                part
                for match_id, place in zip(match_ids, places, strict=True)
                for part in (
                    command(b"XLEN", keys.journal(match_id)),
                    _range(match_id, place, limit),
                    command(b"HGET", keys.archive(match_id), archive.SUMMARY),
                )
            ]
        )
        return [
            Look(None, version, place, [fields[1] for _, fields in items])
            if summary is None
            else Look(archive.text(summary), 0, place, [])
            for version, items, summary, place in zip(
                replies[::3], replies[1::3], replies[2::3], places, strict=True
            )
        ]

    async def take(self, match_ids: Sequence[str], owner: str, lease_ms: int) -> dict[str, int]:
        """See `MatchStore.take`."""
        if not owner:
            raise ValueError("a lease needs an owner")
        who, how_long = owner.encode(), b"%d" % lease_ms
        outcomes = await self._nodes.run_each(
            [
                ACQUIRE.call((keys.journal(match_id), keys.lease(match_id)), who, how_long)
                for match_id in match_ids
            ],
            lasting=True,
        )
        found = dict(zip(match_ids, outcomes, strict=True))
        taken = {one: fence for one, fence in found.items() if isinstance(fence, int)}
        # Their creation was cut short, or they are no longer retained.
        gone = [one.encode() for one, outcome in found.items() if outcome == b"missing"]
        noted = [_leased(b"XX", lease_ms, list(taken))] if taken else []
        if gone:
            noted.append(command(b"ZREM", keys.LEASES, *gone))
        await self._nodes.run_each(noted)
        return taken

    async def renew(self, owner: str, leases: Mapping[str, int], lease_ms: int) -> list[str]:
        """See `MatchStore.renew`."""
        who, how_long = owner.encode(), b"%d" % lease_ms
        if not leases:
            return []
        *kept, _ = await self._nodes.run_each(
            [
                *(
                    RENEW.call((keys.lease(match_id),), who, b"%d" % fence, how_long)
                    for match_id, fence in leases.items()
                ),
                _leased(b"XX", lease_ms, list(leases)),
            ]
        )
        return [match_id for match_id, ok in zip(leases, kept, strict=True) if not ok]

    async def release(self, leases: Mapping[str, int]) -> None:
        """See `MatchStore.release`."""
        if not leases:
            return
        await self._nodes.run_each(
            [
                *(
                    RELEASE.call((keys.lease(match_id),), b"%d" % fence)
                    for match_id, fence in leases.items()
                ),
                _leased(b"XX", 0, list(leases)),
            ]
        )

    async def expired(self, limit: int = 100) -> list[str]:
        """See `MatchStore.expired`."""
        members = await self._nodes.attended(EXPIRED.call((keys.LEASES,), b"%d" % limit))
        return [member.decode() for member in members]

    async def reindex(self) -> int:
        """See `MatchStore.reindex`."""
        after, added = "", 0
        while page := await self.live(after=after):
            after = page[-1]
            members = [match_id.encode() for match_id in page]
            known = await self._nodes.run(command(b"ZMSCORE", keys.LEASES, *members))
            missing = [one for one, score in zip(page, known, strict=True) if score is None]
            if missing:
                await self._nodes.run(_leased(b"NX", 0, missing))
                added += len(missing)
        return added

    async def finish(
        self, group: Sequence[Finish], *, retain_s: int | None
    ) -> list[FinishResult | StoreError]:
        """See `MatchStore.finish`."""
        if retain_s is not None and retain_s <= 0:
            raise ValueError("a match is retained for at least one second")
        commands = [
            await asyncio.to_thread(_finish, part, retain_s)
            if len(part.entries) > _LONG
            else _finish(part, retain_s)
            for part in group
        ]
        replies = await self._nodes.run_all(commands, lasting=True)
        results = [_finished(part, reply) for part, reply in zip(group, replies, strict=True)]
        # The indexes of the unfinished let go of a match only after it has its archive, and of one
        # that is gone. Where they could not be told, the whole of it is to be tried again.
        done = [isinstance(result, Archived | MatchNotFound) for result in results]
        forget = _forget([part.match_id for part, over in zip(group, done, strict=True) if over])
        told = await self._nodes.run_all(forget) if forget else []
        failure = next((reply for reply in told if isinstance(reply, StoreError)), None)
        if failure is None:
            return results
        return [failure if over else result for result, over in zip(results, done, strict=True)]

    async def kept(self, match_id: str) -> Kept | None:
        """See `MatchStore.kept`."""
        summary, record = await self._nodes.run(
            command(b"HMGET", keys.archive(match_id), archive.SUMMARY, archive.RECORD)
        )
        return None if summary is None else Kept(archive.text(summary), archive.text(record))

    async def live(self, *, after: str = "", limit: int = 1000) -> list[str]:
        """See `MatchStore.live`."""
        return await self._page(keys.LIVE, after, limit)

    async def matches(self, label: str, *, after: str = "", limit: int = 100) -> list[str]:
        """See `MatchStore.matches`."""
        return await self._page(keys.label(label), after, limit)

    async def may_sweep(self, owner: str, lease_ms: int) -> bool:
        """See `MatchStore.may_sweep`."""
        held = await self._nodes.run(HOLD.call((keys.SWEEPER,), owner.encode(), b"%d" % lease_ms))
        return bool(held)

    async def sweep(self, cursor: str, *, limit: int, feed_s: int | None) -> Swept:
        """See `MatchStore.sweep`."""
        return await sweep.sweep(
            self._nodes.run_each,
            cursor,
            limit=limit,
            feed_s=feed_s,
            feed=partial(keys.feed, parts=self._nodes.parts),
        )

    async def ping(self) -> None:
        """See `MatchStore.ping`."""
        await self._nodes.ping()

    async def probe(self) -> None:
        """See `MatchStore.probe`."""
        await self._nodes.probe()

    async def close(self) -> None:
        """See `MatchStore.close`."""
        await self._nodes.close()
        await self.inboxes.close()

    async def _page(self, index: bytes, after: str, limit: int) -> list[str]:
        if limit < 1:
            raise ValueError("a page has at least one match")
        # All scores are 0, so the index is in the order of its bytes.
        start = b"(" + after.encode() if after else b"-"
        members = await self._nodes.run(
            command(b"ZRANGE", index, start, b"+", *(b"BYLEX", b"LIMIT", b"0", b"%d" % limit))
        )
        return [member.decode() for member in members]


def _nodes(settings: StoreSettings) -> Nodes:
    return Cluster(settings) if settings.cluster else Node(settings)


def _range(match_id: str, after: int, limit: int | None) -> Command:
    count = () if limit is None else (b"COUNT", b"%d" % limit)
    return command(b"XRANGE", keys.journal(match_id), b"%d-0" % (after + 1), b"+", *count)


def _finish(part: Finish, retain_s: int | None) -> Command:
    return FINISH.call(
        (keys.journal(part.match_id), keys.lease(part.match_id), keys.archive(part.match_id)),
        b"%d" % part.fence,
        b"%d" % len(part.entries),
        part.entries[-1],
        b"" if retain_s is None else b"%d" % retain_s,
        *archive.fields(part.entries, part.summary, part.record),
    )


def _leased(which: bytes, lease_ms: int, match_ids: Sequence[str]) -> Command:
    """Note when leases end; `which` is NX for what the index does not name, XX for what it does.

    A lease that is noted again must not bring back a match that was finished meanwhile.
    """
    members = [match_id.encode() for match_id in match_ids]
    return LEASED.call((keys.LEASES,), which, b"%d" % lease_ms, *members)


def _forget(match_ids: Sequence[str]) -> list[Command]:
    """Take finished matches out of the indexes of the unfinished."""
    members = [match_id.encode() for match_id in match_ids]
    return [command(b"ZREM", index, *members) for index in (keys.LIVE, keys.LEASES) if members]


def _finished(part: Finish, reply: Any) -> FinishResult | StoreError:
    """What the answer to a finish means."""
    if not isinstance(reply, StoreError) and reply[0] == b"archived":
        return Archived()
    return _refusal(part.match_id, reply)


def _refusal(match_id: str, reply: Any) -> Conflict | Fenced | StoreError:
    """What it means that nothing was written."""
    if isinstance(reply, StoreError):
        return reply
    if reply[0] == b"conflict":
        return Conflict(reply[1])
    if reply[0] == b"fenced":
        return Fenced(reply[1])
    return MatchNotFound(match_id)
