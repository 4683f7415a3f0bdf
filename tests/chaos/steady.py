"""A healthy table in a process of its own: four seats that answer at once, and count.

``python -m tests.chaos.steady ADDRESS FILE`` plays until it is ended; the number of its decisions
is in the first eight bytes of FILE.
"""

from __future__ import annotations

import asyncio
import mmap
import random
import struct
import subprocess
import sys
from pathlib import Path
from typing import Final, Self

from tests.chaos.ledger import Ledger
from tests.chaos.player import Player

from contree.client import BotSeat, HostClient, MatchSpec, Race
from contree.engine import SEATS

_COUNT: Final = struct.Struct("=q")
_DEALS: Final = 10_000
"""More than are played in a test: between two matches it would wait for the next one to be made, in
the queue of those who call from the same address.
"""


class SteadyTable:
    """The table as the tests see it."""

    def __init__(self, address: str, file: Path) -> None:
        file.write_bytes(bytes(_COUNT.size))
        self._file = file
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.chaos.steady", address, str(file)]
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()

    def decisions(self) -> int:
        """How many it has made."""
        assert self._process.poll() is None, "the healthy table has ended"
        return int(_COUNT.unpack(self._file.read_bytes())[0])

    async def rate(self, seconds: float) -> float:
        """Its decisions per second, from now on."""
        loop = asyncio.get_running_loop()
        before, began = self.decisions(), loop.time()
        await asyncio.sleep(seconds)
        return (self.decisions() - before) / (loop.time() - began)


class _Counting(Ledger):
    """Books of one number, so that a long run does not grow."""

    def __init__(self, count: mmap.mmap) -> None:
        super().__init__()
        self._count = count
        self._taken = 0

    def answer(self, *_: object) -> None:
        """Not kept."""

    def heard(self, decision_id: bytes, status: int) -> None:
        del decision_id, status
        self._taken += 1
        _COUNT.pack_into(self._count, 0, self._taken)


async def _play(address: str, file: Path) -> None:
    with file.open("r+b") as opened, mmap.mmap(opened.fileno(), _COUNT.size) as count:
        player = Player("steady", address, _Counting(count), random.Random(1))
        async with HostClient(address) as host, asyncio.TaskGroup() as group:
            group.create_task(player.run())
            number = 1
            await host.create_match(_race(number))
            async for update in host.watch_matches("steady"):
                if update.match.ended:
                    number += 1
                    await host.create_match(_race(number))


def _race(number: int) -> MatchSpec:
    return MatchSpec(
        request_id=f"steady-{number}",
        seats=dict.fromkeys(SEATS, BotSeat("steady")),
        mode=Race(target=0, deals=_DEALS),
        labels=("steady",),
    )


if __name__ == "__main__":
    asyncio.run(_play(sys.argv[1], Path(sys.argv[2])))
