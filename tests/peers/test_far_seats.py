"""Bots at other servers than their tables."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.e2e.playing import Player, check_records
from tests.peers.conftest import Server, Servers
from tests.rpc.conftest import WAIT_S, board

from contree.v1 import match_pb2, match_service_pb2, play_service_pb2

LABEL = "recovery"


async def ended(server: Any, match_id: str) -> match_pb2.Match:
    request = match_service_pb2.GetMatchRequest(match_id=match_id)
    match = (await server.matches.GetMatch(request)).match
    assert match.end_reason in (match_pb2.END_REASON_BOARD_DONE, match_pb2.END_REASON_PASSED_OUT)
    assert not match.faults
    return match  # type: ignore[no-any-return]


async def test_a_bot_plays_whole_matches_at_another_server(servers: Servers) -> None:
    home = await servers.start("home")
    edge = await servers.start("edge")
    bot = await edge.bot()
    made = [await home.matches.CreateMatch(board(number, labels=[LABEL])) for number in range(1, 9)]
    player = Player()
    async with asyncio.timeout(2 * WAIT_S):
        await player.play(bot, until_ended=2 * len(made))
    for one in made:
        await ended(edge, one.match.id)
    await check_records(home.channel, player)
    assert not edge.host.tables.all()
    assert edge.host.peers.edge.count == 0


SEED = bytes(range(32))


async def heard(server: Server, home: Server, **hello: Any) -> dict[tuple[int, str], list[bytes]]:
    """What a bot at a server hears of a board at another, by seat and kind, in order."""
    bot = await server.bot(server.host.settings.server_id, **hello)
    request = board(3, deals=match_pb2.DealSource(seeded=match_pb2.SeededDeals(seed=SEED)))
    for seat in request.seats:
        if seat.bot:
            seat.instance_id = server.host.settings.server_id
    await home.matches.CreateMatch(request)
    found: dict[tuple[int, str], list[bytes]] = {}
    seats: dict[int, int] = {}
    over = 0
    async with asyncio.timeout(2 * WAIT_S):
        while over < 2:
            message = await bot.anything()
            kind = str(message.WhichOneof("message"))
            said = getattr(message, kind)
            if kind == "seat_assigned":
                seats[said.seat_ref] = said.seat
                ready = play_service_pb2.Ready(seat_ref=said.seat_ref)
                await bot.say(play_service_pb2.ClientMessage(ready=ready))
            elif kind == "turn":
                await bot.act(said)
            over += kind == "match_ended"
            sat = seats[said.seat_ref]
            for name in ("seat_ref", "decision_id", "match_id"):
                if name in said.DESCRIPTOR.fields_by_name:
                    said.ClearField(name)
            if kind == "turn":
                said.decision.ClearField("id")
                said.decision.ClearField("clock")
            found.setdefault((sat, kind), []).append(message.SerializeToString())
    return found


@pytest.mark.parametrize("delivery", [1, 2], ids=["state", "events"])
async def test_a_bot_hears_the_same_wherever_it_is(servers: Servers, delivery: int) -> None:
    home = await servers.start("home")
    edge = await servers.start("edge")
    near = await heard(home, home, delivery=delivery)
    far = await heard(edge, home, delivery=delivery)
    assert len(near) == (10 if delivery == 1 else 12)
    assert near == far
