"""decide and evolve: who may do what when, what faults cost, and that the journal is the truth."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest
from tests.match.matches import BOTS, NOW, act, owing, random_steps, seated, spec

from contree.engine import (
    CONTRE,
    DECLINE,
    PASS,
    PRESET_NAMES,
    SEATS,
    Bid,
    Mode,
    Seat,
    Strain,
    cards_in,
)
from contree.server.match import (
    PRACTICE,
    Abandon,
    Act,
    Acted,
    Created,
    EndReason,
    Faulted,
    FaultKind,
    GiveUp,
    GoOn,
    Match,
    Rejected,
    RunOut,
    SeatPlan,
    Stage,
    TakeSeat,
    TimeControl,
    Verdict,
    create,
    decide,
    decode_entry,
    encode_entry,
    events_of,
    fold,
)
from contree.server.match import feed as feeds
from contree.server.match.state import decision_id

HOUSE = SeatPlan(house="rules")


@pytest.mark.parametrize("rules", PRESET_NAMES)
@pytest.mark.parametrize("mode", list(Mode))
def test_the_fold_of_the_journal_is_the_live_match(rules: str, mode: Mode) -> None:
    match, entries = seated(spec(rules, mode=mode))
    for step in random_steps(match, seed=3):
        entries += step.entries
        match = step.after
    again = fold(decode_entry(encode_entry(entry)) for entry in entries)
    assert again == match
    assert match.end is not None
    assert match.end.is_result
    assert match.version == len(entries)


def test_every_prefix_of_a_journal_is_a_match() -> None:
    match, entries = seated(spec())
    states = [fold(entries)]
    for step in random_steps(match, seed=5):
        entries += step.entries
        states += step.states
    first = len(entries) - len(states) + 1
    for index, state in enumerate(states):
        assert fold(entries[: first + index]) == state


def test_a_decision_keeps_its_id_until_it_is_answered() -> None:
    match, _ = seated(spec())
    seat = owing(match)
    wanted = match.decision_id(seat)
    strike = act(match, seat, cards_in(match.game.deal.dealt[seat])[0])  # type: ignore[union-attr]
    assert strike.verdict is Verdict.ILLEGAL
    assert strike.after.decision_id(seat) == wanted
    answered = act(strike.after, seat, PASS).after
    assert not answered.owed_since[seat]
    assert answered.decision_id(owing(answered)) != wanted


def test_decisions_of_all_seats_and_matches_have_ids_of_their_own() -> None:
    secrets = (bytes(16), bytes(15) + b"1")
    made = [
        decision_id(secret, seat, since)
        for secret in secrets
        for seat in SEATS
        for since in (1, 2, 256, 1 << 40)
    ]
    assert len(set(made)) == len(made)
    assert {len(one) for one in made} == {12}


def test_the_secret_of_a_match_is_held_by_nothing_but_the_match() -> None:
    secret = bytes(range(16))
    held = sys.getrefcount(secret)
    for seat in SEATS:
        decision_id(secret, seat, 1)
    assert sys.getrefcount(secret) == held


def test_the_same_answer_again_is_harmless_and_another_is_not() -> None:
    match, _ = seated(spec())
    seat = owing(match)
    decision = match.decision_id(seat)
    after = act(match, seat, PASS).after
    again = decide(after, Act(seat, decision, PASS, 10), NOW)
    assert (again.verdict, again.entries) == (Verdict.DUPLICATE, ())
    other = decide(after, Act(seat, decision, Bid(80, Strain.HEARTS), 10), NOW)
    assert (other.verdict, other.entries) == (Verdict.CONFLICT, ())


def test_a_decision_of_another_seat_is_stale() -> None:
    match, _ = seated(spec())
    seat = owing(match)
    thief = Seat((seat + 1) % 4)
    step = decide(match, Act(thief, match.decision_id(seat), PASS, 10), NOW)
    assert (step.verdict, step.entries) == (Verdict.STALE, ())


def test_illegal_actions_are_forgiven_so_often_and_then_the_house_plays() -> None:
    match, _ = seated(spec())
    seat = owing(match)
    bad = Bid(70, Strain.HEARTS)
    first = act(match, seat, bad)
    assert first.verdict is Verdict.ILLEGAL
    assert "70H" in first.reason
    assert [type(entry) for entry in first.entries] == [Faulted]
    assert not first.after.seats[seat].house
    second = act(first.after, seat, bad)
    assert second.after.seats[seat].house == "rules"
    assert [type(entry) for entry in second.entries] == [Faulted, Acted]
    assert second.after.faults[-1].replaced


def test_the_detail_of_a_fault_names_no_card() -> None:
    match, _ = seated(spec())
    seat = owing(match)
    card = cards_in(match.game.deal.dealt[seat])[0]  # type: ignore[union-attr]
    step = act(match, seat, card)
    assert str(card) not in step.after.faults[-1].detail


def test_the_detail_of_a_timeout_does_not_tell_the_bank() -> None:
    details = set()
    for bank in (500, 1297):
        match, _ = seated(spec(time=TimeControl(1000, bank, 0, 100)))
        seat = owing(match)
        step = decide(match, RunOut(seat, match.owed_since[seat]), NOW)
        details.add(step.after.faults[-1].detail)
    assert len(details) == 1


def test_a_timeout_costs_a_strike_and_the_house_acts_once() -> None:
    match, _ = seated(spec())
    seat = owing(match)
    step = decide(match, RunOut(seat, match.owed_since[seat]), NOW)
    fault, acted = step.entries
    assert isinstance(fault, Faulted)
    assert fault.kind is FaultKind.TIMEOUT
    assert not fault.replaced
    assert isinstance(acted, Acted)
    assert acted.by_house
    assert step.after.seats[seat].bank == 0
    assert not step.after.seats[seat].house
    late = decide(step.after, Act(seat, match.decision_id(seat), PASS, 5), NOW)
    assert late.verdict is Verdict.LATE


def test_a_late_answer_is_a_timeout_even_when_the_timer_has_not_gone_off() -> None:
    match, _ = seated(spec())
    seat = owing(match)
    step = act(match, seat, PASS, elapsed=1601)
    assert step.verdict is Verdict.LATE
    assert step.after.faults[-1].kind is FaultKind.TIMEOUT


def test_a_timer_that_goes_off_after_the_answer_does_nothing() -> None:
    match, _ = seated(spec())
    seat = owing(match)
    since = match.owed_since[seat]
    after = act(match, seat, PASS).after
    assert decide(after, RunOut(seat, since), NOW).entries == ()


def test_a_bot_that_gives_up_is_played_for_to_the_end() -> None:
    match, _ = seated(spec())
    for seat in SEATS:
        match = decide(match, GiveUp(seat, FaultKind.RESIGNED, "left"), NOW).after
    while match.house_owes is not None:
        match = decide(match, GoOn(), NOW).after
    assert match.stage is Stage.ENDED
    assert len(match.faults) == 4
    assert decide(match, GiveUp(Seat.NORTH, FaultKind.RESIGNED, "left"), NOW).entries == ()


def test_four_players_of_the_house_play_a_board_at_once() -> None:
    step = create(Created(spec(seats=(HOUSE,) * 4)), NOW)
    assert step.after.stage is Stage.ENDED
    assert not step.after.faults
    assert len(step.states) == len(step.entries) == step.after.version


def test_a_taken_seat_is_not_free() -> None:
    match, _ = seated(spec())
    with pytest.raises(Rejected, match="not free"):
        decide(match, TakeSeat(Seat.NORTH, "1", "other"), NOW)


def test_play_begins_when_all_are_ready_and_not_before() -> None:
    step = create(Created(spec(seats=(BOTS[0], HOUSE, HOUSE, HOUSE))), NOW)
    assert step.after.stage is Stage.WAITING
    taken = decide(step.after, TakeSeat(Seat.NORTH, "1", "i"), NOW).after
    assert taken.stage is Stage.READYING
    assert not any(taken.owed_since)


def test_5_an_abandoned_match_is_no_result() -> None:
    match, _ = seated(spec())
    step = decide(match, Abandon(EndReason.CANCELLED, "asked for"), NOW)
    assert step.after.end is EndReason.CANCELLED
    assert not step.after.end.is_result
    assert not any(step.after.owed_since)
    with pytest.raises(Rejected, match="is over"):
        decide(step.after, Abandon(EndReason.CANCELLED, "again"), NOW)


def _bid_made(rules: str) -> Match:
    match, _ = seated(spec(rules))
    return act(match, owing(match), Bid(80, Strain.HEARTS)).after


def test_a_window_asks_both_takers_and_each_keeps_its_decision() -> None:
    match = _bid_made("coinche-classique")  # contre at any moment
    defender = owing(match)
    match = act(match, defender, CONTRE).after
    takers = [seat for seat in SEATS if match.owed_since[seat]]
    assert len(takers) == 2
    first, second = takers
    kept = match.decision_id(second)
    step = act(match, first, DECLINE)
    assert step.after.decision_id(second) == kept
    assert step.after.seq == match.seq
    assert events_of(match, step.entries[0], step.after) == ()


def test_events_of_a_whole_match_add_up() -> None:
    match, entries = seated(spec(mode=Mode.RACE))
    seen: list[feeds.Event] = []
    before = fold(entries[:-1])
    seen += events_of(before, entries[-1], match)
    for step in random_steps(match, seed=11):
        previous = match
        for entry, after in zip(step.entries, step.states, strict=True):
            events = events_of(previous, entry, after)
            assert (after.seq - previous.seq) == bool(events)
            seen += events
            previous = after
        match = step.after
    dealt = [event for event in seen if isinstance(event, feeds.Dealt)]
    over = [event for event in seen if isinstance(event, feeds.DealOver)]
    assert len(dealt) == len(over) == len(match.game.finished)
    assert over[-1].scores == match.game.scores
    played = [event for event in seen if isinstance(event, feeds.CardPlayed)]
    tricks = [event for event in seen if isinstance(event, feeds.TrickTaken)]
    assert len(played) == 4 * len(tricks)
    assert isinstance(seen[0], feeds.Started)
    assert isinstance(seen[-1], feeds.MatchOver)


def test_a_seat_for_one_key_is_taken_with_that_key_only() -> None:
    plans = (SeatPlan(bot="a", key_id="k1"), *BOTS[1:])
    match = create(Created(spec(seats=plans)), NOW).after
    for key_id in ("", "k2"):
        with pytest.raises(Rejected, match="another key's"):
            decide(match, TakeSeat(Seat.NORTH, "1", "i", key_id), NOW)
    taken = decide(match, TakeSeat(Seat.NORTH, "1", "i", "k1"), NOW).after
    assert taken.seats[Seat.NORTH].key_id == "k1"
    free = decide(taken, TakeSeat(Seat.EAST, "1", "i", "k2"), NOW).after
    assert free.seats[Seat.EAST].key_id == "k2"


def test_a_seat_keeps_its_key_whatever_happens_in_it() -> None:
    match, _ = seated(spec())
    keyed = match.seats[Seat.NORTH]._replace(key_id="k1")
    assert keyed.acted(5, 0, overran=True, timed=True).key_id == "k1"


def test_an_illegal_action_that_comes_again_is_not_charged_again() -> None:
    match, _ = seated(spec())
    seat = owing(match)
    said = Act(seat, match.decision_id(seat), Bid(70, Strain.HEARTS), 10, illegal=0)
    first = decide(match, said, NOW)
    assert [type(entry) for entry in first.entries] == [Faulted]
    again = decide(first.after, said, NOW)
    assert (again.verdict, again.entries) == (Verdict.ILLEGAL, ())
    assert again.reason == first.reason
    another = decide(first.after, said._replace(illegal=1), NOW)
    assert another.after.faults[-1].replaced


def test_a_match_of_the_house_alone_is_no_practice_whatever_it_is_called() -> None:
    """Nobody left it: it is played to its end."""
    houses = replace(spec(seats=(SeatPlan(house="rules"),) * 4), labels=(PRACTICE,))
    assert not houses.practice
    asked = SeatPlan(bot="one", instance_id="here")
    assert replace(houses, seats=(asked, *houses.seats[1:])).practice
