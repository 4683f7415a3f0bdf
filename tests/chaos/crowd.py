"""Idle bots: they come, answer heartbeats and stay."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from typing import Final

from grpc import aio
from tests.chaos.hostile import RawStream, ack, channel, hello

A_CONNECTION: Final = 500
"""Streams."""
AT_ONCE: Final = 100

Crowd = dict[asyncio.Task[None], RawStream]
"""A task of each that is done only where the server ended its stream."""


def settings_for(number: int) -> dict[str, str]:
    """What lets so many in; the limits of one address are raised, for all come from one."""
    return {
        "CONTREE_FSYNC": "everysec",
        "CONTREE_MAX_STREAMS": str(2 * number),
        "CONTREE_HELLOS_PER_MINUTE": str(100 * number),
        # This process has the lowest priority, and is to answer the heartbeats of all of them.
        "CONTREE_HEARTBEAT_S": "15",
    }


@contextlib.asynccontextmanager
async def doors_for(address: str, number: int) -> AsyncIterator[list[aio.Channel]]:
    """Connections for so many."""
    async with AsyncExitStack() as stack:
        yield [
            await stack.enter_async_context(channel(address))
            for _ in range(-(-number // A_CONNECTION))
        ]


async def arrive(doors: Sequence[aio.Channel], number: int) -> Crowd:
    """All say Hello, a hundred at a time, and stay from then on."""
    staying: Crowd = {}
    while len(staying) < number:
        come = len(staying)
        some = [RawStream(doors[(come + n) % len(doors)]) for n in range(AT_ONCE)]
        for place, stream in enumerate(some):
            await stream.say(hello("idle", instance_id=f"{come}-{place}"))
        for stream in some:
            await stream.next("welcome")
            staying[asyncio.create_task(_stay(stream))] = stream
    return staying


async def leave(staying: Crowd) -> None:
    """All hang up."""
    for task, stream in staying.items():
        task.cancel()
        stream.call.cancel()
    await asyncio.wait(staying)


async def _stay(stream: RawStream) -> None:
    """Answer heartbeats, until the server ends the stream."""
    while True:
        beat = (await stream.next("heartbeat")).heartbeat
        await stream.say(ack(beat.nonce))
