"""The load of the service bench: so many tables in play at once, each by four bots."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator

from contree.client import Board, BotSeat, HostClient, MatchSpec, MatchState, Race
from contree.engine import SEATS

_HEARD_S = 1.5
"""After which servers know of each other's tables."""
DEALS_OF_A_RACE = 12
"""About what a race to 1000 takes."""


@contextlib.asynccontextmanager
async def in_play(
    address: str,
    tables: int,
    *,
    boards: bool,
    bots: dict[str, int] | None = None,
    label: str = "bench",
    gently: bool = False,
) -> AsyncIterator[None]:
    """Keep ``tables`` tables in play for the time of the block: races, or single boards.

    ``bots`` are the names to wait for, each with its number of seats; four bots by default.
    Several loads on one store have a ``label`` each. Made ``gently``, several at several servers
    stay where they are made: those with more tables than others give new ones away.
    """
    wanted = bots or {f"quick-{seat}": 1 for seat in SEATS}
    names = [name for name, seats in wanted.items() for _ in range(seats)]
    async with HostClient(address) as host:
        while not wanted.keys() <= {bot.bot for bot in await host.list_bots()}:  # noqa: ASYNC110 - another process connects
            await asyncio.sleep(0.05)
        number = 0

        async def create() -> None:
            nonlocal number
            number += 1
            await host.create_match(
                MatchSpec(
                    request_id=f"{label}-{number}",
                    seats={seat: BotSeat(names[seat]) for seat in SEATS},
                    mode=Board(number) if boards else Race(target=0, deals=DEALS_OF_A_RACE),
                    labels=(label,),
                )
            )

        async def replace() -> None:
            async with asyncio.TaskGroup() as making:
                async for update in host.watch_matches(label):
                    if update.match.state is MatchState.ENDED:
                        making.create_task(create())

        made = 0
        while made < tables:
            some = min(tables - made, max(12, made // 6) if gently else tables)
            async with asyncio.TaskGroup() as group:
                for _ in range(some):
                    group.create_task(create())
            made += some
            if gently:
                await asyncio.sleep(_HEARD_S)
        keeping = asyncio.create_task(replace())
        try:
            yield
        finally:
            keeping.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await keeping


async def clock(seconds: float) -> float:
    """Wait; how long it really was."""
    began = time.perf_counter()
    await asyncio.sleep(seconds)
    return time.perf_counter() - began
