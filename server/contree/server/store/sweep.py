"""Sweeping: what is left in the indexes of matches that are gone is taken out, a little at a time.

An index may name a match that is not there: its creation was cut short, or its retention is over.
Whoever reads an index passes over such members; here they are removed. Nothing is removed on the
word of an earlier read alone: after a removal the match is looked for again, and a member whose
match came meanwhile is put back (creating a match writes the indexes before and after its journal).

A cursor is the name of an index and the last member looked at there. The index of live matches
comes first, then the labels in order.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple

from contree.server.store import keys
from contree.server.store.api import Swept
from contree.server.store.commands import Command, command

Run = Callable[[Sequence[Command]], Awaitable[list[Any]]]
"""Runs commands in one round trip and raises the first error."""


class _Place(NamedTuple):
    label: str
    """Empty for the index of live matches."""
    after: str


async def sweep(
    run: Run,
    cursor: str,
    *,
    limit: int,
    feed_s: int | None,
    feed: Callable[[str], bytes] = keys.feed,
) -> Swept:
    """See `MatchStore.sweep`. `feed` names the feed of a label."""
    place = _Place(*json.loads(cursor)) if cursor else _Place("", "")
    index = keys.label(place.label) if place.label else keys.LIVE
    members = await _page(run, index, place.after.encode(), limit)
    removed = await _remove_stale(run, index, members, live=not place.label)
    if len(members) == limit:
        return Swept(json.dumps([place.label, members[-1].decode()]), removed)
    if place.label:
        await _close_label(run, place.label, feed(place.label), feed_s)
    following = await _page(run, keys.LABELS, place.label.encode(), 1)
    return Swept(json.dumps([following[0].decode(), ""]) if following else "", removed)


async def _page(run: Run, index: bytes, after: bytes, limit: int) -> list[bytes]:
    start = b"(" + after if after else b"-"
    (members,) = await run(
        [command(b"ZRANGE", index, start, b"+", b"BYLEX", b"LIMIT", b"0", b"%d" % limit)]
    )
    return list(members)


async def _remove_stale(run: Run, index: bytes, members: list[bytes], *, live: bool) -> int:
    stale = [
        member
        for member, (journal, archive) in zip(members, await _exist(run, members), strict=True)
        if not journal and (live or not archive)
    ]
    if not stale:
        return 0
    # What is not live is not leased either; a match that is leaves the index of leases for a while
    # at most, for `reindex` looks after it.
    indexes = (keys.LIVE, keys.LEASES) if live else (index,)
    await run([command(b"ZREM", one, *stale) for one in indexes])
    # A match that came between the two reads is put back. One that is archived never goes on.
    back = [
        member
        for member, (journal, archive) in zip(stale, await _exist(run, stale), strict=True)
        if journal or (archive and not live)
    ]
    if back:
        await run([command(b"ZADD", index, *(part for one in back for part in (b"0", one)))])
    return len(stale) - len(back)


async def _exist(run: Run, members: Sequence[bytes]) -> list[tuple[int, int]]:
    """For each match whether it has a journal, and whether it has an archive."""
    ids = [member.decode() for member in members]
    # The journal first: a match that is archived between the two is seen in its archive.
    answers = await run(
        [
            command(b"EXISTS", key)
            for match_id in ids
            for key in (keys.journal(match_id), keys.archive(match_id))
        ]
    )
    return list(zip(answers[::2], answers[1::2], strict=True))


async def _close_label(run: Run, label: str, feed: bytes, feed_s: int | None) -> None:
    """Trim the feed of a label, and forget the label when nothing is left of it."""
    name = label.encode()
    if feed_s is not None:
        # Ids of items begin with the milliseconds of the store's clock.
        oldest = await _now_ms(run, feed) - feed_s * 1000
        await run([command(b"XTRIM", feed, b"MINID", b"~", b"%d" % max(0, oldest))])
    if any(await _left(run, label, feed)):
        return
    await run([command(b"ZREM", keys.LABELS, name)])
    if any(await _left(run, label, feed)):
        await run([command(b"ZADD", keys.LABELS, b"0", name)])


async def _left(run: Run, label: str, feed: bytes) -> list[Any]:
    return await run([command(b"ZCARD", keys.label(label)), command(b"EXISTS", feed)])


async def _now_ms(run: Run, key: bytes) -> int:
    """The clock of the node that holds a key."""
    ((seconds, micros),) = await run([Command.of(key, b"TIME")])
    return int(seconds) * 1000 + int(micros) // 1000
