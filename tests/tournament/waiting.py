"""Waiting for what another process does, and whether it is there."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

WAIT_S = 60.0


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


def children(pid: int, *words: str) -> list[int]:
    """The processes below one, whose command line has all these words."""
    parents: dict[int, int] = {}
    commands: dict[int, str] = {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            # Others' processes may have any bytes in their names.
            stat = (path / "stat").read_bytes().rpartition(b")")[2].split()
            commands[int(path.name)] = os.fsdecode(
                (path / "cmdline").read_bytes().replace(b"\0", b" ")
            )
        except (FileNotFoundError, ProcessLookupError):
            continue
        if stat[0] != b"Z":
            parents[int(path.name)] = int(stat[1])
    below = {pid}
    while more := {child for child, parent in parents.items() if parent in below} - below:
        below |= more
    below.discard(pid)
    return [child for child in below if all(word in commands.get(child, "") for word in words)]
