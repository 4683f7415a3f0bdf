"""Practice matches: one for each request id, however often Hello is said."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import grpc
import pytest
from tests.rpc.conftest import WAIT_S, RawBot

from contree.v1 import match_pb2, match_service_pb2, play_service_pb2
from contree.v1.play_service_pb2 import ClientMessage

Bots = Callable[[], RawBot]


def practice(request_id: str) -> play_service_pb2.Practice:
    return play_service_pb2.Practice(deals=1, request_id=request_id)


async def listed(matches: Any) -> list[str]:
    request = match_service_pb2.ListMatchesRequest(label="practice")
    return [match.id for match in (await matches.ListMatches(request)).matches]


async def test_a_hello_that_is_repeated_gives_the_same_match(matches: Any, bots: Bots) -> None:
    """The stream broke before the first answer: nobody knows whether the match was made."""
    first = bots()
    await first.hello(instance="one", practice=practice("p1"))
    await first.next("seat_assigned")
    await first.close()
    again = bots()
    await again.hello(instance="one", practice=practice("p1"))
    assigned = (await again.next("seat_assigned")).seat_assigned
    assert await listed(matches) == [assigned.match_id]
    other = bots()
    await other.hello(instance="one", practice=practice("p2"))
    assert len(await listed(matches)) == 2


async def test_its_end_is_told_when_it_is_over_by_then(matches: Any, bots: Bots) -> None:
    first = bots()
    await first.hello(instance="one", practice=practice("p1"))
    refs = [await first.ready(), await first.ready()]
    await first.next("turn")
    await first.say(*[ClientMessage(resign=play_service_pb2.Resign(seat_ref=ref)) for ref in refs])
    ended = [(await first.next("match_ended")).match_ended for _ in range(2)]
    await first.close()
    again = bots()
    await again.hello(instance="one", practice=practice("p1"))
    assigned = {(await again.anything()).seat_assigned.seat_ref for _ in range(1)}
    told = [(await again.next("match_ended")).match_ended for _ in range(2)]
    assert [one.match_ended for one in told] == [one.match_ended for one in ended]
    assert {one.match_id for one in told} == {ended[0].match_id}
    assert told[0].seat_ref in assigned
    assert await listed(matches) == [ended[0].match_id]


async def test_a_request_id_is_one_bots_own(matches: Any, bots: Bots) -> None:
    one, other = bots(), bots()
    await one.hello("one", practice=practice("p1"))
    await other.hello("other", practice=practice("p1"))
    await one.next("seat_assigned")
    await other.next("seat_assigned")
    assert len(await listed(matches)) == 2


async def test_another_match_under_the_same_id_is_refused(bots: Bots) -> None:
    first, again = bots(), bots()
    await first.hello(instance="one", practice=practice("p1"))
    await first.next("seat_assigned")
    different = play_service_pb2.Practice(deals=7, request_id="p1")
    with pytest.raises(grpc.aio.AioRpcError, match="Request id 'p1'") as refused:
        await again.hello(instance="one", practice=different)
    assert refused.value.code() is grpc.StatusCode.ALREADY_EXISTS


async def test_without_an_id_there_is_one_for_each_hello_without_a_seat(
    matches: Any, bots: Bots
) -> None:
    for _ in range(2):
        bot = bots()
        await bot.hello(instance="one", practice=practice(""))
        await bot.next("seat_assigned")
        await bot.close()
    assert len(await listed(matches)) == 1


async def test_one_that_its_bot_gave_up_and_left_is_not_played_on(matches: Any, bots: Bots) -> None:
    """It may have thousands of deals, and nobody waits for its result."""
    bot = bots()
    long = play_service_pb2.Practice(deals=10_000, request_id="long")
    await bot.hello(instance="one", practice=long)
    refs = [await bot.ready(), await bot.ready()]
    await bot.next("turn")
    await bot.say(*[ClientMessage(resign=play_service_pb2.Resign(seat_ref=ref)) for ref in refs])
    await bot.next("fault")
    await bot.next("fault")
    await bot.close()
    request = match_service_pb2.WatchMatchesRequest(label="practice")
    async with asyncio.timeout(WAIT_S):
        async for update in matches.WatchMatches(request):
            if update.match.state == match_pb2.MATCH_STATE_ENDED:
                assert update.match.end_reason == match_pb2.END_REASON_CANCELLED
                break


async def test_a_bot_of_one_seat_needs_a_partner_of_the_house(matches: Any, bots: Bots) -> None:
    """It would take one of the two seats, and the match would wait for the other in vain."""
    alone = bots()
    with pytest.raises(grpc.aio.AioRpcError, match="capacity: 1 is not enough") as refused:
        await alone.hello(capacity=1, practice=practice(""))
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert await listed(matches) == []
    with_partner = play_service_pb2.Practice(deals=1, partner="random")
    seated = bots()
    await seated.hello(capacity=1, practice=with_partner)
    await seated.ready()
    await seated.next("turn")
