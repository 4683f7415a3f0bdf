"""`contree bot replay-turn`: a recorded turn, asked again."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from google.protobuf.json_format import Parse
from tests.cli.conftest import Contree
from tests.cli.running import finish, start
from tests.cli.test_record import BOARD, RACE

from contree.client import Board, Disclosure, HostClient, HouseSeat, MatchSpec
from contree.engine import (
    DECLINE,
    Action,
    Bid,
    Game,
    Mode,
    Record,
    Seat,
    SeededDeals,
    View,
    drive_game,
    format_record,
    preset,
)
from contree.engine.record import PlacedCard
from contree.testing import NoSuchTurn, recorded_turn, recorded_turns, service
from contree.v1.play_service_pb2 import PlayResponse
from contree.wire import decision_from_pb, seat_view_from_pb

PLAIN = ("python", "-m", "contree.conformance.faulty.plain")


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "board.bgn"
    path.write_text(format_record(BOARD), encoding="ascii")
    return str(path)


@pytest.mark.parametrize("record", [BOARD, RACE])
def test_every_decision_is_a_legal_one_at_the_step_that_replay_counts(record: Record) -> None:
    happened: list[object] = []
    for deal in record.deals:
        happened += [None, *deal.calls, *deal.cards]
    for turn in recorded_turns(record):
        assert turn.action in turn.view.legal
        if turn.action is not DECLINE:
            what = happened[turn.step - 1]
            assert what is not None
            assert turn.seat == what.seat  # type: ignore[attr-defined]
            done = what.action if isinstance(what, PlacedCard) else what.call  # type: ignore[attr-defined]
            assert turn.action == done


def declining(view: View) -> Action:
    """Bids once, says contre never."""
    if DECLINE in view.legal:
        return DECLINE
    bids = [action for action in view.legal if isinstance(action, Bid)]
    return bids[0] if bids and not view.calls else view.legal[0]


def test_declined_windows_are_found_by_their_seat() -> None:
    game = Game.start(preset("coinche-annonce"), SeededDeals(b"d" * 32), Mode.BOARD, 3)
    over = drive_game([declining] * 4, game)
    record = Record.of(over, ("a", "b", "c", "d"))
    declined = [turn for turn in recorded_turns(record) if turn.action is DECLINE]
    assert declined
    for turn in declined:
        assert recorded_turn(record, turn.step, turn.seat) == turn


def test_what_is_no_turn_is_told() -> None:
    last = recorded_turns(BOARD)[-1].step
    for at, seat, told in (
        (last + 1, None, f"There is no step {last + 1}: the record has steps 1 to {last}."),
        (1, None, "Step 1 is no decision: the cards are dealt there."),
        (last, _other(last), f"At step {last} {_other(last)} is not asked for anything"),
    ):
        with pytest.raises(NoSuchTurn, match=told.replace("(", r"\(")):
            recorded_turn(BOARD, at, seat)


def test_steps_are_counted_within_a_deal_where_that_is_asked_for() -> None:
    turns = recorded_turns(RACE)
    for turn in turns:
        before = RACE.deals[: turn.view.number - 1]
        passed = sum(1 + len(deal.calls) + len(deal.cards) for deal in before)
        again = recorded_turn(RACE, turn.step - passed, turn.seat, turn.view.number)
        assert again == turn
        played = turn.view.cards_played.bit_count()
        assert turn.step - passed == 2 + len(turn.view.calls) + played, "as logs of bots count"
    deals = len(RACE.deals)
    with pytest.raises(NoSuchTurn, match=f"There is no deal {deals + 1}: the record has {deals}"):
        recorded_turn(RACE, 2, None, deals + 1)
    with pytest.raises(NoSuchTurn, match="Deal 2 has no step 99, but 1 to "):
        recorded_turn(RACE, 99, None, 2)


def _other(step: int) -> Seat:
    return recorded_turn(BOARD, step).seat.partner


def test_a_turn_as_json_is_the_turn(contree: Contree, file: str) -> None:
    turn = recorded_turn(BOARD, 4)
    ran = contree("bot", "replay-turn", file, "--at", "4", "--clock", "3", "--dump")
    assert ran.code == 0, ran
    (message,) = Parse(ran.out, PlayResponse()).messages
    decision = decision_from_pb(message.turn.decision, "decision")
    view = seat_view_from_pb(message.turn.view, BOARD.rules, decision)
    assert view == turn.view
    assert decision.clock.remaining == 3000
    name = BOARD.names[turn.seat]
    assert ran.err.startswith(f"step 4, deal 1: {turn.seat} ({name}) owes a ")


def test_a_pattern_that_comes_to_several_records(contree: Contree, file: str) -> None:
    for words in (
        ("bot", "replay-turn", file, "b.bgn", "--at", "4", "--dump"),
        ("bot", "replay-turn", file, "b.bgn", "--at", "4", "--", "python", "bot.py"),
        ("replay", file, "b.bgn"),
        ("record", "show", file, "b.bgn"),
        ("record", "convert", file, "b.bgn", "--to", "json"),
    ):
        ran = contree(*words)
        assert (ran.code, ran.out) == (2, ""), words
        assert ran.err == f"contree: There are 2 records, {file}, b.bgn: name one of them.\n"


def test_a_bot_answers_again(file: str) -> None:
    turn = recorded_turn(BOARD, 8)
    ran = finish(start("bot", "replay-turn", file, "--at", "8", "--json", "--", *PLAIN))
    told = json.loads(ran.out)
    assert ran.code == 0, ran
    assert (told["seat"], told["name"]) == (str(turn.seat), BOARD.names[turn.seat])
    assert told["recorded"] == str(turn.action)
    assert told["answered"] in told["legal"] == [str(action) for action in turn.view.legal]


@pytest.mark.parametrize(
    ("command", "clock", "told"),
    [
        (("python", "-c", "raise SystemExit('no luck')"), "5", "it ended with exit code 1"),
        (("python", "-m", "contree.conformance.faulty.silent"), "0.3", "no answer within 0.3 s"),
    ],
)
def test_no_answer_is_told(file: str, command: tuple[str, ...], clock: str, told: str) -> None:
    ran = finish(start("bot", "replay-turn", file, "--at", "8", "--clock", clock, "--", *command))
    assert ran.code == 1, ran
    assert f"now       {told}" in ran.out


def test_an_illegal_answer_is_told(file: str) -> None:
    plays = [turn for turn in recorded_turns(BOARD) if turn.view.auction_over]
    worst = next(turn for turn in plays if min(turn.view.hand) not in turn.view.legal)
    illegal = ("python", "-m", "contree.conformance.faulty.illegal")
    ran = finish(start("bot", "replay-turn", file, "--at", str(worst.step), "--", *illegal))
    assert ran.code == 1, ran
    assert f"now       {min(worst.view.hand)}, ILLEGAL" in ran.out


def test_what_cannot_be(contree: Contree, file: str) -> None:
    for arguments, told in (
        ((file, "--at", "4"), "Which bot?"),
        ((file, "--at", "999", "--dump"), "There is no step 999"),
        (("missing.bgn", "--at", "1", "--dump"), "There is no record missing.bgn"),
        ((file, "--at", "4", "--seat", "Q", "--dump"), "N E S W"),
        ((file, "--at", "4", "--", "no-such-program"), "was not found"),
    ):
        ran = contree("bot", "replay-turn", *arguments)
        assert (ran.code, ran.out) == (2, ""), ran
        assert told in ran.err


async def test_a_match_is_fetched_by_its_id_once_it_is_disclosed() -> None:
    spec = MatchSpec(
        request_id="r1",
        seats={seat: HouseSeat() for seat in Seat},
        mode=Board(1),
        disclosure_group="g",
        disclosure=Disclosure.WHEN_GROUP_RELEASED,
    )
    async with service() as server, HostClient(server.address) as host:
        match = await host.create_match(spec)
        command = ("bot", "replay-turn", match.id, "--at", "2", "--server", server.address)
        ran = await asyncio.to_thread(finish, start(*command, "--dump"))
        assert ran.code == 1, ran
        assert "may not be shown before its host releases the disclosure group" in ran.err
        await host.release_group("g")
        ran = await asyncio.to_thread(finish, start(*command, "--dump"))
        assert ran.code == 0, ran
        assert Parse(ran.out, PlayResponse()).messages[0].HasField("turn")
