"""A server that is cut off from the store, where the others are not."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator

import pytest
from tests.chaos.proxy import Proxy
from tests.host.conftest import a_match
from tests.peers.conftest import Server, Servers, until
from tests.rpc.conftest import RawBot

from contree.server.host import Table
from contree.server.match import SeatPlan, TimeControl

HOUSE = SeatPlan(house="rules")
RETURN_S = 10.0
"""After six of them a server that is cut off sends its bots away; then they have four."""


@pytest.fixture
async def wire(servers: Servers) -> AsyncIterator[Proxy]:
    """Between one server and the store."""
    async with Proxy(servers.url, random.Random(1)).listening() as proxy:
        yield proxy


async def start(servers: Servers, wire: Proxy) -> tuple[Server, Server]:
    """A server of its own, and one that may be cut off."""
    home = await servers.start("home", lease_ms=1000, return_s=RETURN_S)
    url, servers.url = servers.url, f"redis://{wire.address}"
    edge = await servers.start("edge", lease_ms=1000, return_s=RETURN_S)
    servers.url = url
    return home, edge


async def match(server: Server) -> Table:
    """Its one bot must be there when its clock runs, and is not forgiven to be away."""
    time = TimeControl(per_move=6_000, disconnect_grace=0)
    seats = (SeatPlan(bot="raw"), HOUSE, HOUSE, HOUSE)
    made = await server.host.matches.create(a_match(seats, time=time))
    table = server.host.tables.get(made.id)
    assert table is not None
    return table


def cut(wire: Proxy) -> str:
    target, wire.target = wire.target, "127.0.0.1:1"
    wire.tear_all()
    return target


async def sent_away(bot: RawBot) -> None:
    """It is told so, and its stream ends."""
    await bot.next("go_away")
    with pytest.raises(EOFError):
        await bot.anything()


@pytest.mark.parametrize("hosted", ["elsewhere", "there"])
async def test_bots_of_a_server_that_is_cut_off_are_sent_away_in_time(
    servers: Servers, wire: Proxy, hosted: str
) -> None:
    """Wherever their tables are: they come back at another server, and nothing is charged."""
    home, edge = await start(servers, wire)
    bot = await edge.bot()
    table = await match(home if hosted == "elsewhere" else edge)
    await bot.ready()
    turn = (await bot.next("turn")).turn
    target = cut(wire)
    await bot.act(turn)
    await sent_away(bot)
    back = await home.bot()
    await back.act((await back.next("turn")).turn)
    turn = (await back.next("turn")).turn
    now = home.host.tables.get(table.match.id)
    assert now is not None
    assert not now.match.faults
    wire.target = target
    await until(lambda: len(edge.host.peers.servers.there) == 1 and edge.host.ready)
    await back.act(turn)
    await back.next("turn")
    assert not now.match.faults
    assert home.host.tables.get(table.match.id) is now


async def test_an_outage_for_a_short_time_sends_nobody_away(servers: Servers, wire: Proxy) -> None:
    home, edge = await start(servers, wire)
    bot = await edge.bot()
    table = await match(home)
    await bot.ready()
    turn = (await bot.next("turn")).turn
    target = cut(wire)
    await until(lambda: not home.host.peers.servers.there)
    wire.target = target
    await bot.act(turn)
    again = (await bot.next("turn")).turn
    assert again.decision.id != turn.decision.id
    assert not table.match.faults


async def test_who_is_alone_sends_nobody_away(servers: Servers, wire: Proxy) -> None:
    """Its tables are nobody else's, however long the store is away."""
    servers.url, target = f"redis://{wire.address}", servers.url
    alone = await servers.start("alone", lease_ms=1000, return_s=0.0)
    bot = await alone.bot()
    table = await match(alone)
    await bot.ready()
    turn = (await bot.next("turn")).turn
    cut(wire)
    seen = alone.host.peers.servers._seen
    loop = asyncio.get_running_loop()
    await until(lambda: loop.time() - seen > 3.0)
    wire.target = target
    await bot.act(turn)
    assert (await bot.next("turn")).turn.decision.id != turn.decision.id
    assert not table.match.faults
