"""Work that nobody waits for, done piece by piece in a small share of the event loop's time."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextvars import copy_context
from typing import Final, Generic, TypeVar

_SHARE: Final = 0.1
"""Of the time of the loop. What comes of a piece, its commit above all, takes as much again."""
_LONGEST_S: Final = 0.5
"""A piece that took longer than usual because the process was held up is not made up for."""

T = TypeVar("T")


class Spare(Generic[T]):
    """Does the pieces of work it is given one by one, and rests after each."""

    def __init__(self, work: Callable[[T], None]) -> None:
        self._work = work
        self._loop = asyncio.get_running_loop()
        self._context = copy_context()  # of no call, so that none is in the lines of its log
        self._pieces: deque[T] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._rested_at = 0.0

    def add(self, piece: T) -> None:
        """Do this when it is its turn."""
        self._pieces.append(piece)
        self._arm()

    def _arm(self) -> None:
        if self._timer is None and self._pieces:
            self._timer = self._loop.call_at(self._rested_at, self._next, context=self._context)

    def _next(self) -> None:
        self._timer = None
        began = self._loop.time()
        try:
            self._work(self._pieces.popleft())
        finally:
            now = self._loop.time()
            self._rested_at = now + min((now - began) * (1 / _SHARE - 1), _LONGEST_S)
            self._arm()
