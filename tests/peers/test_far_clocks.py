"""The time of bots at other servers: what they are charged for, and what not."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.host.conftest import a_match
from tests.peers.conftest import Server, Servers, until
from tests.rpc.conftest import RawBot

from contree.engine import SEATS
from contree.peers.v1 import peers_pb2
from contree.peers.v1.peers_pb2 import Item
from contree.server.host import Table
from contree.server.match import FaultKind, SeatPlan, TimeControl
from contree.v1 import match_pb2, play_service_pb2

HOUSE = SeatPlan(house="rules")


async def asked(
    servers: Servers, per_move: int, **fields: Any
) -> tuple[Server, Server, RawBot, Table, play_service_pb2.Turn]:
    """A bot at one server owes a decision to a table at another."""
    home, edge = [await servers.start(name, heartbeat_s=60) for name in ("home", "edge")]
    bot = await edge.bot()
    time = TimeControl(per_move=per_move, allowance=0, **fields)
    seats = (SeatPlan(bot="raw"), HOUSE, HOUSE, HOUSE)
    made = await home.host.matches.create(a_match(seats, time=time))
    table = home.host.tables.get(made.id)
    assert table is not None
    await bot.ready()
    return home, edge, bot, table, (await bot.next("turn")).turn


async def test_a_bot_elsewhere_that_says_nothing_is_late(servers: Servers) -> None:
    _, _, bot, table, turn = await asked(servers, per_move=1_500)
    fault = (await bot.next("fault")).fault
    assert fault.fault.kind == match_pb2.FAULT_KIND_TIMEOUT
    assert [one.kind for one in table.match.faults][:1] == [FaultKind.TIMEOUT]
    await bot.act(turn)
    assert (await bot.next("act_result")).act_result.status == play_service_pb2.ACT_STATUS_LATE


async def test_an_answer_in_time_counts_however_long_its_way_is(servers: Servers) -> None:
    """The bot answers at once, and its home hears of it when its time is over."""
    home, edge, bot, table, turn = await asked(servers, per_move=2_000)
    post = edge.host.peers.post
    say, held = post.say, asyncio.Event()
    waiting: list[tuple[str, Item]] = []

    def slowly(peer: str, item: Item) -> None:
        if item.HasField("commanded") and not held.is_set():
            waiting.append((peer, item))
        else:
            say(peer, item)

    edge.host.peers.edge._say = slowly
    await bot.act(turn)
    await until(lambda: waiting)
    seat = next(seat for seat, attached in enumerate(table.attached) if attached is not None)
    before = table.match.seats[seat].decisions
    # Its home asks, and learns that there is an answer.
    await until(lambda: len(waiting) > 1)
    assert not table.match.faults
    held.set()
    for peer, item in waiting:
        say(peer, item)
    result = (await bot.next("act_result")).act_result
    assert result.status == play_service_pb2.ACT_STATUS_ACCEPTED
    state = table.match.seats[seat]
    assert state.decisions > before
    assert not table.match.faults
    assert home.host.tables.get(table.match.id) is table


async def test_the_way_to_its_table_is_not_charged(servers: Servers) -> None:
    _, edge, bot, table, turn = await asked(servers, per_move=60_000)
    say = edge.host.peers.edge._say
    loop = asyncio.get_running_loop()

    def slowly(peer: str, item: Item) -> None:
        loop.call_later(3.0, say, peer, item)

    edge.host.peers.edge._say = slowly
    await bot.act(turn)
    again = (await bot.next("turn")).turn
    assert again.decision.clock.charged.ToMilliseconds() < 2_900
    assert not table.match.faults


async def test_what_a_bot_thinks_is_charged_and_told_as_ever(servers: Servers) -> None:
    home, edge, bot, table, turn = await asked(servers, per_move=60_000)
    (far,) = edge.host.peers.edge.all()
    now = edge.host.tables.deadlines.now  # which stands still while the machine stalls
    _, began = far.asked
    await until(lambda: now() - began >= 0.3)
    await bot.act(turn)
    again = (await bot.next("turn")).turn
    charged = again.decision.clock.charged.ToMilliseconds()
    assert 300 <= charged <= 1000 * (now() - began)
    assert home.host.peers.guests.count == 1
    assert edge.host.peers.edge.count == 1
    assert not table.match.faults


async def test_a_bot_that_leaves_its_server_is_away(servers: Servers) -> None:
    """Its clock and its grace run, as at a table of that server."""
    _, _, bot, table, _ = await asked(servers, per_move=60_000, disconnect_grace=200)
    await bot.close()
    await until(lambda: table.match.faults)
    assert table.match.faults[0].kind is FaultKind.DISCONNECTED


async def test_a_bot_whose_server_stops_has_time_to_come_back(servers: Servers) -> None:
    home, edge, bot, table, turn = await asked(servers, per_move=60_000, disconnect_grace=0)
    draining = asyncio.create_task(edge.host.drain())
    await bot.next("go_away")
    await bot.close()
    await draining
    await until(lambda: not any(table.attached))
    # Neither its absence nor its decision is timed, so there is nothing that it could be late for.
    assert all(
        table.grace_end(seat) is None and table.turn_deadline(seat) is None for seat in SEATS
    )
    assert not table.match.faults
    back = await home.bot()
    again = (await back.next("turn")).turn
    assert again.decision.id == turn.decision.id
    assert not table.match.faults


@pytest.mark.parametrize("at", [0, 2], ids=["at-its-table", "at-a-third"])
async def test_the_time_of_who_comes_again_by_itself_runs_on(servers: Servers, at: int) -> None:
    """Wherever it opens another stream."""
    _, _, bot, table, turn = await asked(servers, per_move=60_000)
    await servers.start("third")
    began = began_of(table)
    now = servers.all[0].host.tables.deadlines.now
    await until(lambda: now() - began >= 1.0)
    again = await servers.all[at].bot()
    assert (await again.next("turn")).turn.decision.id == turn.decision.id
    await bot.next("superseded")
    await until(lambda: began in table.turn_started)
    await again.act(turn_of(turn, again))
    charged = (await again.next("turn")).turn.decision.clock.charged.ToMilliseconds()
    assert charged >= 900


@pytest.mark.parametrize("at", [0, 2], ids=["at-its-table", "at-a-third"])
async def test_who_comes_back_from_a_dead_server_at_once_has_its_time_again(
    servers: Servers, at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before any other server knows that it is dead."""
    _, edge, _, table, turn = await asked(servers, per_move=60_000)
    await servers.start("third")

    async def nowhere(entries: Any) -> list[bool]:
        return [True] * len(entries)

    monkeypatch.setattr(edge.host.store.inboxes, "put", nowhere)  # it says nothing any more
    began, now = began_of(table), servers.all[0].host.tables.deadlines.now
    await until(lambda: now() - began >= 4.0)
    again = await servers.all[at].bot()
    assert (await again.next("turn")).turn.decision.id == turn.decision.id
    await again.act(turn_of(turn, again))
    charged = (await again.next("turn")).turn.decision.clock.charged.ToMilliseconds()
    assert charged < 3_500
    assert not table.match.faults


def began_of(table: Table) -> float:
    return next(one for one in table.turn_started if one is not None)


def turn_of(turn: play_service_pb2.Turn, bot: RawBot) -> play_service_pb2.Turn:
    """The same turn as it is called on the stream of a bot that has one seat."""
    del bot
    copy = play_service_pb2.Turn()
    copy.CopyFrom(turn)
    copy.seat_ref = 1
    return copy


async def test_a_turn_that_is_said_again_is_charged_from_when_the_bot_was_told(
    servers: Servers,
) -> None:
    """It was lost on its way to the edge, and the bot answers at once when it comes."""
    home, edge, bot, table, turn = await asked(servers, per_move=30_000)
    (guest,) = home.host.peers.guests._by_nonce.values()
    say, lost = guest._say, []

    def losing(peer: str, item: Item) -> None:
        if item.told.way == peers_pb2.WAY_TURN:
            lost.append(item)
        else:
            say(peer, item)

    guest._say = losing
    await bot.act(turn)
    await until(lambda: lost)
    seat = next(seat for seat in SEATS if table.attached[seat] is not None)
    now = home.host.tables.deadlines.now
    await until(lambda: table.elapsed_ms(seat, now()) > 4_000)
    guest._say = say
    home.host.peers._resync(edge.host.peers.address)
    second = (await bot.next("turn")).turn
    assert second.decision.clock.remaining.ToMilliseconds() > 26_500
    await bot.act(second)
    third = (await bot.next("turn")).turn
    assert third.decision.clock.charged.ToMilliseconds() < 3_500
    assert not table.match.faults


async def test_a_turn_that_is_said_again_keeps_the_time_that_its_edge_measured(
    servers: Servers,
) -> None:
    """The bot has it already: neither way counts, and what it has thought does."""
    home, edge, bot, table, turn = await asked(servers, per_move=60_000)
    (guest,) = home.host.peers.guests._by_nonce.values()
    say, loop, late = guest._say, asyncio.get_running_loop(), []

    def slowly(peer: str, item: Item) -> None:
        late.append(loop.call_later(1.0, say, peer, item))

    guest._say = slowly
    await bot.act(turn)
    second = (await bot.next("turn")).turn
    guest._say = say
    (far,) = edge.host.peers.edge.all()
    known, began = far.asked
    home.host.peers._resync(edge.host.peers.address)
    marker = Item(due=peers_pb2.Due(line=far.line, decision=known))
    answers: list[Item] = []
    edge.host.peers.edge._say = lambda peer, item: answers.append(item)
    home.host.peers.post.say(edge.host.peers.address, marker)
    await until(lambda: any(one.HasField("elapsed") for one in answers))
    assert far.asked == (known, began)
    assert far.asked[0] == second.decision.id
    assert not table.match.faults
