"""Waiting for what another process does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

WAIT_S = 20.0


async def eventually(happened: Callable[[], bool], within: float = WAIT_S) -> bool:
    """Look until it has happened, for a bounded time; whether it has."""
    try:
        async with asyncio.timeout(within):
            while not happened():  # noqa: ASYNC110 - other processes set no events here
                await asyncio.sleep(0.01)
    except TimeoutError:
        return False
    return True
