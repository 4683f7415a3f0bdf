"""Two servers on one store: one is killed, the other goes on with all of its matches."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Final

import pytest
from tests.chaos.conftest import beside
from tests.chaos.floor import Floor, host_client
from tests.chaos.ledger import Ledger
from tests.chaos.player import Player
from tests.chaos.proxy import Proxy
from tests.chaos.scale import choices, pick
from tests.chaos.server import Server
from tests.chaos.thinker import Thinker, think
from tests.chaos.waiting import until

from contree.client import TimeControl
from contree.engine import Seat
from contree.server.store import connect, embedded_store

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(pick(300, 1800))]

MATCHES: Final = 50
KILLS: Final = pick(2, 10)
ADOPTED_S: Final = 5.0
THINK_S: Final = 0.1
CLOCK: Final = TimeControl(per_move=5.0, bank=0.0, allowance=0.5, disconnect_grace=10.0)
SEATS: Final = {Seat.NORTH: "raw", Seat.EAST: "sdk", Seat.SOUTH: "raw", Seat.WEST: "sdk"}


async def test_the_survivor_adopts_within_five_seconds(tmp_path: Path) -> None:
    ledger = Ledger()
    when = choices("kills")
    took: list[float] = []
    async with embedded_store(tmp_path / "store", "always") as store:
        one, two = (Server(tmp_path, name, redis=store.url) for name in ("one", "two"))
        # Everybody dials one address, as through a load balancer.
        async with (
            Proxy(one.address, when).listening() as front,
            host_client(front.address) as host,
        ):
            raw = Player("raw", front.address, ledger, choices("raw"), think=THINK_S)
            sdk = Thinker(ledger, choices("sdk"), THINK_S)
            floor = Floor(host, SEATS, choices("floor"), tables=MATCHES, clock=CLOCK)
            with one, two:
                await one.start()
                await two.start()
                servers = [one, two]
                async with beside(raw.run(), think("sdk", front.address, sdk), floor.run()):
                    for _ in range(KILLS):
                        await asyncio.sleep(when.uniform(2, 5))
                        took.append(await _fall(servers, front, store.url))
                        await servers[1].start()
                    await floor.closed()
                await floor.check(ledger, tmp_path / "records")
    print(
        f"adopted after {', '.join(f'{one:.2f}' for one in took)} s; {len(floor.ended)} matches, "
        f"{ledger.acknowledged} actions acknowledged, not taken: {ledger.odd}"
    )
    assert not ledger.wrong, "\n".join(ledger.wrong[:20])
    assert max(took) <= ADOPTED_S


async def _fall(servers: list[Server], front: Proxy, url: str) -> float:
    """Kill the first server, which becomes the second; how long until all is adopted."""
    store = await connect(url)
    killed, survivor = servers
    already = len(survivor.said("match_adopted"))
    front.target = survivor.address
    began = time.monotonic()
    await killed.kill()
    front.tear_all()
    orphans = set(await store.live(after="", limit=10_000))
    assert orphans

    def adopted() -> bool:
        lines = survivor.said("match_adopted")[already:]
        return orphans <= {line["match_id"] for line in lines}

    await until(adopted, 60, "all matches are adopted")
    took = time.monotonic() - began
    await store.close()
    servers.reverse()
    return took
