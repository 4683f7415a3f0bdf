"""As many idle bots as a host may want, where the settings let them in, beside a healthy table."""

from __future__ import annotations

import asyncio
from typing import Final

import pytest
from tests.chaos.arena import LEAST, Arena
from tests.chaos.crowd import arrive, doors_for, leave, settings_for
from tests.chaos.scale import pick
from tests.chaos.waiting import until

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(pick(500, 900))]

IDLE: Final = pick(1_000, 10_000)


@pytest.fixture(scope="module")
def settings() -> dict[str, str]:
    return settings_for(IDLE)


async def test_idle_bots(arena: Arena) -> None:
    """They all come in, stay, and leave the table its time while they come and while they stay."""
    empty = arena.server.memory_mb()
    there = arena.server.metric_of("contree_bots_connected")
    before = 1  # the healthy table's
    await until(lambda: there() == before, 90, "the server counts one bot")
    async with doors_for(arena.address, IDLE) as doors:
        loop = asyncio.get_running_loop()
        began = loop.time()
        arriving = asyncio.create_task(arrive(doors, IDLE))
        coming = await arena.attacked()
        coming_share = arena.compared(f"{IDLE} bots arriving", coming, await arena.alone(coming))
        staying = await arriving
        print(f"all are in after {loop.time() - began:.1f} s")
        idle = await arena.attacked()
        grown = arena.server.memory_mb() - empty
        # The figure is taken once a second, by a server that may have no time just then.
        await until(lambda: there() - before == IDLE, 90, "all are counted")
        ended = sum(task.done() for task in staying)
        await leave(staying)
    share = arena.compared(f"{IDLE} idle bots", idle, await arena.alone(idle))
    print(f"{IDLE} are there; the server grew by {grown:.0f} MB")
    assert not ended
    assert share >= LEAST
    assert coming_share >= LEAST
    await until(lambda: there() <= before, 240, "all have gone")
