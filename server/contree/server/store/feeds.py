"""Feeds of labels in the store: a `FeedStore` on the connections of a `RedisStore`.

Ids of items become tokens in watchers' hands: none is given away that a failover could take back.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from contree.server.store import keys
from contree.server.store.commands import Command, command
from contree.server.store.errors import FeedTrimmed
from contree.server.store.nodes import Nodes

_FOLLOW_AT_ONCE: Final = b"1000"
_START: Final = ("0", "0-0")
_FEED_ID: Final = re.compile(r"\d{1,19}(-\d{1,19})?", re.ASCII)


def is_feed_id(place: str) -> bool:
    """Whether an item of a feed can have this id."""
    return _FEED_ID.fullmatch(place) is not None


class RedisFeeds:
    """A `FeedStore`. It belongs to a `RedisStore` and lives as long."""

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes

    async def announce(self, items: Sequence[tuple[str, bytes]]) -> list[str]:
        """See `FeedStore.announce`."""
        labels = {label for label, _ in items}
        replies = await self._nodes.run_each(
            [_announce(self._feed(label), payload) for label, payload in items]
            + [_keep_feed(self._feed(label)) for label in labels],
            lasting=True,
        )
        return [item_id.decode() for item_id in replies[: len(items)]]

    async def updates(self, label: str, after: str, limit: int = 1000) -> list[tuple[str, bytes]]:
        """See `FeedStore.updates`."""
        _check_feed_id(after)
        feed, place = self._feed(label), after.encode()
        # Items go from the oldest on: as long as this one is there, so is all that came after it.
        there, items = await self._nodes.run_each(
            [
                command(b"XRANGE", feed, place, place),
                command(b"XRANGE", feed, b"(" + place, *(b"+", b"COUNT", b"%d" % limit)),
            ]
        )
        if not there and after not in _START:
            raise FeedTrimmed(label, after)
        if items:
            await self._nodes.settled(feed)
        return _items(items)

    async def follow(
        self, after: Mapping[str, str], wait_ms: int
    ) -> dict[str, list[tuple[str, bytes]]]:
        """See `FeedStore.follow`."""
        for place in after.values():
            _check_feed_id(place)
        if not after:
            return {}
        # BLOCK 0 would wait for ever, so not waiting is said by leaving it out.
        block = (b"BLOCK", b"%d" % wait_ms) if wait_ms > 0 else ()
        feeds = {self._feed(label): label for label in after}
        reply = await self._nodes.run(
            Command.of(
                next(iter(feeds)),
                *(b"XREAD", b"COUNT", _FOLLOW_AT_ONCE, *block, b"STREAMS", *feeds),
                *(place.encode() for place in after.values()),
            ),
            wait_s=max(wait_ms, 0) / 1000,
        )
        found = {feeds[feed]: _items(items) for feed, items in reply or ()}
        if found:
            # All feeds lie with one master, so that one of them speaks for all.
            await self._nodes.settled(next(iter(feeds)))
        return found

    async def newest(self, label: str) -> str:
        """See `FeedStore.newest`."""
        items = await self._nodes.run(
            command(b"XREVRANGE", self._feed(label), *(b"+", b"-", b"COUNT", b"1"))
        )
        if not items:
            return "0"
        await self._nodes.settled(self._feed(label))
        return str(items[0][0].decode())

    def _feed(self, label: str) -> bytes:
        return keys.feed(label, parts=self._nodes.parts)


def _check_feed_id(place: str) -> None:
    if not is_feed_id(place):
        raise ValueError(f"{place!r} is no id of a feed")


def _items(items: Sequence[Any]) -> list[tuple[str, bytes]]:
    return [(item_id.decode(), fields[1]) for item_id, fields in items]


def _announce(feed: bytes, payload: bytes) -> Command:
    cap = (b"MAXLEN", b"~", b"%d" % keys.FEED_LENGTH)
    return command(b"XADD", feed, *cap, b"*", b"p", payload)


def _keep_feed(feed: bytes) -> Command:
    return command(b"EXPIRE", feed, b"%d" % keys.FEED_EXPIRY_S)
