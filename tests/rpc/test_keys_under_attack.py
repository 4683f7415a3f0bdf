"""What others met with tokens and takeovers, by the row of research on faults others met, and keys
whose end meets a stream at an awkward moment.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from typing import Any

import grpc
import pytest
from tests.rpc.conftest import WAIT_S, RawBot, board
from tests.rpc.keyed import Given, KeyRing, denied, key_ring, refused, unauthenticated

from contree.server.access import (
    Guard,
    Role,
    Unauthenticated,
    new_key_id,
    new_token,
)
from contree.server.access.guard import _REMEMBERED
from contree.server.app import Serving
from contree.server.host.session import Session
from contree.server.settings import Settings
from contree.server.store import RedisStore, StoredKey, StoreUnavailable, connect, embedded_store
from contree.v1 import match_service_pb2, play_service_pb2
from contree.v1.play_service_pb2 import ClientMessage

FULL = bool(os.environ.get("FULL"))


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return replace(settings, anonymous="off", heartbeat_s=30.0)


@pytest.fixture
async def ring(serving: Serving, settings: Settings) -> AsyncIterator[KeyRing]:
    async with key_ring(settings.data_dir) as ring:
        yield ring


async def seated(
    channel: grpc.aio.Channel, matches: Any, host: Given, player: Given
) -> tuple[RawBot, play_service_pb2.Turn, str]:
    """A bot at a table, with a decision to make."""
    bot = RawBot(channel, player.metadata)
    await bot.hello(instance="i-1")
    created = (await matches.CreateMatch(board(), metadata=host.metadata)).match
    await bot.ready()
    await bot.ready()
    return bot, (await bot.next("turn")).turn, created.id


async def test_14_a_wrong_token_changes_nothing(
    matches: Any, ring: KeyRing, channel: grpc.aio.Channel
) -> None:
    """colyseus #962: one reconnect with a wrong token killed the grace timer before it was checked,
    and the rightful player was locked out.
    """
    host, player, bot_only = [await ring.make(role) for role in (Role.HOST, Role.BOT, Role.BOT)]
    wrong = Given(player.id, new_token(player.id))
    bot, turn, match_id = await seated(channel, matches, host, player)

    async def attack() -> None:
        for _ in range(5 if FULL else 2):
            with refused(*unauthenticated):
                await RawBot(channel, wrong.metadata).hello(instance="i-1")
            stranger = RawBot(channel, bot_only.metadata)
            assert (await stranger.hello(instance="i-1")).welcome.seats_owed == 0
            await stranger.close()
            for method, request in (
                (matches.CancelMatch, match_service_pb2.CancelMatchRequest(match_id=match_id)),
                (matches.ReleaseGroup, match_service_pb2.ReleaseGroupRequest(disclosure_group="")),
            ):
                with refused(*unauthenticated):
                    await method(request, metadata=wrong.metadata)
                with refused(*denied):
                    await method(request, metadata=bot_only.metadata)

    await attack()
    await bot.act(turn)  # the stream is there still
    status = (await bot.next("act_result")).act_result.status
    assert status == play_service_pb2.ACT_STATUS_ACCEPTED
    await bot.close()
    await attack()  # while its grace runs
    again = RawBot(channel, player.metadata)
    assert (await again.hello(instance="i-1")).welcome.seats_owed == 2
    get = match_service_pb2.GetMatchRequest(match_id=match_id)
    match = (await matches.GetMatch(get, metadata=host.metadata)).match
    assert [seat.key_id for seat in match.seats if not seat.house] == [player.id] * 2
    assert not match.faults
    await again.close()


class Counting:
    """A store of keys that counts what it is asked."""

    def __init__(self, store: RedisStore) -> None:
        self._keys = store.api_keys
        self.asked: list[str] = []
        self.away = False

    async def get(self, key_ids: Sequence[str]) -> list[StoredKey | None]:
        self.asked += key_ids
        if self.away:
            raise StoreUnavailable("store", "away")
        return await self._keys.get(key_ids)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._keys, name)


@pytest.fixture
async def counting() -> AsyncIterator[Counting]:
    async with embedded_store() as embedded:
        store = await connect(embedded.url)
        yield Counting(store)
        await store.close()


def guard_of(keys: Any, now: Callable[[], int] = lambda: 1_000) -> Guard:
    return Guard(keys, anonymous=False, wall_ms=now)


async def test_14_an_unknown_key_costs_what_a_known_one_does(counting: Counting) -> None:
    """One question to the store, whether there is such a key, and whether its secret is right; and
    none for what is no token at all, nor again within two seconds.
    """
    guard, ring = guard_of(counting), KeyRing(counting)
    key = await ring.make(Role.BOT)
    unknown = new_token(new_key_id())
    for token in (key.token, new_token(key.id), unknown):
        counting.asked.clear()
        guard._known.clear()
        for _ in range(3):
            with contextlib.suppress(Unauthenticated):
                await guard.caller(f"Bearer {token}")
        assert len(counting.asked) == 1
    counting.asked.clear()
    for text in ("", "Bearer x", f"Bearer {unknown[:-1]}", f"Bearer {unknown[:-1]}?"):
        with pytest.raises(Unauthenticated):
            await guard.caller(text)
    assert not counting.asked


async def test_14_a_flood_of_made_up_keys_takes_a_bounded_memory(
    counting: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("contree.server.access.guard._REMEMBERED", 20)
    guard = guard_of(counting)
    for _ in range(100):
        with pytest.raises(Unauthenticated):
            await guard.caller(f"Bearer {new_token(new_key_id())}")
    assert len(guard._known) == 20 < _REMEMBERED


async def test_14_a_flood_of_made_up_keys_is_not_looked_up(
    matches: Any, ring: KeyRing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So many a minute from one address; keys that the server has met are let in meanwhile."""
    host = await ring.make(Role.HOST)
    request = match_service_pb2.ListBotsRequest()
    await matches.ListBots(request, metadata=host.metadata)
    monkeypatch.setattr("contree.server.access.quotas.STRANGERS", 3)
    told = []
    for _ in range(5):
        token = new_token(new_key_id())
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await matches.ListBots(request, metadata=(("authorization", f"Bearer {token}"),))
        told.append(caught.value.code())
    unknown, limited = grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.RESOURCE_EXHAUSTED
    assert told[0] is unknown
    assert told[-1] is limited
    await matches.ListBots(request, metadata=host.metadata)


async def test_14_good_keys_of_one_address_are_no_flood(
    matches: Any, ring: KeyRing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that takes over meets them all for the first time, behind one proxy."""
    monkeypatch.setattr("contree.server.access.quotas.STRANGERS", 3)
    request = match_service_pb2.ListBotsRequest()
    for _ in range(5):
        host = await ring.make(Role.HOST)
        await matches.ListBots(request, metadata=host.metadata)


async def test_15_the_newest_stream_with_the_key_takes_over(
    matches: Any, ring: KeyRing, channel: grpc.aio.Channel
) -> None:
    """fishtest #1976: an honest worker that came back was taken for a second one and kept out."""
    host, player, other = [await ring.make(role) for role in (Role.HOST, Role.BOT, Role.BOT)]
    bot, turn, _ = await seated(channel, matches, host, player)
    again = RawBot(channel, player.metadata)
    assert (await again.hello(instance="i-1")).welcome.seats_owed == 2
    await bot.next("superseded")
    resumed = (await again.next("turn")).turn
    assert resumed.again
    assert resumed.decision.id == turn.decision.id
    # With another key the same name and instance id are another bot's.
    stranger = RawBot(channel, other.metadata)
    assert (await stranger.hello(instance="i-1")).welcome.seats_owed == 0
    await again.act(resumed)
    status = (await again.next("act_result")).act_result.status
    assert status == play_service_pb2.ACT_STATUS_ACCEPTED
    for one in (again, stranger):
        await one.close()


async def test_a_decision_of_another_key_is_not_answered_with_mine(
    matches: Any, ring: KeyRing, channel: grpc.aio.Channel
) -> None:
    host, player, other = [await ring.make(role) for role in (Role.HOST, Role.BOT, Role.BOT)]
    bot, turn, _ = await seated(channel, matches, host, player)
    thief, _, _ = await seated(channel, matches, host, other)
    for ref in (1, 2):
        stolen = play_service_pb2.Turn()
        stolen.CopyFrom(turn)
        stolen.seat_ref = ref
        await thief.act(stolen)
        status = (await thief.next("act_result")).act_result.status
        assert status == play_service_pb2.ACT_STATUS_STALE
    await bot.act(turn)
    status = (await bot.next("act_result")).act_result.status
    assert status == play_service_pb2.ACT_STATUS_ACCEPTED
    for one in (bot, thief):
        await one.close()


async def unread(narrow: grpc.aio.Channel, key: Given) -> RawBot:
    """A bot that does not read, for which the server's handler waits in a write."""
    bot = RawBot(narrow, key.metadata)
    await bot.hello("unread")
    act = ClientMessage(act=play_service_pb2.Act(seat_ref=4_000_000))
    await bot.call.write(play_service_pb2.PlayRequest(messages=[act] * 3_000))
    await bot.say(act)

    def waiting() -> list[int]:
        return [
            len(one.outbox)
            for one in gc.get_objects()
            if type(one) is Session and one.identity.bot == "unread" and not one.outbox.closed
        ]

    # What waits stays: the answers before it are in a write. The server runs in this loop, so what
    # it could do it has done between two looks.
    before: list[int] = []
    async with asyncio.timeout(WAIT_S):
        while not (any(now := waiting()) and now == before):
            before = now
            await asyncio.sleep(0.05)
    return bot


async def test_a_revoked_key_does_not_live_on_in_a_stream_that_is_not_read(
    serving: Serving, matches: Any, ring: KeyRing
) -> None:
    """Its handler waits for the client to read, where nothing that is raised would be told."""
    host, key = await ring.make(Role.HOST), await ring.make(Role.BOT)
    options = (("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 65_536))
    async with grpc.aio.insecure_channel(serving.address, options=options) as narrow:
        bot = await unread(narrow, key)
        await ring.revoke(key)
        list_bots = match_service_pb2.ListBotsRequest()
        async with asyncio.timeout(WAIT_S):
            while (  # noqa: ASYNC110 the server tells nobody
                await matches.ListBots(list_bots, metadata=host.metadata)
            ).bots:
                await asyncio.sleep(0.05)
        with refused(*unauthenticated) as refusal:
            async with asyncio.timeout(WAIT_S):
                while await bot.call.read() is not grpc.aio.EOF:
                    pass
        assert "was revoked" in refusal.text


async def test_a_stream_that_is_broken_off_unread_leaves_nothing_behind(
    serving: Serving, matches: Any, ring: KeyRing
) -> None:
    """Its handler is cancelled in a write. What cleans up is the end of the servicer's generator,
    and that comes when nothing holds it: not after some collection of garbage, which is seldom.
    """
    host, key = await ring.make(Role.HOST), await ring.make(Role.BOT)
    options = (("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 65_536))
    list_bots = match_service_pb2.ListBotsRequest()
    gc.collect()
    gc.disable()
    try:
        async with grpc.aio.insecure_channel(serving.address, options=options) as narrow:
            bot = await unread(narrow, key)
            await bot.close()
        async with asyncio.timeout(WAIT_S):
            while (  # noqa: ASYNC110 the server tells nobody
                await matches.ListBots(list_bots, metadata=host.metadata)
            ).bots:
                await asyncio.sleep(0.05)
    finally:
        gc.enable()


async def test_while_the_store_is_away_nothing_is_ended_and_nobody_new_comes_in(
    counting: Counting,
) -> None:
    wall = 1_000
    guard, ring = guard_of(counting, lambda: wall), KeyRing(counting)
    key = await ring.make(Role.BOT, expires_ms=5_000)
    caller = await guard.caller(f"Bearer {key.token}")
    ended: list[Exception] = []
    with guard.open(caller, ended.append):
        counting.away = True
        with pytest.raises(StoreUnavailable):
            await guard.look()
        with pytest.raises(StoreUnavailable):
            await guard.caller(f"Bearer {new_token(new_key_id())}")
        await guard.caller(f"Bearer {key.token}")  # known for two seconds
        assert not ended
        counting.away = False
        await guard.look()
        assert not ended
        wall = 5_000
        await guard.look()
        assert [str(one) for one in ended] == [
            f"The key {key.id} has expired: ask whoever runs this server for another."
        ]
    counting.asked.clear()
    await guard.look()
    assert counting.asked == [], "nothing is open any more"
