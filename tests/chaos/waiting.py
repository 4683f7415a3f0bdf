"""Waiting for what happens in other processes: all that can be done is to look, time and again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Final

_LOOK_S: Final = 0.02


async def until(true: Callable[[], bool], within: float, what: str) -> None:
    """Wait until it is ``true``; AssertionError with ``what`` after ``within`` seconds."""
    await asyncio.to_thread(_until, true, within, what)


def _until(true: Callable[[], bool], within: float, what: str) -> None:
    deadline = time.monotonic() + within
    while not true():
        assert time.monotonic() < deadline, f"not within {within:g} s: {what}"
        time.sleep(_LOOK_S)
