"""What waits to be said on one stream: bounded, with one reader, who takes all there is at once.

A frame costs far more than a message in it. So what nobody waits for (``put`` without ``hurry``)
goes out with the next message that somebody does, or after a few milliseconds.

Three kinds of messages, of which none can grow without end:

- ``put``: every message counts. One more than the limit, and the outbox overflows: it drops
  everything and its stream is to be cut.
- ``keep``: only the newest under its key is kept (the turn of a seat, the heartbeat). They do not
  count, for there are no more of them than keys.
- ``pull``: a source of messages from the past, which is asked for its next page only when the
  reader has taken all that was there. So a history takes no more room than a page.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, Generic, TypeVar

_LATER_S: Final = 0.02
"""How long a message without hurry waits for company."""

T = TypeVar("T")
Source = Callable[[], Awaitable[bool]]
"""Puts the next page of messages; False when it has no more."""


class Outbox(Generic[T]):
    """What is put in during one pass of the event loop is taken out together."""

    __slots__ = (
        "_free",
        "_hurry",
        "_later",
        "_limit",
        "_messages",
        "_number",
        "_on_close",
        "_pulling",
        "_sources",
        "_wake",
        "closed",
        "overflowed",
    )

    def __init__(self, limit: int, on_close: Callable[[], None] = lambda: None) -> None:
        """``limit`` is how many messages may wait; ``on_close`` is called when it is closed."""
        self._limit = limit
        self._on_close = on_close
        self._messages: dict[int, T] = {}
        """In the order in which they go out: by number, or by the negative of a key."""
        self._number = 0
        self._free = 0
        """How many of them do not count."""
        self._sources: tuple[Source, ...] = ()
        self._pulling: asyncio.Task[None] | None = None
        self._wake: asyncio.Future[None] | None = None
        self._hurry = False
        """Something waits that is to go out at once."""
        self._later: asyncio.TimerHandle | None = None
        self.closed = False
        """Nothing more is taken in; the reader gets what is there, then the end."""
        self.overflowed = False
        """The reader was too slow; what it had not read is dropped."""

    def __len__(self) -> int:
        """How many messages wait."""
        return len(self._messages)

    @property
    def half_full(self) -> bool:
        """Half of what may wait does."""
        return 2 * (len(self._messages) - self._free) >= self._limit

    def put(self, message: T, *, past: bool = False, hurry: bool = True) -> None:
        """Add a message; dropped when the outbox is closed. What a source puts is ``past``: it does
        not count, for there is no more of it than a page. Without ``hurry`` it may wait a little.
        """
        if self.closed:
            return
        messages = self._messages
        if past:
            self._free += 1
        elif len(messages) - self._free >= self._limit:
            self.overflow()
            return
        self._number += 1
        messages[self._number] = message
        if hurry:
            self._notify()
        elif self._later is None and not self._hurry:
            self._later = asyncio.get_running_loop().call_later(_LATER_S, self._notify)

    def keep(self, key: int, message: T) -> None:
        """Add a message in place of the one with the same key (from 1), if that still waits."""
        if self.closed:
            return
        messages = self._messages
        if messages.pop(-key, None) is None:
            self._free += 1
        messages[-key] = message
        self._notify()

    def withdraw(self, key: int) -> None:
        """Take the message with this key back, if it still waits."""
        if self._messages.pop(-key, None) is not None:
            self._free -= 1

    def pull(self, source: Source) -> None:
        """Take messages from a source, page by page, whenever nothing else waits."""
        if not self.closed:
            self._sources += (source,)
            self._notify()

    def overflow(self) -> None:
        """The reader is too slow: drop everything, and end."""
        if self.overflowed or self.closed:
            return
        self.overflowed = True
        self._clear()
        self.close()

    def close(self) -> None:
        """Take nothing more in."""
        if self.closed:
            return
        self.closed = True
        self._sources = ()
        if self._pulling is not None:
            self._pulling.cancel()
        self._notify()
        self._on_close()

    async def batch(self) -> list[T]:
        """Wait for messages and take all of them; empty at the end."""
        if self._sources:
            self._start_pulling()
        while not (self._hurry and self._messages):
            if self.closed:
                break
            if self._sources:
                self._start_pulling()
            if not self._messages:
                # What was in a hurry is withdrawn, or there was nothing to be said.
                self._hurry = False
            self._wake = asyncio.get_running_loop().create_future()
            try:
                await self._wake
            finally:
                self._wake = None
        batch = list(self._messages.values())
        self._clear()
        return batch

    def _start_pulling(self) -> None:
        if self._pulling is None:
            self._pulling = asyncio.get_running_loop().create_task(self._pull())

    async def _pull(self) -> None:
        """Ask the next source, and more of them until there is something to say."""
        try:
            while self._sources:
                source, *others = self._sources
                self._sources = tuple(others)
                if await source():
                    self._sources += (source,)
                if self._messages:
                    break
        finally:
            self._pulling = None
            self._notify()

    def _clear(self) -> None:
        self._messages.clear()
        self._free = 0
        self._hurry = False
        if self._later is not None:
            self._later.cancel()
            self._later = None

    def _notify(self) -> None:
        self._hurry = True
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)
