"""How long a group waits for more before it goes to the store.

A group costs a round trip whatever its size, and while one is under way the next gathers, so that
under load groups grow by themselves. Where much comes, one waits besides, for a moment; what comes
alone never does.
"""

from __future__ import annotations

import asyncio
from typing import Final

_WAIT_S: Final = 0.001
"""How long a group waits for more."""
_MANY: Final = 4
"""What the group before must have held to make it worth while."""
_CLOSE_S: Final = 0.005
"""And so much time since, at most."""


class Gathering:
    """The groups of one writer, which sends one after the other."""

    __slots__ = ("_ended", "_loop", "_size")

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._size, self._ended = 0, 0.0

    async def more(self) -> None:
        """Give what belongs to the next group the time to come, if that is worth while."""
        if self._size >= _MANY and self._loop.time() - self._ended < _CLOSE_S:
            await asyncio.sleep(_WAIT_S)

    def done(self, size: int) -> None:
        """A group of so many has been answered."""
        self._size, self._ended = size, self._loop.time()
