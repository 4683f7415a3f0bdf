"""Two servers on one store: one is killed, the other goes on with all of its matches."""

from __future__ import annotations

import asyncio
import contextlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest
from redis.asyncio import Redis
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
from contree.server.match import Ended, decode_entry
from contree.server.store import MatchNotFound, connect, embedded_store, keys

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(pick(600, 1800))]

MATCHES: Final = 50
KILLS: Final = pick(2, 10)
ADOPTED_S: Final = 5.0
"""Three of them are the lease. With FULL=1, on a machine that does nothing else, it holds for each
kill; in the short form other programs may disturb one, and the best counts.
"""
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
    assert pick(min, max)(took) <= ADOPTED_S


async def _fall(servers: list[Server], front: Proxy, url: str) -> float:
    """Kill the first server, which becomes the second; how long until all is adopted."""
    killed, survivor = servers
    name = await survivor.server_id()
    already = len(survivor.said("match_adopted"))
    began = datetime.now(UTC)
    await killed.kill()
    # New matches were placed at either of the two.
    orphans = {match_id for match_id, owner in (await _live(url)).items() if owner != name}
    assert orphans
    # Only now: what the survivor creates it need not adopt.
    front.target = survivor.address
    front.tear_all()

    def adopted() -> dict[str, datetime]:
        """When each of them was, by the log: to look for it takes its time, too."""
        lines = survivor.said("match_adopted")[already:]
        return {
            str(one["match_id"]): datetime.fromisoformat(str(one["timestamp"])) for one in lines
        }

    def waiting() -> set[str]:
        """Those of them that are live still, and not adopted."""
        taken = adopted().keys()
        return (orphans - taken) & set(asyncio.run(_live(url))) if orphans - taken else set()

    try:
        await until(lambda: not waiting(), 120, "all matches are adopted")
    except AssertionError:
        left = await asyncio.to_thread(waiting)
        lines = [
            line
            for log in (killed.log, survivor.log)
            for line in log.read_text().splitlines()
            if any(match_id in line for match_id in left)
        ]
        raise AssertionError("\n".join([f"nobody adopts {left}", *lines])) from None
    servers.reverse()
    return max((at - began).total_seconds() for one, at in adopted().items() if one in orphans)


async def _live(url: str) -> dict[str, str]:
    """The matches that are not over, and which server has them, by the store. Its index may name
    more: those whose creation was cut short, for which their host asks again, and ended ones that
    were just put away.
    """
    store = await connect(url)
    raw: Any = Redis.from_url(url)
    live: dict[str, str] = {}
    try:
        for match_id in await store.live(after="", limit=10_000):
            with contextlib.suppress(MatchNotFound):
                last = decode_entry((await store.read(match_id))[-1])
                if not isinstance(last, Ended):
                    owner = await raw.hget(keys.lease(match_id), "owner")
                    live[match_id] = (owner or b"").decode()
    finally:
        await raw.aclose()
        await store.close()
    return live
