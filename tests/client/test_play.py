"""A bot at play: turns, answers, what it is told, what it is warned of."""

from __future__ import annotations

import asyncio
import logging
import re
import threading
from collections.abc import Sequence
from typing import Any

import pytest
from tests.client.bots import First, InPlace, playing
from tests.client.scripted import (
    WAIT_S,
    ScriptedServer,
    accepted,
    act_result,
    assigned,
    deal,
    heartbeat,
    match_ended,
    opening,
    soon,
    turn,
)

from contree.client import (
    BatchBot,
    Bot,
    BotFailed,
    DealEnded,
    Delivery,
    EndReason,
    Event,
    FaultCharged,
    FaultKind,
    MatchEnded,
    Practice,
    SeatInfo,
    Summary,
    Turn,
    play_bot,
)
from contree.engine import (
    CONTRE,
    DECLINE,
    PASS,
    Action,
    Bid,
    Call,
    Card,
    Deal,
    DecisionKind,
    PlacedCall,
    Seat,
    SeededDeals,
    Strain,
    View,
    preset,
    project,
)
from contree.v1 import deal_pb2, event_pb2, match_pb2, play_service_pb2
from contree.v1.play_service_pb2 import ServerMessage
from contree.wire import action_from_pb, call_to_pb, placed_call_to_pb, seat_to_pb


def ends(deal_number: int = 1) -> ServerMessage:
    result = deal_pb2.DealResult()
    result.marks.east_west = 160
    ended = event_pb2.DealEnded(number=deal_number, result=result)
    return ServerMessage(deal_ended=play_service_pb2.SeatDealEnded(seat_ref=1, deal_ended=ended))


@pytest.mark.parametrize("kind", [First, InPlace])
async def test_a_match_from_hello_to_its_end(kind: type[First], server: ScriptedServer) -> None:
    bot = kind()
    async with playing(bot, server, instance_id="i7", matches=1, capacity=3) as played:
        line = await server.dialled()
        hello = await line.welcome()
        assert hello == play_service_pb2.Hello(
            protocol_version=1,
            bot="bot",
            instance_id="i7",
            capacity=3,
            delivery=play_service_pb2.DELIVERY_STATE,
        )
        line.say(assigned(5, Seat.EAST, ready_owed=True))
        assert (await line.hear("ready")).seat_ref == 5
        view = opening()
        line.say(turn(5, view, b"d1"))
        act = await line.hear("act")
        assert (act.seat_ref, act.decision_id) == (5, b"d1")
        assert action_from_pb(act.action) is PASS
        line.say(accepted(act), match_ended(5))
        summary = await soon(played)
    assert bot.seen == [view]
    assert summary == Summary(
        matches=1, decisions=1, illegal=0, late=0, faults=0, connections=1, interrupted=False
    )
    (seated, table), (ended, same, how) = bot.told
    assert (seated, ended) == ("seated", "match_ended")
    assert isinstance(table, SeatInfo)
    assert table is same
    assert (table.match_id, table.seat, table.rules) == ("m1", Seat.EAST, preset("ffb-mixte"))
    assert table.time_control.per_move == 10.0
    assert how == MatchEnded(EndReason.BOARD_DONE, (250, 0), None)


async def test_a_deal_is_played_with_the_views_of_the_engine(server: ScriptedServer) -> None:
    """One bot in all four seats, the server being the engine itself."""
    bot = InPlace()
    state = deal()
    async with playing(bot, server):
        line = await server.welcomed()
        line.say(*(assigned(1 + seat, seat) for seat in Seat))
        views = []
        # North bids, the others pass, then all cards are played.
        for step in range(200):
            if not state.owed:
                break
            seat = state.owed[0]
            if not state.auction.calls:
                state = state.apply(seat, Bid(80, Strain.HEARTS))
                continue
            views.append(project(state, seat))
            line.say(turn(1 + seat, views[-1], b"d%d" % step))
            act = await line.hear("act")
            state = state.apply(seat, action_from_pb(act.action))
            line.say(accepted(act))
    assert state.result is not None
    assert bot.seen == views
    assert len(views) == 3 + 32


async def test_a_batch_is_answered_with_a_batch(server: ScriptedServer) -> None:
    async with playing(InPlace(), server):
        line = await server.welcomed()
        line.say(*(assigned(ref, Seat.NORTH, f"m{ref}") for ref in range(1, 9)))
        line.say(*(turn(ref, opening(ref), b"d%d" % ref) for ref in range(1, 9)))
        acts = [await line.hear("act") for _ in range(8)]
        assert line.batches == [1, 8]
    assert [act.seat_ref for act in acts] == list(range(1, 9))


class Batch(BatchBot):
    def __init__(self) -> None:
        self.batches: list[list[View]] = []

    def act(self, views: Sequence[View]) -> Sequence[Action]:
        self.batches.append(list(views))
        return [view.legal[0] for view in views]


class AsyncBatch(Batch):
    async def act(self, views: Sequence[View]) -> Sequence[Action]:  # type: ignore[override]
        await asyncio.sleep(0)
        return super().act(views)


class InPlaceBatch(Batch):
    threaded = False


@pytest.mark.parametrize("kind", [Batch, AsyncBatch, InPlaceBatch])
async def test_a_batch_bot_sees_the_whole_batch(kind: type[Batch], server: ScriptedServer) -> None:
    bot = kind()
    views = [opening(number) for number in (1, 2, 3)]
    async with playing(bot, server):
        line = await server.welcomed()
        line.say(*(assigned(ref, Seat.NORTH, f"m{ref}") for ref in (1, 2, 3)))
        line.say(*(turn(ref, view) for ref, view in zip((1, 2, 3), views, strict=True)))
        acts = [await line.hear("act") for _ in views]
    assert bot.batches == [views]
    assert [act.seat_ref for act in acts] == [1, 2, 3]


async def test_a_batch_bot_must_answer_each_view(server: ScriptedServer) -> None:
    class Lazy(BatchBot):
        def act(self, views: Sequence[View]) -> Sequence[Action]:
            return [views[0].legal[0]]

    async with playing(Lazy(), server) as played:
        line = await server.welcomed()
        line.say(assigned(1), assigned(2, Seat.SOUTH), turn(1, opening()), turn(2, opening(2)))
        with pytest.raises(BotFailed, match="1 answers for 2 views"):
            await soon(played)


async def test_an_async_bot_thinks_about_several_seats_at_once(server: ScriptedServer) -> None:
    both = asyncio.Barrier(2)

    class Async(Bot):
        async def call(self, view: View) -> Call:
            await both.wait()
            return PASS

        async def play(self, view: View) -> Card:
            raise NotImplementedError

    async with playing(Async(), server):
        line = await server.welcomed()
        line.say(assigned(1), assigned(2, Seat.SOUTH))
        line.say(turn(1, opening(1), b"a"), turn(2, opening(2), b"b"))
        acts = [await line.hear("act") for _ in range(2)]
    assert {act.decision_id for act in acts} == {b"a", b"b"}


async def test_async_hooks_are_finished_before_the_next_turn(server: ScriptedServer) -> None:
    order: list[str] = []
    loaded = asyncio.Event()

    class Async(Bot):
        async def seated(self, table: SeatInfo) -> None:
            order.append("loading")
            await loaded.wait()
            order.append("loaded")

        async def call(self, view: View) -> Call:
            order.append("call")
            return PASS

    async with playing(Async(), server):
        line = await server.welcomed()
        line.say(assigned(1, ready_owed=True), turn(1, opening()))
        line.say(heartbeat(1))
        assert (await line.hear("heartbeat_ack")).nonce == 1
        assert order == ["loading"]
        loaded.set()
        await line.hear("ready")
        await line.hear("act")
    assert order == ["loading", "loaded", "call"]


async def test_async_hooks_of_a_bot_in_a_thread(server: ScriptedServer) -> None:
    class Mixed(First):
        async def seated(self, table: SeatInfo) -> None:  # type: ignore[override]
            await asyncio.sleep(0)
            self.told.append(("seated", threading.current_thread() is threading.main_thread()))

    bot = Mixed()
    async with playing(bot, server):
        line = await server.welcomed()
        line.say(assigned(1, ready_owed=True))
        await line.hear("ready")
    assert bot.told == [("seated", True)]


async def test_heartbeats_are_answered_while_the_bot_thinks(server: ScriptedServer) -> None:
    begun, go_on = threading.Event(), threading.Event()

    class Thinker(First):
        def call(self, view: View) -> Call:
            begun.set()
            assert go_on.wait(WAIT_S)
            return PASS

    async with playing(Thinker(), server):
        line = await server.welcomed()
        line.say(assigned(1), turn(1, opening()))
        assert await asyncio.to_thread(begun.wait, WAIT_S)
        line.say(heartbeat(41))
        assert (await line.hear("heartbeat_ack")).nonce == 41
        go_on.set()
        await line.hear("act")


async def test_windows_are_declined_unless_the_bot_says_otherwise(server: ScriptedServer) -> None:
    class Doubler(First):
        def contre(self, view: View) -> Call:
            assert view.kind is DecisionKind.CONTRE
            return CONTRE

    rules = preset("coinche-classique")
    state = Deal.start(rules, *SeededDeals(b"d" * 32).board(1, rules))
    first = state.owed[0]
    state = state.apply(first, Bid(80, Strain.HEARTS))
    window = project(state, state.owed[0])
    assert window.kind is DecisionKind.CONTRE
    for bot, answer in ((First(), DECLINE), (Doubler(), CONTRE)):
        async with playing(bot, server):
            line = await server.welcomed()
            line.say(assigned(1), turn(1, window))
            assert action_from_pb((await line.hear("act")).action) is answer


async def test_a_bot_may_see_the_clock(server: ScriptedServer) -> None:
    turns: list[tuple[Turn, float]] = []

    class Timed(Bot):
        def decide(self, turn: Turn) -> Action:
            turns.append((turn, turn.time_left()))
            return turn.view.legal[0]

    async with playing(Timed(), server):
        line = await server.welcomed()
        line.say(assigned(1), turn(1, opening(), remaining=600_000))
        await line.hear("act")
    ((seen, left),) = turns
    assert 0 < left <= 600.0
    assert (seen.bank, seen.allowance, seen.charged, seen.round_trip) == (0.0, 0.2, 0.005, 0.001)
    assert seen.table.match_id == "m1"


async def test_any_object_with_the_methods_is_a_bot(server: ScriptedServer) -> None:
    class Plain:
        def call(self, view: View) -> Call:
            return PASS

        def play(self, view: View) -> Action:
            return view.legal[0]

    async with playing(Plain(), server, name=None):
        line = await server.dialled()
        hello = await line.welcome()
        assert hello.bot == "Plain"
        line.say(assigned(1, ready_owed=True), turn(1, opening()))
        await line.hear("ready")
        await line.hear("act")


async def test_practice_is_asked_for_once(server: ScriptedServer) -> None:
    practice = Practice(preset="contree-simple", opponents="random", partner="rules", deals=3)
    async with playing(First(), server, practice=practice):
        line = await server.dialled()
        hello = await line.welcome()
        assert hello.practice == play_service_pb2.Practice(
            preset="contree-simple",
            opponents="random",
            partner="rules",
            deals=3,
            request_id=hello.practice.request_id,
        )
        assert hello.practice.request_id
        line.end()
        line = await server.dialled()
        # Whether the first one was heard is not known: it is the same match in any case.
        assert (await line.welcome()).practice == hello.practice
        line.say(assigned(1, ready_owed=True))
        await line.hear("ready")
        line.end()
        line = await server.dialled()
        assert not (await line.welcome()).HasField("practice")


async def test_the_environment_says_who_and_where(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Named(First):
        name = "class attribute"
        version = "1.2"

    monkeypatch.setenv("CONTREE_SERVER", server.address)
    monkeypatch.setenv("CONTREE_BOT", "environment")
    monkeypatch.setenv("CONTREE_INSTANCE", "e1")
    monkeypatch.setenv("CONTREE_CAPACITY", "12")
    monkeypatch.setenv("CONTREE_TOKEN", "secret")
    async with playing(Named(), None, name=None):
        line = await server.dialled()
        hello = await line.welcome()
    assert (hello.bot, hello.bot_version) == ("environment", "1.2")
    assert (hello.instance_id, hello.capacity) == ("e1", 12)
    assert line.metadata["authorization"] == "Bearer secret"
    monkeypatch.delenv("CONTREE_BOT")
    async with playing(Named(), None, name=None):
        line = await server.dialled()
        assert (await line.welcome()).bot == "class attribute"


async def test_a_capacity_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONTREE_CAPACITY", "many")
    with pytest.raises(ValueError, match="CONTREE_CAPACITY is 'many'"):
        await play_bot(First())


async def test_everything_is_told_to_a_bot_that_asks_for_events(server: ScriptedServer) -> None:
    bot = InPlace()
    said = PlacedCall(Seat.EAST, PASS)
    async with playing(bot, server, delivery=Delivery.EVENTS):
        line = await server.dialled()
        hello = await line.welcome()
        assert hello.delivery == play_service_pb2.DELIVERY_EVENTS
        happened = event_pb2.Event(seq=4, called=placed_call_to_pb(said))
        fault = event_pb2.FaultCharged(
            seat=seat_to_pb(Seat.NORTH), kind=match_pb2.FAULT_KIND_TIMEOUT, strikes=1
        )
        line.say(
            assigned(1),
            ServerMessage(event=play_service_pb2.SeatEvent(seat_ref=1, event=happened)),
            ends(),
            ServerMessage(
                fault=play_service_pb2.SeatFault(seat_ref=1, fault=fault, detail="too slow")
            ),
            heartbeat(1),
        )
        await line.hear("heartbeat_ack")
    kinds = [told[0] for told in bot.told]
    assert kinds == ["seated", "event", "deal_ended", "fault"]
    assert bot.told[1][2] == Event(4, said)
    ended, charged = bot.told[2][2], bot.told[3][2]
    assert isinstance(ended, DealEnded)
    assert (ended.number, ended.result.contract, ended.result.marks) == (1, None, (0, 160))
    assert charged == FaultCharged(Seat.NORTH, FaultKind.TIMEOUT, 1, replaced=False)
    assert bot.told[3][3] == "too slow"


async def test_a_slow_bot_is_warned_before_the_server_acts(
    server: ScriptedServer, caplog: pytest.LogCaptureFixture
) -> None:
    go_on = threading.Event()

    class Warned(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if "the server acts" in record.getMessage():
                go_on.set()

    class Slow(First):
        def call(self, view: View) -> Call:
            assert go_on.wait(WAIT_S)
            return PASS

    logger = logging.getLogger("contree.client")
    logger.addHandler(handler := Warned())
    try:
        async with playing(Slow(), server):
            line = await server.welcomed()
            line.say(assigned(1), turn(1, opening(), remaining=50))
            act = await line.hear("act")
            late = play_service_pb2.ACT_STATUS_LATE
            line.say(act_result(act, late, reason="by 3 s"), match_ended(1), heartbeat(1))
            await line.hear("heartbeat_ack")
    finally:
        logger.removeHandler(handler)
    assert "seat N of match m1" in caplog.text
    assert "it came too late: by 3 s" in caplog.text


async def test_a_bot_is_told_that_it_was_too_slow_and_how_fast_it_was_in_the_end(
    server: ScriptedServer, caplog: pytest.LogCaptureFixture
) -> None:
    class TooSlow(First):
        def decide(self, turn: Turn) -> Action:
            while turn.time_left() > 0:
                pass
            return PASS

    caplog.set_level(logging.INFO, "contree.client")
    async with playing(TooSlow(), server):
        line = await server.welcomed()
        line.say(assigned(1), turn(1, opening(), remaining=1))
        act = await line.hear("act")
        line.say(accepted(act), match_ended(1), heartbeat(1))
        await line.hear("heartbeat_ack")
    after = r"seat N of match m1: answered after \d+\.\d\d s, but it had 0\.00 s; "
    assert re.search(after + r"the allowance is 0\.20 s", caplog.text)
    assert re.search(r"seat N of match m1: 1 decision, \d+\.\d{3} s each", caplog.text)


async def test_an_illegal_answer_is_asked_again(
    server: ScriptedServer, caplog: pytest.LogCaptureFixture
) -> None:
    class Learner(InPlace):
        def call(self, view: View) -> Call:
            self.seen.append(view)
            return Bid(80, Strain.HEARTS) if len(self.seen) == 1 else PASS

    bot = Learner()
    async with playing(bot, server):
        line = await server.welcomed()
        view = opening()
        owed = turn(1, view)
        line.say(assigned(1), owed)
        act = await line.hear("act")
        owed.turn.decision.ClearField("calls")
        owed.turn.decision.calls.append(call_to_pb(PASS))
        line.say(
            act_result(
                act,
                play_service_pb2.ACT_STATUS_ILLEGAL,
                reason="it does not outbid 90",
                decision=owed.turn.decision,
            )
        )
        act = await line.hear("act")
        assert action_from_pb(act.action) is PASS
    assert bot.seen == [view, view._replace(legal=(PASS,))]
    assert "80H is not allowed: it does not outbid 90" in caplog.text


async def test_a_newer_turn_replaces_the_one_thought_about(server: ScriptedServer) -> None:
    """The server acted for the bot: its old answer is not sent."""
    begun, go_on = threading.Event(), threading.Event()

    class Thinker(First):
        def call(self, view: View) -> Call:
            super().call(view)
            begun.set()
            assert go_on.wait(WAIT_S)
            return PASS

    bot = Thinker()
    async with playing(bot, server):
        line = await server.welcomed()
        line.say(assigned(1), turn(1, opening(1), b"old"))
        assert await asyncio.to_thread(begun.wait, WAIT_S)
        line.say(turn(1, opening(2), b"new"), heartbeat(1))
        await line.hear("heartbeat_ack")
        go_on.set()
        assert (await line.hear("act")).decision_id == b"new"
    assert bot.seen == [opening(1), opening(2)]


@pytest.mark.parametrize("kind", [First, InPlace])
async def test_an_error_of_the_bot_ends_play_with_its_cause(
    kind: type[First], server: ScriptedServer
) -> None:
    class Buggy(kind):  # type: ignore[misc, valid-type]
        def call(self, view: View) -> Call:
            raise ZeroDivisionError("oops")

    async with playing(Buggy(), server) as played:
        line = await server.welcomed()
        line.say(assigned(1), turn(1, opening()))
        with pytest.raises(BotFailed, match="failed with ZeroDivisionError: oops") as failed:
            await soon(played)
        # Its instance id was made up: nobody can come back to the seat.
        assert await line.hear_end() == ["leave", "resign"]
    assert isinstance(failed.value.__cause__, ZeroDivisionError)
    assert (failed.value.seat, failed.value.match_id) == (Seat.NORTH, "m1")


@pytest.mark.parametrize("way_out", [SystemExit, KeyboardInterrupt])
async def test_a_bot_that_exits_in_its_thread_ends_play_instead_of_hanging(
    way_out: type[BaseException], server: ScriptedServer
) -> None:
    class Leaving(First):
        def call(self, view: View) -> Call:
            raise way_out("bye")

    async with playing(Leaving(), server) as played:
        line = await server.welcomed()
        line.say(assigned(1), turn(1, opening()))
        with pytest.raises(BotFailed, match=f"failed with {way_out.__name__}: bye"):
            await soon(played)
        await line.hear_end()


async def test_the_seats_of_a_named_instance_wait_for_its_next_process(
    server: ScriptedServer,
) -> None:
    class Buggy(First):
        async def call(self, view: View) -> Call:  # type: ignore[override]
            raise ZeroDivisionError

    async with playing(Buggy(), server, instance_id="i7") as played:
        line = await server.welcomed()
        line.say(assigned(1), turn(1, opening()))
        with pytest.raises(BotFailed):
            await soon(played)
        assert await line.hear_end() == ["leave"]


@pytest.mark.parametrize("answer", [None, "AS", 5, (PASS,)])
async def test_an_answer_that_is_no_action_is_an_error_of_the_bot(
    answer: Any, server: ScriptedServer
) -> None:
    class Confused(First):
        def call(self, view: View) -> Call:
            return answer  # type: ignore[no-any-return]

    async with playing(Confused(), server) as played:
        line = await server.welcomed()
        line.say(assigned(1), turn(1, opening()))
        with pytest.raises(BotFailed, match="is no action: return one of view"):
            await soon(played)


async def test_an_error_in_a_hook_is_an_error_of_the_bot(server: ScriptedServer) -> None:
    class Buggy(First):
        def seated(self, table: SeatInfo) -> None:
            raise LookupError("no model")

    async with playing(Buggy(), server) as played:
        line = await server.welcomed()
        line.say(assigned(1, ready_owed=True))
        with pytest.raises(BotFailed, match="LookupError: no model"):
            await soon(played)


async def test_cancelling_gives_up_the_seats_in_good_order(server: ScriptedServer) -> None:
    async with playing(First(), server) as played:
        line = await server.welcomed()
        line.say(assigned(1, ready_owed=True))
        await line.hear("ready")
        played.cancel()
        assert await line.hear_end() == ["leave", "resign"]
        line.end()
        with pytest.raises(asyncio.CancelledError):
            await soon(played)


async def test_the_last_match_is_played_to_its_end(server: ScriptedServer) -> None:
    """With one match asked for, the seats of another that were taken are played as well."""
    async with playing(InPlace(), server, matches=1) as played:
        line = await server.welcomed()
        line.say(assigned(1, match_id="m1"), assigned(2, match_id="m2"))
        line.say(match_ended(1, "m1"))
        await line.hear("leave")
        line.say(turn(2, opening()))
        act = await line.hear("act")
        line.say(accepted(act), match_ended(2, "m2"))
        assert (await soon(played)).matches == 2


async def test_both_seats_of_a_match_are_one_match(server: ScriptedServer) -> None:
    async with playing(InPlace(), server, matches=2) as played:
        line = await server.welcomed()
        for match_id in ("m1", "m2"):
            line.say(assigned(1, match_id=match_id), assigned(2, Seat.SOUTH, match_id))
            line.say(match_ended(1, match_id), match_ended(2, match_id))
        assert (await soon(played)).matches == 2


async def test_what_this_version_does_not_know_is_passed_over(
    server: ScriptedServer, caplog: pytest.LogCaptureFixture
) -> None:
    later = b"\xfa\x3f\x05later"  # field 1023, a text
    unknown_message = b"\x0a\x08" + later  # in PlayResponse.messages
    owed = turn(1, opening())
    known = ServerMessage.FromString(owed.SerializeToString() + later)
    known.turn.MergeFromString(later)
    known.turn.view.table.MergeFromString(later)
    async with playing(InPlace(), server):
        line = await server.welcomed()
        line.say_bytes(unknown_message + later)
        line.say(assigned(1), known)
        await line.hear("act")
        line.say(ServerMessage(refused=play_service_pb2.Refused(reason="Hello is said once.")))
        line.say(act_result(play_service_pb2.Act(seat_ref=1), 99), heartbeat(1))
        await line.hear("heartbeat_ack")
    assert "the server did not understand: Hello is said once." in caplog.text


async def test_a_turn_that_cannot_be_read_is_logged_and_others_go_on(
    server: ScriptedServer, caplog: pytest.LogCaptureFixture
) -> None:
    garbled = turn(1, opening(1))
    garbled.turn.view.hand[7] = garbled.turn.view.hand[0]
    async with playing(InPlace(), server):
        line = await server.welcomed()
        line.say(assigned(1), assigned(2, Seat.SOUTH), garbled, turn(2, opening(2)))
        assert (await line.hear("act")).seat_ref == 2
    assert "a turn of the server cannot be read: turn.view.hand[7]" in caplog.text


async def test_turns_for_seats_that_are_not_held_are_passed_over(server: ScriptedServer) -> None:
    async with playing(InPlace(), server):
        line = await server.welcomed()
        line.say(turn(9, opening()), ends(), match_ended(9), heartbeat(1))
        await line.hear("heartbeat_ack")


async def test_an_illegal_answer_that_may_not_be_given_again(server: ScriptedServer) -> None:
    bot = InPlace()
    async with playing(bot, server):
        line = await server.welcomed()
        line.say(assigned(1), turn(1, opening(), b"d1"))
        act = await line.hear("act")
        illegal = play_service_pb2.ACT_STATUS_ILLEGAL
        line.say(act_result(act, illegal, reason="the house plays"), turn(1, opening(2), b"d2"))
        assert (await line.hear("act")).decision_id == b"d2"
    assert len(bot.seen) == 2


class Failing:
    """A bot that fails in some way; ``async`` where the name says so."""

    class AsyncCall(Bot):
        async def call(self, view: View) -> Call:
            await asyncio.sleep(0)
            raise LookupError("no book")

    class AsyncHook(Bot):
        async def seated(self, table: SeatInfo) -> None:
            await asyncio.sleep(0)
            raise LookupError("no book")

    class InPlaceHook(InPlace):
        def seated(self, table: SeatInfo) -> None:
            raise LookupError("no book")

    class Batch(BatchBot):
        def act(self, views: Sequence[View]) -> Sequence[Action]:
            raise LookupError("no book")

    class InPlaceBatch(Batch):
        threaded = False

    class AsyncBatch(BatchBot):
        async def act(self, views: Sequence[View]) -> Sequence[Action]:
            await asyncio.sleep(0)
            raise LookupError("no book")

    class AsyncHookOnLoop(AsyncCall):
        async def seated(self, table: SeatInfo) -> None:
            await asyncio.sleep(0)
            raise LookupError("no book")


@pytest.mark.parametrize(
    "kind",
    [
        Failing.AsyncCall,
        Failing.AsyncHook,
        Failing.AsyncHookOnLoop,
        Failing.InPlaceHook,
        Failing.Batch,
        Failing.InPlaceBatch,
        Failing.AsyncBatch,
    ],
)
async def test_bots_fail_the_same_wherever_they_think(
    kind: type[Bot], server: ScriptedServer
) -> None:
    async with playing(kind(), server) as played:
        line = await server.welcomed()
        line.say(assigned(1), turn(1, opening()))
        with pytest.raises(BotFailed, match="LookupError: no book") as failed:
            await soon(played)
    assert isinstance(failed.value.__cause__, LookupError)


async def test_a_bot_that_forgets_its_methods(server: ScriptedServer) -> None:
    async with playing(Bot(), server) as played:
        line = await server.welcomed()
        line.say(assigned(1), turn(1, opening()))
        with pytest.raises(BotFailed, match="NotImplementedError"):
            await soon(played)


async def test_a_fault_that_replaces_the_bot_ends_its_thinking(server: ScriptedServer) -> None:
    cancelled = asyncio.Event()
    asked = asyncio.Event()

    class Async(Bot):
        async def call(self, view: View) -> Call:
            asked.set()
            try:
                await asyncio.Event().wait()
            finally:
                cancelled.set()
            raise AssertionError

    async with playing(Async(), server):
        line = await server.welcomed()
        line.say(assigned(1), turn(1, opening()))
        await soon(asked.wait())
        fault = event_pb2.FaultCharged(
            seat=seat_to_pb(Seat.NORTH), kind=match_pb2.FAULT_KIND_TIMEOUT, replaced=True
        )
        line.say(ServerMessage(fault=play_service_pb2.SeatFault(seat_ref=1, fault=fault)))
        await soon(cancelled.wait())
