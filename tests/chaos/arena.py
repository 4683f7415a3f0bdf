"""A server with a healthy table, and what becomes of that table while somebody misbehaves."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from statistics import median
from typing import Final, NamedTuple

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


class Arena(NamedTuple):
    """Where bad clients are let in."""

    server: Server
    table: SteadyTable

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
                alone.append(await self.table.rate(_WINDOW_S))
                over = asyncio.Event()
                attacking = asyncio.create_task(_again_and_again(attack, over))
                attacked.append(await self.table.rate(_WINDOW_S))
                over.set()
                await attacking
            best = max(best, self.compared(name, attacked, alone))
            if best >= LEAST:
                break
        return best

    async def rates(self) -> list[float]:
        """The rate of the table in a few moments."""
        return [await self.table.rate(_WINDOW_S) for _ in range(_WINDOWS)]

    def compared(self, name: str, during: Sequence[float], alone: Sequence[float]) -> float:
        """The share of its undisturbed rate that the table kept; prints it."""
        share = median(during) / median(alone)
        print(f"{name}: {median(during):.0f} of {median(alone):.0f} decisions/s, {share:.2f}")
        return share


async def _again_and_again(attack: Callable[[], Awaitable[object]], over: asyncio.Event) -> None:
    while not over.is_set():
        await attack()
