"""As many idle bots as a host may want, where the settings let them in, beside a healthy table."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import Final

import pytest
from grpc import aio
from tests.chaos.arena import LEAST, Arena
from tests.chaos.hostile import RawStream, ack, channel, hello
from tests.chaos.scale import pick
from tests.chaos.waiting import until

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(pick(500, 900))]

IDLE: Final = pick(1_000, 10_000)
A_CONNECTION: Final = 500
"""Streams."""
AT_ONCE: Final = 100


@pytest.fixture(scope="module")
def settings() -> dict[str, str]:
    """The limits of one address are raised, for all come from one."""
    return {
        "CONTREE_FSYNC": "everysec",
        "CONTREE_MAX_STREAMS": str(2 * IDLE),
        "CONTREE_HELLOS_PER_MINUTE": str(100 * IDLE),
        # This process has the lowest priority, and is to answer the heartbeats of all of them.
        "CONTREE_HEARTBEAT_S": "15",
    }


async def test_idle_bots(arena: Arena) -> None:
    """They all come in, stay, and leave the table its time while they come and while they stay."""
    empty = arena.server.memory_mb()
    there = arena.server.metric_of("contree_bots_connected")
    before = 1  # the healthy table's
    await until(lambda: there() == before, 90, "the server counts one bot")
    async with AsyncExitStack() as stack:
        doors = [
            await stack.enter_async_context(channel(arena.address))
            for _ in range(-(-IDLE // A_CONNECTION))
        ]
        loop = asyncio.get_running_loop()
        began = loop.time()
        arriving = asyncio.create_task(_arrive(doors))
        coming = await arena.attacked()
        coming_share = arena.compared(f"{IDLE} bots arriving", coming, await arena.alone(coming))
        staying = await arriving
        print(f"all are in after {loop.time() - began:.1f} s")
        idle = await arena.attacked()
        grown = arena.server.memory_mb() - empty
        # The figure is taken once a second, by a server that may have no time just then.
        await until(lambda: there() - before == IDLE, 90, "all are counted")
        ended = sum(task.done() for task in staying)
        for task, stream in staying.items():
            task.cancel()
            stream.call.cancel()
        await asyncio.wait(staying)
    share = arena.compared(f"{IDLE} idle bots", idle, await arena.alone(idle))
    print(f"{IDLE} are there; the server grew by {grown:.0f} MB")
    assert not ended
    assert share >= LEAST
    assert coming_share >= LEAST
    await until(lambda: there() <= before, 240, "all have gone")


async def _arrive(doors: list[aio.Channel]) -> dict[asyncio.Task[None], RawStream]:
    """All say Hello, a hundred at a time, and stay from then on."""
    staying: dict[asyncio.Task[None], RawStream] = {}
    while len(staying) < IDLE:
        come = len(staying)
        some = [RawStream(doors[(come + n) % len(doors)]) for n in range(AT_ONCE)]
        for number, stream in enumerate(some):
            await stream.say(hello("idle", instance_id=f"{come}-{number}"))
        for stream in some:
            await stream.next("welcome")
            staying[asyncio.create_task(_stay(stream))] = stream
    return staying


async def _stay(stream: RawStream) -> None:
    """Answer heartbeats, until the server ends the stream."""
    while True:
        beat = (await stream.next("heartbeat")).heartbeat
        await stream.say(ack(beat.nonce))
