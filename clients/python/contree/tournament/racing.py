"""Doing several things at once until one of them is over."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any


async def race(*runners: Coroutine[Any, Any, None]) -> None:
    """Run all until the first is over, then cancel the others; raises what ended it.

    Without runners it waits for ever.
    """
    if not runners:
        await asyncio.Event().wait()
    tasks = [asyncio.create_task(runner) for runner in runners]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
