"""The match store on the Redis protocol: Redis 7, Valkey 7.2 and newer."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from contree.server.store import keys
from contree.server.store.api import (
    Append,
    Appended,
    AppendResult,
    Conflict,
    Created,
    Fenced,
)
from contree.server.store.api_keys import RedisKeys
from contree.server.store.errors import MatchNotFound, StoreError
from contree.server.store.node import (
    ACQUIRE,
    APPEND,
    CREATE,
    EXPIRED,
    FINISH,
    LEASED,
    PING,
    RELEASE,
    RENEW,
    Command,
    Node,
    command,
)
from contree.server.store.settings import StoreSettings

_FOLLOW_AT_ONCE = b"1000"
_FEED_ID = re.compile(r"\d{1,19}(-\d{1,19})?", re.ASCII)


async def connect(where: str | StoreSettings) -> RedisStore:
    """Connect to the store at a URL. Raises `BadStoreUrl`, `StoreUnavailable`, `StoreRefused`."""
    settings = StoreSettings.from_url(where) if isinstance(where, str) else where
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
        self._node = Node(settings)
        self.api_keys = RedisKeys(self._node)

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
        # The indexes come first, so that no crash leaves a match that none of them names.
        await self._run_each(
            [
                _leased(b"NX", lease_ms, [match_id]),
                *(
                    command(b"ZADD", index, b"0", member)
                    for index in (keys.LIVE, *map(keys.label, labels))
                ),
            ]
        )
        outcome = await self._node.run(
            CREATE.call(
                (keys.journal(match_id), keys.lease(match_id), keys.record(match_id)),
                owner.encode(),
                b"%d" % lease_ms,
                secrets.token_bytes(8),
                *entries,
            )
        )
        if outcome == b"created":
            return Created(True, 1)
        if outcome == b"finished":
            await self._run_each(_forget([match_id]))
        return Created(False, 0)

    async def append(self, group: Sequence[Append]) -> list[AppendResult | StoreError]:
        """See `MatchStore.append`."""
        if not group:
            return []
        call = APPEND.call
        replies = await self._node.run_all(
            [
                call(
                    (keys.journal(match_id), keys.lease(match_id)),
                    b"%d" % expected_version,
                    b"%d" % fence,
                    *entries,
                )
                for match_id, expected_version, fence, entries in group
            ]
        )
        return [
            Appended(reply) if type(reply) is int else _refusal(part.match_id, reply)
            for part, reply in zip(group, replies, strict=True)
        ]

    async def read(self, match_id: str, after: int = 0, *, limit: int | None = None) -> list[bytes]:
        """See `MatchStore.read`."""
        journal = keys.journal(match_id)
        count = () if limit is None else (b"COUNT", b"%d" % limit)
        items = await self._node.run(
            command(b"XRANGE", journal, b"%d-0" % (after + 1), b"+", *count)
        )
        # A journal has its first entry from the moment it exists: none at all means that there was
        # no journal when it was read, whatever became of it since.
        if not items and not (after and await self._node.run(command(b"EXISTS", journal))):
            raise MatchNotFound(match_id)
        return [fields[1] for _, fields in items]

    async def acquire(self, match_id: str, owner: str, lease_ms: int) -> int | None:
        """See `MatchStore.acquire`."""
        if not owner:
            raise ValueError("a lease needs an owner")
        outcome = await self._node.run(
            ACQUIRE.call(
                (keys.journal(match_id), keys.lease(match_id)), owner.encode(), b"%d" % lease_ms
            )
        )
        if outcome == b"missing":
            raise MatchNotFound(match_id)
        if outcome == b"held":
            return None
        await self._node.run(_leased(b"XX", lease_ms, [match_id]))
        return int(outcome)

    async def take(self, match_ids: Sequence[str], owner: str, lease_ms: int) -> dict[str, int]:
        """See `MatchStore.take`."""
        who, how_long = owner.encode(), b"%d" % lease_ms
        outcomes = await self._run_each(
            [
                ACQUIRE.call((keys.journal(match_id), keys.lease(match_id)), who, how_long)
                for match_id in match_ids
            ]
        )
        found = dict(zip(match_ids, outcomes, strict=True))
        taken = {one: fence for one, fence in found.items() if isinstance(fence, int)}
        # Their creation was cut short, or they are no longer retained.
        gone = [one.encode() for one, outcome in found.items() if outcome == b"missing"]
        noted = [_leased(b"XX", lease_ms, list(taken))] if taken else []
        if gone:
            noted.append(command(b"ZREM", keys.LEASES, *gone))
        await self._run_each(noted)
        return taken

    async def renew(self, owner: str, leases: Mapping[str, int], lease_ms: int) -> list[str]:
        """See `MatchStore.renew`."""
        who, how_long = owner.encode(), b"%d" % lease_ms
        if not leases:
            return []
        *kept, _ = await self._run_each(
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
        await self._run_each(
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
        members = await self._node.run(EXPIRED.call((keys.LEASES,), b"%d" % limit))
        return [member.decode() for member in members]

    async def reindex(self) -> int:
        """See `MatchStore.reindex`."""
        after, added = "", 0
        while page := await self.live(after=after):
            after = page[-1]
            members = [match_id.encode() for match_id in page]
            known = await self._node.run(command(b"ZMSCORE", keys.LEASES, *members))
            missing = [one for one, score in zip(page, known, strict=True) if score is None]
            if missing:
                await self._node.run(_leased(b"NX", 0, missing))
                added += len(missing)
        return added

    async def finish(self, match_id: str, record: bytes, *, retain_s: int | None) -> None:
        """See `MatchStore.finish`."""
        found = await self._node.run(_finish(match_id, record, retain_s))
        # Also when there is no journal: the index may still name what is left of the match.
        await self._run_each(_forget([match_id]))
        if not found:
            raise MatchNotFound(match_id)

    async def record(self, match_id: str) -> bytes | None:
        """See `MatchStore.record`."""
        record: bytes | None = await self._node.run(command(b"GET", keys.record(match_id)))
        return record

    async def live(self, *, after: str = "", limit: int = 1000) -> list[str]:
        """See `MatchStore.live`."""
        return await self._page(keys.LIVE, after, limit)

    async def matches(self, label: str, *, after: str = "", limit: int = 100) -> list[str]:
        """See `MatchStore.matches`."""
        return await self._page(keys.label(label), after, limit)

    async def conclude(
        self,
        finished: Mapping[str, bytes],
        announced: Sequence[tuple[str, bytes]],
        *,
        retain_s: int | None,
    ) -> None:
        """See `MatchStore.conclude`."""
        commands = [_finish(match_id, record, retain_s) for match_id, record in finished.items()]
        # The live index lets go of a match only after it has its record.
        commands += _forget(list(finished))
        commands += [_announce(label, payload) for label, payload in announced]
        commands += [_keep_feed(label) for label in {label for label, _ in announced}]
        await self._run_each(commands)

    async def announce(self, label: str, payload: bytes) -> str:
        """See `MatchStore.announce`."""
        item_id, _ = await self._run_each([_announce(label, payload), _keep_feed(label)])
        return str(item_id.decode())

    async def follow(self, label: str, after: str, wait_ms: int) -> list[tuple[str, bytes]]:
        """See `MatchStore.follow`."""
        if not _FEED_ID.fullmatch(after):
            raise ValueError(f"{after!r} is no id of a feed")
        # BLOCK 0 would wait for ever, so not waiting is said by leaving it out.
        block = (b"BLOCK", b"%d" % wait_ms) if wait_ms > 0 else ()
        feed = keys.feed(label)
        reply = await self._node.run(
            Command.of(
                feed, b"XREAD", b"COUNT", _FOLLOW_AT_ONCE, *block, b"STREAMS", feed, after.encode()
            ),
            wait_s=max(wait_ms, 0) / 1000,
        )
        return [(i.decode(), fields[1]) for i, fields in reply[0][1]] if reply else []

    async def remember(self, request_id: str, match_id: str, ttl_s: int) -> str:
        """See `MatchStore.remember`."""
        bound: bytes | None = await self._node.run(
            command(
                b"SET",
                keys.request(request_id),
                match_id.encode(),
                *(b"NX", b"GET", b"EX", b"%d" % ttl_s),
            )
        )
        return match_id if bound is None else bound.decode()

    async def disclose(self, group: str) -> None:
        """See `MatchStore.disclose`."""
        await self._node.run(command(b"SET", keys.disclosed(group), b"1"))

    async def disclosed(self, group: str) -> bool:
        """See `MatchStore.disclosed`."""
        return bool(await self._node.run(command(b"EXISTS", keys.disclosed(group))))

    async def ping(self) -> None:
        """See `MatchStore.ping`."""
        await self._node.run(PING)

    async def close(self) -> None:
        """See `MatchStore.close`."""
        await self._node.close()

    async def _run_each(self, commands: Sequence[Command]) -> list[Any]:
        """Run commands in one round trip; raises the first error."""
        replies = await self._node.run_all(commands) if commands else []
        for reply in replies:
            if isinstance(reply, StoreError):
                raise reply
        return replies

    async def _page(self, index: bytes, after: str, limit: int) -> list[str]:
        if limit < 1:
            raise ValueError("a page has at least one match")
        # All scores are 0, so the index is in the order of its bytes.
        start = b"(" + after.encode() if after else b"-"
        members = await self._node.run(
            command(b"ZRANGE", index, start, b"+", *(b"BYLEX", b"LIMIT", b"0", b"%d" % limit))
        )
        return [member.decode() for member in members]


def _finish(match_id: str, record: bytes, retain_s: int | None) -> Command:
    if retain_s is not None and retain_s <= 0:
        raise ValueError("a match is retained for at least one second")
    return FINISH.call(
        (keys.journal(match_id), keys.lease(match_id), keys.record(match_id)),
        record,
        b"" if retain_s is None else b"%d" % retain_s,
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


def _announce(label: str, payload: bytes) -> Command:
    cap = (b"MAXLEN", b"~", b"%d" % keys.FEED_LENGTH)
    return command(b"XADD", keys.feed(label), *cap, b"*", b"p", payload)


def _keep_feed(label: str) -> Command:
    return command(b"EXPIRE", keys.feed(label), b"%d" % keys.FEED_EXPIRY_S)


def _refusal(match_id: str, reply: Any) -> Conflict | Fenced | StoreError:
    """What an append that was not written means."""
    if isinstance(reply, StoreError):
        return reply
    if reply[0] == b"conflict":
        return Conflict(reply[1])
    if reply[0] == b"fenced":
        return Fenced(reply[1])
    return MatchNotFound(match_id)
