"""Callers that read all the time, beside a healthy table."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, Final

import grpc
import pytest
from grpc import aio
from tests.chaos.arena import LEAST, Arena
from tests.chaos.crowd import arrive, doors_for, leave, settings_for
from tests.chaos.hostile import channel, told
from tests.chaos.scale import pick

from contree.v1 import (
    match_pb2,
    match_service_pb2,
    match_service_pb2_grpc,
    rules_service_pb2,
    rules_service_pb2_grpc,
    spectate_service_pb2,
    spectate_service_pb2_grpc,
)

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(pick(300, 600))]

BOARDS: Final = pick(100, 400)
AT_ONCE: Final = pick(16, 64)
CROWD: Final = 2_000
"""Bots that are connected while lists of them are asked for."""
LABEL: Final = "archive"
LIMITED: Final = (grpc.StatusCode.RESOURCE_EXHAUSTED, "ERROR_REASON_RATE_LIMITED")


@pytest.fixture(scope="module")
def settings() -> dict[str, str]:
    return settings_for(CROWD)


@pytest.fixture
async def door(arena: Arena) -> AsyncIterator[aio.Channel]:
    async with channel(arena.address) as opened:
        yield opened


async def _boards(door: aio.Channel) -> list[str]:
    """Boards that the house has played; made once for the server of this module."""
    matches: Any = match_service_pb2_grpc.MatchServiceStub(door)
    house = [match_pb2.SeatSpec(seat=seat, house="random") for seat in (1, 2, 3, 4)]  # type: ignore[arg-type]
    ids = []
    for number in range(1, BOARDS + 1):
        request = match_service_pb2.CreateMatchRequest(
            request_id=f"{LABEL}-{number}",
            preset="ffb-mixte",
            board=match_pb2.BoardMode(number=number),
            seats=house,
            labels=[LABEL],
        )
        ids.append((await matches.CreateMatch(request)).match.id)
    return ids


async def _tolerated(call: Any) -> None:
    try:
        await call
    except aio.AioRpcError as error:
        assert told(error)[:2] == LIMITED  # noqa: PT017


async def test_a_flood_of_lists(arena: Arena, door: aio.Channel) -> None:
    await _boards(door)
    matches: Any = match_service_pb2_grpc.MatchServiceStub(door)
    request = match_service_pb2.ListMatchesRequest(label=LABEL, page_size=1000)

    async def attack() -> None:
        await asyncio.gather(*(_tolerated(matches.ListMatches(request)) for _ in range(8)))

    assert len((await matches.ListMatches(request)).matches) == BOARDS
    assert await arena.withstands("lists of matches", attack) >= LEAST


async def test_a_flood_of_watches(arena: Arena, door: aio.Channel) -> None:
    """Of matches that are over: each is read from its journal."""
    ids = await _boards(door)
    spectate: Any = spectate_service_pb2_grpc.SpectateServiceStub(door)

    async def watch(match_id: str) -> None:
        request = spectate_service_pb2.WatchRequest(match_id=match_id)
        async for _ in spectate.Watch(request):
            pass

    async def attack() -> None:
        await asyncio.gather(*(_tolerated(watch(match_id)) for match_id in ids[:AT_ONCE]))

    assert await arena.withstands("watches of matches", attack) >= LEAST


async def test_a_flood_of_questions(arena: Arena, door: aio.Channel) -> None:
    rules: Any = rules_service_pb2_grpc.RulesServiceStub(door)

    async def attack() -> None:
        request = rules_service_pb2.ListPresetsRequest()
        await asyncio.gather(*(_tolerated(rules.ListPresets(request)) for _ in range(AT_ONCE)))

    assert await arena.withstands("questions about rules", attack) >= LEAST


async def test_a_flood_of_lists_of_bots(arena: Arena, door: aio.Channel) -> None:
    matches: Any = match_service_pb2_grpc.MatchServiceStub(door)
    request = match_service_pb2.ListBotsRequest()

    async def attack() -> None:
        await asyncio.gather(*(_tolerated(matches.ListBots(request)) for _ in range(8)))

    async with doors_for(arena.address, CROWD) as doors:
        crowd = await arrive(doors, CROWD)
        assert len((await matches.ListBots(request)).bots) > CROWD
        share = await arena.withstands(f"lists of {CROWD} bots", attack)
        gone = sum(task.done() for task in crowd)
        await leave(crowd)
    assert not gone
    assert share >= LEAST


async def test_a_flood_of_long_requests(arena: Arena, door: aio.Channel) -> None:
    """Labels by the hundred thousand are refused by their length, neither parsed nor read."""
    request = match_service_pb2.CreateMatchRequest(labels=["a"] * 300_000).SerializeToString()
    create: Any = door.unary_unary("/contree.v1.MatchService/CreateMatch")

    async def attack() -> None:
        with pytest.raises(aio.AioRpcError) as refused:
            await create(request)
        assert told(refused.value).status is grpc.StatusCode.INVALID_ARGUMENT

    assert await arena.withstands("requests of 900 kB", attack) >= LEAST
