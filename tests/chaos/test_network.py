"""A bad network between bots and server, and between server and store."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from tests.chaos.conftest import beside
from tests.chaos.floor import Floor, host_client
from tests.chaos.ledger import Ledger
from tests.chaos.player import Player
from tests.chaos.proxy import Fault, Proxy, Storm
from tests.chaos.scale import choices, pick
from tests.chaos.server import Server
from tests.chaos.thinker import Thinker, think

from contree.client import TimeControl
from contree.engine import Seat
from contree.server.store import embedded_store

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(pick(600, 3600))]

TABLES: Final = 30
THINK_S: Final = 0.1
SEATS: Final = {Seat.NORTH: "raw-1", Seat.EAST: "sdk-1", Seat.SOUTH: "raw-2", Seat.WEST: "sdk-2"}
FAULTS: Final = pick(20, 250)


async def _play(server: Server, door: str, clock: TimeControl, storm: Proxy, gap: float) -> Floor:
    """Play through ``door`` while the storm lasts, then to the end, and check the books."""
    ledger = Ledger()
    raw = [Player(n, door, ledger, choices(n), think=THINK_S) for n in ("raw-1", "raw-2")]
    sdk = [think(n, door, Thinker(ledger, choices(n), THINK_S)) for n in ("sdk-1", "sdk-2")]
    async with host_client(server.address) as host:
        floor = Floor(host, SEATS, choices("floor"), tables=TABLES, clock=clock)
        async with beside(*(player.run() for player in raw), *sdk, floor.run()):
            await storm.storm(FAULTS, gap)
            await floor.closed()
        await floor.check(ledger, server.folder / "records")
    faults = {kind.value: count for kind, count in storm.done.items()}
    print(
        f"{faults}: {sum(player.streams for player in raw)} streams of 2 bots, "
        f"{len(floor.ended)} matches, {ledger.acknowledged} actions acknowledged to raw bots of "
        f"{ledger.answered} by all, not taken: {ledger.odd}"
    )
    assert not ledger.wrong, "\n".join(ledger.wrong[:20])
    return floor


async def test_between_bots_and_server(tmp_path: Path) -> None:
    """Bots are late by what the network takes, but the clock leaves room for that."""
    server = Server(tmp_path, "server", settings={"CONTREE_HEARTBEAT_S": "0.5"})
    clock = TimeControl(per_move=10.0, bank=0.0, allowance=0.5, disconnect_grace=30.0)
    with server:
        await server.start()
        async with Proxy(server.address, choices("network")).listening() as proxy:
            await _play(server, proxy.address, clock, proxy, gap=0.3)
        await server.stop()


async def test_between_server_and_store(tmp_path: Path) -> None:
    """The store is away for longer than a move may take, and nobody is charged for it."""
    clock = TimeControl(per_move=3.0, bank=0.0, allowance=0.2, disconnect_grace=3.0)
    storm = Storm(delay=0.3, delayed_for=1.5, stall=8.0)
    async with (
        embedded_store(tmp_path / "store", "always") as store,
        Proxy(store.url, choices("network"), storm).listening() as proxy,
    ):
        with Server(tmp_path, "server", redis=f"redis://{proxy.address}/0") as server:
            await server.start()
            await _play(server, server.address, clock, proxy, gap=0.5)
            assert proxy.done[Fault.STALL]
            await server.stop()
