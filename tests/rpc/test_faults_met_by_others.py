"""Rows of docs/faults-met-by-others.md that are about a whole match, by their number."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Any, Final

import numpy as np
import pytest
from tests.client.bots import InPlace, playing
from tests.client.scripted import a_match
from tests.rpc.conftest import WAIT_S, RawBot, board

from contree.client.messages import match_from_pb
from contree.engine import Call, SeededDeals, View, parse_record, preset
from contree.server.app import Serving
from contree.server.match import EndReason
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


async def test_6_an_aborted_match_says_why_and_keeps_what_was_played(
    matches: Any, bots: Bots
) -> None:
    """aiarena-client #30: games that were stopped had the label of a failed start, no time, and
    nothing to look at.
    """
    bot = bots()
    match_id, turn = await seated(bot, matches)
    await bot.act(turn)
    accepted = 0
    while accepted < 12:
        message = await bot.anything()
        if message.HasField("turn"):
            await bot.act(message.turn)
        elif message.HasField("act_result"):
            assert message.act_result.status == play_service_pb2.ACT_STATUS_ACCEPTED
            accepted += 1
    cancel = match_service_pb2.CancelMatchRequest(match_id=match_id, reason="The hall closes.")
    await matches.CancelMatch(cancel)
    match = await ended(matches, LABEL)
    assert match.end_reason == match_pb2.END_REASON_CANCELLED
    assert match.end_detail == "The hall closes."
    assert match.end_time.ToNanoseconds() > match.create_time.ToNanoseconds() > 0
    assert sum(seat.decisions for seat in match.seats if not seat.house) >= accepted
    request = match_service_pb2.GetRecordRequest(match_id=match_id)
    record = parse_record((await matches.GetRecord(request)).record)
    assert "end: cancelled" in record.notes
    (deal,) = record.deals
    assert len(deal.calls) + len(deal.cards) > accepted
    assert record.replay().outcome is None


def test_6_each_way_to_end_has_a_name_of_its_own() -> None:
    """In the journal, on the wire and in the SDK it is the same, and as much of a result."""
    assert match_pb2.EndReason.keys()[1:] == [f"END_REASON_{one.name}" for one in EndReason]
    for reason in EndReason:
        said = match_pb2.EndReason.Value(f"END_REASON_{reason.name}")
        match = match_from_pb(a_match(state=match_pb2.MATCH_STATE_ENDED, end_reason=said))
        assert match.end_reason is not None
        assert match.end_reason.value == reason.value
        assert match.end_reason.is_result is reason.is_result


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


async def test_20_the_allowance_is_announced_and_what_it_saved_is_shown(
    matches: Any, bots: Bots
) -> None:
    """hobbes #308: a margin that nobody saw let pass what was a loss on time elsewhere."""
    control = match_pb2.TimeControl()
    control.per_move.FromMilliseconds(100)
    control.bank.FromMilliseconds(0)
    control.allowance.FromSeconds(50)
    bot = bots()
    await bot.hello()
    match_id = (await matches.CreateMatch(board(time_control=control))).match.id
    assigned = (await bot.next("seat_assigned")).seat_assigned
    assert assigned.time_control.allowance == control.allowance
    await bot.say(ClientMessage(ready=play_service_pb2.Ready(seat_ref=assigned.seat_ref)))
    await bot.ready()
    # A busy machine may stand still just then, and the clock with it: that was not late.
    for _ in range(8):
        turn = (await bot.next("turn")).turn
        assert turn.decision.clock.allowance == control.allowance
        await asyncio.sleep(turn.decision.clock.remaining.ToMilliseconds() / 1000 + 0.05)
        await bot.act(turn)
        result = (await bot.next("act_result")).act_result
        assert result.status == play_service_pb2.ACT_STATUS_ACCEPTED
        request = match_service_pb2.GetMatchRequest(match_id=match_id)
        match = (await matches.GetMatch(request)).match
        seat = next(one for one in match.seats if one.seat == turn.view.seat)
        if seat.overruns:
            break
    else:
        pytest.fail("it was late eight times, and none was counted")
    assert match.time_control.allowance == control.allowance
    assert seat.overruns == 1
    assert not match.faults


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


class Meddler(InPlace):
    """Puts the generators of the process, which is the server's too, to where it likes them."""

    place = 0

    def call(self, view: View) -> Call:
        self.meddle()
        return super().call(view)

    def meddle(self) -> None:
        random.seed(self.place)
        np.random.seed(self.place)


async def test_29_the_generators_of_the_process_have_no_say_in_the_deals(
    matches: Any, serving: Serving
) -> None:
    """pelita #359, #833: bots drew from the generator that the deals came from, and seeded it.
    cutechess #641, fastchess #742: whom one met, and when, bore on what was played.
    """
    meddler = Meddler()

    async def dealt(number: int, label: str, source: match_pb2.DealSource | None) -> Any:
        made = board(number, labels=[label])
        made.ClearField("deals")
        if source is not None:
            made.deals.CopyFrom(source)
        meddler.meddle()
        match_id = (await matches.CreateMatch(made)).match.id
        await ended(matches, label)
        request = match_service_pb2.GetRecordRequest(match_id=match_id)
        (deal,) = parse_record((await matches.GetRecord(request)).record).deals
        return deal.dealer, deal.hands

    seed = b"s" * 32
    given = match_pb2.DealSource(seeded=match_pb2.SeededDeals(seed=seed, label="cup"))
    deals, rules = SeededDeals(seed, "cup"), preset("ffb-mixte")
    meddler.meddle()
    expected = {number: deals.board(number, rules) for number in (1, 3)}
    async with playing(meddler, serving.address, name="raw"):
        for number, when in ((3, "first"), (1, "next"), (3, "again")):
            meddler.place += 1
            assert await dealt(number, when, given) == expected[number]
        # What the server draws itself nobody can bring about twice, either.
        assert await dealt(1, "drawn", None) != await dealt(1, "drawn again", None)
