"""A server with a healthy table, and what becomes of that table while somebody misbehaves."""

from __future__ import annotations

import asyncio
import resource
from collections.abc import Awaitable, Callable, Sequence
from statistics import median
from typing import Final, NamedTuple

from tests.chaos.neighbour import Neighbour
from tests.chaos.scale import pick
from tests.chaos.server import Server
from tests.chaos.steady import SteadyTable

LEAST: Final = pick(0.25, 0.5)
"""The share of its rate that the table keeps. It is printed, and half is asked for with FULL=1, on
a machine that does nothing else; the short form leaves a margin for others.
"""
_ATTEMPTS: Final = 3
"""Other programs on the machine disturb, too: the best counts."""
_WINDOWS: Final = 5
_WINDOW_S: Final = 0.4


class Window(NamedTuple):
    """A moment."""

    rate: float
    """Decisions of the table, a second."""
    spent: float
    """The share of a core that this process had."""


class Arena(NamedTuple):
    """Where bad clients are let in.

    They are on the machine of the server, and would take its time also if the server did not
    listen. So they run at the lowest priority, and while they leave it alone a neighbour uses as
    much of a core at the same one: what the table keeps is what the server leaves it.
    """

    server: Server
    table: SteadyTable
    neighbour: Neighbour

    @property
    def address(self) -> str:
        return self.server.address

    async def withstands(self, name: str, attack: Callable[[], Awaitable[object]]) -> float:
        """Attack for a moment, leave it alone for a moment, and so on: the rate of the table under
        attack as a share of its rate in between.
        """
        best = 0.0
        for _ in range(_ATTEMPTS):
            alone, attacked = [], []
            for _ in range(_WINDOWS):
                over = asyncio.Event()
                attacking = asyncio.create_task(_again_and_again(attack, over))
                attacked.append(await self._window())
                over.set()
                await attacking
                alone += await self.alone(attacked[-1:], 1)
            best = max(best, self.compared(name, attacked, alone))
            if best >= LEAST:
                break
        return best

    async def attacked(self) -> list[Window]:
        """A few moments in which this process attacks."""
        return [await self._window() for _ in range(_WINDOWS)]

    async def alone(self, attacked: Sequence[Window], windows: int = _WINDOWS) -> list[Window]:
        """A few moments in which the neighbour is as busy as the attack was."""
        self.neighbour.use(median(window.spent for window in attacked))
        try:
            return [await self._window() for _ in range(windows)]
        finally:
            self.neighbour.use(0)

    def compared(self, name: str, attacked: Sequence[Window], alone: Sequence[Window]) -> float:
        """The share of its undisturbed rate that the table kept; prints it, and the share of a core
        that the attack itself used.
        """
        during, without = (median(window.rate for window in some) for some in (attacked, alone))
        spent = median(window.spent for window in attacked)
        print(
            f"{name}: {during:.0f} of {without:.0f} decisions/s, {during / without:.2f}; "
            f"the attack used {spent:.2f} of a core"
        )
        return during / without

    async def _window(self) -> Window:
        used = _used()
        began = asyncio.get_running_loop().time()
        rate = await self.table.rate(_WINDOW_S)
        return Window(rate, (_used() - used) / (asyncio.get_running_loop().time() - began))


async def _again_and_again(attack: Callable[[], Awaitable[object]], over: asyncio.Event) -> None:
    while not over.is_set():
        await attack()


def _used() -> float:
    """Seconds of a core that this process has had."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
