"""Rows of docs/faults-met-by-others.md that are about a whole match, by their number."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final

import pytest
from tests.rpc.conftest import WAIT_S, RawBot, board

from contree.engine import parse_record
from contree.v1 import match_pb2, match_service_pb2, play_service_pb2
from contree.v1.play_service_pb2 import ClientMessage

Bots = Callable[[], RawBot]
Turn = play_service_pb2.Turn
LABEL: Final = "met"


async def resigns(bot: RawBot, turn: Turn) -> None:
    for seat in (1, 2):
        await bot.say(ClientMessage(resign=play_service_pb2.Resign(seat_ref=seat)))


async def breaks_the_rules(bot: RawBot, turn: Turn) -> None:
    act = play_service_pb2.Act(seat_ref=turn.seat_ref, decision_id=turn.decision.id)
    act.action.play.card = 1  # type: ignore[assignment]
    await bot.say(ClientMessage(act=act))


async def says_nothing(bot: RawBot, turn: Turn) -> None:
    pass


async def hangs_up(bot: RawBot, turn: Turn) -> None:
    await bot.close()


async def talks_nonsense(bot: RawBot, turn: Turn) -> None:
    await bot.say(ClientMessage(ready=play_service_pb2.Ready(seat_ref=99)))


FAILURES: Final[dict[Callable[[RawBot, Turn], Awaitable[None]], int]] = {
    resigns: match_pb2.FAULT_KIND_RESIGNED,
    breaks_the_rules: match_pb2.FAULT_KIND_ILLEGAL_ACTION,
    says_nothing: match_pb2.FAULT_KIND_TIMEOUT,
    hangs_up: match_pb2.FAULT_KIND_DISCONNECTED,
    talks_nonsense: match_pb2.FAULT_KIND_PROTOCOL_ERROR,
}


async def ended(matches: Any, label: str) -> match_pb2.Match:
    """The match of a label, once it is over."""
    async with asyncio.timeout(WAIT_S):
        request = match_service_pb2.WatchMatchesRequest(label=label)
        async for update in matches.WatchMatches(request):
            if update.match.state == match_pb2.MATCH_STATE_ENDED:
                match: match_pb2.Match = update.match
                return match
    raise AssertionError("the feed ended")


async def seated(
    bot: RawBot, matches: Any, per_move_ms: int = 30_000
) -> tuple[str, play_service_pb2.Turn]:
    """A board at which a bot holds two seats and owes its first decision; nothing is forgiven."""
    control = match_pb2.TimeControl()
    control.per_move.FromMilliseconds(per_move_ms)
    control.bank.FromMilliseconds(0)
    control.allowance.FromMilliseconds(10)
    control.disconnect_grace.FromMilliseconds(50)
    strict = match_pb2.FaultPolicy(illegal_strikes=0, timeout_strikes=0, protocol_strikes=0)
    await bot.hello(instance="one")
    made = await matches.CreateMatch(
        board(labels=[LABEL], time_control=control, fault_policy=strict)
    )
    await bot.ready()
    await bot.ready()
    return made.match.id, (await bot.next("turn")).turn


@pytest.mark.parametrize("fails", FAILURES, ids=lambda fails: fails.__name__)
async def test_4_and_17_each_way_to_fail_has_its_kind_and_the_match_one_end(
    matches: Any, bots: Bots, fails: Callable[[RawBot, Turn], Awaitable[None]]
) -> None:
    """riddlesio #15: no result when a bot crashed. fastchess #631: stalls told as crashes."""
    bot = bots()
    match_id, turn = await seated(bot, matches, 200 if fails is says_nothing else 30_000)
    await fails(bot, turn)
    if fails is breaks_the_rules:  # the other seat of the bot is held to the rules as well
        other = (await bot.next("turn")).turn
        await fails(bot, other)
    match = await ended(matches, LABEL)
    assert {fault.kind for fault in match.faults} == {FAILURES[fails]}
    assert {fault.seat for fault in match.faults} == {1, 3}
    assert match.end_reason in (match_pb2.END_REASON_BOARD_DONE, match_pb2.END_REASON_PASSED_OUT)
    request = match_service_pb2.GetRecordRequest(match_id=match_id)
    record = parse_record((await matches.GetRecord(request)).record)
    assert sum(note.startswith("end:") for note in record.notes) == 1


async def test_11_a_resume_brings_all_that_a_decision_needs(matches: Any, bots: Bots) -> None:
    """lichess-bot #1053: after a reconnect the clock was 0 and the position another."""
    bot = bots()
    await bot.hello(instance="one")
    await matches.CreateMatch(board())
    await bot.ready()
    await bot.ready()
    turn = (await bot.next("turn")).turn
    await bot.close()
    again = bots()
    await again.hello(instance="one")
    resent = (await again.next("turn")).turn
    assert resent.view == turn.view
    assert resent.decision.id == turn.decision.id
    assert list(resent.decision.calls) == list(turn.decision.calls)
    clock, before = resent.decision.clock, turn.decision.clock
    assert 0 < clock.remaining.ToMilliseconds() <= before.remaining.ToMilliseconds()
    assert clock.bank == before.bank
    assert clock.allowance == before.allowance


async def test_24_what_is_said_after_the_end_is_answered_and_no_fault(
    matches: Any, bots: Bots
) -> None:
    """lichess-bot #51, #172: moves sent after the end, and a minute of silence about them."""
    bot = bots()
    match_id, turn = await seated(bot, matches)
    await matches.CancelMatch(match_service_pb2.CancelMatchRequest(match_id=match_id))
    await bot.next("match_ended")
    await bot.act(turn)
    result = (await bot.next("act_result")).act_result
    assert result.status == play_service_pb2.ACT_STATUS_UNKNOWN_SEAT
    assert result.reason
    got = await matches.GetMatch(match_service_pb2.GetMatchRequest(match_id=match_id))
    assert not got.match.faults
