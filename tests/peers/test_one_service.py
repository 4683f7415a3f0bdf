"""Several servers answer as one: matches and bots of all are listed, read and cancelled at any."""

from __future__ import annotations

import asyncio
from typing import Any

import grpc
import pytest
from tests.e2e.playing import LABEL
from tests.host.conftest import a_match
from tests.peers.conftest import Server, Servers, until
from tests.rpc.conftest import board

from contree.server.match import SeatPlan
from contree.v1 import match_pb2, match_service_pb2

HOUSE = SeatPlan(house="rules")
pytestmark = pytest.mark.usefixtures("answered")


async def listed(server: Server) -> list[Any]:
    request = match_service_pb2.ListMatchesRequest(label=LABEL)
    return list((await server.matches.ListMatches(request)).matches)


def there(match: match_pb2.Match) -> list[bool]:
    return [seat.connected for seat in match.seats if not seat.house]


async def test_listings_tell_of_bots_wherever_they_are(servers: Servers) -> None:
    home, edge, third = [await servers.start(name) for name in ("home", "edge", "third")]
    bot = await edge.bot()
    made = (await home.matches.CreateMatch(board(labels=[LABEL]))).match
    for _ in range(2):
        await bot.next("seat_assigned")
    for server in servers.all:
        (match,) = await listed(server)
        assert there(match) == [True, True]
        request = match_service_pb2.GetMatchRequest(match_id=made.id)
        assert there((await server.matches.GetMatch(request)).match) == there(match)
    await bot.close()
    await until(lambda: home.host.tables.connected(made.id) == (False,) * 4)
    assert there((await listed(third))[0]) == [False] * 2


async def test_bots_are_listed_whichever_server_has_them(servers: Servers) -> None:
    home, edge, third = [await servers.start(name) for name in ("home", "edge", "third")]
    await edge.bot("one", capacity=7)
    await third.bot("two", bot="other")
    await home.host.matches.create(a_match((SeatPlan(bot="raw"), HOUSE, HOUSE, HOUSE)))
    await until(lambda: edge.host.peers.edge.count == 1)
    for server in servers.all:
        response = await server.matches.ListBots(match_service_pb2.ListBotsRequest())
        found = sorted((bot.bot, bot.capacity, bot.seats, bot.instance_id) for bot in response.bots)
        assert found == [("other", 64, 0, ""), ("raw", 7, 1, "")]


async def test_a_match_is_cancelled_from_any_server(servers: Servers) -> None:
    home, edge, third = [await servers.start(name) for name in ("home", "edge", "third")]
    bot = await edge.bot()
    made = (await home.matches.CreateMatch(board(labels=[LABEL]))).match
    request = match_service_pb2.CancelMatchRequest(match_id=made.id, reason="enough")
    ended = (await third.matches.CancelMatch(request)).match
    assert ended.end_reason == match_pb2.END_REASON_CANCELLED
    assert home.host.tables.get(made.id) is None
    assert (await bot.next("match_ended")).match_ended.match_id == made.id
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await third.matches.CancelMatch(request)
    assert refused.value.code() is grpc.StatusCode.FAILED_PRECONDITION


async def test_new_matches_go_where_there_are_fewer(servers: Servers) -> None:
    """And none is placed for a small difference."""
    home, other = [await servers.start(name) for name in ("home", "other")]
    waiting = (SeatPlan(bot="nobody"), HOUSE, HOUSE, HOUSE)
    for _ in range(9):
        await home.host.matches.create(a_match(waiting))
    assert len(home.host.tables) == 9
    made = [await home.host.matches.create(a_match(waiting)) for _ in range(7)]
    # Sixteen, as an event has by default, are enough for both.
    await until(lambda: len(other.host.tables) + len(home.host.tables) == 16)
    assert len(other.host.tables) >= 4
    made += [await home.host.matches.create(a_match(waiting)) for _ in range(60)]
    await until(lambda: len(other.host.tables) + len(home.host.tables) == 76)
    assert len(other.host.tables) >= 25
    assert len(home.host.tables) >= 25
    # A host sees no difference, and what is asked for twice is made once.
    assert {one.id for one in await home.host.queries.many([one.id for one in made]) if one} == {
        one.id for one in made
    }
    assert all(table.match.stage.value == "waiting" for table in other.host.tables.all())


async def test_a_match_stays_where_a_bot_is_that_must_play_in_it(servers: Servers) -> None:
    home, other = [await servers.start(name) for name in ("home", "other")]
    await home.bot("one", capacity=200)
    for _ in range(40):
        pinned = SeatPlan(bot="raw", instance_id="one")
        await home.host.matches.create(a_match((pinned, HOUSE, HOUSE, HOUSE)))
    assert len(home.host.tables) == 40
    assert not len(other.host.tables)


async def test_a_match_placed_at_a_server_that_is_gone_is_found(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its lease runs out like any other."""
    home, other = [await servers.start(name, lease_ms=1000) for name in ("home", "other")]
    waiting = (SeatPlan(bot="nobody"), HOUSE, HOUSE, HOUSE)
    for _ in range(17):
        await home.host.matches.create(a_match(waiting))
    # It never comes to that.
    monkeypatch.setattr(other.host.peers.handing, "_opens", lambda match, fence, journal: None)
    other.host.leases.adopting = False
    made = await home.host.matches.create(a_match(waiting))
    assert home.host.tables.get(made.id) is None
    await until(lambda: home.host.tables.get(made.id) is not None)
    await asyncio.sleep(0)
