"""Messages against the protocol: refused one by one, forgiven so often, then charged."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import grpc
import pytest
import structlog
from tests.rpc.conftest import WAIT_S, RawBot, board

from contree.server.app import Serving
from contree.server.host import Session
from contree.server.rpc import stalls
from contree.v1 import match_pb2, match_service_pb2, play_service_pb2
from contree.v1.play_service_pb2 import ClientMessage

GARBAGE = b"\xff\xff\xff"
Bots = Callable[[], RawBot]
NONSENSE = ClientMessage(ready=play_service_pb2.Ready(seat_ref=77))


def forgiving(strikes: int) -> match_pb2.FaultPolicy:
    return match_pb2.FaultPolicy(illegal_strikes=2, timeout_strikes=2, protocol_strikes=strikes)


async def playing(bot: RawBot, matches: Any, **fields: Any) -> tuple[str, play_service_pb2.Turn]:
    await bot.hello()
    created = (await matches.CreateMatch(board(**fields))).match
    await bot.ready()
    await bot.ready()
    return created.id, (await bot.next("turn")).turn


async def get(matches: Any, match_id: str) -> match_pb2.Match:
    request = match_service_pb2.GetMatchRequest(match_id=match_id)
    match: match_pb2.Match = (await matches.GetMatch(request)).match
    return match


async def test_so_many_are_forgiven_and_then_the_house_plays_all_its_seats(
    matches: Any, bots: Bots
) -> None:
    bot = bots()
    match_id, turn = await playing(bot, matches, fault_policy=forgiving(3))
    for _ in range(3):
        await bot.say(NONSENSE)
        await bot.next("refused")
    await bot.act(turn)
    result = (await bot.next("act_result")).act_result
    assert result.status == play_service_pb2.ACT_STATUS_ACCEPTED
    assert not (await get(matches, match_id)).faults
    await bot.say(NONSENSE)
    faults = [(await bot.next("fault")).fault for _ in range(2)]
    assert all(one.fault.replaced for one in faults)
    await bot.next("match_ended")
    match = await get(matches, match_id)
    assert [fault.kind for fault in match.faults] == [match_pb2.FAULT_KIND_PROTOCOL_ERROR] * 2
    assert {fault.seat for fault in match.faults} == {1, 3}
    assert match.fault_policy.protocol_strikes == 3


async def test_answers_that_cannot_be_read_count(matches: Any, bots: Bots) -> None:
    bot = bots()
    match_id, turn = await playing(bot, matches, fault_policy=forgiving(1))
    empty = play_service_pb2.Act(seat_ref=turn.seat_ref, decision_id=turn.decision.id)
    await bot.say(ClientMessage(act=empty))
    result = (await bot.next("act_result")).act_result
    assert result.status == play_service_pb2.ACT_STATUS_ILLEGAL
    await bot.say(ClientMessage(act=empty))
    await bot.next("match_ended")
    kinds = {fault.kind for fault in (await get(matches, match_id)).faults}
    assert kinds == {match_pb2.FAULT_KIND_PROTOCOL_ERROR}


async def test_ten_are_forgiven_where_nothing_is_said(matches: Any, bots: Bots) -> None:
    bot = bots()
    match_id, _ = await playing(bot, matches)
    assert (await get(matches, match_id)).fault_policy.protocol_strikes == 10
    await bot.say(*[NONSENSE] * 10)
    for _ in range(10):
        await bot.next("refused")
    assert not (await get(matches, match_id)).faults
    await bot.say(NONSENSE)
    await bot.next("fault")


async def test_what_was_said_before_a_seat_was_taken_is_not_charged_to_it(
    matches: Any, bots: Bots
) -> None:
    bot = bots()
    await bot.hello()
    await bot.say(*[NONSENSE] * 20)
    for _ in range(20):
        await bot.next("refused")
    created = (await matches.CreateMatch(board())).match
    await bot.ready()
    await bot.ready()
    await bot.next("turn")
    await bot.say(NONSENSE)
    await bot.next("refused")
    assert not (await get(matches, created.id)).faults


async def test_a_word_to_a_seat_whose_match_is_over_is_no_offence(matches: Any, bots: Bots) -> None:
    bot = bots()
    match_id, turn = await playing(bot, matches, fault_policy=forgiving(0))
    await matches.CancelMatch(match_service_pb2.CancelMatchRequest(match_id=match_id))
    await bot.next("match_ended")
    other = (await matches.CreateMatch(board(2, fault_policy=forgiving(0)))).match
    await bot.ready()
    await bot.ready()
    await bot.next("turn")
    await bot.say(ClientMessage(resign=play_service_pb2.Resign(seat_ref=turn.seat_ref)))
    await bot.next("refused")
    assert not (await get(matches, other.id)).faults


async def test_a_stream_without_a_seat_that_says_nonsense_is_ended(bots: Bots) -> None:
    bot = bots()
    await bot.hello()
    await bot.say(*[NONSENSE] * 99)
    for _ in range(99):
        await bot.next("refused")
    await bot.say(NONSENSE)
    with pytest.raises(grpc.aio.AioRpcError) as ended:
        await _read_on(bot)
    assert ended.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "docs/protocol.md" in str(ended.value.details())


async def _read_on(bot: RawBot) -> None:
    async with asyncio.timeout(WAIT_S):
        while True:
            await bot.anything()


async def test_a_decision_id_that_is_none_is_not_said_back(bots: Bots) -> None:
    """A client that does not read would have the server keep megabytes of its own words."""
    bot = bots()
    await bot.hello()
    act = play_service_pb2.Act(seat_ref=1, decision_id=bytes(1_000_000))
    await bot.say(ClientMessage(act=act))
    refused = (await bot.next("refused")).refused
    assert "1000000 bytes" in refused.reason
    assert refused.ByteSize() < 200


async def test_a_frame_has_no_more_messages_than_a_client_can_have_to_say(bots: Bots) -> None:
    bot = bots()
    await bot.hello(capacity=1)
    await bot.say(*[ClientMessage()] * 4100)  # kinds of a later version are passed over
    await bot.say(NONSENSE)
    await bot.next("refused")
    await bot.say(*[ClientMessage()] * 4101)
    with pytest.raises((grpc.aio.AioRpcError, EOFError)):
        await bot.anything()
    assert await bot.call.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "4101 messages" in await bot.call.details()


async def test_what_follows_hello_in_its_frame_is_counted_and_heard_like_any_other(
    bots: Bots,
) -> None:
    first = ClientMessage(hello=play_service_pb2.Hello(protocol_version=1, bot="raw", capacity=1))
    heard = bots()
    await heard.say(first, *[ClientMessage()] * 4099, NONSENSE)
    await heard.next("refused")
    refused = bots()
    await refused.say(first, *[ClientMessage()] * 4101)
    with pytest.raises((grpc.aio.AioRpcError, EOFError)):
        await refused.anything()
    assert await refused.call.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "4102 messages" in await refused.call.details()


def raw_call(channel: grpc.aio.Channel) -> Any:
    return channel.stream_stream("/contree.v1.PlayService/Play")()


def hello() -> bytes:
    said = play_service_pb2.Hello(protocol_version=1, bot="raw")
    message = ClientMessage(hello=said)
    return play_service_pb2.PlayRequest(messages=[message]).SerializeToString()


async def end_of(call: Any) -> grpc.aio.AioRpcError:
    async with asyncio.timeout(WAIT_S):
        try:
            while await call.read() is not grpc.aio.EOF:
                pass
        except grpc.aio.AioRpcError as error:
            return error
    raise AssertionError("it ended in good order")


async def test_garbage_after_hello_is_no_good_order(channel: grpc.aio.Channel) -> None:
    call = raw_call(channel)
    await call.write(hello())
    await call.read()
    await call.write(GARBAGE)
    assert (await end_of(call)).code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_a_bug_in_reading_is_told_and_logged(
    bots: Bots, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(Session, "beaten", broken)
    bot = bots()
    await bot.hello()
    with structlog.testing.capture_logs() as log:
        await bot.say(ClientMessage(heartbeat_ack=play_service_pb2.HeartbeatAck(nonce=1)))
        error = await end_of(bot.call)
    assert error.code() is grpc.StatusCode.INTERNAL
    ids = dict(error.trailing_metadata() or ())
    assert ids["x-request-id"]
    failed = [line for line in log if line["event"] == "call_failed"]
    assert [type(line["exc_info"]) for line in failed] == [ZeroDivisionError]


async def test_a_bug_is_told_and_logged_also_where_the_client_does_not_read(
    serving: Serving, matches: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is no fault of the client's, and so not TOO_SLOW."""

    def broken(*_: object) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(Session, "beaten", broken)
    monkeypatch.setattr(stalls, "LAST_WORDS_S", 0.2)
    options = (("grpc.http2.bdp_probe", 0), ("grpc.use_local_subchannel_pool", 1))
    async with grpc.aio.insecure_channel(serving.address, options=options) as narrow:
        bot = RawBot(narrow)
        await bot.hello()
        unknown = play_service_pb2.Act(seat_ref=9, decision_id=b"x" * 60)
        with structlog.testing.capture_logs() as log:
            await bot.call.write(
                play_service_pb2.PlayRequest(messages=[ClientMessage(act=unknown)] * 3_000)
            )
            await bot.say(ClientMessage(heartbeat_ack=play_service_pb2.HeartbeatAck(nonce=1)))
            async with asyncio.timeout(WAIT_S):
                while not any(line["event"] == "stream_failed" for line in log):  # noqa: ASYNC110
                    await asyncio.sleep(0.02)
            error = await end_of(bot.call)
    assert error.code() is grpc.StatusCode.INTERNAL
    failed = [line for line in log if line["event"] == "stream_failed"]
    assert [type(line["exc_info"]) for line in failed] == [ZeroDivisionError]
