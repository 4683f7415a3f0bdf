"""The server and its store are killed again and again: nothing acknowledged is ever lost."""

from __future__ import annotations

import asyncio
from pathlib import Path
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

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(pick(600, 3600))]

MATCHES: Final = 50
KILLS: Final = pick(10, 100)
STORE_KILLS: Final = pick(1, 10)
THINK_S: Final = 0.1
CLOCK: Final = TimeControl(per_move=5.0, bank=0.0, allowance=0.5, disconnect_grace=10.0)
SEATS: Final = {Seat.NORTH: "raw", Seat.EAST: "sdk", Seat.SOUTH: "raw", Seat.WEST: "sdk"}


async def test_every_acknowledged_action_outlives_a_hundred_kills(tmp_path: Path) -> None:
    ledger = Ledger()
    server = Server(tmp_path, "server", settings={"CONTREE_HEARTBEAT_S": "1"})
    raw = Player("raw", server.address, ledger, choices("raw"), think=THINK_S)
    sdk = Thinker(ledger, choices("sdk"), THINK_S)
    with server:
        await server.start()
        async with host_client(server.address) as host:
            floor = Floor(host, SEATS, choices("floor"), tables=MATCHES, clock=CLOCK)
            async with beside(raw.run(), think("sdk", server.address, sdk), floor.run()):
                await _kill(server)
                await floor.closed()
            await floor.check(ledger, tmp_path / "records")
        await server.stop()
    print(
        f"{KILLS} kills of the server, {STORE_KILLS} of the store, {raw.streams} streams, "
        f"{len(floor.ended)} matches, {ledger.acknowledged} actions acknowledged to the raw bot "
        f"of {ledger.answered} by both, not taken: {ledger.odd}"
    )
    assert not ledger.wrong, "\n".join(ledger.wrong[:20])


async def _kill(server: Server) -> None:
    """Kills at random moments, some of them while the server is starting or adopting."""
    when = choices("kills")
    kinds = ["server"] * KILLS + ["store"] * STORE_KILLS
    when.shuffle(kinds)
    for kind in kinds:
        await asyncio.sleep(when.uniform(0.1, 2.5))
        if kind == "store":
            # It may be starting; then it is killed as soon as it is there.
            await until(server.kill_store, 90, "a store to kill")
            continue
        await server.kill()
        server.launch()
        if when.random() < 0.8:
            await server.serving()
    await server.serving()
