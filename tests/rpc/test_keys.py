"""A server that wants keys: who comes in, what a role allows, whose match and seat it is."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from tests.rpc.conftest import WAIT_S, RawBot, board
from tests.rpc.keyed import Given, KeyRing, denied, key_ring, now_ms, refused, unauthenticated

from contree.server import app, wall_clock
from contree.server.access import Guard, Role, new_key_id, new_token
from contree.server.app import Serving
from contree.server.rpc.rights import RIGHTS
from contree.server.rpc.servers import _SERVICES
from contree.server.settings import Settings
from contree.v1 import (
    match_pb2,
    match_service_pb2,
    play_service_pb2,
    rules_service_pb2,
    spectate_service_pb2,
    spectate_service_pb2_grpc,
)

PRESETS = "/contree.v1.RulesService/ListPresets"
MESSAGES = {
    f"/{service.full_name}/{method.name}": (service, method)
    for service in _SERVICES
    for method in service.methods
}


@pytest.fixture
def settings(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Settings:
    # The end of a key is noticed sooner than by default.
    monkeypatch.setattr(app, "Guard", partial(Guard, fresh_s=0.2))
    return replace(settings, anonymous="off")


@pytest.fixture
async def ring(serving: Serving, settings: Settings) -> AsyncIterator[KeyRing]:
    async with key_ring(settings.data_dir) as ring:
        yield ring


async def ask(channel: grpc.aio.Channel, metadata: Any) -> Any:
    call = channel.unary_unary(
        PRESETS,
        request_serializer=rules_service_pb2.ListPresetsRequest.SerializeToString,
        response_deserializer=rules_service_pb2.ListPresetsResponse.FromString,
    )
    return await call(rules_service_pb2.ListPresetsRequest(), metadata=metadata)


class _InvalidArgument(Exception):
    pass


async def call(channel: Any, method: str, key: Given, request: bytes = b"") -> None:
    """Any method, as far as its first response."""
    try:
        await _call(channel, method, key, request)
    except grpc.aio.AioRpcError as error:
        if error.code() is grpc.StatusCode.INVALID_ARGUMENT:
            raise _InvalidArgument from error
        raise


async def _call(channel: Any, method: str, key: Given, request: bytes) -> None:
    _, descriptor = MESSAGES[method]
    if descriptor.client_streaming:
        stream: Any = channel.stream_stream(method)(iter([request]), metadata=key.metadata)
        await stream.read()
    elif descriptor.server_streaming:
        stream = channel.unary_stream(method)(request, metadata=key.metadata)
        await stream.read()
    else:
        await channel.unary_unary(method)(request, metadata=key.metadata)


# -- who comes in ---------------------------------------------------------------------------------


async def test_without_a_token_nobody_comes_in(channel: grpc.aio.Channel) -> None:
    async def refused_at(method: str) -> None:
        with refused(*unauthenticated) as refusal:
            await call(channel, method, _Nobody("", ""))
        assert "CONTREE_TOKEN" in refusal.text

    async with asyncio.timeout(WAIT_S):
        # At the same time, for each refusal is made to wait.
        await asyncio.gather(*map(refused_at, MESSAGES))


class _Nobody(Given):
    metadata = ()


@pytest.mark.parametrize(
    "authorization",
    ["", "Bearer", "Bearer ", "Bearer secret", "Basic eDp4", "contree_", "Bearer contree_x_y"],
)
async def test_what_is_no_token_is_refused(channel: grpc.aio.Channel, authorization: str) -> None:
    with refused(*unauthenticated):
        await ask(channel, (("authorization", authorization),))


async def test_a_token_must_be_known_and_the_newest(
    channel: grpc.aio.Channel, ring: KeyRing
) -> None:
    key = await ring.make(Role.SPECTATOR)
    await ask(channel, key.metadata)
    await ask(channel, (("authorization", f"bearer {key.token}"),))
    made_up = new_token(new_key_id())
    other_secret = new_token(key.id)
    for token in (made_up, other_secret, key.token[:-1]):
        with refused(*unauthenticated) as refusal:
            await ask(channel, (("authorization", f"Bearer {token}"),))
        # The same words, whether there is such a key or not; and no token in them.
        assert refusal.text.startswith("The token is none that this server knows")
        assert token not in str(refusal.error)
    with refused(*unauthenticated):
        await ask(channel, (*key.metadata, *key.metadata))


async def test_expired_and_revoked_keys_are_refused_and_told_why(
    channel: grpc.aio.Channel, ring: KeyRing
) -> None:
    expired = await ring.make(Role.SPECTATOR, expires_ms=now_ms() - 1)
    with refused(*unauthenticated) as refusal:
        await ask(channel, expired.metadata)
    assert "has expired" in refusal.text
    revoked = await ring.make(Role.SPECTATOR)
    await ring.revoke(revoked)
    with refused(*unauthenticated) as refusal:
        await ask(channel, revoked.metadata)
    assert "was revoked" in refusal.text


async def test_probes_need_no_key(channel: grpc.aio.Channel) -> None:
    stub: Any = health_pb2_grpc.HealthStub(channel)
    response = await stub.Check(health_pb2.HealthCheckRequest())
    assert response.status == health_pb2.HealthCheckResponse.SERVING


async def test_probes_may_watch(channel: grpc.aio.Channel) -> None:
    """Clients that balance load by health keep this stream open."""
    stub: Any = health_pb2_grpc.HealthStub(channel)
    watch = stub.Watch(health_pb2.HealthCheckRequest())
    async with asyncio.timeout(WAIT_S):
        response = await watch.read()
    assert response.status == health_pb2.HealthCheckResponse.SERVING
    watch.cancel()


# -- roles ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", [pytest.param(role, id=role.value) for role in Role])
async def test_a_role_opens_its_methods_and_no_others(
    channel: grpc.aio.Channel, ring: KeyRing, role: Role
) -> None:
    key = await ring.make(role)
    for method in MESSAGES:
        allowed = RIGHTS[method].roles
        assert allowed is not None
        if role in allowed or role is Role.OPERATOR:
            # An empty request may be none that the method can answer.
            with suppress(_InvalidArgument):
                await asyncio.wait_for(call(channel, method, key), WAIT_S)
        else:
            with refused(*denied) as refusal:
                await call(channel, method, key)
            assert " or ".join(one.value for one in allowed) in refusal.text


async def test_a_key_for_certain_names_plays_under_those_only(
    channel: grpc.aio.Channel, ring: KeyRing
) -> None:
    key = await ring.make(Role.BOT, bots=("ann", "ann-*"))
    bot = RawBot(channel, key.metadata)
    await bot.hello("ann-2")
    with refused(*denied) as refusal:
        await RawBot(channel, key.metadata).hello("bob")
    assert "ann or ann-*" in refusal.text
    await bot.close()


# -- whose match ----------------------------------------------------------------------------------


def house(**fields: Any) -> match_service_pb2.CreateMatchRequest:
    seats = [match_pb2.SeatSpec(seat=seat, house="random") for seat in (1, 2, 3, 4)]  # type: ignore[arg-type]
    return match_service_pb2.CreateMatchRequest(
        board=match_pb2.BoardMode(number=1), seats=seats, **fields
    )


HIDDEN: dict[str, Any] = {"disclosure_group": "g", "disclosure_policy": 2, "labels": ["event"]}


async def test_a_match_is_its_hosts(matches: Any, ring: KeyRing) -> None:
    mine, other = await ring.make(Role.HOST), await ring.make(Role.HOST)
    operator = await ring.make(Role.OPERATOR)
    made = (await matches.CreateMatch(house(**HIDDEN), metadata=mine.metadata)).match
    running = (await matches.CreateMatch(board(), metadata=mine.metadata)).match
    record = match_service_pb2.GetRecordRequest(match_id=made.id)
    cancel = match_service_pb2.CancelMatchRequest(match_id=running.id)
    for method, request in ((matches.GetRecord, record), (matches.CancelMatch, cancel)):
        with refused(*denied):
            await method(request, metadata=other.metadata)
    await matches.CancelMatch(cancel, metadata=mine.metadata)

    # A group of the same name is another host's own.
    release = match_service_pb2.ReleaseGroupRequest(disclosure_group="g")
    await matches.ReleaseGroup(release, metadata=other.metadata)
    get = match_service_pb2.GetMatchRequest(match_id=made.id)
    assert not (await matches.GetMatch(get, metadata=mine.metadata)).match.disclosed
    with refused(grpc.StatusCode.FAILED_PRECONDITION, "NOT_DISCLOSED"):
        await matches.GetRecord(record, metadata=mine.metadata)
    await matches.ReleaseGroup(release, metadata=mine.metadata)
    assert (await matches.GetMatch(get, metadata=other.metadata)).match.disclosed
    assert (await matches.GetRecord(record, metadata=mine.metadata)).record
    assert (await matches.GetRecord(record, metadata=operator.metadata)).record
    with refused(*denied):
        await matches.GetRecord(record, metadata=other.metadata)


async def test_an_operator_releases_a_group_of_every_host(matches: Any, ring: KeyRing) -> None:
    mine, operator = await ring.make(Role.HOST), await ring.make(Role.OPERATOR)
    made = (await matches.CreateMatch(house(**HIDDEN), metadata=mine.metadata)).match
    release = match_service_pb2.ReleaseGroupRequest(disclosure_group="g")
    await matches.ReleaseGroup(release, metadata=operator.metadata)
    get = match_service_pb2.GetMatchRequest(match_id=made.id)
    assert (await matches.GetMatch(get, metadata=mine.metadata)).match.disclosed


async def test_how_a_hidden_match_went_is_told_to_its_host_only(
    matches: Any, ring: KeyRing
) -> None:
    mine, other = await ring.make(Role.HOST), await ring.make(Role.HOST, Role.SPECTATOR)
    made = (await matches.CreateMatch(house(**HIDDEN), metadata=mine.metadata)).match
    get = match_service_pb2.GetMatchRequest(match_id=made.id)
    listed = match_service_pb2.ListMatchesRequest(label="event")

    async def seen(key: Given) -> list[match_pb2.Match]:
        one = (await matches.GetMatch(get, metadata=key.metadata)).match
        (many,) = (await matches.ListMatches(listed, metadata=key.metadata)).matches
        watching = matches.WatchMatches(
            match_service_pb2.WatchMatchesRequest(label="event"), metadata=key.metadata
        )
        async with asyncio.timeout(WAIT_S):
            async for update in watching:
                if update.match.state == match_pb2.MATCH_STATE_ENDED:
                    watching.cancel()
                    return [one, many, update.match]
        raise AssertionError

    assert all(len(match.results) == 1 for match in await seen(mine))
    for match in await seen(other):
        assert not match.results
        assert not match.HasField("scores")
    release = match_service_pb2.ReleaseGroupRequest(disclosure_group="g")
    await matches.ReleaseGroup(release, metadata=mine.metadata)
    assert len((await matches.GetMatch(get, metadata=other.metadata)).match.results) == 1


async def test_a_request_id_is_its_hosts(matches: Any, ring: KeyRing) -> None:
    mine, other = await ring.make(Role.HOST), await ring.make(Role.HOST)
    first = (await matches.CreateMatch(board(request_id="r"), metadata=mine.metadata)).match
    again = (await matches.CreateMatch(board(request_id="r"), metadata=mine.metadata)).match
    theirs = (await matches.CreateMatch(board(request_id="r"), metadata=other.metadata)).match
    assert first.id == again.id != theirs.id


async def test_a_hosts_new_token_is_the_same_host(
    matches: Any, ring: KeyRing, channel: grpc.aio.Channel
) -> None:
    old = await ring.make(Role.HOST)
    made = (await matches.CreateMatch(board(), metadata=old.metadata)).match
    new = await ring.rotate(old)
    async with asyncio.timeout(WAIT_S):
        while True:
            try:
                await ask(channel, old.metadata)
            except grpc.aio.AioRpcError:
                break
            await asyncio.sleep(0.05)
    cancel = match_service_pb2.CancelMatchRequest(match_id=made.id)
    with refused(*unauthenticated):
        await matches.CancelMatch(cancel, metadata=old.metadata)
    await matches.CancelMatch(cancel, metadata=new.metadata)


# -- whose seat -----------------------------------------------------------------------------------


async def test_the_key_of_a_seat_is_told_to_its_host_only(
    matches: Any, ring: KeyRing, channel: grpc.aio.Channel
) -> None:
    host, player, other = [await ring.make(role) for role in (Role.HOST, Role.BOT, Role.SPECTATOR)]
    bot = RawBot(channel, player.metadata)
    await bot.hello()
    made = (await matches.CreateMatch(board(), metadata=host.metadata)).match
    await bot.ready()
    await bot.ready()
    get = match_service_pb2.GetMatchRequest(match_id=made.id)
    shown = (await matches.GetMatch(get, metadata=host.metadata)).match
    assert [seat.key_id for seat in shown.seats] == [player.id, "", player.id, ""]
    for key in (player, other):
        shown = (await matches.GetMatch(get, metadata=key.metadata)).match
        assert not any(seat.key_id for seat in shown.seats)
    await bot.close()


async def test_a_seat_for_one_key_waits_for_it(
    matches: Any, ring: KeyRing, channel: grpc.aio.Channel
) -> None:
    host, right, wrong = [await ring.make(role) for role in (Role.HOST, Role.BOT, Role.BOT)]
    impostor = RawBot(channel, wrong.metadata)
    await impostor.hello(capacity=8)
    seats = [
        match_pb2.SeatSpec(seat=1, bot="raw", key_id=right.id),  # type: ignore[arg-type]
        *(match_pb2.SeatSpec(seat=seat, house="rules") for seat in (2, 3, 4)),  # type: ignore[arg-type]
    ]
    request = match_service_pb2.CreateMatchRequest(board=match_pb2.BoardMode(number=1), seats=seats)
    made = (await matches.CreateMatch(request, metadata=host.metadata)).match
    assert not made.seats[0].taken
    bot = RawBot(channel, right.metadata)
    await bot.hello()
    await bot.ready()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.3):
            await impostor.next("seat_assigned")


async def test_another_key_does_not_get_a_seat_back(
    matches: Any, ring: KeyRing, channel: grpc.aio.Channel
) -> None:
    host, mine, other = [await ring.make(role) for role in (Role.HOST, Role.BOT, Role.BOT)]
    bot = RawBot(channel, mine.metadata)
    await bot.hello(instance="i-1")
    await matches.CreateMatch(board(), metadata=host.metadata)
    await bot.ready()
    await bot.ready()
    turn = (await bot.next("turn")).turn

    thief = RawBot(channel, other.metadata)
    welcome = (await thief.hello(instance="i-1")).welcome
    assert welcome.seats_owed == 0
    # The other's stream goes on: nobody was superseded.
    await bot.act(turn)
    result = (await bot.next("act_result")).act_result
    assert result.status == play_service_pb2.ACT_STATUS_ACCEPTED
    await bot.close()

    again = RawBot(channel, mine.metadata)
    assert (await again.hello(instance="i-1")).welcome.seats_owed == 2
    for one in (thief, again):
        await one.close()


async def test_an_instance_id_is_told_to_its_own_key_only(
    matches: Any, ring: KeyRing, channel: grpc.aio.Channel
) -> None:
    both, host = await ring.make(Role.HOST, Role.BOT), await ring.make(Role.HOST)
    bot = RawBot(channel, both.metadata)
    await bot.hello(instance="i-1")
    for key, told in ((both, "i-1"), (host, "")):
        listed = await matches.ListBots(match_service_pb2.ListBotsRequest(), metadata=key.metadata)
        assert [one.instance_id for one in listed.bots] == [told]
    await bot.close()


# -- the end of a key -----------------------------------------------------------------------------


HOUR_MS = 3_600_000


class InAnHour:
    """The wall clock of a server, later."""

    @staticmethod
    def time_ns() -> int:
        return time.time_ns() + HOUR_MS * 1_000_000


@pytest.mark.parametrize("end", ["revoked", "expired", "rotated"])
async def test_what_a_key_has_open_ends_with_it(
    matches: Any,
    ring: KeyRing,
    channel: grpc.aio.Channel,
    monkeypatch: pytest.MonkeyPatch,
    end: str,
) -> None:
    host = await ring.make(Role.HOST)
    expires = now_ms() + HOUR_MS if end == "expired" else None
    key = await ring.make(Role.BOT, Role.SPECTATOR, expires_ms=expires)
    stays = await ring.make(Role.BOT)
    healthy = RawBot(channel, stays.metadata)
    await healthy.hello("other")
    bot = RawBot(channel, key.metadata)
    await bot.hello()
    made = (await matches.CreateMatch(board(), metadata=host.metadata)).match
    watching = spectate_service_pb2_grpc.SpectateServiceStub(channel).Watch(
        spectate_service_pb2.WatchRequest(match_id=made.id), metadata=key.metadata
    )
    feed = matches.WatchMatches(
        match_service_pb2.WatchMatchesRequest(label="event"), metadata=key.metadata
    )
    await asyncio.wait_for(watching.read(), WAIT_S)
    if end == "expired":
        monkeypatch.setattr(wall_clock, "time", InAnHour)
    elif end == "revoked":
        await ring.revoke(key)
    elif end == "rotated":
        await ring.rotate(key)

    async def drain(stream: Any) -> None:
        while await stream.read() is not grpc.aio.EOF:
            pass

    async def play(bot: RawBot) -> None:
        while True:
            await bot.anything()

    playing = asyncio.create_task(play(healthy))
    for reading in (play(bot), drain(watching), drain(feed)):
        with refused(*unauthenticated) as refusal:
            await asyncio.wait_for(reading, WAIT_S)
        assert key.id in refusal.text
        assert key.token not in refusal.text
    with refused(*unauthenticated):
        await RawBot(channel, key.metadata).hello()
    listed = (
        await matches.ListBots(match_service_pb2.ListBotsRequest(), metadata=host.metadata)
    ).bots
    assert [one.bot for one in listed] == ["other"]
    assert not playing.done()
    playing.cancel()
    await healthy.close()
