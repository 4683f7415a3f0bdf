"""The play stream, against a real server: what is said when, and what becomes of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import grpc
import pytest
from tests.rpc.conftest import RawBot, board

from contree.v1 import match_pb2, match_service_pb2, play_service_pb2
from contree.v1.play_service_pb2 import ClientMessage

Bots = Callable[[], RawBot]


async def _play_to_the_end(bot: RawBot) -> list[str]:
    """Answer every turn; the kinds of messages seen."""
    kinds = []
    ended = 0
    while ended < 2:
        message = await bot.anything()
        kind = str(message.WhichOneof("message"))
        kinds.append(kind)
        if kind == "turn":
            await bot.act(message.turn)
        elif kind == "seat_assigned":
            ready = play_service_pb2.Ready(seat_ref=message.seat_assigned.seat_ref)
            await bot.say(ClientMessage(ready=ready))
        elif kind == "act_result":
            assert message.act_result.status == play_service_pb2.ACT_STATUS_ACCEPTED
        ended += kind == "match_ended"
    return kinds


async def test_a_board_from_hello_to_record(matches: Any, bots: Bots) -> None:
    bot = bots()
    await bot.hello()
    created = (await matches.CreateMatch(board())).match
    kinds = await _play_to_the_end(bot)
    assert kinds.count("seat_assigned") == kinds.count("match_ended") == 2
    match = (await matches.GetMatch(_get(created.id))).match
    assert match.state == match_pb2.MATCH_STATE_ENDED
    assert match.end_reason in (
        match_pb2.END_REASON_BOARD_DONE,
        match_pb2.END_REASON_PASSED_OUT,
    )
    record = (await matches.GetRecord(_record(created.id))).record
    assert record.startswith("[BGN 1]\n")
    assert '"raw"' in record


async def test_a_seat_waits_for_its_bot(matches: Any, bots: Bots) -> None:
    created = (await matches.CreateMatch(board())).match
    assert created.state == match_pb2.MATCH_STATE_WAITING
    bot = bots()
    await bot.hello()
    await _play_to_the_end(bot)


async def test_practice_begins_at_once(bots: Bots) -> None:
    bot = bots()
    await bot.hello(practice=play_service_pb2.Practice(deals=1))
    kinds = await _play_to_the_end(bot)
    assert "deal_ended" in kinds


async def test_23_and_24_an_illegal_action_is_answered_with_the_legal_set(
    matches: Any, bots: Bots
) -> None:
    bot = bots()
    await bot.hello()
    await matches.CreateMatch(board())
    await bot.ready()
    await bot.ready()
    turn = (await bot.next("turn")).turn
    held = turn.view.hand[0]
    act = play_service_pb2.Act(seat_ref=turn.seat_ref, decision_id=turn.decision.id)
    act.action.play.card = held  # a card, while the auction is on
    await bot.say(ClientMessage(act=act))
    result = (await bot.next("act_result")).act_result
    assert result.status == play_service_pb2.ACT_STATUS_ILLEGAL
    assert result.reason
    assert result.decision.calls == turn.decision.calls
    assert result.decision.id == turn.decision.id
    left = result.decision.clock.remaining.ToMilliseconds()
    assert 0 < left <= turn.decision.clock.remaining.ToMilliseconds()
    await bot.act(turn)
    accepted = (await bot.next("act_result")).act_result
    assert accepted.status == play_service_pb2.ACT_STATUS_ACCEPTED


async def test_an_act_without_an_action_is_answered_with_what_is_owed(
    matches: Any, bots: Bots
) -> None:
    bot = bots()
    await bot.hello()
    await matches.CreateMatch(board())
    await bot.ready()
    await bot.ready()
    turn = (await bot.next("turn")).turn
    empty = play_service_pb2.Act(seat_ref=turn.seat_ref, decision_id=turn.decision.id)
    await bot.say(ClientMessage(act=empty))
    result = (await bot.next("act_result")).act_result
    assert result.status == play_service_pb2.ACT_STATUS_ILLEGAL
    assert result.decision.calls == turn.decision.calls


async def test_23_the_same_answer_twice_is_a_duplicate(matches: Any, bots: Bots) -> None:
    bot = bots()
    await bot.hello()
    await matches.CreateMatch(board())
    await bot.ready()
    await bot.ready()
    turn = (await bot.next("turn")).turn
    await bot.act(turn)
    await bot.act(turn)
    first = (await bot.next("act_result")).act_result
    second = (await bot.next("act_result")).act_result
    assert first.status == play_service_pb2.ACT_STATUS_ACCEPTED
    assert second.status == play_service_pb2.ACT_STATUS_DUPLICATE
    assert first.decision_id == second.decision_id == turn.decision.id


async def test_23_a_made_up_decision_is_stale_and_a_made_up_seat_unknown(
    matches: Any, bots: Bots
) -> None:
    bot = bots()
    await bot.hello()
    await matches.CreateMatch(board())
    await bot.ready()
    await bot.ready()
    turn = (await bot.next("turn")).turn
    forged = play_service_pb2.Turn()
    forged.CopyFrom(turn)
    forged.decision.id = b"123456789012"
    await bot.act(forged)
    result = (await bot.next("act_result")).act_result
    assert result.status == play_service_pb2.ACT_STATUS_STALE
    assert result.decision_id == forged.decision.id
    assert result.reason
    forged.seat_ref = 99
    await bot.act(forged)
    result = (await bot.next("act_result")).act_result
    assert result.status == play_service_pb2.ACT_STATUS_UNKNOWN_SEAT
    assert result.reason
    # What is owed is owed still.
    await bot.act(turn)
    result = (await bot.next("act_result")).act_result
    assert result.status == play_service_pb2.ACT_STATUS_ACCEPTED


async def test_11_a_resumed_bot_is_sent_what_it_owes_again(matches: Any, bots: Bots) -> None:
    bot = bots()
    await bot.hello(instance="one")
    await matches.CreateMatch(board())
    await bot.ready()
    await bot.ready()
    turn = (await bot.next("turn")).turn
    await bot.close()
    again = bots()
    welcome = (await again.hello(instance="one")).welcome
    assert welcome.seats_owed == 2
    resent = (await again.next("turn")).turn
    assert resent.again
    assert resent.decision.id == turn.decision.id
    assert resent.view == turn.view
    await again.act(resent)
    result = (await again.next("act_result")).act_result
    assert result.status == play_service_pb2.ACT_STATUS_ACCEPTED


async def test_the_newest_stream_of_an_instance_counts(matches: Any, bots: Bots) -> None:
    old = bots()
    await old.hello(instance="one")
    await matches.CreateMatch(board())
    await old.ready()
    await old.ready()
    new = bots()
    welcome = (await new.hello(instance="one")).welcome
    assert welcome.seats_owed == 2
    await old.next("superseded")
    with pytest.raises(EOFError):
        await old.anything()
    await new.next("turn")


async def test_events_come_without_gaps_and_again_from_where_they_were_seen(
    matches: Any, bots: Bots
) -> None:
    bot = bots()
    await bot.hello(instance="one", delivery=play_service_pb2.DELIVERY_EVENTS)
    created = (await matches.CreateMatch(board())).match
    refs = {await bot.ready(), await bot.ready()}
    turn = (await bot.next("turn")).turn
    await bot.close()

    again = bots()
    seat = turn.view.seat
    await again.hello(
        instance="one",
        delivery=play_service_pb2.DELIVERY_EVENTS,
        seen=[play_service_pb2.SeenEvents(match_id=created.id, seat=seat, seq=1)],
    )
    assert len(refs) == 2
    by_ref: dict[int, list[int]] = {}
    seats: dict[int, int] = {}
    ended = 0
    while ended < 2:
        message = await again.anything()
        kind = message.WhichOneof("message")
        if kind == "seat_assigned":
            seats[message.seat_assigned.seat_ref] = message.seat_assigned.seat
        elif kind == "event":
            by_ref.setdefault(message.event.seat_ref, []).append(message.event.event.seq)
            for hand in message.event.event.dealt.hands:
                assert hand.seat == seats[message.event.seat_ref]
        elif kind == "turn":
            await again.act(message.turn)
        ended += kind == "match_ended"
    assert by_ref.keys() == seats.keys()
    for ref, seqs in by_ref.items():
        first = 2 if seats[ref] == seat else 1
        assert sorted(set(seqs)) == list(range(first, max(seqs) + 1))


@pytest.mark.parametrize(
    ("first", "status", "reason"),
    [
        (
            ClientMessage(ready=play_service_pb2.Ready(seat_ref=1)),
            grpc.StatusCode.INVALID_ARGUMENT,
            b"ERROR_REASON_HELLO_EXPECTED",
        ),
        (
            ClientMessage(hello=play_service_pb2.Hello(protocol_version=7, bot="x")),
            grpc.StatusCode.FAILED_PRECONDITION,
            b"ERROR_REASON_PROTOCOL_VERSION",
        ),
        (
            ClientMessage(hello=play_service_pb2.Hello(protocol_version=1)),
            grpc.StatusCode.INVALID_ARGUMENT,
            b"ERROR_REASON_INVALID_ARGUMENT",
        ),
    ],
)
async def test_a_bad_opening_is_refused_with_its_reason(
    bots: Bots, first: ClientMessage, status: grpc.StatusCode, reason: bytes
) -> None:
    bot = bots()
    await bot.say(first)
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await bot.anything()
    assert refused.value.code() is status
    details = dict(refused.value.trailing_metadata())["grpc-status-details-bin"]
    assert reason in details


async def test_an_unanswered_turn_times_out_and_the_table_goes_on(matches: Any, bots: Bots) -> None:
    bot = bots()
    await bot.hello()
    control = match_pb2.TimeControl()
    control.per_move.FromMilliseconds(50)
    control.allowance.FromMilliseconds(10)
    control.bank.FromMilliseconds(0)
    created = (await matches.CreateMatch(board(time_control=control))).match
    await bot.ready()
    await bot.ready()
    await bot.next("match_ended")
    match = (await matches.GetMatch(_get(created.id))).match
    kinds = {fault.kind for fault in match.faults}
    assert kinds == {match_pb2.FAULT_KIND_TIMEOUT}
    assert any(fault.replaced for fault in match.faults)


async def test_a_bot_that_stays_away_is_replaced(matches: Any, bots: Bots) -> None:
    bot = bots()
    await bot.hello()
    control = match_pb2.TimeControl()
    control.disconnect_grace.FromMilliseconds(50)
    created = (await matches.CreateMatch(board(labels=["gone"], time_control=control))).match
    await bot.ready()
    await bot.ready()
    await bot.next("turn")
    await bot.close()
    async for update in matches.WatchMatches(_watch("gone")):
        if update.match.state == match_pb2.MATCH_STATE_ENDED:
            break
    match = (await matches.GetMatch(_get(created.id))).match
    assert {fault.kind for fault in match.faults} == {match_pb2.FAULT_KIND_DISCONNECTED}
    replaced = [seat.replaced for seat in match.seats]
    assert True in replaced
    assert replaced[1::2] == [False, False]  # played by the house from the beginning


async def test_a_bot_that_leaves_before_play_begins_has_no_fault(matches: Any, bots: Bots) -> None:
    bot = bots()
    await bot.hello()
    control = match_pb2.TimeControl()
    control.disconnect_grace.FromMilliseconds(0)
    control.ready.FromMilliseconds(100)
    created = (await matches.CreateMatch(board(labels=["left"], time_control=control))).match
    await bot.next("seat_assigned")
    await bot.next("seat_assigned")
    await bot.close()
    async for update in matches.WatchMatches(_watch("left")):
        if update.match.state == match_pb2.MATCH_STATE_ENDED:
            break
    match = (await matches.GetMatch(_get(created.id))).match
    assert match.end_reason == match_pb2.END_REASON_NOT_STARTED
    assert match.end_detail == "Not ready in time: North (raw), South (raw)."
    assert not match.faults


async def test_an_instance_id_belongs_to_one_bot(matches: Any, bots: Bots) -> None:
    bot = bots()
    await bot.hello(instance="one")
    await matches.CreateMatch(board())
    await bot.ready()
    await bot.ready()
    thief = bots()
    welcome = (await thief.hello("thief", instance="one")).welcome
    assert welcome.seats_owed == 0
    await bot.next("turn")


async def test_a_resigned_seat_is_played_by_the_house(matches: Any, bots: Bots) -> None:
    bot = bots()
    await bot.hello()
    created = (await matches.CreateMatch(board())).match
    refs = [await bot.ready(), await bot.ready()]
    for ref in refs:
        await bot.say(ClientMessage(resign=play_service_pb2.Resign(seat_ref=ref)))
    await bot.next("match_ended")
    match = (await matches.GetMatch(_get(created.id))).match
    assert [fault.kind for fault in match.faults] == [match_pb2.FAULT_KIND_RESIGNED] * 2


async def test_capacity_is_counted_by_the_server(matches: Any, bots: Bots) -> None:
    bot = bots()
    await bot.hello(capacity=2)
    first = (await matches.CreateMatch(board(1))).match
    second = (await matches.CreateMatch(board(2))).match
    await _play_to_the_end(bot)
    await _play_to_the_end(bot)
    for match in (first, second):
        state = (await matches.GetMatch(_get(match.id))).match.state
        assert state == match_pb2.MATCH_STATE_ENDED


def _get(match_id: str) -> match_service_pb2.GetMatchRequest:
    return match_service_pb2.GetMatchRequest(match_id=match_id)


def _record(match_id: str) -> match_service_pb2.GetRecordRequest:
    return match_service_pb2.GetRecordRequest(match_id=match_id)


def _watch(label: str) -> match_service_pb2.WatchMatchesRequest:
    return match_service_pb2.WatchMatchesRequest(label=label)
