"""One table, all four seats in one process: how long a move is on its way through the server.

``python bench/one_table.py ADDRESS SECONDS`` prints, as JSON, moves a second and the median and
99th percentile of the milliseconds from the answer to a turn until the next turn is there, gRPC at
both ends, the journal and this client's share included.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import statistics
import sys
import time
from collections.abc import Sequence

from sdk_bot import Quick
from tables import in_play

from contree.client import play_bot
from contree.engine import Action, View


class Timed(Quick):
    """Plays all four seats and takes the time between one answer and the next question."""

    def __init__(self) -> None:
        super().__init__()
        self.gaps: list[float] = []
        self._answered = 0.0

    def act(self, views: Sequence[View]) -> Sequence[Action]:
        now = time.perf_counter()
        if self._answered:
            self.gaps.append(now - self._answered)
        actions = super().act(views)
        self._answered = time.perf_counter()
        return actions


async def measure(address: str, seconds: float) -> dict[str, float]:
    """Play for a time; the first quarter does not count."""
    bot = Timed()
    playing = asyncio.create_task(play_bot(bot, server=address, name="all-four", capacity=4))
    async with in_play(address, 1, boards=False, bots={"all-four": 4}):
        await asyncio.sleep(seconds / 4)
        bot.gaps.clear()
        began = time.perf_counter()
        await asyncio.sleep(seconds)
        took, gaps = time.perf_counter() - began, sorted(bot.gaps)
    playing.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await playing
    return {
        "moves_per_s": round(len(gaps) / took),
        "p50_ms": round(1000 * statistics.median(gaps), 2),
        "p99_ms": round(1000 * gaps[int(len(gaps) * 0.99)], 2),
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(measure(sys.argv[1], float(sys.argv[2])))))
