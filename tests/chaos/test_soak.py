"""A long run with bots that come and go: nothing grows, nothing is left, all tables end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Final

import pytest
from tests.chaos.conftest import beside
from tests.chaos.floor import Floor, host_client
from tests.chaos.ledger import Ledger
from tests.chaos.player import Player
from tests.chaos.scale import choices, pick
from tests.chaos.server import Server
from tests.chaos.thinker import Thinker, think
from tests.chaos.waiting import until

from contree.client import TimeControl
from contree.engine import Seat

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(pick(600, 2400))]

SOAK_S: Final = pick(120.0, 1200.0)
TABLES: Final = pick(40, 200)
FLAT: Final = 1.10
THINK_S: Final = 0.2
HANG_UP_S: Final = 1.0
"""Between two bots that hang up, on average."""
CLOCK: Final = TimeControl(per_move=10.0, bank=0.0, allowance=0.5, disconnect_grace=30.0)
RAW: Final = ("raw-1", "raw-2", "raw-3")
SEATS: Final = {Seat.NORTH: "raw-1", Seat.EAST: "raw-2", Seat.SOUTH: "raw-3", Seat.WEST: "sdk"}


async def test_a_long_run_leaves_nothing(tmp_path: Path) -> None:
    ledger = Ledger()
    with Server(tmp_path, "server") as server:
        await server.start()
        tasks = max([await _tasks_in_a_second(server) for _ in range(3)])
        raw = [Player(n, server.address, ledger, choices(n), think=THINK_S) for n in RAW]
        sdk = think("sdk", server.address, Thinker(ledger, choices("sdk"), THINK_S))
        async with host_client(server.address) as host:
            floor = Floor(host, SEATS, choices("floor"), tables=TABLES, clock=CLOCK)
            async with beside(*(player.run() for player in raw), sdk, floor.run()):
                async with asyncio.TaskGroup() as group:
                    hanging_up = group.create_task(_hang_up(raw))
                    memory = await _memory(server)
                    hanging_up.cancel()
                await floor.closed()
            quarters = _quarters(memory)
            streams = sum(player.streams for player in raw)
            shown = ", ".join(f"{quarter:.1f}" for quarter in quarters)
            # Before the records are checked: of thousands, that takes its time.
            print(f"{len(floor.ended)} matches, {streams} streams, {shown} MB in the four quarters")
            await floor.check(ledger, tmp_path / "records")
        await _at_rest(server, tasks)
        await server.stop()
    assert not ledger.wrong, "\n".join(ledger.wrong[:20])
    assert streams > SOAK_S / HANG_UP_S / 2
    assert quarters[3] <= FLAT * quarters[1]


def _quarters(memory: list[float]) -> list[float]:
    return [fmean(memory[len(memory) * q // 4 : len(memory) * (q + 1) // 4]) for q in range(4)]


async def _tasks_in_a_second(server: Server) -> float:
    """What a server at rest has; the figure is taken once a second."""
    await asyncio.sleep(1)
    return await server.metric("contree_tasks")


async def _at_rest(server: Server, tasks: float) -> None:
    """Wait until nothing is left of all that was."""
    most = {
        "contree_streams": 0,
        "contree_bots_connected": 0,
        "contree_tables": 0,
        "contree_tasks": tasks,
    }
    for name, at_most in most.items():
        left = server.metric_of(name)
        await until(partial(_at_most, left, at_most), 90, f"{name} <= {at_most:g}")


def _at_most(read: Callable[[], float], value: float) -> bool:
    return read() <= value


async def _hang_up(players: list[Player]) -> None:
    """One bot after the other loses its connection."""
    when = choices("hang up")
    while True:
        await asyncio.sleep(when.uniform(0, 2 * HANG_UP_S))
        when.choice(players).hang_up()


async def _memory(server: Server) -> list[float]:
    """What the server holds, second by second."""
    loop = asyncio.get_running_loop()
    end = loop.time() + SOAK_S
    samples = []
    while loop.time() < end:
        await asyncio.sleep(1)
        samples.append(server.memory_mb())
    return samples
