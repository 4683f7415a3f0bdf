"""MatchService and SpectateService against a real server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import grpc
import pytest
from tests.rpc.conftest import WAIT_S, RawBot, board
from tests.rpc.keyed import refused

from contree.v1 import (
    match_pb2,
    match_service_pb2,
    spectate_service_pb2,
    spectate_service_pb2_grpc,
)

HOUSE = [
    match_pb2.SeatSpec(seat=seat, house="random")  # type: ignore[arg-type]
    for seat in (1, 2, 3, 4)
]


def _house_board(**fields: Any) -> match_service_pb2.CreateMatchRequest:
    return match_service_pb2.CreateMatchRequest(
        board=match_pb2.BoardMode(number=1), seats=HOUSE, **fields
    )


async def test_the_same_request_id_makes_one_match(matches: Any) -> None:
    first = (await matches.CreateMatch(board(request_id="r"))).match
    second = (await matches.CreateMatch(board(request_id="r"))).match
    assert first.id == second.id
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await matches.CreateMatch(board(7, request_id="r"))
    assert failed.value.code() is grpc.StatusCode.ALREADY_EXISTS


async def test_a_match_of_a_given_seed_is_not_one_of_a_drawn_one(matches: Any) -> None:
    given, drawn = board(request_id="given"), board(request_id="drawn")
    drawn.ClearField("deals")
    for first, second in ((given, drawn), (drawn, given)):
        made = (await matches.CreateMatch(first)).match
        again = (await matches.CreateMatch(first)).match
        assert made.id == again.id
        other = match_service_pb2.CreateMatchRequest()
        other.CopyFrom(second)
        other.request_id = first.request_id
        with pytest.raises(grpc.aio.AioRpcError) as failed:
            await matches.CreateMatch(other)
        assert failed.value.code() is grpc.StatusCode.ALREADY_EXISTS


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"preset": "nope"}, "preset"),
        ({"board": match_pb2.BoardMode(number=0)}, "board.number"),
        ({"seats": HOUSE[:3]}, "seats"),
        ({"seats": [*HOUSE[:3], HOUSE[0]]}, "seats[3].seat"),
        ({"seats": [*HOUSE[:3], match_pb2.SeatSpec(seat=4)]}, "seats[3]"),  # type: ignore[arg-type]
        ({"labels": [""]}, "labels[0]"),
        ({"disclosure_policy": 2}, "disclosure_group"),
        ({"disclosure_policy": 77}, "disclosure_policy"),
        (
            {
                "deals": match_pb2.DealSource(seeded=match_pb2.SeededDeals(seed=b"short")),
            },
            "deals.seeded.seed",
        ),
        ({"rules_toml": 'nonsense = "yes"'}, "nonsense"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_a_bad_request_names_its_field(
    matches: Any, change: dict[str, Any], field: str
) -> None:
    fields: dict[str, Any] = {
        "board": match_pb2.BoardMode(number=1),
        "seats": HOUSE,
        **change,
    }
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await matches.CreateMatch(match_service_pb2.CreateMatchRequest(**fields))
    assert failed.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    details = dict(failed.value.trailing_metadata())["grpc-status-details-bin"]
    assert field.encode() in details


@pytest.mark.parametrize("bad", ["", "x" * 5_000, "a\nb"], ids=["none", "long", "line"])
async def test_ids_and_labels_are_short_and_printable(
    matches: Any, channel: grpc.aio.Channel, bad: str
) -> None:
    spectating = spectate_service_pb2_grpc.SpectateServiceStub(channel)
    invalid = (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_ARGUMENT")
    token = (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_TOKEN")
    with refused(*invalid):
        await matches.GetMatch(match_service_pb2.GetMatchRequest(match_id=bad))
    with refused(*invalid):
        await spectating.Watch(spectate_service_pb2.WatchRequest(match_id=bad)).read()
    with refused(*invalid):
        await matches.ListMatches(match_service_pb2.ListMatchesRequest(label=bad))
    with refused(*invalid):
        await matches.WatchMatches(match_service_pb2.WatchMatchesRequest(label=bad)).read()
    with refused(*invalid):
        await matches.ReleaseGroup(match_service_pb2.ReleaseGroupRequest(disclosure_group=bad))
    if bad:
        with refused(*token):
            await matches.ListMatches(
                match_service_pb2.ListMatchesRequest(label="event", page_token=bad)
            )
        with refused(*token):
            await matches.WatchMatches(
                match_service_pb2.WatchMatchesRequest(label="event", resume_token=bad)
            ).read()


async def test_an_unknown_match_is_not_found(matches: Any) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await matches.GetMatch(match_service_pb2.GetMatchRequest(match_id="m404"))
    assert failed.value.code() is grpc.StatusCode.NOT_FOUND


async def test_a_cancelled_match_is_no_result_and_cannot_be_cancelled_again(matches: Any) -> None:
    created = (await matches.CreateMatch(board())).match
    request = match_service_pb2.CancelMatchRequest(match_id=created.id, reason="test")
    cancelled = (await matches.CancelMatch(request)).match
    assert cancelled.end_reason == match_pb2.END_REASON_CANCELLED
    assert cancelled.end_detail == request.reason != ""
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await matches.CancelMatch(request)
    assert failed.value.code() is grpc.StatusCode.FAILED_PRECONDITION


async def test_a_reason_to_cancel_is_one_printable_line(matches: Any) -> None:
    created = (await matches.CreateMatch(board())).match
    reason = "the \x1b[2Jhall\x07\nburns  " + "!" * 300
    request = match_service_pb2.CancelMatchRequest(match_id=created.id, reason=reason)
    detail = (await matches.CancelMatch(request)).match.end_detail
    assert detail.startswith("the [2Jhall burns !!!")
    assert detail.isprintable()
    assert len(detail) <= 200


async def test_a_record_waits_for_the_release_of_its_group(matches: Any) -> None:
    made = _house_board(
        disclosure_group="g",
        disclosure_policy=match_pb2.DISCLOSURE_POLICY_WHEN_GROUP_RELEASED,
    )
    created = (await matches.CreateMatch(made)).match
    assert not created.disclosed
    wanted = match_service_pb2.GetRecordRequest(match_id=created.id)
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await matches.GetRecord(wanted)
    assert failed.value.code() is grpc.StatusCode.FAILED_PRECONDITION
    await matches.ReleaseGroup(match_service_pb2.ReleaseGroupRequest(disclosure_group="g"))
    assert (await matches.GetRecord(wanted)).record.startswith("[BGN 1]")


async def test_a_label_is_listed_page_by_page_and_watched_from_a_token(matches: Any) -> None:
    ids = [(await matches.CreateMatch(_house_board(labels=["event"]))).match.id for _ in range(5)]
    listed, token = [], ""
    while True:
        page = await matches.ListMatches(
            match_service_pb2.ListMatchesRequest(label="event", page_size=2, page_token=token)
        )
        listed += [match.id for match in page.matches]
        token = page.next_page_token
        if not token:
            break
    assert listed == ids

    seen = await _ended(matches, "event", "", 5)
    assert {update.match.id for update in seen} == set(ids)
    rest = await _ended(matches, "event", seen[2].resume_token, 2)
    assert [update.match.id for update in rest] == [update.match.id for update in seen[3:]]


async def _ended(matches: Any, label: str, token: str, count: int) -> list[Any]:
    updates = []
    async with asyncio.timeout(WAIT_S):
        async for update in matches.WatchMatches(
            match_service_pb2.WatchMatchesRequest(label=label, resume_token=token)
        ):
            if update.match.state == match_pb2.MATCH_STATE_ENDED:
                updates.append(update)
                if len(updates) == count:
                    break
    return updates


async def test_a_spectator_sees_no_hand_before_the_end(
    matches: Any, bots: Callable[[], RawBot], channel: grpc.aio.Channel
) -> None:
    bot = bots()
    await bot.hello()
    created = (await matches.CreateMatch(board())).match
    stub = spectate_service_pb2_grpc.SpectateServiceStub(channel)
    watching = stub.Watch(spectate_service_pb2.WatchRequest(match_id=created.id))
    await bot.ready()
    await bot.ready()
    seqs: list[int] = []
    ended = False
    async with asyncio.timeout(WAIT_S):

        async def play() -> None:
            while not ended:
                message = await bot.anything()
                if message.HasField("turn"):
                    await bot.act(message.turn)

        playing = asyncio.create_task(play())
        async for response in watching:
            for event in response.events:
                seqs.append(event.seq)
                if event.HasField("dealt"):
                    assert not event.dealt.hands
                ended = ended or event.HasField("match_ended")
        playing.cancel()
    assert ended
    assert sorted(set(seqs)) == list(range(1, max(seqs) + 1))

    again = stub.Watch(spectate_service_pb2.WatchRequest(match_id=created.id))
    hands = [
        hand async for response in again for event in response.events for hand in event.dealt.hands
    ]
    assert len(hands) == 4


async def test_connected_bots_are_listed(matches: Any, bots: Callable[[], RawBot]) -> None:
    bot = bots()
    await bot.hello("lister", "i-1", capacity=3)
    listed = (await matches.ListBots(match_service_pb2.ListBotsRequest())).bots
    assert [(one.bot, one.instance_id, one.capacity) for one in listed] == [("lister", "", 3)]


async def test_the_house_plays_a_long_race_without_stopping_others(matches: Any) -> None:
    made = match_service_pb2.CreateMatchRequest(
        race=match_pb2.RaceMode(target=0, deals=60), seats=HOUSE, labels=["long"]
    )
    created = (await matches.CreateMatch(made)).match
    assert created.state == match_pb2.MATCH_STATE_PLAYING
    await matches.ListBots(match_service_pb2.ListBotsRequest())
    (ended,) = await _ended(matches, "long", "", 1)
    assert ended.match.end_reason == match_pb2.END_REASON_DEALS_PLAYED
    assert len(ended.match.results) == 60


async def test_a_request_id_is_not_for_other_cards_or_a_looser_policy(matches: Any) -> None:
    def asked(seed: int, **fields: Any) -> match_service_pb2.CreateMatchRequest:
        source = match_pb2.DealSource(seeded=match_pb2.SeededDeals(seed=bytes([seed]) * 32))
        return board(request_id="r", deals=source, **fields)

    first = (await matches.CreateMatch(asked(1))).match
    assert (await matches.CreateMatch(asked(1))).match.id == first.id
    for other in (asked(2), asked(1, disclosure_group="g", disclosure_policy=2)):
        with pytest.raises(grpc.aio.AioRpcError) as failed:
            await matches.CreateMatch(other)
        assert failed.value.code() is grpc.StatusCode.ALREADY_EXISTS
