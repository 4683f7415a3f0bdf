"""Where streams speak that say much of no use: answers that are replayed, stale or made up.

None of it is limited, for among it may be a move that is owed. But it is taken in small slices, of
one such stream at a time, and while tables are in play more time is left to everything else than
was spent on it. So it is the stream itself that waits, however many there are.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Final

SLICE: Final = 16
"""Messages that are taken in one go."""
_REST: Final = 4.0
"""How much longer than a slice everything else has."""


class PenaltyBox:
    """Gives wasteful streams their turns."""

    def __init__(self, in_play: Callable[[], bool]) -> None:
        self._in_play = in_play
        self._time = asyncio.get_running_loop().time
        self._turn = asyncio.Lock()

    @contextlib.asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Take one slice, when it is one's turn."""
        async with self._turn:
            began = self._time()
            yield
            worked = self._time() - began
            await asyncio.sleep(_REST * worked if self._in_play() else 0.0)
