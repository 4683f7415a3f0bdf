"""Sessions over bad streams: slow readers, resumes of many seats, who has room, who has left."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from typing import Any

import grpc
import pytest
from tests.rpc.conftest import QUICK_HEARTBEATS, WAIT_S, RawBot, board

from contree.server.app import Serving
from contree.server.rpc import errors, spectate, stalls
from contree.server.rpc.errors import Told
from contree.server.settings import Settings
from contree.v1 import (
    match_pb2,
    match_service_pb2,
    play_service_pb2,
    spectate_service_pb2,
    spectate_service_pb2_grpc,
)
from contree.v1.play_service_pb2 import ClientMessage

Bots = Callable[[], RawBot]


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return replace(settings, max_outbox=16)


LEAVE = ClientMessage(leave=play_service_pb2.Leave())


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    """Wait for something that the server does without telling."""
    async with asyncio.timeout(WAIT_S):
        while not await condition():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def heard(bot: RawBot) -> None:
    """Return when the server has taken in all that was said."""
    await bot.say(ClientMessage(act=play_service_pb2.Act(seat_ref=4_000_000)))
    async with asyncio.timeout(WAIT_S):
        while (await bot.next("act_result")).act_result.seat_ref != 4_000_000:
            pass


def taken(match: match_pb2.Match) -> int:
    """How many seats of bots are taken."""
    return sum(seat.taken for seat in match.seats if not seat.house)


async def everything_is_committed(matches: Any, bots: Bots) -> None:
    """Return when all that was begun before is in the journal."""
    last = bots()
    await last.hello("last", capacity=2)
    request = board(99)
    request.seats[0].bot = request.seats[2].bot = "last"
    await matches.CreateMatch(request)
    await last.next("seat_assigned")
    await last.close()


async def nobody_is_connected(matches: Any) -> bool:
    return not (await matches.ListBots(match_service_pb2.ListBotsRequest())).bots


async def test_leave_stops_new_seats(matches: Any, bots: Bots) -> None:
    bot = bots()
    await bot.hello(instance="one")
    await bot.say(LEAVE)
    await heard(bot)
    created = (await matches.CreateMatch(board())).match
    other = bots()
    await other.hello(instance="other")
    assert (await other.next("seat_assigned")).seat_assigned.match_id == created.id
    assert (await other.next("seat_assigned")).seat_assigned.match_id == created.id


@pytest.mark.parametrize("in_good_order", [False, True])
async def test_leave_is_remembered_where_the_stream_broke(
    matches: Any, bots: Bots, in_good_order: bool
) -> None:
    bot = bots()
    await bot.hello(instance="one")
    held = (await matches.CreateMatch(board())).match
    await bot.ready()
    await bot.ready()
    await bot.say(LEAVE)
    await heard(bot)
    if in_good_order:
        await bot.call.done_writing()
    else:
        await bot.close()
    await until(lambda: nobody_is_connected(matches))
    again = bots()
    assert (await again.hello(instance="one")).welcome.seats_owed == 2
    await again.next("seat_assigned")
    await again.next("seat_assigned")
    new = (await matches.CreateMatch(board(2))).match
    await everything_is_committed(matches, bots)
    new = (await matches.GetMatch(match_service_pb2.GetMatchRequest(match_id=new.id))).match
    assert taken(new) == (2 if in_good_order else 0)
    # Once it has no seat left, the one that comes under its name is a bot like any other.
    await matches.CancelMatch(match_service_pb2.CancelMatchRequest(match_id=held.id))
    assert (await again.next("seat_assigned")).seat_assigned.match_id == new.id


@pytest.fixture
async def narrow(serving: Serving) -> AsyncIterator[grpc.aio.Channel]:
    """A channel whose streams take no more than their 64 KB in advance."""
    options = (("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 65_536))
    async with grpc.aio.insecure_channel(serving.address, options=options) as channel:
        yield channel


def chatter(count: int) -> play_service_pb2.PlayRequest:
    """Answers to nothing, each of which is answered with a sentence."""
    act = ClientMessage(act=play_service_pb2.Act(seat_ref=4_000_000))
    return play_service_pb2.PlayRequest(messages=[act] * count)


async def why_cut(call: Any) -> bytes:
    """Read all that is left; the details with which the stream was ended."""
    async with asyncio.timeout(WAIT_S):
        with contextlib.suppress(grpc.aio.AioRpcError):
            while await call.read() is not grpc.aio.EOF:
                pass
        assert await call.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        details = dict(await call.trailing_metadata())["grpc-status-details-bin"]
    assert isinstance(details, bytes)
    return details


async def _connected(matches: Any, match_id: str) -> list[bool]:
    match = (await matches.GetMatch(match_service_pb2.GetMatchRequest(match_id=match_id))).match
    return [seat.connected for seat in match.seats if not seat.house]


@pytest.mark.parametrize(
    ("heartbeat_s", "frames", "capacity"),
    [
        pytest.param(1.0, [3_000], 4_096, id="heartbeats have no answer"),
        pytest.param(60.0, [3_000, 6_000, 6_000], 1_024, id="the outbox overflows"),
        pytest.param(60.0, [3_000], 64, id="it overflows before anything is written"),
    ],
)
async def test_a_client_that_does_not_read_is_cut_and_can_hear_why(
    narrow: grpc.aio.Channel, matches: Any, bots: Bots, frames: list[int], capacity: int
) -> None:
    bot = RawBot(narrow)
    await bot.hello(instance="one", capacity=capacity)
    created = (await matches.CreateMatch(board())).match
    await bot.ready()
    await bot.ready()
    turn = (await bot.next("turn")).turn
    for size in frames:
        await bot.call.write(chatter(size))
    await until(lambda: nobody_is_connected(matches))
    assert await _connected(matches, created.id) == [False, False]
    again = bots()
    assert (await again.hello(instance="one")).welcome.seats_owed == 2
    assert (await again.next("turn")).turn.decision.id == turn.decision.id
    assert b"ERROR_REASON_TOO_SLOW" in await why_cut(bot.call)


@QUICK_HEARTBEATS
async def test_a_client_that_reads_and_acks_is_left_alone(bots: Bots) -> None:
    bot = bots()
    await bot.hello()
    beats = 0
    while beats < 6:
        async with asyncio.timeout(WAIT_S):
            frame = await bot.call.read()
        for message in frame.messages:
            assert message.HasField("heartbeat")
            ack = play_service_pb2.HeartbeatAck(nonce=message.heartbeat.nonce)
            await bot.say(ClientMessage(heartbeat_ack=ack))
            beats += 1


@QUICK_HEARTBEATS
async def test_the_round_trip_is_told(matches: Any, bots: Bots) -> None:
    bot = bots()
    await bot.hello()
    async with asyncio.timeout(WAIT_S):
        frame = await bot.call.read()
    nonce = frame.messages[0].heartbeat.nonce
    await bot.say(ClientMessage(heartbeat_ack=play_service_pb2.HeartbeatAck(nonce=nonce)))
    await heard(bot)
    await matches.CreateMatch(board())
    await bot.ready()
    await bot.ready()
    clock = (await bot.next("turn")).turn.decision.clock
    assert clock.HasField("round_trip")


@pytest.mark.parametrize("heartbeat_s", [60.0])
async def test_seats_beyond_the_outbox_are_resumed(matches: Any, bots: Bots) -> None:
    """An outbox of 16 messages, and 40 seats."""
    bot = bots()
    await bot.hello(instance="one", capacity=40)
    for number in range(1, 21):
        await matches.CreateMatch(board(number))
    for _ in range(40):
        await bot.ready()
    again = bots()
    assert (await again.hello(instance="one", capacity=40)).welcome.seats_owed == 40
    kinds: list[str] = []
    while kinds.count("seat_assigned") < 40 or kinds.count("act_result") < 20:
        message = await again.anything()
        kinds.append(str(message.WhichOneof("message")))
        if message.HasField("turn"):
            await again.act(message.turn)


async def test_a_stalled_spectator_is_sent_away(
    narrow: grpc.aio.Channel, matches: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spectate, "STALLED_S", 1.0)
    cut = asyncio.Event()

    def tell(error: Exception) -> Told:
        cut.set()
        return errors.tell(error)

    monkeypatch.setattr(stalls, "tell", tell)
    request = board()
    request.race.deals = 400
    request.race.target = 0
    del request.seats[:]
    request.seats.extend(match_pb2.SeatSpec(seat=seat, house="random") for seat in range(1, 5))  # type: ignore[arg-type]
    created = (await matches.CreateMatch(request)).match
    watch: Any = spectate_service_pb2_grpc.SpectateServiceStub(narrow).Watch(
        spectate_service_pb2.WatchRequest(match_id=created.id)
    )
    assert (await watch.read()).match.id == created.id
    async with asyncio.timeout(WAIT_S):
        await cut.wait()
    assert b"ERROR_REASON_TOO_SLOW" in await why_cut(watch)
