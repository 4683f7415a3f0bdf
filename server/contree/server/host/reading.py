"""The one budget of all that is read for hosts and spectators: play comes before it.

To fold a journal, to make the message of a match and to cut it for its reader takes the loop's
time, and whoever asks pays nothing for it. So all reads together work one at a time, in slices of
about a millisecond, and each in turn. While tables are in play, four times as long as was worked is
left to everything else. What waits for its turn is bounded, for each caller and for all of them.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextvars import ContextVar
from typing import Final

from contree.server.host.errors import TooManyReads

SLICE_S: Final = 0.001
"""Everything else has its turn after so long."""
_REST: Final = 4.0
"""How much longer than a slice everything else has, while tables are in play."""
_READS: Final = 256
"""Reads under way at once; a quarter of them for one caller."""
reading_for: ContextVar[str] = ContextVar("reading_for", default="")
"""The caller that a task reads for."""


class Slice:
    """The turn of one read."""

    __slots__ = ("_reading", "works")

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self.works = True
        """It has its turn; it has none where its wait for the next one was broken off."""

    async def breathe(self) -> None:
        """To be called after each small piece of work: lets others have their turn when it is
        time.
        """
        if self._reading.due:
            self._reading.end()
            self.works = False
            await self._reading.begin()
            self.works = True


class Reading:
    """Gives reads their turns."""

    def __init__(self, in_play: Callable[[], bool], *, limit: int = _READS) -> None:
        """``in_play`` tells whether tables are in play, ``limit`` how many reads there may be."""
        self._in_play = in_play
        self._limit = limit
        self._time = asyncio.get_running_loop().time
        self._turn = asyncio.Lock()
        self._began = 0.0
        self._ended = 0.0
        self._worked = 0.0
        """Since everything else had its turn."""
        self._under_way: Counter[str] = Counter()
        self.slices = 0
        """How often everything else was given its turn."""

    @contextlib.contextmanager
    def read(self) -> Iterator[None]:
        """Something is read meanwhile, in slices, for one caller. Raises TooManyReads."""
        who, under_way = reading_for.get(), self._under_way
        for limit, count in (
            (-(-self._limit // 4), under_way[who]),
            (self._limit, under_way.total()),
        ):
            if count >= limit:
                raise TooManyReads(limit)
        under_way[who] += 1
        try:
            yield
        finally:
            under_way[who] -= 1
            if not under_way[who]:
                del under_way[who]

    @contextlib.asynccontextmanager
    async def slice(self) -> AsyncIterator[Slice]:
        """Work for a moment once it is one's turn. Nothing else is to be waited for meanwhile."""
        await self.begin()
        mine = Slice(self)
        try:
            yield mine
        finally:
            if mine.works:
                self.end()

    @property
    def due(self) -> bool:
        """Whether those that work have had their time."""
        return self._worked + self._time() - self._began >= SLICE_S

    async def begin(self) -> None:
        """Wait for a turn; ``end`` must follow, unless this raises."""
        await self._turn.acquire()
        try:
            if self._worked >= SLICE_S:
                rest = _REST * self._worked if self._in_play() else 0.0
                self._worked = 0.0
                self.slices += 1
                await asyncio.sleep(max(0.0, self._ended + rest - self._time()))
        except BaseException:
            self._turn.release()
            raise
        self._began = self._time()

    def end(self) -> None:
        """The turn is over."""
        self._ended = self._time()
        self._worked += self._ended - self._began
        self._turn.release()
