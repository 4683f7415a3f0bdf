"""Views and turns there and back, as messages and as bytes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from contree.engine import Announced, Deal, DecisionKind, Seat, SeededDeals, View, preset, project
from contree.v1 import observation_pb2, play_service_pb2
from contree.v1.play_service_pb2 import PlayResponse, ServerMessage
from contree.wire import (
    Clock,
    Decision,
    ViewReader,
    WireError,
    act_result_to_bytes,
    act_to_bytes,
    action_to_pb,
    decision_from_pb,
    decision_to_pb,
    frame_serializer,
    frame_to_bytes,
    heartbeat_to_bytes,
    seat_view_from_pb,
    seat_view_to_pb,
    turn_to_bytes,
    turn_to_pb,
    turns,
)

ID = b"twelve bytes"
CLOCKS = (Clock(10_000, 0, 250, 17, 2), Clock(0), Clock(5, 4, 3, 2, None))


def test_views_come_back_equal(views: list[View]) -> None:
    for view in views:
        assert view.kind is not None
        decision = decision_from_pb(decision_to_pb(view.kind, view.legal, ID, CLOCKS[0]))
        assert decision == Decision(ID, view.kind, view.legal, CLOCKS[0])
        assert seat_view_from_pb(seat_view_to_pb(view), view.rules, decision) == view


def test_views_meet_every_kind_of_decision(every_view: list[View]) -> None:
    assert {view.kind for view in every_view} == set(DecisionKind)
    assert any(isinstance(view.legal[-1], Announced) for view in every_view)
    assert any(view.belotes for view in every_view)


def test_bytes_are_kept_for_a_bounded_number_of_positions(views: list[View]) -> None:
    for _ in range(3):
        for view in views:
            fresh = (*view.calls,)  # another tuple, unless empty
            turn_to_bytes(1, 1, view._replace(calls=fresh), ID, CLOCKS[0])
    assert 0 < len(turns._KEPT_CALLS.entries) <= turns._KEPT_CALLS.size


def test_views_without_a_decision_come_back_equal(views: list[View]) -> None:
    for view in views[::7]:
        idle = view._replace(kind=None, legal=())
        assert seat_view_from_pb(seat_view_to_pb(idle), view.rules) == idle


def test_turns_as_bytes_are_the_serialized_messages(views: list[View]) -> None:
    for number, view in enumerate(views):
        clock = CLOCKS[number % 3]
        again = bool(number & 1)
        arguments = (number % 5, number * 1000, view, ID[: number % 13], clock)
        message = ServerMessage(turn=turn_to_pb(*arguments, again=again))
        expected = message.SerializeToString(deterministic=True)
        assert turn_to_bytes(*arguments, again=again) == expected
        assert turn_to_bytes(*arguments, again=again) == expected


def test_answers_as_bytes_are_the_serialized_messages(every_view: list[View]) -> None:
    for number, view in enumerate(every_view):
        action, ref, name = view.legal[-1], number % 4, ID[: number % 13]
        act = play_service_pb2.Act(seat_ref=ref, decision_id=name, action=action_to_pb(action))
        expected = play_service_pb2.ClientMessage(act=act).SerializeToString()
        assert act_to_bytes(ref, name, action) == expected


def test_a_reader_reads_what_comes_one_after_the_other(views: list[View]) -> None:
    """As the views of one seat come: later in the deal, the same again, of the next deal."""
    by_seat: dict[tuple[int, Seat], list[View]] = {}
    match = 0
    for before, view in pairwise((views[-1], *views)):
        match += view.number < before.number or view.scores < before.scores
        by_seat.setdefault((match, view.seat), []).append(view)
    for of_seat in by_seat.values():
        reader = ViewReader(of_seat[0].rules)
        for view in of_seat:
            message = seat_view_to_pb(view)
            decision = Decision(ID, view.kind or DecisionKind.CALL, view.legal, CLOCKS[0])
            assert reader.read(message, decision) == view
            assert reader.read(message, decision) == view


def test_a_reader_starts_anew_after_a_fault(every_view: list[View]) -> None:
    view = _late_view(every_view)
    idle = view._replace(kind=None, legal=())
    reader = ViewReader(view.rules)
    assert reader.read(seat_view_to_pb(idle)) == idle
    broken = seat_view_to_pb(idle)
    broken.hand.append(broken.table.tricks[0].cards[0])
    with pytest.raises(WireError) as refused:
        reader.read(broken)
    assert refused.value.field == "view.hand"
    assert reader.read(seat_view_to_pb(idle)) == idle
    shorter = idle._replace(tricks=idle.tricks[:1], winners=idle.winners[:1])
    assert reader.read(seat_view_to_pb(shorter)) == shorter


def test_kept_bytes_do_not_outlive_a_change(every_view: list[View]) -> None:
    """The same tuple of calls under another contract, the same tricks with other winners."""
    view = next(view for view in every_view if view.contract and len(view.tricks) > 1)
    turn_to_bytes(1, 1, view, ID, CLOCKS[0])
    assert view.contract is not None
    changed = view._replace(
        contract=view.contract._replace(taker=view.contract.taker.partner),
        winners=tuple(seat.partner for seat in view.winners),
    )
    expected = ServerMessage(turn=turn_to_pb(1, 1, changed, ID, CLOCKS[0])).SerializeToString()
    assert turn_to_bytes(1, 1, changed, ID, CLOCKS[0]) == expected


def test_a_seat_that_owes_nothing_has_no_turn() -> None:
    deal = Deal.start(preset("ffb-mixte"), *SeededDeals(b"x" * 32).board(1, preset("ffb-mixte")))
    idle = project(deal, deal.owed[0].partner)
    for build in (turn_to_pb, turn_to_bytes):
        with pytest.raises(ValueError, match="owes no decision"):
            build(1, 1, idle, ID, CLOCKS[0])


def test_frames_hold_bytes_and_messages(every_view: list[View]) -> None:
    turns = [turn_to_bytes(n, n, view, ID, CLOCKS[0]) for n, view in enumerate(every_view[:40])]
    beat = ServerMessage(heartbeat=play_service_pb2.Heartbeat(nonce=300))
    frame = frame_to_bytes([*turns, beat, act_result_to_bytes(7, ID, 4)])  # type: ignore[arg-type]
    read = PlayResponse.FromString(frame)
    assert [message.SerializeToString() for message in read.messages[:40]] == turns
    assert read.messages[40] == beat
    result = read.messages[41].act_result
    assert (result.seat_ref, result.decision_id) == (7, ID)
    assert result.status == play_service_pb2.ACT_STATUS_STALE
    assert frame_serializer(frame) is frame
    assert frame_serializer(read) == frame
    assert frame_to_bytes([]) == b""


def _late_view(every_view: list[View]) -> View:
    return next(
        view for view in every_view if len(view.tricks) > 2 and view.trick and view.trick.cards
    )


FAULTS: dict[str, tuple[Callable[[observation_pb2.SeatView], object], str]] = {
    "seat": (lambda view: view.ClearField("seat"), "view.seat"),
    "dealer": (lambda view: view.table.ClearField("dealer"), "view.table.dealer"),
    "number": (lambda view: view.table.ClearField("deal_number"), "view.table.deal_number"),
    "card twice in hand": (lambda view: view.hand.append(view.hand[0]), "view.hand["),
    "card in hand and trick": (
        lambda view: view.hand.append(view.table.tricks[1].cards[2]),
        "view.hand",
    ),
    "card in two tricks": (
        lambda view: view.table.tricks[2].cards.__setitem__(0, view.table.tricks[0].cards[0]),
        "view.table.tricks[2].cards",
    ),
    "card played again": (
        lambda view: view.table.trick.cards.__setitem__(0, view.table.tricks[0].cards[0]),
        "view.table.trick.cards",
    ),
    "unknown card": (lambda view: view.table.trick.cards.append(33), "view.table.trick.cards["),  # type: ignore[arg-type]
    "no winner": (
        lambda view: view.table.tricks[0].ClearField("winner"),
        "view.table.tricks[0].winner",
    ),
    "unknown winner": (
        lambda view: setattr(view.table.tricks[0], "winner", 9),
        "view.table.tricks[0].winner",
    ),
    "short trick": (
        lambda view: view.table.tricks[1].cards.pop(),
        "view.table.tricks[1].winner",
    ),
    "caller": (
        lambda view: view.table.calls[1].ClearField("seat"),
        "view.table.calls[1].seat",
    ),
    "call": (
        lambda view: view.table.calls[0].call.Clear(),
        "view.table.calls[0].call",
    ),
    "taker": (
        lambda view: view.table.contract.ClearField("taker"),
        "view.table.contract.taker",
    ),
    "belote": (lambda view: view.table.belotes.append(0), "view.table.belotes"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("fault", FAULTS)
def test_views_that_cannot_be_are_refused(fault: str, every_view: list[View]) -> None:
    break_it, field = FAULTS[fault]
    view = _late_view(every_view)
    message = seat_view_to_pb(view)
    break_it(message)
    with pytest.raises(WireError) as refused:
        seat_view_from_pb(message, view.rules)
    assert refused.value.field.startswith(field)


def test_a_turn_is_small(every_view: list[View]) -> None:
    sizes = [len(turn_to_bytes(1, 1, view, ID, CLOCKS[0])) for view in every_view]
    assert max(sizes) < 2048
    assert sum(sizes) / len(sizes) < 1024


def test_hidden_cards_are_not_in_a_turn() -> None:
    """Each seat's opening turn names its own eight cards and no other."""
    rules = preset("ffb-mixte")
    deal = Deal.start(rules, *SeededDeals(b"x" * 32).board(1, rules))
    for seat in Seat:
        message: Any = seat_view_to_pb(project(deal, seat))
        assert sum(1 << number - 1 for number in message.hand) == deal.hands[seat]
        assert not message.table.tricks


def test_a_heartbeat_of_thousands_of_seats_is_made_as_bytes() -> None:
    for seats in ([], [(1, 0)], [(ref, 37 * ref) for ref in range(1, 5_000)]):
        message = play_service_pb2.Heartbeat(
            nonce=2**40,
            seats=[play_service_pb2.SeatSeq(seat_ref=ref, seq=seq) for ref, seq in seats],
        )
        assert (
            heartbeat_to_bytes(2**40, seats) == ServerMessage(heartbeat=message).SerializeToString()
        )
