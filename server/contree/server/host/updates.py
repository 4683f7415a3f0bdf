"""All matches of a label, followed by many: one task reads the feeds of all labels that are watched
here, and gives what comes to each watcher.

A watcher reads what it has missed from the store by itself, page by page, as fast as its reader
takes it. Once it is up to date, what is new is put before it by the task. What waits for it there
is bounded: one that is too slow loses what waits and reads from its place again. So a watcher costs
no connection, and a slow one no memory. A place (resume token) is the id of an item: it means the
same to every server, before and after a restart.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Sequence
from typing import Final

import structlog

from contree.server.store import FeedStore, StoreError

_WAIT_MS: Final = 5_000
_KEEPALIVE_S: Final = 5.0
_RETRY_S: Final = 0.2
_PAGE: Final = 100
"""Items read by a watcher in one round trip."""
_QUEUE: Final = 256
"""Items that may wait for a watcher."""
_log = structlog.get_logger(__name__)

Item = tuple[str, bytes]


class Updates:
    """Follows the feeds of labels for those who watch them."""

    def __init__(self, store: FeedStore) -> None:
        self._store = store
        self._places: dict[str, str] = {}
        """The newest item of each watched label that was given to its watchers."""
        self._watchers: dict[str, set[_Watcher]] = {}
        self._more = asyncio.Event()
        """A label is watched that was not."""

    async def watch(self, label: str, after: str) -> AsyncGenerator[Item, None]:
        """The items of a label's feed after one: (id, payload); (id, b"") as a keepalive.

        Raises `FeedTrimmed` where the item is not in the feed any more.
        """
        watcher = await self._join(label)
        try:
            while True:
                watcher.rewind()
                while page := await self._store.updates(label, after, _PAGE):
                    for item_id, payload in page:
                        after = item_id
                        yield item_id, payload
                while not watcher.behind:
                    batch = await watcher.batch(_KEEPALIVE_S)
                    if not batch and not watcher.behind:
                        yield after, b""
                    for item_id, payload in batch:
                        if _comes_after(item_id, after):
                            after = item_id
                            yield item_id, payload
        finally:
            self._leave(label, watcher)

    async def run(self) -> None:
        """Follow until cancelled."""
        while True:
            self._more.clear()
            if not self._places:
                await self._more.wait()
                continue
            try:
                await self._follow()
            except StoreError as error:
                _log.warning("feeds_unavailable", error=str(error))
                # They find out by themselves, each from its place.
                for watchers in self._watchers.values():
                    for watcher in watchers:
                        watcher.fall_behind()
                await asyncio.sleep(_RETRY_S)

    async def _follow(self) -> None:
        """Wait for the next items, until there are some or another label is to be followed."""
        reading = asyncio.ensure_future(self._store.follow(dict(self._places), _WAIT_MS))
        joining = asyncio.ensure_future(self._more.wait())
        try:
            await asyncio.wait((reading, joining), return_when=asyncio.FIRST_COMPLETED)
        finally:
            joining.cancel()
            if not reading.done():
                reading.cancel()
                # Not awaited itself: a cancellation of this task meanwhile must not pass for its.
                await asyncio.wait((reading,))
        if reading.cancelled():
            return
        for label, items in reading.result().items():
            if items and label in self._places:
                self._places[label] = items[-1][0]
                for watcher in self._watchers[label]:
                    watcher.put(items)

    async def _join(self, label: str) -> _Watcher:
        watcher = _Watcher()
        if label not in self._places:
            newest = await self._store.newest(label)
            if label not in self._places:
                self._places[label] = newest
                self._more.set()
        self._watchers.setdefault(label, set()).add(watcher)
        return watcher

    def _leave(self, label: str, watcher: _Watcher) -> None:
        watchers = self._watchers[label]
        watchers.discard(watcher)
        if not watchers:
            del self._watchers[label]
            del self._places[label]


class _Watcher:
    """What waits for one watcher."""

    def __init__(self) -> None:
        self._items: list[Item] = []
        self._wake = asyncio.Event()
        self.behind = False
        """It has missed something, and must read from its place."""

    def put(self, items: Sequence[Item]) -> None:
        """Add what came; a watcher that is too slow keeps nothing."""
        if self.behind:
            return
        if len(self._items) + len(items) > _QUEUE:
            self.fall_behind()
        else:
            self._items += items
            self._wake.set()

    def fall_behind(self) -> None:
        """Let it read from its place."""
        self.behind = True
        self._items.clear()
        self._wake.set()

    def rewind(self) -> None:
        """It is about to read from its place: what comes from here on is kept for it."""
        self.behind = False
        self._items.clear()
        self._wake.clear()

    async def batch(self, wait_s: float) -> list[Item]:
        """All that waits; empty when nothing came in time, or when it has fallen behind."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(wait_s):
                await self._wake.wait()
        self._wake.clear()
        items, self._items = self._items, []
        return items


def _comes_after(item_id: str, other: str) -> bool:
    return _order(item_id) > _order(other)


def _order(item_id: str) -> tuple[int, int]:
    time, _, number = item_id.partition("-")
    return int(time), int(number or 0)
