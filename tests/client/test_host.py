"""HostClient: what it asks, what it makes of the answers, how it outlasts its connections."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import grpc
import pytest
from google.protobuf import timestamp_pb2
from tests.client.scripted import QUICK, RULES, ScriptedServer, ServerError, a_match, exhaust, soon

from contree.client import (
    Backoff,
    Board,
    BotSeat,
    CardPlayed,
    ConnectedBot,
    Connection,
    DealEnded,
    DealSummary,
    Dealt,
    Disclosure,
    EndReason,
    Event,
    Fault,
    FaultCharged,
    FaultKind,
    FaultPolicy,
    Fixed,
    Garbled,
    HostClient,
    HouseSeat,
    InternalError,
    MatchEnded,
    MatchNotFound,
    MatchSpec,
    MatchStarted,
    MatchState,
    ProtocolMismatch,
    Race,
    Seeded,
    StoreUnavailable,
    TimeControl,
    TrickTaken,
    Unreachable,
    WatchPolicy,
)
from contree.engine import (
    CARDS,
    PASS,
    SEATS,
    Bid,
    Contract,
    Doubling,
    PlacedCall,
    Seat,
    SeededDeals,
    Strain,
    Team,
    Trick,
    preset,
)
from contree.v1 import (
    deal_pb2,
    event_pb2,
    match_pb2,
    match_service_pb2,
    spectate_service_pb2,
    table_pb2,
)
from contree.wire import (
    card_to_pb,
    contract_to_pb,
    deal_summary_to_pb,
    duration_to_pb,
    fixed_deal_from_pb,
    hand_to_pb,
    placed_call_to_pb,
    rules_from_toml,
    seat_to_pb,
    team_to_pb,
    trick_to_pb,
)

LOST = ServerError(grpc.StatusCode.UNAVAILABLE, "connection reset")
BUSY = ServerError(
    grpc.StatusCode.UNAVAILABLE, "The store is away.", "ERROR_REASON_STORE_UNAVAILABLE"
)
CONTRACT = Contract(Bid(90, Strain.HEARTS), Seat.EAST, Doubling.CONTRE, Seat.NORTH)
SUMMARY = DealSummary(CONTRACT, False, (100, 62), (5, 3), (0, 1), (410, 20))


@pytest.fixture
async def host(server: ScriptedServer) -> Any:
    async with HostClient(server.address, "secret", connection=QUICK) as client:
        yield client


SEATED: dict[Seat, BotSeat | HouseSeat] = {
    Seat.NORTH: BotSeat("a", instance_id="i", key_id="k"),
    Seat.EAST: HouseSeat("random"),
    Seat.SOUTH: BotSeat("a"),
    Seat.WEST: HouseSeat(),
}


async def test_a_specification_becomes_a_request(host: HostClient, server: ScriptedServer) -> None:
    server.answers["CreateMatch"] = lambda request: match_service_pb2.CreateMatchResponse(
        match=a_match("new")
    )
    spec = MatchSpec(
        request_id="r1",
        seats=SEATED,
        mode=Board(7),
        rules="contree-simple",
        deals=Seeded(b"s" * 32, "event", "second"),
        time_control=TimeControl(per_move=1.5, seat_timeout=0.0),
        fault_policy=FaultPolicy(3, 4),
        labels=("event", "round-1"),
        disclosure_group="board-7",
        disclosure=Disclosure.WHEN_GROUP_RELEASED,
        watch=WatchPolicy.LIVE,
    )
    assert (await host.create_match(spec)).id == "new"
    ((_, request),) = server.calls
    assert request == match_service_pb2.CreateMatchRequest(
        request_id="r1",
        preset="contree-simple",
        board=match_pb2.BoardMode(number=7),
        seats=[
            match_pb2.SeatSpec(seat=table_pb2.SEAT_NORTH, bot="a", instance_id="i", key_id="k"),
            match_pb2.SeatSpec(seat=table_pb2.SEAT_EAST, house="random"),
            match_pb2.SeatSpec(seat=table_pb2.SEAT_SOUTH, bot="a"),
            match_pb2.SeatSpec(seat=table_pb2.SEAT_WEST, house="rules"),
        ],
        deals=match_pb2.DealSource(
            seeded=match_pb2.SeededDeals(seed=b"s" * 32, label="event", disguise="second")
        ),
        time_control=match_pb2.TimeControl(
            per_move=duration_to_pb(1500), seat_timeout=duration_to_pb(0)
        ),
        fault_policy=match_pb2.FaultPolicy(illegal_strikes=3, timeout_strikes=4),
        labels=["event", "round-1"],
        disclosure_group="board-7",
        disclosure_policy=match_pb2.DISCLOSURE_POLICY_WHEN_GROUP_RELEASED,
        watch_policy=match_pb2.WATCH_POLICY_LIVE,
    )


async def test_a_race_with_rules_of_its_own(host: HostClient, server: ScriptedServer) -> None:
    server.answers["CreateMatch"] = lambda request: match_service_pb2.CreateMatchResponse(
        match=a_match()
    )
    rules = replace(preset("ffb-mixte"), name="ours", target=500)
    board = SeededDeals(b"s" * 32).board(1, RULES)
    spec = MatchSpec(request_id="r", seats=SEATED, mode=Race(target=0, deals=4), rules=rules)
    await host.create_match(spec)
    await host.create_match(replace(spec, mode=Race(), deals=Fixed(board.dealer, board.hands)))
    first, second = (request for _, request in server.calls)
    assert rules_from_toml(first.rules_toml) == rules
    assert first.race == match_pb2.RaceMode(target=0, deals=4)
    assert first.race.HasField("target")
    assert not first.HasField("deals")
    assert not first.HasField("fault_policy")
    assert not second.race.HasField("target")
    assert fixed_deal_from_pb(second.deals.fixed) == board


async def test_a_match_is_read_whole(host: HostClient, server: ScriptedServer) -> None:
    when = datetime(2026, 11, 30, 12, 0, 1, 500_000, tzinfo=UTC)
    moment = timestamp_pb2.Timestamp()
    moment.FromDatetime(when)
    message = a_match(
        "m7",
        state=match_pb2.MATCH_STATE_ENDED,
        labels=["event"],
        seats=[
            match_pb2.SeatStatus(
                seat=table_pb2.SEAT_WEST,
                bot="w",
                bot_version="2",
                taken=True,
                decisions=9,
                time_used=duration_to_pb(2500),
                replaced=True,
                overruns=3,
                times=[0, 4, 0, 5],
                slowest=duration_to_pb(2100),
            )
        ],
        scores=table_pb2.TeamScore(north_south=410, east_west=20),
        end_reason=match_pb2.END_REASON_BOARD_DONE,
        winner=team_to_pb(Team.NORTH_SOUTH),
        faults=[
            match_pb2.Fault(
                seat=table_pb2.SEAT_WEST,
                kind=match_pb2.FAULT_KIND_DISCONNECTED,
                deal_number=1,
                detail="away",
                replaced=True,
            )
        ],
        results=[deal_summary_to_pb(SUMMARY)],
        time_control=match_pb2.TimeControl(bank=duration_to_pb(60_000)),
        fault_policy=match_pb2.FaultPolicy(illegal_strikes=1),
        disclosure_group="g",
        disclosure_policy=match_pb2.DISCLOSURE_POLICY_WHEN_GROUP_RELEASED,
        disclosed=True,
        create_time=moment,
        end_time=moment,
        version=44,
        end_detail="as asked",
    )
    server.answers["GetMatch"] = lambda request: match_service_pb2.GetMatchResponse(match=message)
    match = await host.get_match("m7")
    assert (match.id, match.state, match.ended, match.counts) == (
        "m7",
        MatchState.ENDED,
        True,
        True,
    )
    assert match.rules == RULES
    assert match.mode == Board(3)
    assert match.labels == ("event",)
    (seat,) = match.seats
    assert seat[:10] == (Seat.WEST, "w", "2", False, True, False, 9, 2.5, True, 3)
    assert (seat.times, seat.slowest) == ((0, 4, 0, 5), 2.1)
    assert match.scores == (410, 20)
    assert match.end_reason is EndReason.BOARD_DONE
    assert match.winner is Team.NORTH_SOUTH
    assert match.faults == (Fault(Seat.WEST, FaultKind.DISCONNECTED, 1, "away", True),)
    assert match.results == (SUMMARY,)
    assert match.time_control == TimeControl(bank=60.0)
    assert match.fault_policy == FaultPolicy(1, 0)
    assert match.disclosure is Disclosure.WHEN_GROUP_RELEASED
    assert match.watch is WatchPolicy.AS_DISCLOSED
    assert (match.disclosure_group, match.disclosed) == ("g", True)
    assert (match.create_time, match.end_time, match.version) == (when, when, 44)
    assert match.end_detail == "as asked"


async def test_a_match_under_way(host: HostClient, server: ScriptedServer) -> None:
    message = a_match(race=match_pb2.RaceMode(target=1000))
    server.answers["CancelMatch"] = lambda request: match_service_pb2.CancelMatchResponse(
        match=message
    )
    match = await host.cancel_match("m1", "because")
    ((_, request),) = server.calls
    assert (request.match_id, request.reason) == ("m1", "because")
    assert match.mode == Race(target=1000, deals=None)
    assert (match.end_reason, match.winner, match.fault_policy) == (None, None, None)
    assert (match.ended, match.counts) == (False, False)


async def test_a_match_that_cannot_be_read(host: HostClient, server: ScriptedServer) -> None:
    message = a_match()
    message.rules.toml = "?"
    server.answers["GetMatch"] = lambda request: match_service_pb2.GetMatchResponse(match=message)
    with pytest.raises(Garbled, match="upgrade contree here"):
        await host.get_match("m1")
    message.CopyFrom(a_match(state=99))
    with pytest.raises(Garbled) as garbled:
        await host.get_match("m1")
    assert garbled.value.field == "match.state"


async def test_pages_are_turned(host: HostClient, server: ScriptedServer) -> None:
    pages = {"": (["a", "b"], "2"), "2": (["c"], "")}

    def page(request: match_service_pb2.ListMatchesRequest) -> Any:
        ids, token = pages[request.page_token]
        return match_service_pb2.ListMatchesResponse(
            matches=[a_match(one) for one in ids], next_page_token=token
        )

    server.answers["ListMatches"] = page
    assert [match.id async for match in host.list_matches("event")] == ["a", "b", "c"]


async def test_records_groups_and_bots(host: HostClient, server: ScriptedServer) -> None:
    server.answers["GetRecord"] = lambda request: match_service_pb2.GetRecordResponse(record="BGN")
    server.answers["ReleaseGroup"] = lambda request: match_service_pb2.ReleaseGroupResponse()
    server.answers["ListBots"] = lambda request: match_service_pb2.ListBotsResponse(
        bots=[
            match_service_pb2.ConnectedBot(
                bot="b",
                bot_version="1",
                instance_id="i",
                capacity=4,
                seats=2,
                connected=duration_to_pb(1500),
            )
        ]
    )
    assert await host.get_record("m1") == "BGN"
    await host.release_group("g")
    assert server.calls[1][1].disclosure_group == "g"
    assert await host.list_bots() == (ConnectedBot("b", "1", "i", 4, 2, 1.5),)


async def test_calls_outlast_a_server_that_is_away_for_a_while(
    host: HostClient, server: ScriptedServer
) -> None:
    troubles: Iterator[Any] = iter((LOST, BUSY, match_service_pb2.GetRecordResponse(record="x")))
    server.answers["GetRecord"] = lambda request: next(troubles)
    assert await soon(host.get_record("m1")) == "x"
    assert len(server.calls) == 3


async def test_what_will_not_change_is_not_asked_again(
    host: HostClient, server: ScriptedServer
) -> None:
    missing = ServerError(
        grpc.StatusCode.NOT_FOUND, "There is no match 'm1'.", "ERROR_REASON_MATCH_NOT_FOUND"
    )
    server.answers["GetRecord"] = lambda request: missing
    with pytest.raises(MatchNotFound, match="There is no match 'm1'"):
        await host.get_record("m1")
    failing = ServerError(grpc.StatusCode.INTERNAL, "It failed.", "ERROR_REASON_INTERNAL")
    server.answers["GetRecord"] = lambda request: failing
    with pytest.raises(InternalError):
        await host.get_record("m1")
    assert len(server.calls) == 2
    with pytest.raises(ProtocolMismatch, match="does not offer this"):
        await host.list_presets()


async def test_patience_ends(server: ScriptedServer) -> None:
    connection = Connection(patience=0.05, backoff=Backoff(0.01, 0.01))
    async with HostClient(server.address, connection=connection) as host:
        server.answers["GetRecord"] = lambda request: BUSY
        with pytest.raises(StoreUnavailable, match="The store is away"):
            await soon(host.get_record("m1"))
        await server.stop()
        with pytest.raises(Unreachable, match=f"at {server.address} within 0.05 s"):
            await soon(host.get_record("m1"))
        with pytest.raises(Unreachable):
            await exhaust(host.watch_matches("event"))


def change(match_id: str, token: str, **fields: Any) -> match_service_pb2.WatchMatchesResponse:
    return match_service_pb2.WatchMatchesResponse(
        match=a_match(match_id, **fields), resume_token=token
    )


async def test_a_watch_goes_on_where_it_broke(host: HostClient, server: ScriptedServer) -> None:
    keepalive = match_service_pb2.WatchMatchesResponse(resume_token="2")
    script = iter(
        (
            [change("a", "1"), keepalive, LOST],
            [],  # the end of a stream is not the end
            [BUSY],
            [change("b", "3"), change("b", "4", state=match_pb2.MATCH_STATE_ENDED)],
        )
    )
    server.answers["WatchMatches"] = lambda request: next(script)
    seen = []
    async with aclosing(host.watch_matches("event", "0")) as updates:  # type: ignore[type-var]
        async for update in updates:
            seen.append((update.match.id, update.resume_token))
            if update.match.ended:
                break
    assert seen == [("a", "1"), ("b", "3"), ("b", "4")]
    assert [request.resume_token for _, request in server.calls] == ["0", "2", "2", "2"]
    assert {request.label for _, request in server.calls} == {"event"}


async def test_a_watch_that_is_refused(host: HostClient, server: ScriptedServer) -> None:
    missing = ServerError(grpc.StatusCode.NOT_FOUND, "None.", "ERROR_REASON_MATCH_NOT_FOUND")
    server.answers["Watch"] = lambda request: [missing]
    with pytest.raises(MatchNotFound):
        await exhaust(host.watch_match("m1"))


async def test_a_table_is_watched_to_its_end(host: HostClient, server: ScriptedServer) -> None:
    trick = Trick(Seat.WEST, CARDS[:4])
    said = PlacedCall(Seat.WEST, PASS)
    messages = [
        event_pb2.Event(seq=1, match_started=event_pb2.MatchStarted()),
        event_pb2.Event(
            seq=2,
            dealt=event_pb2.Dealt(
                number=1,
                dealer=table_pb2.SEAT_SOUTH,
                hands=[hand_to_pb(Seat.EAST, CARDS[8:16])],
            ),
        ),
        event_pb2.Event(seq=3, called=placed_call_to_pb(said)),
        event_pb2.Event(seq=4, contracted=contract_to_pb(CONTRACT)),
        event_pb2.Event(
            seq=5,
            card_played=event_pb2.CardPlayed(
                seat=table_pb2.SEAT_WEST, card=card_to_pb(CARDS[0]), belote=True
            ),
        ),
        event_pb2.Event(seq=6, trick_taken=trick_to_pb(trick, Seat.NORTH)),
        event_pb2.Event(
            seq=7,
            deal_ended=event_pb2.DealEnded(
                number=1,
                result=deal_summary_to_pb(SUMMARY),
                scores=table_pb2.TeamScore(north_south=410, east_west=20),
            ),
        ),
        event_pb2.Event(
            seq=8,
            fault=event_pb2.FaultCharged(
                seat=table_pb2.SEAT_EAST,
                kind=match_pb2.FAULT_KIND_RESIGNED,
                strikes=2,
                replaced=True,
            ),
        ),
        event_pb2.Event(seq=9),  # of a kind that a later version may bring
        event_pb2.Event(
            seq=10,
            match_ended=event_pb2.MatchEnded(
                reason=match_pb2.END_REASON_TARGET_REACHED,
                scores=table_pb2.TeamScore(north_south=410, east_west=20),
                winner=table_pb2.TEAM_NORTH_SOUTH,
            ),
        ),
    ]
    response = spectate_service_pb2.WatchResponse
    script = iter(
        (
            [response(match=a_match(), events=messages[:3]), LOST],
            [response(events=messages[3:])],
        )
    )
    server.answers["Watch"] = lambda request: next(script)
    updates = await exhaust(host.watch_match("m1"))
    assert updates[0].match is not None
    assert [event for update in updates for event in update.events] == [
        Event(1, MatchStarted()),
        Event(2, Dealt(1, Seat.SOUTH, ((Seat.EAST, CARDS[8:16]),))),
        Event(3, said),
        Event(4, CONTRACT),
        Event(5, CardPlayed(Seat.WEST, CARDS[0], belote=True)),
        Event(6, TrickTaken(trick, Seat.NORTH)),
        Event(7, DealEnded(1, SUMMARY, (410, 20))),
        Event(8, FaultCharged(Seat.EAST, FaultKind.RESIGNED, 2, replaced=True)),
        Event(10, MatchEnded(EndReason.TARGET_REACHED, (410, 20), Team.NORTH_SOUTH)),
    ]
    assert [request.after_seq for _, request in server.calls] == [0, 3]


async def test_a_table_whose_end_was_seen(host: HostClient, server: ScriptedServer) -> None:
    ended = a_match(state=match_pb2.MATCH_STATE_ENDED, end_reason=match_pb2.END_REASON_BOARD_DONE)
    server.answers["Watch"] = lambda request: [spectate_service_pb2.WatchResponse(match=ended)]
    updates = await exhaust(host.watch_match("m1", after_seq=99))
    assert [update.match and update.match.state for update in updates] == [MatchState.ENDED]
    assert len(server.calls) == 1


async def test_a_trick_without_a_winner_cannot_be_read(
    host: HostClient, server: ScriptedServer
) -> None:
    event = event_pb2.Event(seq=1, trick_taken=deal_pb2.Trick(leader=seat_to_pb(Seat.NORTH)))
    server.answers["Watch"] = lambda request: [spectate_service_pb2.WatchResponse(events=[event])]
    with pytest.raises(Garbled):
        await exhaust(host.watch_match("m1"))


async def test_the_token_goes_with_each_call(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONTREE_SERVER", server.address)
    monkeypatch.setenv("CONTREE_TOKEN", "from-outside")
    async with HostClient() as host:
        assert host.server == server.address
        assert host._target.metadata == (("authorization", "Bearer from-outside"),)
        assert "from-outside" not in repr(host._target)
    async with HostClient("x:1", token="") as host:
        assert host._target.metadata == ()


def test_only_played_matches_count() -> None:
    results = {reason for reason in EndReason if reason.is_result}
    assert results == {
        EndReason.BOARD_DONE,
        EndReason.PASSED_OUT,
        EndReason.TARGET_REACHED,
        EndReason.DEALS_PLAYED,
    }
    assert set(SEATED) == set(SEATS)
