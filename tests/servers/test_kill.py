"""Servers are killed while bots play at all of them: every acknowledged action is in its record,
once, and nobody is charged.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

import pytest
from tests.chaos.scale import choices, pick
from tests.servers.floor import playing
from tests.servers.site import site
from tests.stores.cluster import store_cluster

from contree.client import TimeControl

pytestmark = [pytest.mark.servers, pytest.mark.timeout(pick(600, 1800))]

KILLS: Final = pick(2, 20)
CLOCK: Final = TimeControl(per_move=5.0, bank=0.0, allowance=0.5, disconnect_grace=10.0)


@pytest.mark.parametrize("servers", [2, 4])
async def test_what_was_acknowledged_is_in_the_records(servers: int, tmp_path: Path) -> None:
    when = choices(f"kills of {servers}")
    async with (
        store_cluster(tmp_path) as store,
        site(tmp_path, store.url, servers=servers) as place,
        playing(place.address, tmp_path, tables=24, clock=CLOCK) as books,
    ):
        for _ in range(KILLS):
            await asyncio.sleep(when.uniform(1.0, 3.0))  # the moment is what is drawn
            victim = when.choice(place.servers)
            await victim.kill()
            await books.grow(100)
            await victim.start()
            await place.door.open(servers)
        assert any(one.said("match_adopted") for one in place.servers)
    print(f"{KILLS} of {servers} servers killed: {books}")
