"""Clocks: a table of cases, and what holds for all of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.match.matches import act, owing, random_steps, seated, spec

from contree.engine import SEATS
from contree.server.host import frames
from contree.server.match import (
    Acted,
    FaultKind,
    FaultPolicy,
    RunOut,
    TimeControl,
    Verdict,
    decide,
    fold,
)
from contree.server.match.clock import Charge, charge, limit, remaining
from contree.v1 import play_service_pb2
from contree.wire import duration_from_pb, frame_to_bytes

PER_MOVE = TimeControl(per_move=1000, bank=0, increment=0, allowance=0)
BANKED = TimeControl(per_move=1000, bank=5000, increment=0, allowance=0)
ALL = TimeControl(per_move=1000, bank=5000, increment=50, allowance=100)
BANK_ONLY = TimeControl(per_move=0, bank=5000, increment=200, allowance=0)


@pytest.mark.parametrize(
    ("control", "bank", "elapsed", "expected"),
    [
        # Per move only: it begins afresh with each decision.
        pytest.param(PER_MOVE, 0, 0, Charge(False, 0, 0), id="at once"),
        pytest.param(PER_MOVE, 0, 999, Charge(False, 999, 0), id="just in time"),
        pytest.param(PER_MOVE, 0, 1000, Charge(False, 1000, 0), id="all of the move time"),
        pytest.param(PER_MOVE, 0, 1001, Charge(True, 1000, 0), id="one too many"),
        # The bank pays what goes beyond the move time, nothing else.
        pytest.param(BANKED, 5000, 1000, Charge(False, 1000, 5000), id="bank untouched"),
        pytest.param(BANKED, 5000, 1001, Charge(False, 1001, 4999), id="bank touched"),
        pytest.param(BANKED, 5000, 6000, Charge(False, 6000, 0), id="bank emptied"),
        pytest.param(BANKED, 5000, 6001, Charge(True, 6000, 0), id="beyond the bank"),
        pytest.param(BANKED, 200, 1300, Charge(True, 1200, 0), id="beyond what is left of it"),
        # The increment comes after the decision: it cannot save the decision it is for.
        pytest.param(ALL, 0, 10, Charge(False, 10, 50), id="increment after the decision"),
        pytest.param(ALL, 0, 1000, Charge(False, 1000, 50), id="increment after a long one"),
        pytest.param(BANK_ONLY, 100, 101, Charge(True, 100, 0), id="increment not before it"),
        pytest.param(BANK_ONLY, 100, 100, Charge(False, 100, 200), id="increment on an empty bank"),
        pytest.param(ALL, 500, 1200, Charge(False, 1200, 350), id="out of the bank, and back"),
        # The allowance is tolerance: never charged, never shown as time left.
        pytest.param(ALL, 0, 1100, Charge(False, 1000, 50), id="within the allowance"),
        pytest.param(ALL, 0, 1101, Charge(True, 1000, 0), id="beyond the allowance"),
        pytest.param(ALL, 500, 1600, Charge(False, 1500, 50), id="bank and allowance"),
        pytest.param(ALL, 500, 1601, Charge(True, 1500, 0), id="beyond both"),
        pytest.param(ALL, 500, -5, Charge(False, 0, 550), id="a clock that went back"),
    ],
)
def test_19_charge(control: TimeControl, bank: int, elapsed: int, expected: Charge) -> None:
    """Row 19: the clock of a move is reset, the increment is added after it, not before."""
    assert charge(control, bank, elapsed) == expected


_ms = st.integers(0, 10_000_000)
_controls = st.builds(TimeControl, _ms, _ms, _ms, _ms)


@given(_controls, _ms, st.integers(-1000, 100_000_000))
def test_18_no_clock_is_negative(control: TimeControl, bank: int, elapsed: int) -> None:
    """Row 18: within the margin, too."""
    cost = charge(control, bank, elapsed)
    assert cost.bank >= 0
    assert 0 <= cost.charged <= control.per_move + bank
    assert remaining(control, bank, elapsed) >= 0
    assert cost.late == (elapsed > limit(control, bank))
    if not cost.late:
        # What is charged beyond the move time is what the bank lost.
        lost = bank + control.increment - cost.bank
        assert lost == max(0, cost.charged - control.per_move)
        assert cost.charged == min(max(0, elapsed), control.per_move + bank)


@given(_controls, _ms, _ms, _ms)
def test_thinking_longer_never_pays(control: TimeControl, bank: int, less: int, more: int) -> None:
    less, more = sorted((less, more))
    quick, slow = charge(control, bank, less), charge(control, bank, more)
    assert slow.late or not quick.late
    assert quick.charged <= slow.charged
    assert quick.bank >= slow.bank
    assert remaining(control, bank, less) >= remaining(control, bank, more)


@given(st.lists(st.integers(0, 3000), max_size=30), st.integers(0, 300), st.integers(0, 300))
def test_all_that_is_charged_is_accounted_for(
    thinking: list[int], increment: int, allowance: int
) -> None:
    """Over a whole match: what there was, plus increments, is what was used and what is left."""
    control = TimeControl(1000, 2000, increment, allowance)
    bank, beyond, in_time = control.bank, 0, 0
    for elapsed in thinking:
        cost = charge(control, bank, elapsed)
        if cost.late:
            break
        beyond += max(0, cost.charged - control.per_move)
        in_time += 1
        bank = cost.bank
    assert bank == control.bank + in_time * increment - beyond


@pytest.mark.parametrize("elapsed", [0, 1, 900, 1000, 1050, 1100, 1101, 10**9])
@pytest.mark.parametrize("bank", [0, 500])
def test_18_the_wire_shows_what_is_left_without_the_allowance(bank: int, elapsed: int) -> None:
    """Row 18: the margin is a field of its own; what is left is never below 0."""
    match, _ = seated(spec(time=TimeControl(1000, bank, 0, 100)))
    seat = owing(match)
    frame = frames.turn(match, seat, 1, elapsed=elapsed, round_trip=None, again=False)
    clock = play_service_pb2.PlayResponse.FromString(frame_of(frame)).messages[0].turn.decision
    assert duration_from_pb(clock.clock.remaining) == max(0, 1000 + bank - elapsed)
    assert duration_from_pb(clock.clock.allowance) == 100
    assert not clock.clock.HasField("round_trip")


def test_22_the_next_turn_tells_what_was_charged_and_the_round_trip() -> None:
    """Row 22: a bot sees what its last decision cost, and the round trip that was measured."""
    match, _ = seated(spec(time=TimeControl(1000, 500, 0, 100)))
    first = owing(match)
    match = act(match, first, match.game.legal_actions(first)[1], 321).after
    while owing(match) is not first:
        seat = owing(match)
        match = act(match, seat, match.game.legal_actions(seat)[0], 10).after
    frame = frames.turn(match, first, 1, elapsed=0, round_trip=42, again=False)
    clock = play_service_pb2.PlayResponse.FromString(frame_of(frame)).messages[0].turn.decision
    assert duration_from_pb(clock.clock.charged) == 321
    assert duration_from_pb(clock.clock.round_trip) == 42


def test_22_what_the_house_does_for_a_late_bot_is_legal_and_marked() -> None:
    """Row 22: the action on a timeout comes from the rules, and says that the house chose it."""
    match, _ = seated(spec(time=ALL, faults=FaultPolicy(timeout_strikes=9_999)))
    for _ in range(200):
        if match.end is not None:
            break
        seat = owing(match)
        legal = match.game.legal_actions(seat)
        step = decide(match, RunOut(seat, match.owed_since[seat]), 0)
        fault, acted, *_ = step.entries
        assert fault.kind is FaultKind.TIMEOUT  # type: ignore[union-attr]
        assert isinstance(acted, Acted)
        assert acted.action in legal
        assert acted.by_house
        match = step.after
    assert match.end is not None


def test_20_decisions_that_only_the_allowance_saved_are_counted() -> None:
    """Row 20: no hidden leniency; the journal alone tells."""
    match, entries = seated(spec(time=TimeControl(1000, 500, 0, 100)))
    seat = owing(match)
    step = act(match, seat, match.game.legal_actions(seat)[0], 1499)
    assert [one.overruns for one in step.after.seats] == [0, 0, 0, 0]
    assert step.after.seats[seat].bank == 1
    step = act(match, seat, match.game.legal_actions(seat)[0], 1580)
    assert step.verdict is Verdict.ACCEPTED
    assert step.after.seats[seat].overruns == 1
    # Late is a fault and no overrun; what the house does is nobody's.
    late = act(match, seat, match.game.legal_actions(seat)[0], 1601)
    assert late.verdict is Verdict.LATE
    assert late.after.seats[seat].overruns == 0
    again = fold([*entries, *step.entries])
    assert again == step.after


def test_overruns_add_up_over_a_match() -> None:
    match, _ = seated(spec(time=TimeControl(100, 0, 0, 900)))
    expected = [0, 0, 0, 0]
    for step in random_steps(match, 5):
        for entry in step.entries:
            if isinstance(entry, Acted) and entry.charged == 100:
                expected[entry.seat] += 1
        match = step.after
    assert [match.seats[seat].overruns for seat in SEATS] == expected
    assert sum(expected) > 0


def frame_of(message: frames.Outgoing) -> bytes:
    """A frame with this one message."""
    return frame_to_bytes([message])
