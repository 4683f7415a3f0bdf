"""What one caller may have open and ask for, on a real server, and what gRPC itself refuses."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import grpc
import pytest
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from tests.rpc.conftest import WAIT_S, RawBot, board
from tests.rpc.keyed import Given, KeyRing, key_ring, refused

from contree.client import Connection, HostClient
from contree.server.access import RateLimited, Role, Unauthenticated, quotas
from contree.server.access.keys import KeyLimits
from contree.server.app import Serving, running
from contree.server.rpc import interceptors
from contree.server.settings import Settings
from contree.v1 import (
    match_service_pb2,
    match_service_pb2_grpc,
    play_service_pb2,
    rules_service_pb2,
    rules_service_pb2_grpc,
    spectate_service_pb2,
    spectate_service_pb2_grpc,
)
from contree.v1.play_service_pb2 import ClientMessage

Bots = Callable[[], RawBot]
limited = (grpc.StatusCode.RESOURCE_EXHAUSTED, "RATE_LIMITED")
LIST = match_service_pb2.ListBotsRequest()
LIMITED_S = 1.0
"""Seconds that a refusal waits."""
TOLD_S = 0.002
"""Waits are told in whole milliseconds."""


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return replace(
        settings,
        max_streams=2,
        hellos_per_minute=60,
        queries_per_minute=60,
        max_watches=1,
        max_matches=3,
        heartbeat_s=30.0,
    )


@pytest.fixture
async def ring(serving: Serving, settings: Settings) -> AsyncIterator[KeyRing]:
    async with key_ring(settings.data_dir) as ring:
        yield ring


async def test_lists_are_weighed(
    matches: Any, ring: KeyRing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quotas, "_LISTED_A_CALL", 0.1)
    for number in range(2):
        await matches.CreateMatch(board(labels=["event"], request_id=f"r{number}"))
    host = await ring.make(Role.HOST, limits=KeyLimits(queries=21))
    listing = match_service_pb2.ListMatchesRequest(label="event")
    began = time.monotonic()
    await matches.ListMatches(listing, metadata=host.metadata)  # of 20 calls
    with refused(*limited) as refusal:
        await matches.ListMatches(listing, metadata=host.metadata)
    # One call was left for the second, as it came, and it weighs nineteen more: the wait is
    # theirs, but for what has passed.
    wait = 19 * 60 / 21
    assert wait - (time.monotonic() - began) - TOLD_S <= refusal.retry_s <= wait


async def test_lists_of_bots_are_weighed(
    matches: Any, bots: Bots, ring: KeyRing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quotas, "_LISTED_A_CALL", 0.1)
    for instance in ("1", "2"):
        await bots().hello(instance=instance)
    host = await ring.make(Role.HOST, limits=KeyLimits(queries=21))
    assert len((await matches.ListBots(LIST, metadata=host.metadata)).bots) == 2  # of 20 calls
    with refused(*limited) as refusal:
        await matches.ListBots(LIST, metadata=host.metadata)
    assert "a list counts by its length" in refusal.text


async def test_queries_are_limited_by_caller_and_the_wait_is_told(
    matches: Any, ring: KeyRing
) -> None:
    with refused(*limited) as refusal:
        for _ in range(1000):
            await matches.ListBots(LIST)
    assert 0.0 <= refusal.retry_s <= 1.0
    assert refusal.text.startswith("More than 60 calls a minute for this address: try again in ")
    key = await ring.make(Role.HOST, limits=KeyLimits(queries=3))
    began = asked = time.monotonic()
    answered = []
    with refused(*limited) as refusal:
        for _ in range(1000):
            asked = time.monotonic()
            await matches.ListBots(LIST, metadata=key.metadata)
            answered.append(time.monotonic())
    # Three at once and then one each twenty seconds: so long after the first that the next is due,
    # but for the time that has passed since. Between what was measured here is what was there.
    due = 20.0 * (len(answered) - 2)
    assert due - (time.monotonic() - began) - TOLD_S <= refusal.retry_s
    assert refusal.retry_s <= due - (asked - answered[0]) - LIMITED_S + TOLD_S
    assert key.id in refusal.text


async def test_the_sdk_waits_until_it_may(serving: Serving, ring: KeyRing) -> None:
    key = await ring.make(Role.HOST, limits=KeyLimits(queries=40))
    before = time.monotonic()
    patient = Connection(patience=WAIT_S)
    async with HostClient(serving.address, key.token, connection=patient) as host:
        for _ in range(41):
            await host.list_bots()
    # The forty-first had to wait for a permit, of which there is one each 1.5 seconds.
    assert time.monotonic() - before > 1.4


async def test_watches_are_limited_and_free_again(matches: Any, channel: grpc.aio.Channel) -> None:
    created = (await matches.CreateMatch(board())).match
    stub = spectate_service_pb2_grpc.SpectateServiceStub(channel)
    request = spectate_service_pb2.WatchRequest(match_id=created.id)
    first = stub.Watch(request)
    await first.read()
    with refused(*limited):
        await stub.Watch(request).read()
    first.cancel()
    async with asyncio.timeout(WAIT_S):
        while True:
            with suppress(grpc.aio.AioRpcError):
                await stub.Watch(request).read()
                break
            await asyncio.sleep(0.02)


async def test_live_matches_are_limited_and_free_again(matches: Any, ring: KeyRing) -> None:
    async def create(number: int, key: Given | None = None) -> str:
        request = board(request_id=f"r{number}")
        metadata = key.metadata if key else ()
        return str((await matches.CreateMatch(request, metadata=metadata)).match.id)

    made = await asyncio.gather(*map(create, range(5)), return_exceptions=True)
    numbers = [number for number, one in enumerate(made) if isinstance(one, str)]
    assert len(numbers) == 3, "those on their way to the store count"
    (other,) = [number for number in range(5) if number not in numbers][:1]
    with refused(*limited) as refusal:
        await create(other)
    assert "3 live matches" in refusal.text
    assert "CONTREE_MAX_MATCHES" in refusal.text
    assert refusal.retry_s > 0.0
    assert await create(numbers[0]) == made[numbers[0]], "it was made before"
    await create(0, await ring.make(Role.HOST))
    cancel = match_service_pb2.CancelMatchRequest(match_id=str(made[numbers[0]]))
    await matches.CancelMatch(cancel)
    await create(other)


async def test_bots_are_limited_by_instance(bots: Bots, channel: grpc.aio.Channel) -> None:
    one, two = bots(), bots()
    await one.hello(instance="1")
    await two.hello(instance="2")
    with refused(*limited) as refusal:
        await bots().hello(instance="3")
    assert "one bot can play many seats" in refusal.text
    # The same instance again is no third bot, though its old stream is still there.
    await bots().hello(instance="2")


async def test_hellos_are_limited(matches: Any, bots: Bots) -> None:
    with refused(*limited) as refusal:
        for _ in range(100):
            bot = bots()
            await bot.hello(instance="1")
    assert 0.0 <= refusal.retry_s <= 1.0
    await matches.ListBots(LIST)


async def test_silent_streams_keep_nobody_out(bots: Bots, channel: grpc.aio.Channel) -> None:
    silent = [bots() for _ in range(3)]
    for one in silent:
        await one.say()
    ended = [asyncio.create_task(one.call.read()) for one in silent]
    # One request without a Hello ends a stream anyway; those below say nothing at all.
    await asyncio.wait(ended)
    play: Any = channel.stream_stream("/contree.v1.PlayService/Play")
    quiet = [play(_never()) for _ in range(5)]
    reading = [asyncio.create_task(one.read()) for one in quiet]
    done, _ = await asyncio.wait(reading, return_when=asyncio.FIRST_COMPLETED, timeout=WAIT_S)
    assert done
    for read in done:
        error = read.exception()
        assert isinstance(error, grpc.aio.AioRpcError)
        assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    await bots().hello(instance="1")
    for call in quiet:
        call.cancel()
    await asyncio.wait(reading)


async def _never() -> AsyncIterator[bytes]:
    await asyncio.Event().wait()
    yield b""


async def test_25_no_limit_hits_an_owed_action(
    matches: Any, bots: Bots, channel: grpc.aio.Channel
) -> None:
    """lichess-bot #309, lila #7074: the limit of requests hit moves, and games were lost on time.

    Everything else that this address may do is used up; the bot acts, and comes back to its seats.
    """
    bot = bots()
    await bot.hello(instance="one")
    made = board()
    made.time_control.per_move.seconds = 100
    created = (await matches.CreateMatch(made)).match
    await bot.ready()
    await bot.ready()
    with suppress(grpc.aio.AioRpcError):
        while True:
            await matches.ListBots(LIST)
    with suppress(grpc.aio.AioRpcError):
        for _ in range(100):
            await bots().hello(instance="flood")
    with refused(*limited):
        await bots().hello(instance="another")
    accepted = 0
    while True:
        message = await bot.anything()
        if message.HasField("turn"):
            await bot.act(message.turn)
        elif message.HasField("act_result"):
            assert message.act_result.status == play_service_pb2.ACT_STATUS_ACCEPTED
            accepted += 1
            if accepted == 1:
                await bot.close()
                await _take_the_place(bots)
                bot = bots()
                assert (await bot.hello(instance="one")).welcome.seats_owed == 2
        elif message.HasField("match_ended"):
            assert message.match_ended.match_id == created.id
            break
    assert accepted >= 2  # as few where all four pass


async def _take_the_place(bots: Bots) -> None:
    """Have another bot come in as soon as it may, so that no more may."""
    async with asyncio.timeout(WAIT_S):
        while True:
            with suppress(grpc.aio.AioRpcError):
                await bots().hello(instance="another")
                break
    with refused(*limited):
        await bots().hello(instance="yet another")


async def test_acts_by_the_thousand_are_answered(matches: Any, bots: Bots) -> None:
    bot = bots()
    await bot.hello(instance="one")
    await matches.CreateMatch(board())
    await bot.ready()
    await bot.ready()
    turn = (await bot.next("turn")).turn
    stale = ClientMessage(act=play_service_pb2.Act(seat_ref=turn.seat_ref, decision_id=b"x" * 12))
    stale.act.action.call.CopyFrom(turn.decision.calls[0])
    for _ in range(10):
        await bot.say(*[stale] * 200)
        for _ in range(200):
            result = (await bot.next("act_result")).act_result
            assert result.status == play_service_pb2.ACT_STATUS_STALE


async def test_health_is_never_limited(channel: grpc.aio.Channel) -> None:
    check: Any = channel.unary_unary("/grpc.health.v1.Health/Check")
    for _ in range(100):
        await check(b"")


async def test_refusals_wait_but_only_so_many(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    let_go = asyncio.Event()

    async def sleep(seconds: float) -> None:
        waited.append(seconds)
        await let_go.wait()

    monkeypatch.setattr("contree.server.rpc.interceptors.asyncio.sleep", sleep)
    slowly = interceptors.Slowly(most=2)
    told = [RateLimited("", 20.0), Unauthenticated(""), RateLimited("", 0.01)]
    waiting = [asyncio.ensure_future(slowly.refuse(error)) for error in told]
    await slowly.refuse(ValueError())
    _, still = await asyncio.wait(waiting, timeout=0.1)
    assert waited == [1.0, 0.25]
    assert len(still) == 2
    let_go.set()
    await asyncio.wait(waiting)
    assert isinstance(told[0], RateLimited)
    assert told[0].retry_after == 19.0
    await slowly.refuse(told[2])
    assert told[2].retry_after == 0.0  # type: ignore[attr-defined]


# -- what gRPC itself limits ----------------------------------------------------------------------


async def test_too_much_metadata_is_refused(channel: grpc.aio.Channel) -> None:
    stub: Any = rules_service_pb2_grpc.RulesServiceStub(channel)
    request = rules_service_pb2.ListPresetsRequest()
    await stub.ListPresets(request, metadata=(("x-data", "x" * 8_000),))
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await stub.ListPresets(request, metadata=(("x-data", "x" * 20_000),))
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED


async def test_too_many_connections_are_refused(settings: Settings) -> None:
    options = (("grpc.use_local_subchannel_pool", 1),)
    async with running(replace(settings, max_connections=2)) as serving:
        channels = [grpc.aio.insecure_channel(serving.address, options) for _ in range(3)]
        stubs: list[Any] = [match_service_pb2_grpc.MatchServiceStub(one) for one in channels]
        await stubs[0].ListBots(LIST)
        await stubs[1].ListBots(LIST)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await stubs[2].ListBots(LIST, timeout=WAIT_S)
        assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
        await stubs[0].ListBots(LIST)
        for one in channels:
            await one.close()


@pytest.mark.parametrize(
    ("fields", "served"),
    [
        ({}, True),
        ({"reflection": "off"}, False),
        ({"anonymous": "off"}, False),
        ({"anonymous": "off", "reflection": "on"}, True),
    ],
    ids=str,
)
async def test_reflection_is_where_the_settings_say(
    settings: Settings, fields: dict[str, Any], served: bool
) -> None:
    async with running(replace(settings, **fields)) as serving:
        channel: Any = grpc.aio.insecure_channel(serving.address)
        stub: Any = reflection_pb2_grpc.ServerReflectionStub(channel)
        request = reflection_pb2.ServerReflectionRequest(list_services="")
        call = stub.ServerReflectionInfo(iter([request]))
        if served:
            names = {one.name for one in (await call.read()).list_services_response.service}
            assert "contree.v1.PlayService" in names
        else:
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await call.read()
            assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED
        await channel.close()
