"""How matches stand: who is awaited, for how long, at which server; and who is told of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import grpc
import pytest
from tests.rpc.conftest import WAIT_S, RawBot, board
from tests.rpc.keyed import KeyRing, key_ring, refused

from contree.client import HostClient
from contree.server.access import Role
from contree.server.app import Serving
from contree.server.settings import Settings
from contree.v1 import match_pb2, match_service_pb2, play_service_pb2

NORTH, SOUTH = 1, 3
HOUSE = [match_pb2.SeatSpec(seat=seat, house="rules") for seat in (1, 2, 3, 4)]  # type: ignore[arg-type]


async def listed(matches: Any, metadata: Any = None, **fields: Any) -> list[match_pb2.Match]:
    found: list[match_pb2.Match] = []
    token = ""
    while True:
        request = match_service_pb2.ListMatchesRequest(
            unfinished=True, page_token=token, page_size=2, **fields
        )
        response = await matches.ListMatches(request, metadata=metadata)
        found += response.matches
        token = response.next_page_token
        if not token:
            return found


async def read(matches: Any, match_id: str) -> match_pb2.Match:
    response = await matches.GetMatch(match_service_pb2.GetMatchRequest(match_id=match_id))
    return response.match  # type: ignore[no-any-return]


async def test_who_is_awaited_at_each_stage(
    settings: Settings, matches: Any, bots: Callable[[], RawBot]
) -> None:
    created = (await matches.CreateMatch(board())).match
    stands = (await read(matches, created.id)).standing
    assert list(stands.awaited) == [NORTH, SOUTH], "nobody has taken them"
    assert stands.server_id == settings.server_id
    bot = bots()
    await bot.hello()
    refs = [(await bot.next("seat_assigned")).seat_assigned.seat_ref for _ in range(2)]
    assert list((await read(matches, created.id)).standing.awaited) == [NORTH, SOUTH], "not ready"
    for ref in refs:
        await bot.say(_ready(ref))
    turn = (await bot.next("turn")).turn
    stands = (await read(matches, created.id)).standing
    assert len(stands.awaited) == 1
    assert stands.HasField("unmoved")
    await bot.act(turn)
    await bot.next("act_result")
    await matches.CancelMatch(match_service_pb2.CancelMatchRequest(match_id=created.id))
    assert not (await read(matches, created.id)).HasField("standing")


async def test_matches_that_are_not_over_are_listed_without_a_label(matches: Any) -> None:
    waiting = [
        (await matches.CreateMatch(board(labels=[label]))).match.id
        for label in ("event", "event", "other", "event", "other")
    ]
    over = (
        await matches.CreateMatch(
            match_service_pb2.CreateMatchRequest(
                board=match_pb2.BoardMode(number=1), seats=HOUSE, labels=["event"]
            )
        )
    ).match
    async with asyncio.timeout(WAIT_S):
        while (await read(matches, over.id)).state != match_pb2.MATCH_STATE_ENDED:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    assert [match.id for match in await listed(matches)] == sorted(waiting)
    event = sorted([waiting[0], waiting[1], waiting[3]])
    assert [match.id for match in await listed(matches, label="event")] == event
    assert await listed(matches, label="nothing") == []
    assert all(match.HasField("standing") for match in await listed(matches))
    with refused(grpc.StatusCode.INVALID_ARGUMENT, "INVALID_ARGUMENT"):
        await matches.ListMatches(match_service_pb2.ListMatchesRequest())


async def test_the_sdk_lists_them(serving: Serving, matches: Any) -> None:
    created = (await matches.CreateMatch(board())).match
    async with HostClient(serving.address) as host:
        (match,) = [one async for one in host.list_matches(unfinished=True)]
    assert match.id == created.id
    assert match.standing is not None
    assert [str(seat) for seat in match.standing.awaited] == ["N", "S"]
    assert match.standing.unmoved is not None


class TestWithKeys:
    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        return replace(settings, anonymous="off")

    @pytest.fixture
    async def ring(self, serving: Serving, settings: Settings) -> AsyncIterator[KeyRing]:
        async with key_ring(settings.data_dir) as ring:
            yield ring

    async def test_a_host_is_told_of_its_own_and_an_operator_of_all(
        self, matches: Any, ring: KeyRing
    ) -> None:
        one, other = await ring.make(Role.HOST), await ring.make(Role.HOST)
        operator = await ring.make(Role.OPERATOR)
        spectator = await ring.make(Role.SPECTATOR)
        mine, theirs = [
            (await matches.CreateMatch(board(labels=["event"]), metadata=key.metadata)).match.id
            for key in (one, other)
        ]

        async def ids(metadata: Any) -> set[str]:
            return {match.id for match in await listed(matches, metadata)}

        assert await ids(one.metadata) == {mine}
        assert await ids(other.metadata) == {theirs}
        assert await ids(operator.metadata) == {mine, theirs}
        assert await ids(spectator.metadata) == set()
        get = match_service_pb2.GetMatchRequest(match_id=mine)
        by_label = match_service_pb2.ListMatchesRequest(label="event")
        for key, told in ((one, True), (operator, True), (other, False), (spectator, False)):
            match = (await matches.GetMatch(get, metadata=key.metadata)).match
            assert match.HasField("standing") is told
            found = (await matches.ListMatches(by_label, metadata=key.metadata)).matches
            assert [m.HasField("standing") for m in found if m.id == mine] == [told]


def _ready(ref: int) -> Any:
    return play_service_pb2.ClientMessage(ready=play_service_pb2.Ready(seat_ref=ref))
