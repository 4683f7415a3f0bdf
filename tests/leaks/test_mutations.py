"""That the proof can fail: each of these leaks is put in, found, and named."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest
from tests.leaks.journals import RULES, random_journal, spec
from tests.match.matches import NOW, seated

from contree.engine import (
    CONTRE,
    SEATS,
    Bid,
    IllegalAction,
    Mode,
    Seat,
    Strain,
    View,
    cards_in,
    project,
    refusals,
)
from contree.engine import deal as deals
from contree.server.host import frames, lines, readers, resources
from contree.server.match import (
    Abandon,
    Act,
    EndReason,
    Faulted,
    FaultKind,
    Match,
    decide,
    evolve,
    feed,
)
from contree.testing.leaks import Difference, leak_test_journal, sights

Patch = pytest.MonkeyPatch
ANY_MOMENT = next(rules for rules in RULES if rules.name == "coinche-classique")
MIXTE = next(rules for rules in RULES if rules.name == "ffb-mixte")


def found(rules: Any = MIXTE, seed: int = 3, faults: float = 0.05) -> Difference:
    """The leak that is found in a match; there must be one."""
    journal = random_journal(spec(rules, Mode.BOARD, seed), seed, faults)
    report = leak_test_journal(journal)
    assert report.difference is not None, "not noticed"
    return report.difference


def hand_of(match: Match, seat: Seat) -> int:
    deal = match.game.deal or match.game.finished[-1]
    return deal.dealt[seat]


def test_a_view_that_depends_on_another_hand(monkeypatch: Patch) -> None:
    def leaking(state: Any, seat: Seat) -> View:
        view = project(state, seat)
        deal = state.deal
        return view._replace(belotes=tuple(one for one in SEATS if deal.dealt[one] >> 7 & 1))

    monkeypatch.setattr(frames, "project", leaking)
    leak = found()
    assert leak.sight == "turn"
    assert leak.path.startswith("turn.view.table.belotes[0]: SEAT_")


def test_a_reason_that_names_another_hands_card(monkeypatch: Patch) -> None:
    refused = refusals.refused_card

    def leaking(play: Any, seat: Seat, action: object) -> IllegalAction:
        error = refused(play, seat, action)
        held = cards_in(play.deal.hands[seat.partner])
        return IllegalAction(action, f"{error.reason}; {held[:1]} could", error.legal)

    monkeypatch.setattr(deals, "refused_card", leaking)
    leak = found()
    assert "act_result.reason: " in leak.path


def test_an_event_that_shows_all_hands(monkeypatch: Patch) -> None:
    shown = frames.event
    monkeypatch.setattr(
        frames, "event", lambda happened, seq, seat, _disclosed: shown(happened, seq, seat, True)
    )
    leak = found()
    assert (leak.sight, leak.viewer) == ("event", "North")
    assert leak.path.startswith("event.event.dealt.hands[1].cards[")


def test_a_spectator_who_sees_a_hand(monkeypatch: Patch) -> None:
    class Leaking(readers.Reader):
        def look(self, *match: Any, disclosed: bool = False) -> None:
            super().look(*match, disclosed=disclosed or self.seat is None)

    monkeypatch.setattr(sights, "Reader", Leaking)
    leak = found()
    assert (leak.sight, leak.viewer) == ("watch", "spectator")
    assert leak.path.startswith("events[1].dealt.hands[0].cards[")


def test_a_match_id_made_of_the_cards(monkeypatch: Patch) -> None:
    assigned = frames.seat_assigned

    def leaking(match: Match, seat: Seat, ref: int, *, resumed: bool) -> Any:
        message = assigned(match, seat, ref, resumed=resumed)
        message.seat_assigned.match_id = f"m{hash(match.spec.deals)}"
        return message

    monkeypatch.setattr(frames, "seat_assigned", leaking)
    assert found().path.startswith("seat_assigned.match_id: ")


def test_a_log_line_with_a_hand(monkeypatch: Patch) -> None:
    plain = lines.match_ended

    def leaking(match: Match) -> dict[str, object]:
        return {**plain(match), "hands": match.spec.deals}

    monkeypatch.setattr(lines, "match_ended", leaking)
    match, entries = seated(spec(MIXTE, Mode.BOARD, 1))
    entries += decide(match, Abandon(EndReason.CANCELLED, "enough"), NOW).entries
    leak = leak_test_journal(entries).difference
    assert leak is not None
    assert (leak.viewer, leak.sight) == ("log", "log")


def test_the_detail_of_a_fault_that_names_the_card_tried() -> None:
    match, entries = seated(spec(MIXTE, Mode.BOARD, 1))
    seat = next(one for one in SEATS if match.owed_since[one])
    entries.append(Faulted(seat, FaultKind.ILLEGAL_ACTION, False, "played 7H out of turn"))
    leak = leak_test_journal(entries).difference
    assert leak is not None
    assert leak.path == "faults[0].detail: names 7H"


def test_a_match_that_shows_who_has_answered(monkeypatch: Patch) -> None:
    whole = resources.match_to_pb

    def leaking(match: Match, *rest: Any, **more: Any) -> Any:
        return whole(dataclasses.replace(match, sealed=None), *rest, **more)

    monkeypatch.setattr(sights, "match_to_pb", leaking)
    leak = _in_a_window()
    assert (leak.sight, leak.viewer) == ("match, for the host", "spectator")
    assert leak.path.startswith(("seats[", "faults", "version"))


@pytest.mark.parametrize("number", ["version", "decisions"])
def test_a_seq_that_counts_what_happens_in_a_window(monkeypatch: Patch, number: str) -> None:
    beat = frames.heartbeat
    counts: dict[str, Callable[[Match], int]] = {
        "version": lambda match: match.version,
        "decisions": lambda match: sum(seat.decisions for seat in match.seats),
    }

    def leaking(moment: Any, seat: Seat, tried: Any) -> Any:
        count = counts[number](moment.match)
        yield sights._sent("heartbeat", beat(1, [(1, count)]))

    monkeypatch.setattr("contree.testing.leaks.proof.seat_sights", leaking)
    leak = _in_a_window()
    assert leak.path.startswith("heartbeat.seats[0].seq: ")


def test_an_answer_that_makes_an_event_at_once(monkeypatch: Patch) -> None:
    def leaking(before: Match, entry: Any, after: Match) -> Any:
        told = events(before, entry, after)
        return told if told or after.sealed is None else ((after.seq, feed.Started()),)

    events = feed.numbered
    monkeypatch.setattr(readers, "numbered", leaking)
    leak = _in_a_window()
    assert "event" in f"{leak.sight}: {leak.path}"


def _in_a_window() -> Difference:
    """The leak that is found where both takers are asked for surcontre."""
    match, entries = seated(spec(ANY_MOMENT, Mode.BOARD, 2))
    for say in (Bid(80, Strain.HEARTS), CONTRE):
        seat = next(one for one in SEATS if match.owed_since[one])
        step = decide(match, Act(seat, match.decision_id(seat), say, 10), NOW)
        entries += step.entries
        match = step.after
    takers = [one for one in SEATS if match.owed_since[one]]
    assert len(takers) == 2
    clean = evolve(match, Faulted(takers[0], FaultKind.TIMEOUT, False, "late"))
    assert clean.seq == match.seq
    leak = leak_test_journal(entries).difference
    assert leak is not None, "not noticed"
    return leak
