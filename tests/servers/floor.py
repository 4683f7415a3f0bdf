"""Bots that keep books: half of them bare messages, half on the SDK."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from tests.chaos.conftest import beside
from tests.chaos.floor import Floor, host_client
from tests.chaos.ledger import Ledger
from tests.chaos.player import Player
from tests.chaos.scale import choices
from tests.chaos.thinker import Thinker, think

from contree.client import TimeControl
from contree.engine import SEATS

THINK_S: Final = 0.1


class Books:
    """What the bots of a floor answered, heard, and what came of it."""

    def __init__(self, floor: Floor, ledger: Ledger) -> None:
        self.floor = floor
        self.ledger = ledger

    async def grow(self, actions: int, within: float = 150.0) -> None:
        """Wait until so many more actions were acknowledged. The books are of this loop, not for
        other threads.
        """
        goal = self.ledger.acknowledged + actions
        async with asyncio.timeout(within):
            while self.ledger.acknowledged < goal:  # noqa: ASYNC110 - bots of this loop play on
                await asyncio.sleep(0.05)

    def __str__(self) -> str:
        return (
            f"{len(self.floor.ended)} matches, {self.ledger.acknowledged} actions acknowledged, "
            f"not taken: {self.ledger.odd}"
        )


@asynccontextmanager
async def playing(
    address: str, folder: Path, *, tables: int, clock: TimeControl
) -> AsyncIterator[Books]:
    """Keep so many tables in play during the block; then the last matches are played to their end,
    and every record is held against the books.
    """
    ledger = Ledger()
    names = {seat: f"{'raw' if number % 2 else 'sdk'}-{seat}" for number, seat in enumerate(SEATS)}
    bots = [
        Player(name, address, ledger, choices(name), think=THINK_S).run()
        if name.startswith("raw")
        else think(name, address, Thinker(ledger, choices(name), THINK_S))
        for name in names.values()
    ]
    async with contextlib.AsyncExitStack() as stack:
        host = await stack.enter_async_context(host_client(address))
        floor = Floor(host, names, choices("floor"), tables=tables, clock=clock)
        async with beside(*bots, floor.run()):
            yield Books(floor, ledger)
            await floor.closed()
        await floor.check(ledger, folder / "records")
    assert not ledger.wrong, "\n".join(ledger.wrong[:20])
