"""Bots play while slots move, masters die and replicas are promoted: what was acknowledged is in
the records, once, and nobody is charged for any of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

import pytest
from redis.crc import key_slot
from tests.chaos.conftest import beside
from tests.chaos.floor import Floor, host_client
from tests.chaos.ledger import Ledger
from tests.chaos.player import Player
from tests.chaos.scale import choices, pick
from tests.chaos.server import Server
from tests.chaos.thinker import Thinker, think
from tests.chaos.waiting import until
from tests.stores.cluster import MASTERS, StoreCluster, store_cluster
from tests.stores.sentinel import sentinel_set
from tests.stores.servers import eventually

from contree.client import TimeControl
from contree.engine import Seat
from contree.server.store import keys

pytestmark = [pytest.mark.stores, pytest.mark.timeout(pick(600, 1800))]

MATCHES: Final = pick(12, 50)
ROUNDS: Final = pick(1, 5)
THINK_S: Final = 0.1
CLOCK: Final = TimeControl(per_move=5.0, bank=0.0, allowance=0.5, disconnect_grace=10.0)
HANGS_S: Final = 7.0
SEATS: Final = {Seat.NORTH: "raw", Seat.EAST: "sdk", Seat.SOUTH: "raw", Seat.WEST: "sdk"}


class Room:
    """A server on a store, bots, tables, and the books of them."""

    def __init__(self, folder: Path, url: str, replicas: int) -> None:
        self.folder = folder
        self.ledger = Ledger()
        settings = {"CONTREE_HEARTBEAT_S": "1", "CONTREE_STORE_REPLICAS": str(replicas)}
        self.server = Server(folder, "server", redis=url, settings=settings)
        self.floor: Floor | None = None

    async def play(self, disturb: Callable[[Room], Awaitable[None]]) -> None:
        """Play, and disturb; then everything ends, and is checked."""
        address, ledger = self.server.address, self.ledger
        raw = Player("raw", address, ledger, choices("raw"), think=THINK_S)
        sdk = Thinker(ledger, choices("sdk"), THINK_S)
        with self.server:
            await self.server.start()
            async with host_client(address) as host:
                floor = Floor(host, SEATS, choices("floor"), tables=MATCHES, clock=CLOCK)
                self.floor = floor
                async with beside(raw.run(), think("sdk", address, sdk), floor.run()):
                    await self.moves(200)
                    await disturb(self)
                    await floor.closed()
                await floor.check(ledger, self.folder / "records")
            away = self.server.said("store_away")
            await self.server.stop()
        print(
            f"{len(floor.ended)} matches, {ledger.acknowledged} actions acknowledged to the raw "
            f"bot of {ledger.answered} by both, not taken: {ledger.odd}; the store was away "
            f"{len(away)} times"
        )
        assert not ledger.wrong, "\n".join(ledger.wrong[:20])
        for event in ("call_failed", "decide_failed", "telling_failed", "deadline_failed"):
            assert not self.server.said(event)

    @property
    def live(self) -> list[str]:
        """The matches in play."""
        assert self.floor is not None
        return list(self.floor.open)

    async def away(self, times: int) -> None:
        """Wait until the server has found the store to be away so often."""
        said = self.server.said
        await until(lambda: len(said("store_away")) >= times, 90, "the store is away")

    async def moves(self, number: int) -> None:
        """Wait until so many more actions are acknowledged."""
        wanted = self.ledger.acknowledged + number

        async def enough() -> bool:
            return self.ledger.acknowledged >= wanted

        await eventually(enough, f"{number} more actions are acknowledged", 150)


async def test_slots_move_in_mid_play(tmp_path: Path) -> None:
    async with store_cluster(tmp_path) as cluster:
        moved = 0

        async def move(room: Room) -> None:
            nonlocal moved
            for _ in range(ROUNDS):
                for match_id in room.live:
                    moved += await _move(cluster, match_id)
                await room.moves(100)

        await Room(tmp_path, cluster.url, 0).play(move)
    print(f"{moved} slots moved")
    assert moved >= MATCHES // 2


async def _move(cluster: StoreCluster, match_id: str) -> int:
    """Move the slot of a match to another master."""
    slot = key_slot(keys.journal(match_id))
    for number, source in enumerate(cluster.masters):
        if int(await source.ask("COUNTKEYSINSLOT", slot)):
            await cluster.move_slot(slot, source, cluster.masters[(number + 1) % MASTERS])
            return 1
    return 0  # it has ended meanwhile


async def test_a_master_of_a_cluster_dies_and_its_replica_is_promoted(tmp_path: Path) -> None:
    async with store_cluster(tmp_path, replicas=True) as cluster:

        async def kill(room: Room) -> None:
            for number in range(min(ROUNDS, MASTERS)):
                master = cluster.masters[number]
                master.kill()
                await room.away(number + 1)
                await room.moves(20)  # of the tables that lie elsewhere
                await cluster.replicas[number].promoted()
                master.start()
                await room.moves(200)

        await Room(tmp_path, cluster.url, 1).play(kill)


async def test_a_master_that_hangs_is_on_nobodys_clock(tmp_path: Path) -> None:
    """For longer than there is for a decision; tables that lie elsewhere play on."""
    async with store_cluster(tmp_path) as cluster:

        async def hang(room: Room) -> None:
            for number in range(min(ROUNDS, MASTERS)):
                cluster.masters[number].freeze()
                try:
                    await room.away(number + 1)
                    await room.moves(20)  # in time: no match begins meanwhile
                    await asyncio.sleep(HANGS_S)
                finally:
                    cluster.masters[number].thaw()
                await room.moves(200)

        room = Room(tmp_path, cluster.url, 0)
        await room.play(hang)
        assert room.server.said("store_away")
        back = room.server.said("store_back")
        assert max(float(str(line["away_s"])) for line in back) > HANGS_S - 2


async def test_the_sentinels_promote_a_replica_in_mid_play(tmp_path: Path) -> None:
    async with sentinel_set(tmp_path) as watched:

        async def kill(room: Room) -> None:
            for _ in range(ROUNDS):
                await watched.fail_over()
                await room.moves(200)

        await Room(tmp_path, watched.url, 1).play(kill)
