"""Bots that come back at another server than they left; one session of an instance counts."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from tests.host.conftest import a_match
from tests.peers.conftest import Server, Servers, until
from tests.rpc.conftest import WAIT_S, RawBot, board

from contree.server.match import SeatPlan
from contree.v1 import play_service_pb2

pytestmark = pytest.mark.usefixtures("answered")


async def in_play(home: Server, bot: RawBot) -> tuple[Any, play_service_pb2.Turn]:
    """A match of a bot that owes a decision."""
    made = (await home.matches.CreateMatch(board(1))).match
    for _ in range(2):
        await bot.ready()
    return home.host.tables.get(made.id), (await bot.next("turn")).turn


@pytest.mark.parametrize("at", [0, 1, 2], ids=["at-its-table", "where-it-was", "at-a-third"])
async def test_a_bot_that_comes_back_anywhere_is_asked_the_same_again(
    servers: Servers, at: int
) -> None:
    home, edge, _ = [await servers.start(name) for name in ("home", "edge", "third")]
    bot = await edge.bot()
    table, turn = await in_play(home, bot)
    await bot.close()
    await until(lambda: table.attached == [None] * 4)
    back = await servers.all[at].bot()
    assert back.welcome.seats_owed == 2  # type: ignore[attr-defined]
    for _ in range(2):
        assert (await back.next("seat_assigned")).seat_assigned.resumed
    again = (await back.next("turn")).turn
    assert again.again
    assert again.decision.id == turn.decision.id
    assert again.view == turn.view
    assert again.decision.clock.remaining.ToMilliseconds() <= 10_000
    await back.act(again)
    assert (await back.next("act_result")).act_result.decision_id == turn.decision.id
    far = 0 if at == 0 else 2
    await until(lambda: sum(one.host.peers.edge.count for one in servers.all) == far)


@pytest.mark.parametrize("new", [0, 2], ids=["at-its-table", "at-a-third"])
async def test_a_session_is_superseded_at_once_at_another_server(
    servers: Servers, new: int
) -> None:
    """Not at the next heartbeat, and the seats go with it."""
    home, edge, _ = [
        await servers.start(name, heartbeat_s=600) for name in ("home", "edge", "third")
    ]
    old = await edge.bot()
    _, turn = await in_play(home, old)
    newer = await servers.all[new].bot()
    async with asyncio.timeout(WAIT_S):
        await old.next("superseded")
        again = (await newer.next("turn")).turn
    assert again.decision.id == turn.decision.id
    with pytest.raises(EOFError):
        await old.anything()
    await newer.act(again)
    assert (
        await newer.next("act_result")
    ).act_result.status == play_service_pb2.ACT_STATUS_ACCEPTED


async def test_whoever_is_written_last_has_the_seats_whatever_is_heard_first(
    servers: Servers,
) -> None:
    """Sessions that come to all servers at the same time: one is left, and it has all seats."""
    home, *_ = [await servers.start(name, heartbeat_s=60) for name in ("home", "edge", "third")]
    first = await home.bot()
    table, _ = await in_play(home, first)
    bots = await asyncio.gather(*(server.bot() for server in servers.all for _ in range(3)))

    def sessions() -> list[Any]:
        return [one for server in servers.all for one in server.host.seating.lobby.sessions()]

    await until(lambda: len(sessions()) == 1)
    (left,) = sessions()

    def seated() -> list[str]:
        return [
            getattr(attached.session, "nonce", "")
            for attached in table.attached
            if attached is not None
        ]

    await until(lambda: seated() == [left.nonce] * 2)
    assert len(bots) == 9


async def test_capacity_counts_seats_at_all_servers(servers: Servers) -> None:
    home, edge = [await servers.start(name) for name in ("home", "edge")]
    bot = await edge.bot(capacity=2)
    house = SeatPlan(house="rules")
    seat = SeatPlan(bot="raw")
    for _ in range(2):
        await home.host.matches.create(a_match((seat, house, house, house)))
    await edge.host.matches.create(a_match((seat, house, house, house)))
    for _ in range(2):
        await bot.next("seat_assigned")
    (session,) = edge.host.seating.lobby.sessions()
    await until(lambda: session.holding.reserved == 0)
    assert session.free == 0
    await bot.close()
    await until(lambda: not edge.host.seating.lobby.sessions())
    back = await home.bot(capacity=2)
    assert back.welcome.seats_owed == 2  # type: ignore[attr-defined]
    (session,) = home.host.seating.lobby.sessions()
    await until(lambda: len(session.holding.seats) == 2)
    await until(lambda: session.holding.reserved == 0)


async def test_seats_pinned_to_an_instance_wait_for_it(servers: Servers) -> None:
    home, edge = [await servers.start(name) for name in ("home", "edge")]
    other = await edge.bot("other")
    pinned = replace(SeatPlan(bot="raw"), instance_id="one")
    house = SeatPlan(house="rules")
    made = await home.host.matches.create(a_match((pinned, house, house, house)))
    one = await edge.bot("one")
    assert (await one.next("seat_assigned")).seat_assigned.match_id == made.id
    assert not [message for message in other.taken() if message.HasField("seat_assigned")]


async def test_a_bot_that_wants_every_event_has_each_once_wherever_it_goes(
    servers: Servers,
) -> None:
    """At its table's server, at another, and back: contiguous, as its journal has them."""
    home, edge, third = [await servers.start(name) for name in ("home", "edge", "third")]
    made = (await home.matches.CreateMatch(board(2))).match
    seen: dict[int, list[int]] = {1: [], 3: []}
    over = 0
    visits = (edge, home, third, edge, home)
    for visit, server in enumerate(visits, start=1):
        at = [
            play_service_pb2.SeenEvents(match_id=made.id, seat=seat, seq=seqs[-1])  # type: ignore[arg-type]
            for seat, seqs in seen.items()
            if seqs
        ]
        bot = await server.bot(delivery=2, seen=at)
        seats: dict[int, int] = {}
        acts = 0
        while acts < 3 if visit < len(visits) else over < 2:
            message = await bot.anything()
            kind = message.WhichOneof("message")
            if kind == "seat_assigned":
                assigned = message.seat_assigned
                seats[assigned.seat_ref] = assigned.seat
                ready = play_service_pb2.Ready(seat_ref=assigned.seat_ref)
                await bot.say(play_service_pb2.ClientMessage(ready=ready))
            elif kind == "turn":
                await bot.act(message.turn)
                acts += 1
            elif kind == "event":
                seen[seats[message.event.seat_ref]].append(message.event.event.seq)
            elif kind == "match_ended":
                over += 1
        await bot.close()
    for seqs in seen.values():
        assert len(seqs) > 15
        # Several events may be of one entry, and none is left out or comes again later.
        assert sorted(seqs) == seqs
        assert set(seqs) == set(range(seqs[0], seqs[-1] + 1))
        assert seqs[0] == 1


async def test_leave_is_remembered_where_the_seats_are(servers: Servers) -> None:
    """Said on a stream that broke: the bot comes back for its seats, and takes no new ones."""
    home, edge, third = [await servers.start(name) for name in ("home", "edge", "third")]
    bot = await edge.bot()
    table, _ = await in_play(home, bot)
    await bot.say(play_service_pb2.ClientMessage(leave=play_service_pb2.Leave()))
    (session,) = edge.host.seating.lobby.sessions()
    await until(lambda: session.leaving)
    await bot.close()
    await until(lambda: table.attached == [None] * 4)
    await third.bot()
    (again,) = third.host.seating.lobby.sessions()
    await until(lambda: len(again.holding.seats) == 2)
    assert again.free == 0
    await home.host.matches.cancel(table.match.id, "for a test")
    await until(lambda: again.free == 64)
