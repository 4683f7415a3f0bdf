"""What happens in a contre window is noticed by nobody else before the window closes."""

from __future__ import annotations

import pytest
from tests.match.matches import NOW, act, owing, seated, spec

from contree.engine import CONTRE, DECLINE, PASS, Bid, Mode, Seat, Strain
from contree.server.host.resources import match_to_pb
from contree.server.match import (
    Abandon,
    Act,
    EndReason,
    Entry,
    FaultKind,
    GiveUp,
    Match,
    RunOut,
    Step,
    decide,
    decode_entry,
    encode_entry,
    events_of,
    fold,
)
from contree.server.match import feed as feeds

ALL = (True,) * 4


def both_asked() -> tuple[Match, list[Entry], Seat, Seat]:
    """A match in which both takers are asked for surcontre."""
    match, entries = seated(spec("coinche-classique"))
    for say in (Bid(80, Strain.HEARTS), CONTRE):
        step = act(match, owing(match), say)
        match, entries = step.after, entries + list(step.entries)
    first, second = (seat for seat in Seat if match.owed_since[seat])
    return match, entries, first, second


def told(before: Match, step: Step) -> list[feeds.Event]:
    events: list[feeds.Event] = []
    for entry, after in zip(step.entries, step.states, strict=True):
        events += events_of(before, entry, after)
        before = after
    return events


def resource(match: Match) -> bytes:
    return match_to_pb(match, ALL, disclosed=False).SerializeToString(deterministic=True)


@pytest.mark.parametrize("answer", [DECLINE, "fault", "late", "resigned", "other resigned"])
def test_nothing_is_told_before_the_window_closes(answer: object) -> None:
    match, entries, first, second = both_asked()
    other = next(seat for seat in Seat if not match.owed_since[seat])
    if answer == "fault":
        step = act(match, first, PASS)
    elif answer == "late":
        step = decide(match, RunOut(first, match.owed_since[first]), NOW)
    elif answer == "resigned":
        step = decide(match, GiveUp(first, FaultKind.RESIGNED, "left"), NOW)
    elif answer == "other resigned":
        step = decide(match, GiveUp(other, FaultKind.RESIGNED, "left"), NOW)
    else:
        step = act(match, first, DECLINE)
    assert step.entries
    after = step.after
    assert told(match, step) == []
    assert after.seq == match.seq
    assert resource(after) == resource(match)
    assert after.decision_id(second) == match.decision_id(second)

    if after.owed_since[first]:
        again = act(after, first, DECLINE)
        assert told(after, again) == []
        step = step._replace(entries=step.entries + again.entries)
        after = again.after
    closing = act(after, second, DECLINE)
    shown = told(after, closing)
    faults = [event for event in shown if isinstance(event, feeds.FaultShown)]
    assert len(faults) == (0 if answer is DECLINE else 1)
    assert shown[: len(faults)] == faults, "what was held back comes first"
    assert closing.states[0].seq == after.seq + len(faults) + 1
    seqs = [seq for seq, _ in feeds.numbered(after, closing.entries[0], closing.states[0])]
    assert sorted(set(seqs)) == list(range(after.seq + 1, after.seq + len(faults) + 2))
    assert closing.after.sealed is None
    assert resource(closing.after) != resource(match)

    entries = [*entries, *step.entries, *closing.entries]
    assert fold(decode_entry(encode_entry(entry)) for entry in entries) == closing.after


def test_a_fault_in_a_window_that_all_decline_is_told_at_its_end() -> None:
    """Nothing else is visible then: the entry that closes the window counts for the fault."""
    match, _ = seated(spec("coinche-classique"))
    match = act(match, owing(match), Bid(80, Strain.HEARTS)).after
    asked = owing(match)
    tried = act(match, asked, Bid(90, Strain.SPADES))
    assert told(match, tried) == []
    closing = act(tried.after, asked, DECLINE)
    (fault,) = told(tried.after, closing)
    assert isinstance(fault, feeds.FaultShown)
    assert (fault.seat, fault.strikes) == (asked, 1)
    assert closing.after.seq == match.seq + 1


def test_the_end_of_a_match_tells_what_was_held_back() -> None:
    match, _, first, _ = both_asked()
    tried = act(match, first, PASS).after
    end = decide(tried, Abandon(EndReason.CANCELLED, "enough"), NOW)
    fault, over = told(tried, end)
    assert isinstance(fault, feeds.FaultShown)
    assert isinstance(over, feeds.MatchOver)


def test_each_seat_is_answered_as_if_it_were_alone() -> None:
    """What another has answered, and whether, does not show in the answer to this seat."""
    match, _, first, second = both_asked()
    answered = act(match, second, DECLINE).after
    for there in (match, answered):
        stale = decide(there, Act(first, match.decision_id(second), CONTRE, 10), NOW)
        assert (stale.verdict, stale.reason) == (
            decide(match, Act(first, b"no such id", CONTRE, 10), NOW).verdict,
            "this decision is not owed, or not any more",
        )
        wrong = act(there, first, PASS)
        assert wrong.reason == act(match, first, PASS).reason


def test_a_race_counts_on_after_its_windows() -> None:
    match, _ = seated(spec("coinche-classique", mode=Mode.RACE))
    assert match.public is match
    tried = act(match, owing(match), CONTRE).after
    assert tried.sealed is None, "no window is open"
    assert tried.seq == match.seq + 1
