"""Waiting for what another process does, and whether it is there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

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


def alive(pid: int) -> bool:
    with suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False
