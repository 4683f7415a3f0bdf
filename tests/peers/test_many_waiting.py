"""More seats wait than fit into one message to the other servers."""

from __future__ import annotations

import asyncio

import pytest
from tests.host.conftest import a_match
from tests.peers.conftest import Servers, until
from tests.rpc.conftest import WAIT_S

from contree.server.host.peers import matching
from contree.server.match import SeatPlan

HOUSE = SeatPlan(house="rules")


@pytest.mark.parametrize("absent", [1, 3, 6])
async def test_a_seat_behind_many_for_an_absent_bot_is_not_forgotten(
    servers: Servers, monkeypatch: pytest.MonkeyPatch, absent: int
) -> None:
    """Its bot comes to another server after all that was said first is forgotten there."""
    monkeypatch.setattr(matching, "_AT_ONCE", 1)
    monkeypatch.setattr(matching, "_ROUND", 3)

    monkeypatch.setattr(matching, "_AGAIN_S", 0.2)
    monkeypatch.setattr(matching, "_FORGOTTEN_S", 2.0)
    home, edge = [await servers.start(name, lease_ms=1000) for name in ("home", "edge")]
    for _ in range(absent):
        await home.host.matches.create(a_match((SeatPlan(bot="absent"), HOUSE, HOUSE, HOUSE)))
    made = await home.host.matches.create(a_match((SeatPlan(bot="raw"), HOUSE, HOUSE, HOUSE)))
    heard = edge.host.peers.matching
    await until(lambda: sum(map(len, heard._waits.values())) == absent + 1)
    began = asyncio.get_running_loop().time()
    await until(lambda: asyncio.get_running_loop().time() - began > 3.0)
    # Where a stall made it forget all, it hears of all again.
    await until(lambda: sum(map(len, heard._waits.values())) == absent + 1)
    bot = await edge.bot()
    async with asyncio.timeout(WAIT_S):
        assert (await bot.next("seat_assigned")).seat_assigned.match_id == made.id
