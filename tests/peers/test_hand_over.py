"""Tables that change servers under bots that are elsewhere: the bots are not asked again."""

from __future__ import annotations

import asyncio

import pytest
from tests.host.conftest import a_match
from tests.peers.conftest import Servers, until

from contree.server.match import SeatPlan
from contree.v1 import play_service_pb2

HOUSE = SeatPlan(house="rules")


@pytest.mark.parametrize("to", ["edge", "third"])
@pytest.mark.parametrize("delivery", [1, 2], ids=["state", "events"])
async def test_who_thinks_goes_on_thinking(servers: Servers, to: str, delivery: int) -> None:
    """Its table is handed over meanwhile, to the server that it is at or to a third."""
    home, edge, _ = [await servers.start(name) for name in ("home", "edge", "third")]
    for server in servers.all:
        server.host.leases.adopting = server.host.settings.server_id == to
    bot = await edge.bot(delivery=delivery)
    made = await home.host.matches.create(a_match((SeatPlan(bot="raw"), HOUSE, HOUSE, HOUSE)))
    ref = await bot.ready()
    turn = (await bot.next("turn")).turn
    draining = asyncio.create_task(home.host.drain())
    adopter = next(one for one in servers.all if one.host.settings.server_id == to)
    await until(lambda: adopter.host.tables.get(made.id) is not None)
    table = adopter.host.tables.get(made.id)
    assert table is not None
    await until(lambda: any(table.attached))
    await draining
    await bot.act(turn)
    kinds = []
    events = []
    while "match_ended" not in kinds:
        message = await bot.anything()
        kinds.append(str(message.WhichOneof("message")))
        if message.HasField("turn"):
            assert message.turn.decision.id != turn.decision.id
            assert message.turn.seat_ref == ref
            await bot.act(message.turn)
        elif message.HasField("act_result"):
            assert message.act_result.status == play_service_pb2.ACT_STATUS_ACCEPTED
        elif message.HasField("event"):
            events.append(message.event.event.seq)
    assert "seat_assigned" not in kinds
    assert not table.match.faults
    if delivery == 2:
        assert events == sorted(events)
        assert set(events) == set(range(events[0], events[-1] + 1))
        assert events[-1] == table.match.seq


@pytest.mark.parametrize("to", ["edge", "third"])
async def test_an_answer_on_its_way_is_said_on_to_the_next_server(
    servers: Servers, to: str
) -> None:
    """Said while its table had no server at all."""
    home, edge, third = [await servers.start(name) for name in ("home", "edge", "third")]
    bot = await edge.bot()
    made = await home.host.matches.create(a_match((SeatPlan(bot="raw"), HOUSE, HOUSE, HOUSE)))
    await bot.ready()
    turn = (await bot.next("turn")).turn
    for server in (edge, third):
        server.host.leases.adopting = False
    await home.host.drain()
    await bot.act(turn)
    (far,) = edge.host.peers.edge.all()
    await until(lambda: far.pending)
    adopter = edge if to == "edge" else third
    adopter.host.leases.adopting = True
    message = await bot.anything()
    assert message.act_result.decision_id == turn.decision.id
    assert message.act_result.status == play_service_pb2.ACT_STATUS_ACCEPTED
    assert adopter.host.tables.get(made.id) is not None


async def test_a_match_placed_at_a_server_that_begins_to_drain_is_given_up_there(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It had begun to read its journal, and gives up its leases before that is done."""
    home, edge = [await servers.start(name) for name in ("home", "edge")]
    home.host.leases.adopting = False
    made = await home.host.matches.create(a_match((SeatPlan(bot="raw"), HOUSE, HOUSE, HOUSE)))
    table = home.host.tables.get(made.id)
    assert table is not None
    store, released = edge.host.store, []
    read, release = store.read, store.release
    reading, go_on = asyncio.Event(), asyncio.Event()

    async def slow_read(match_id: str) -> list[bytes]:
        reading.set()
        await go_on.wait()
        return await read(match_id)

    async def noted(leases: dict[str, int]) -> None:
        released.append(leases)
        await release(leases)

    monkeypatch.setattr(store, "read", slow_read)
    monkeypatch.setattr(store, "release", noted)
    opening = asyncio.create_task(edge.host.peers.handing._open(made.id, table.fence))
    await reading.wait()
    await edge.host.drain()
    go_on.set()
    await opening
    assert edge.host.tables.get(made.id) is None
    assert {made.id: table.fence} in released
