"""What goes to a server through its inbox concerns the seats of its own bots, and no other."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from redis.asyncio import Redis
from tests.peers.conftest import Server, Servers
from tests.rpc.conftest import WAIT_S, RawBot, board

from contree.engine import SEATS, Seat, SeededDeals, cards_in
from contree.peers.v1.peers_pb2 import Entry, Item
from contree.server.host.folding import pages
from contree.server.match import Created, decode_entry, fold
from contree.v1 import observation_pb2, play_service_pb2
from contree.v1.play_service_pb2 import ServerMessage
from contree.wire.cards import SEAT_TO_PB

BOARDS = 4


async def overheard(raw: Redis, server: Server, items: list[Item]) -> None:
    """All that is put into an inbox, as it comes."""
    inbox, after = f"inbox:{server.host.peers.address}", b"0"
    while True:
        reply: Any = await raw.xread({inbox: after}, block=1000)
        for _, entries in reply:
            for entry_id, fields in entries:
                after = entry_id
                items += Entry.FromString(fields[b"e"]).items


@pytest.mark.parametrize("delivery", [1, 2], ids=["state", "events"])
async def test_an_inbox_shows_no_card_of_another_server(
    servers: Servers, raw: Redis, delivery: int
) -> None:
    home, left, right = [await servers.start(name) for name in ("home", "left", "right")]
    edges = {left: (Seat.NORTH, Seat.SOUTH), right: (Seat.EAST, Seat.WEST)}
    items: dict[Server, list[Item]] = {left: [], right: []}
    listening = [asyncio.create_task(overheard(raw, edge, items[edge])) for edge in edges]
    bots = [
        await left.bot("left", bot="left", delivery=delivery),
        await right.bot("right", bot="right", delivery=delivery),
    ]
    made = []
    for number in range(1, BOARDS + 1):
        request = board(number)
        for plan in request.seats:
            plan.bot = "left" if plan.seat in (1, 3) else "right"
        made.append((await home.matches.CreateMatch(request)).match.id)
    async with asyncio.timeout(2 * WAIT_S):
        await asyncio.gather(*map(play, bots))
    for task in listening:
        task.cancel()
    await asyncio.gather(*listening, return_exceptions=True)

    hands = {match_id: await dealt(home, match_id) for match_id in made}
    for edge, own in edges.items():
        lines: dict[int, tuple[str, Seat]] = {}
        turns = 0
        for item in items[edge]:
            if item.HasField("assigned"):
                lines[item.assigned.line] = item.assigned.match_id, Seat(item.assigned.seat)
                assert lines[item.assigned.line][1] in own
            if not item.HasField("told"):
                continue
            match_id, seat = lines[item.told.line]
            for data in item.told.messages:
                message = ServerMessage.FromString(data)
                kind = str(message.WhichOneof("message"))
                assert getattr(message, kind).seat_ref == item.told.line
                if kind == "turn":
                    turns += 1
                    assert message.turn.view.seat == SEAT_TO_PB[seat]
                    assert set(message.turn.view.hand) <= hands[match_id][seat]
                elif kind == "event" and message.event.event.HasField("dealt"):
                    (hand,) = message.event.event.dealt.hands
                    assert hand.seat == SEAT_TO_PB[seat]
                    assert set(hand.cards) == hands[match_id][seat]
        assert len(lines) == 2 * BOARDS
        assert turns > 16 * BOARDS
        shown = b"".join(item.SerializeToString() for item in items[edge])
        for match_id in made:
            first = decode_entry((await home.host.store.read(match_id, limit=1))[0])
            assert isinstance(first, Created)
            assert isinstance(first.spec.deals, SeededDeals)
            assert first.spec.secret not in shown
            assert first.spec.deals.seed not in shown


async def play(bot: RawBot) -> None:
    """Bid, so that there is play, until all is over."""
    over = 0
    while over < 2 * BOARDS:
        message = await bot.anything()
        over += message.HasField("match_ended")
        if message.HasField("seat_assigned"):
            ready = play_service_pb2.Ready(seat_ref=message.seat_assigned.seat_ref)
            await bot.say(play_service_pb2.ClientMessage(ready=ready))
        elif message.HasField("turn"):
            calls = message.turn.decision.calls
            bid = {"action": observation_pb2.Action(call=calls[1])} if len(calls) > 1 else {}
            await bot.act(message.turn, **bid)


async def dealt(server: Server, match_id: str) -> dict[Seat, set[int]]:
    """The cards that each seat was dealt, as numbers of the wire."""
    entries = [
        decode_entry(data) async for page in pages(server.host.store, match_id) for data in page
    ]
    deal = fold(entries).game.finished[0]
    return {seat: {int(card) + 1 for card in cards_in(deal.dealt[seat])} for seat in SEATS}
