"""Hidden information over the wire, test by test after what other servers met
(research: faults others met, "Hidden information").
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any, Final

import grpc
import pytest
from tests.rpc.conftest import WAIT_S, RawBot, board
from tests.rpc.keyed import KeyRing, key_ring, refused

from contree.engine import SEATS, FixedDeal, Seat, SeededDeals, cards_in, mask_of, preset
from contree.server.access import Role
from contree.server.app import Serving
from contree.server.settings import Settings
from contree.v1 import (
    auction_pb2,
    event_pb2,
    match_pb2,
    match_service_pb2,
    observation_pb2,
    play_service_pb2,
    spectate_service_pb2,
    spectate_service_pb2_grpc,
)
from contree.v1.play_service_pb2 import ClientMessage, ServerMessage
from contree.wire import fixed_deal_to_pb

ANY_MOMENT: Final = "coinche-classique"
HIDDEN: Final[dict[str, Any]] = {
    "disclosure_group": "event/7",
    "disclosure_policy": match_pb2.DISCLOSURE_POLICY_WHEN_GROUP_RELEASED,
    "labels": ["event", "event-7-A"],
}
HOUSE: Final = [match_pb2.SeatSpec(seat=seat, house="rules") for seat in (1, 2, 3, 4)]  # type: ignore[arg-type]


def four_bots(names: str, deal: FixedDeal | None = None, **fields: Any) -> Any:
    """A board for four bots, by their names N E S W."""
    request = match_service_pb2.CreateMatchRequest(
        preset=ANY_MOMENT,
        board=match_pb2.BoardMode(number=7),
        seats=[
            match_pb2.SeatSpec(seat=number, bot=bot)  # type: ignore[arg-type]
            for number, bot in enumerate(names.split(), start=1)
        ],
        **fields,
    )
    if deal is not None:
        request.deals.fixed.CopyFrom(fixed_deal_to_pb(deal))
    return request


def spoken(decision: observation_pb2.Decision, which: str) -> auction_pb2.Call:
    """The legal call of this kind."""
    return next(call for call in decision.calls if call.WhichOneof("call") == which)


def watch(channel: grpc.aio.Channel, match_id: str, **more: Any) -> Any:
    stub = spectate_service_pb2_grpc.SpectateServiceStub(channel)
    return stub.Watch(spectate_service_pb2.WatchRequest(match_id=match_id), **more)


async def events_until(call: Any, last: Callable[[event_pb2.Event], bool]) -> list[event_pb2.Event]:
    """The events that a spectator is sent next, up to one such as is waited for."""
    events: list[event_pb2.Event] = []
    async with asyncio.timeout(WAIT_S):
        while not any(map(last, events)):
            events += (await call.read()).events
    return events


async def everything(call: Any) -> list[spectate_service_pb2.WatchResponse]:
    async with asyncio.timeout(WAIT_S):
        return [response async for response in call]


# -- boardgame.io #1159: the initial state is sent whole -------------------------------------------


def _without_ids(message: ServerMessage) -> bytes:
    """A message without its ids and clocks, which are not the same twice."""
    shown = ServerMessage()
    shown.CopyFrom(message)
    if shown.HasField("seat_assigned"):
        shown.seat_assigned.ClearField("match_id")
    for part in ("turn", "act_result"):
        if shown.HasField(part):
            inner: Any = getattr(shown, part)
            if part == "act_result":
                inner.ClearField("decision_id")
            if inner.HasField("decision"):
                inner.decision.ClearField("id")
                inner.decision.ClearField("clock")
    return shown.SerializeToString(deterministic=True)


async def _first_lead(
    matches: Any, north: RawBot, others: RawBot, deal: FixedDeal
) -> list[ServerMessage]:
    """All that North is sent up to its first card, having tried what it may not do on the way."""
    await matches.CreateMatch(four_bots("north others others others", deal))
    refs = [await others.ready() for _ in range(3)]
    sent: list[ServerMessage] = [await north.next("seat_assigned")]
    ref = sent[0].seat_assigned.seat_ref
    await north.say(ClientMessage(ready=play_service_pb2.Ready(seat_ref=ref)))

    async def answer() -> None:
        bid = False
        while True:
            message = await others.anything()
            if not message.HasField("turn"):
                continue
            decision = message.turn.decision
            if decision.kind == observation_pb2.DECISION_KIND_CALL and not bid:
                call, bid = decision.calls[-1], True
            elif decision.kind == observation_pb2.DECISION_KIND_CONTRE:
                call = spoken(decision, "contre")
            else:
                call = decision.calls[0 if decision.kind == 1 else -1]
            act = play_service_pb2.Act(seat_ref=message.turn.seat_ref, decision_id=decision.id)
            act.action.call.CopyFrom(call)
            await others.say(ClientMessage(act=act))

    answering = asyncio.create_task(answer())
    try:
        while True:
            message = await north.anything()
            sent.append(message)
            if not message.HasField("turn"):
                continue
            turn = message.turn
            tried = play_service_pb2.Act(seat_ref=ref, decision_id=turn.decision.id)
            for card in (1, 9, 17, 25, 32):
                tried.action.play.card = card  # type: ignore[assignment]
                if card in turn.decision.cards:
                    continue
                for decision_id in (b"no such id", turn.decision.id):
                    tried.decision_id = decision_id
                    await north.say(ClientMessage(act=tried))
                    sent.append(await north.next("act_result"))
                break
            if turn.view.table.playing:
                return sent
            await north.act(turn)
    finally:
        answering.cancel()
        assert len(refs) == 3


async def test_boardgame_io_1159_what_a_seat_is_sent_does_not_depend_on_other_hands(
    matches: Any, bots: Callable[[], RawBot]
) -> None:
    """The bytes of a real stream, from the seat to its first card: the others' cards changed."""
    rules = preset(ANY_MOMENT)
    _, hands = SeededDeals(bytes(32)).board(1, rules)
    dealer = next(seat for seat in SEATS if rules.turn_direction.next(seat) is Seat.NORTH)
    pool = [card for seat in SEATS[1:] for card in cards_in(hands[seat])]
    streams = []
    for turned in (0, 5, 11):
        mixed = pool[turned:] + pool[:turned]
        east, south, west = (mask_of(mixed[start : start + 8]) for start in (0, 8, 16))
        north, others = bots(), bots()
        await north.hello("north", capacity=1, delivery=play_service_pb2.DELIVERY_EVENTS)
        await others.hello("others")
        deal = FixedDeal(dealer, (hands[Seat.NORTH], east, south, west))
        sent = await _first_lead(matches, north, others, deal)
        turns = [message.turn for message in sent if message.HasField("turn")]
        assert turns[-1].view.table.playing
        streams.append(sorted(map(_without_ids, sent)))
        await north.close()
        await others.close()
    assert len(streams[0]) > 12
    assert streams[0] == streams[1] == streams[2]


# -- boardgame.io #399: the history tells what the state hides -------------------------------------


async def test_boardgame_io_399_the_past_shows_a_seat_its_own_hand_only(
    matches: Any, bots: Callable[[], RawBot]
) -> None:
    events = play_service_pb2.DELIVERY_EVENTS
    north, others = bots(), bots()
    await north.hello("north", "i-north", delivery=events)
    await others.hello("others")
    await matches.CreateMatch(four_bots("north others others others"))
    await north.ready()
    for _ in range(3):
        await others.ready()
    await others.next("turn")
    await north.close()
    again = bots()
    await again.hello("north", "i-north", delivery=events)
    while True:
        event = (await again.next("event")).event.event
        if event.HasField("dealt"):
            assert [hand.seat for hand in event.dealt.hands] == [1]
            return


# -- netrunner #6124: spectators see face-down cards by name ---------------------------------------


async def test_netrunner_6124_a_match_of_a_group_is_closed_to_spectators_until_its_release(
    matches: Any, channel: grpc.aio.Channel
) -> None:
    made = match_service_pb2.CreateMatchRequest(
        board=match_pb2.BoardMode(number=7), seats=HOUSE, **HIDDEN
    )
    created = (await matches.CreateMatch(made)).match
    with refused(grpc.StatusCode.FAILED_PRECONDITION, "WATCH_CLOSED") as refusal:
        await everything(watch(channel, created.id))
    assert "event/7" not in refusal.text, "the name of the group tells the board"
    with refused(grpc.StatusCode.FAILED_PRECONDITION, "NOT_DISCLOSED") as refusal:
        await matches.GetRecord(match_service_pb2.GetRecordRequest(match_id=created.id))
    assert "event/7" not in refusal.text
    await matches.ReleaseGroup(match_service_pb2.ReleaseGroupRequest(disclosure_group="event/7"))
    shown = await everything(watch(channel, created.id))
    dealt = [event.dealt for one in shown for event in one.events if event.HasField("dealt")]
    assert [len(one.hands) for one in dealt] == [4]
    assert shown[0].match.disclosed
    assert shown[0].match.board.number == 7


@pytest.mark.parametrize("live", [True, False])
async def test_a_match_is_watched_live_where_its_host_says_so_or_discloses_at_the_end(
    matches: Any, bots: Callable[[], RawBot], channel: grpc.aio.Channel, live: bool
) -> None:
    bot = bots()
    await bot.hello()
    policy: dict[str, Any] = HIDDEN if live else {"labels": ["event"]}
    created = (
        await matches.CreateMatch(
            board(number=7, **policy, watch_policy=match_pb2.WATCH_POLICY_LIVE if live else 0)
        )
    ).match
    assert created.board.number == 7, "told to the host"
    watching = watch(channel, created.id)
    first = (await watching.read()).match
    assert first.watch_policy == (
        match_pb2.WATCH_POLICY_LIVE if live else match_pb2.WATCH_POLICY_AS_DISCLOSED
    )
    assert not first.board.number
    assert not first.labels
    assert not first.disclosure_group
    await bot.ready()
    await bot.ready()
    async with asyncio.timeout(WAIT_S):
        while True:
            events = (await watching.read()).events
            if any(event.HasField("dealt") for event in events):
                assert all(not event.dealt.hands for event in events)
                break
    watching.cancel()


async def test_a_watch_policy_that_is_none_is_refused(matches: Any) -> None:
    with refused(grpc.StatusCode.INVALID_ARGUMENT, "INVALID_ARGUMENT"):
        await matches.CreateMatch(board(watch_policy=77))


class TestWithKeys:
    """Where callers are known, each is told what is its own to know."""

    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        return replace(settings, anonymous="off")

    @pytest.fixture
    async def ring(self, serving: Serving, settings: Settings) -> AsyncIterator[KeyRing]:
        async with key_ring(settings.data_dir) as ring:
            yield ring

    async def test_who_is_told_what(
        self, matches: Any, channel: grpc.aio.Channel, ring: KeyRing
    ) -> None:
        mine, other = await ring.make(Role.HOST), await ring.make(Role.SPECTATOR)
        made = match_service_pb2.CreateMatchRequest(
            board=match_pb2.BoardMode(number=7), seats=HOUSE, **HIDDEN
        )
        created = (await matches.CreateMatch(made, metadata=mine.metadata)).match
        get = match_service_pb2.GetMatchRequest(match_id=created.id)

        whole = (await matches.GetMatch(get, metadata=mine.metadata)).match
        assert (whole.board.number, len(whole.results)) == (7, 1)
        assert list(whole.labels) == HIDDEN["labels"]
        shown = await everything(watch(channel, created.id, metadata=mine.metadata))
        assert all(not event.dealt.hands for one in shown for event in one.events)

        public = (await matches.GetMatch(get, metadata=other.metadata)).match
        told = {field.name for field, _ in public.ListFields()}
        assert told == {
            *("id", "state", "rules", "board", "seats", "time_control", "fault_policy"),
            *("disclosure_policy", "watch_policy", "create_time", "end_time"),
            "seed_commitment",  # of 32 bytes drawn for this match alone: it is meant for the public
        }
        assert not public.board.number
        assert {field.name for seat in public.seats for field, _ in seat.ListFields()} == {
            *("seat", "bot", "house", "taken", "connected"),
        }
        with refused(grpc.StatusCode.FAILED_PRECONDITION, "WATCH_CLOSED"):
            await everything(watch(channel, created.id, metadata=other.metadata))

    async def test_a_player_is_not_told_the_board_it_plays(
        self, matches: Any, bots: Callable[[], RawBot], ring: KeyRing, channel: grpc.aio.Channel
    ) -> None:
        mine, bot_key = await ring.make(Role.HOST), await ring.make(Role.BOT)
        created = (
            await matches.CreateMatch(board(number=7, **HIDDEN), metadata=mine.metadata)
        ).match
        stream = RawBot(channel, metadata=bot_key.metadata)
        await stream.hello()
        await stream.ready()
        get = match_service_pb2.GetMatchRequest(match_id=created.id)
        told = (await matches.GetMatch(get, metadata=bot_key.metadata)).match
        assert not told.board.number
        assert not told.labels
        assert not told.disclosure_group
        assert told.HasField("scores"), "what happens at its own table it sees anyway"
        await stream.close()


# -- Halite-II #248: commands for another player's ships -------------------------------------------


async def test_halite_248_a_decision_is_answered_by_its_seat_only(
    matches: Any, bots: Callable[[], RawBot]
) -> None:
    """Two processes of one name: the id of the other's decision is worth nothing, and nothing in
    the answer tells that there is such an id.
    """
    rules = preset(ANY_MOMENT)
    _, hands = SeededDeals(bytes(32)).board(1, rules)
    dealer = next(seat for seat in SEATS if rules.turn_direction.next(seat) is Seat.NORTH)
    made = four_bots("twin twin twin twin", FixedDeal(dealer, hands))
    owner, thief = bots(), bots()
    await owner.hello("twin", "i-owner")
    await thief.hello("twin", "i-thief")
    for seat in made.seats:
        seat.instance_id = "i-owner" if seat.seat in (1, 3) else "i-thief"
    await matches.CreateMatch(made)
    mine = [await owner.ready() for _ in range(2)]
    theirs = [await thief.ready() for _ in range(2)]
    turn = (await owner.next("turn")).turn
    partner = next(ref for ref in mine if ref != turn.seat_ref)
    for bot, ref in ((owner, partner), (thief, theirs[0]), (thief, theirs[1]), (thief, 99)):
        answers = []
        for decision_id in (turn.decision.id, b"made up, too"):
            await bot.act(turn, seat_ref=ref, decision_id=decision_id)
            result = (await bot.next("act_result")).act_result
            assert result.decision_id == decision_id
            result.ClearField("decision_id")
            answers.append(result)
        assert answers[0] == answers[1]
        assert answers[0].status == (
            play_service_pb2.ACT_STATUS_STALE
            if ref != 99
            else play_service_pb2.ACT_STATUS_UNKNOWN_SEAT
        )
    await owner.act(turn)
    result = (await owner.next("act_result")).act_result
    assert result.status == play_service_pb2.ACT_STATUS_ACCEPTED


# -- contre windows --------------------------------------------------------------------------------


@pytest.mark.parametrize("heartbeat_s", [1.0])  # four bots sit down, and are not read meanwhile
async def test_nobody_notices_who_has_answered_in_a_window(
    matches: Any, bots: Callable[[], RawBot], channel: grpc.aio.Channel
) -> None:
    """Both takers are asked for surcontre: until the second has answered, the match as anybody
    reads it, the heartbeats, the spectators and the metrics stay as they were.
    """
    players = [bots() for _ in SEATS]
    for seat, bot in zip(SEATS, players, strict=True):
        await bot.hello(f"bot-{seat}")
    created = (
        await matches.CreateMatch(four_bots(" ".join(f"bot-{seat}" for seat in SEATS)))
    ).match
    for bot in players:
        await bot.ready()
    get = match_service_pb2.GetMatchRequest(match_id=created.id)
    turns: asyncio.Queue[tuple[int, play_service_pb2.Turn]] = asyncio.Queue()
    beats: dict[int, set[int]] = {index: set() for index in range(4)}
    counts = Counter[int]()

    async def listen(index: int) -> None:
        while True:
            frame: Any = await players[index].call.read()
            if frame is grpc.aio.EOF:
                return
            for message in frame.messages:
                if message.HasField("turn"):
                    turns.put_nowait((index, message.turn))
                elif message.HasField("heartbeat"):
                    beats[index] |= {seat.seq for seat in message.heartbeat.seats}
                    counts[index] += 1
                    ack = play_service_pb2.HeartbeatAck(nonce=message.heartbeat.nonce)
                    await players[index].say(ClientMessage(heartbeat_ack=ack))

    listening = [asyncio.create_task(listen(index)) for index in range(4)]

    async def owed() -> tuple[int, play_service_pb2.Turn]:
        async with asyncio.timeout(WAIT_S):
            return await turns.get()

    index, turn = await owed()
    bid = play_service_pb2.Act(seat_ref=turn.seat_ref, decision_id=turn.decision.id)
    bid.action.call.CopyFrom(turn.decision.calls[-1])
    await players[index].say(ClientMessage(act=bid))
    index, turn = await owed()
    assert turn.decision.kind == observation_pb2.DECISION_KIND_CONTRE
    contre = play_service_pb2.Act(seat_ref=turn.seat_ref, decision_id=turn.decision.id)
    contre.action.call.CopyFrom(spoken(turn.decision, "contre"))
    await players[index].say(ClientMessage(act=contre))
    asked = [await owed(), await owed()]
    assert {turn.decision.kind for _, turn in asked} == {observation_pb2.DECISION_KIND_SURCONTRE}

    watching = watch(channel, created.id)
    seen = (await watching.read()).match.SerializeToString(deterministic=True)
    past = await events_until(watching, lambda event: event.called.call.HasField("contre"))
    before = (await matches.GetMatch(get)).match
    for seqs in beats.values():
        seqs.clear()

    (first, early), (second, late) = asked
    decline = play_service_pb2.Act(seat_ref=early.seat_ref, decision_id=early.decision.id)
    # First something wrong, which is a fault, then the answer.
    decline.action.call.CopyFrom(contre.action.call)
    await players[first].say(ClientMessage(act=decline))
    decline.action.call.CopyFrom(early.decision.calls[-1])
    await players[first].say(ClientMessage(act=decline))
    counts.clear()
    async with asyncio.timeout(WAIT_S):
        while not all(counts[index] >= 2 for index in range(4)):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    assert turns.empty(), "nobody is asked anew"
    now = (await matches.GetMatch(get)).match
    assert list(now.standing.awaited) == list(before.standing.awaited)
    assert len(now.standing.awaited) == 2, "also the one that has answered"
    passed = now.standing.unmoved.ToNanoseconds() - before.standing.unmoved.ToNanoseconds()
    assert passed > 0, "nobody has done anything"
    now.standing.unmoved.CopyFrom(before.standing.unmoved)
    assert now == before
    again = watch(channel, created.id)
    assert (await again.read()).match.SerializeToString(deterministic=True) == seen
    contre_said = await events_until(again, lambda event: event.called.call.HasField("contre"))
    assert contre_said == past
    assert [len(seqs) for seqs in beats.values()] == [1, 1, 1, 1]
    assert len(set.union(*beats.values())) == 1, "one seq for all"

    decline.seat_ref, decline.decision_id = late.seat_ref, late.decision.id
    await players[second].say(ClientMessage(act=decline))
    await owed()
    after = (await matches.GetMatch(get)).match
    assert after.version > before.version
    assert len(after.faults) == 1
    events = await events_until(watching, lambda event: event.HasField("contracted"))
    assert events[0].HasField("fault"), "what was held back comes first"
    watching.cancel()
    again.cancel()
    for task in listening:
        task.cancel()
    await asyncio.gather(*listening, return_exceptions=True)
