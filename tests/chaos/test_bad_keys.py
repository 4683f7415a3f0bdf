"""Keys that are no good, and callers that ask for more than they may, beside a healthy table."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator
from typing import Any, Final

import grpc
import pytest
from grpc import aio
from tests.chaos.arena import LEAST, Arena
from tests.chaos.hostile import RawStream, Told, channel, hello, told
from tests.chaos.scale import pick
from tests.rpc.keyed import Given, key_ring, now_ms

from contree.server.access import Role, new_key_id, new_token
from contree.v1 import match_service_pb2, match_service_pb2_grpc, play_service_pb2_grpc

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(pick(300, 600))]

UNAUTHENTICATED: Final = (grpc.StatusCode.UNAUTHENTICATED, "ERROR_REASON_UNAUTHENTICATED")
LIMITED: Final = (grpc.StatusCode.RESOURCE_EXHAUSTED, "ERROR_REASON_RATE_LIMITED")


@pytest.fixture
async def door(arena: Arena) -> AsyncIterator[aio.Channel]:
    async with channel(arena.address) as opened:
        yield opened


async def _refused(call: Any) -> Told:
    with pytest.raises(aio.AioRpcError) as caught:
        await call
    return told(caught.value)


async def test_tokens_that_are_no_good(arena: Arena, door: aio.Channel) -> None:
    """Made up, of another key, garbled, revoked, expired: each call is refused, and cheaply."""
    async with key_ring(arena.server.folder / "data") as ring:
        good = await ring.make(Role.HOST, Role.BOT)
        revoked = await ring.make(Role.HOST, Role.BOT)
        await ring.revoke(revoked)
        expired = await ring.make(Role.HOST, Role.BOT, expires_ms=now_ms() - 1)
    matches: Any = match_service_pb2_grpc.MatchServiceStub(door)
    play: Any = play_service_pb2_grpc.PlayServiceStub(door)
    request = match_service_pb2.ListBotsRequest()
    await matches.ListBots(request, metadata=good.metadata)

    def bad() -> list[Given]:
        garbled = Given(good.id, good.token[:-1] + "?")
        made_up, stolen = new_token(new_key_id()), new_token(good.id)
        return [Given("", made_up), Given("", stolen), garbled, revoked, expired]

    async def attack() -> None:
        for key in bad():
            calls = [matches.ListBots(request, metadata=key.metadata) for _ in range(4)]
            calls.append(play.Play(metadata=key.metadata).read())
            for end in await asyncio.gather(*map(_refused, calls)):
                assert end[:2] == UNAUTHENTICATED

    await attack()
    assert await arena.withstands("bad tokens", attack) >= LEAST
    await matches.ListBots(request, metadata=good.metadata)


async def test_a_flood_of_hellos(arena: Arena, door: aio.Channel) -> None:
    """From the address from which the healthy table plays, too: no limit is its own affair."""
    numbers = itertools.count()

    async def once() -> tuple[object, str] | None:
        async with RawStream(door) as stream:
            await stream.say(hello("flood", instance_id=f"i{next(numbers)}"))
            try:
                await stream.next("welcome")
            except aio.AioRpcError as error:
                return told(error)[:2]
            return None

    async def attack() -> None:
        ends = await asyncio.gather(*(once() for _ in range(64)))
        assert set(ends) <= {None, LIMITED}

    async with asyncio.timeout(60):
        while LIMITED not in await asyncio.gather(*(once() for _ in range(64))):
            pass
    assert await arena.withstands("a flood of hellos", attack) >= LEAST
