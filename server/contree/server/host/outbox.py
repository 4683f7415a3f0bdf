"""A bounded list of messages with one reader, who takes all there is at once."""

from __future__ import annotations

import asyncio
from typing import Generic, TypeVar

T = TypeVar("T")


class Outbox(Generic[T]):
    """What is put in during one pass of the event loop is taken out together."""

    def __init__(self, limit: int) -> None:
        """``limit`` is how many messages may wait; one more closes the outbox."""
        self._limit = limit
        self._messages: list[T] = []
        self._past = 0
        """How many of them do not count, because they are old: see ``put``."""
        self._wake: asyncio.Future[None] | None = None
        self.closed = False
        """Nothing more is taken in; the reader gets what is there, then the end."""
        self.overflowed = False
        """The reader was too slow; what it had not read is dropped."""

    def put(self, message: T, *, past: bool = False) -> None:
        """Add a message; dropped when the outbox is closed.

        What is told again from the ``past`` comes all at once, however quick the reader: it does
        not count towards the limit, its length is that of a journal.
        """
        if self.closed:
            return
        self._past += past
        if len(self._messages) - self._past >= self._limit:
            self.overflowed = True
            self._messages.clear()
            self._past = 0
            self.close()
            return
        self._messages.append(message)
        self._notify()

    def close(self) -> None:
        """Take nothing more in."""
        self.closed = True
        self._notify()

    async def batch(self) -> list[T]:
        """Wait for messages and take all of them; empty at the end."""
        while not self._messages:
            if self.closed:
                return []
            self._wake = asyncio.get_running_loop().create_future()
            try:
                await self._wake
            finally:
                self._wake = None
        batch, self._messages, self._past = self._messages, [], 0
        return batch

    def _notify(self) -> None:
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)
