"""What bots answered and what was acknowledged, held against what the records say in the end."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from contree.cli.verifying import Seed, verify
from contree.client import Match
from contree.engine import DECLINE, Action, DecisionKind, Record, Seat, View, parse_record
from contree.v1 import play_service_pb2

ACCEPTED = play_service_pb2.ACT_STATUS_ACCEPTED
DUPLICATE = play_service_pb2.ACT_STATUS_DUPLICATE
UNKNOWN_SEAT = play_service_pb2.ACT_STATUS_UNKNOWN_SEAT


class Place(NamedTuple):
    """Where in a match a decision was owed: no two have the same."""

    match_id: str
    deal: int
    seat: Seat
    kind: DecisionKind
    position: int
    """Calls said, or cards played, before in this deal."""

    @classmethod
    def of(cls, match_id: str, view: View) -> Place:
        assert view.kind is not None
        if view.kind is DecisionKind.CARD:
            position = 4 * len(view.tricks) + (0 if view.trick is None else len(view.trick.cards))
        else:
            position = len(view.calls)
        return cls(match_id, view.number, view.seat, view.kind, position)


@dataclass(slots=True)
class Answer:
    """An action that a bot chose, and what it heard of it."""

    action: Action
    decision_id: bytes
    accepted: int = 0
    duplicate: int = 0


class Ledger:
    """The books of all bots of a test. ``wrong`` says what can never be."""

    def __init__(self) -> None:
        self.wrong: list[str] = []
        self.odd: dict[str, int] = {}
        """Answers that were not taken, by status: harmless ones."""
        self._answers: dict[Place, Answer] = {}
        self._of_match: dict[str, dict[Place, Answer]] = {}
        self._places: dict[bytes, Place] = {}
        self._asked: dict[tuple[str, Seat], set[bytes]] = {}
        self._let_go: set[tuple[str, Seat]] = set()
        """Seats that a bot was told it does not hold: its match had ended meanwhile."""

    @property
    def acknowledged(self) -> int:
        """Actions that a client was told are committed."""
        return sum(1 for answer in self._answers.values() if answer.accepted or answer.duplicate)

    @property
    def answered(self) -> int:
        return len(self._answers)

    def answer(self, place: Place, decision_id: bytes, action: Action) -> None:
        """A bot chose an action. The same decision has the same id however often it is asked."""
        if (place.match_id, place.seat) in self._let_go:
            self.wrong.append(f"{place} was asked of a bot that had been told it has no such seat")
        known = self._answers.get(place)
        if known is None:
            chosen = self._answers[place] = Answer(action, decision_id)
            self._of_match.setdefault(place.match_id, {})[place] = chosen
            self._places[decision_id] = place
            self._asked.setdefault((place.match_id, place.seat), set()).add(decision_id)
        elif known.decision_id != decision_id:
            self.wrong.append(f"{place} was asked under two ids")

    def heard(self, decision_id: bytes, status: int) -> None:
        """What became of an answer. Every bot answers one decision with one action, in time."""
        place = self._places.get(decision_id)
        if place is None:
            self.wrong.append(f"a result for a decision never answered: {decision_id.hex()}")
            return
        answer = self._answers[place]
        if status == ACCEPTED:
            answer.accepted += 1
            if answer.accepted > 1:
                self.wrong.append(f"{place} was accepted twice")
        elif status == DUPLICATE:
            answer.duplicate += 1
        else:
            name = play_service_pb2.ActStatus.Name(status)  # type: ignore[arg-type]
            self.odd[name] = self.odd.get(name, 0) + 1
            if status == UNKNOWN_SEAT:
                # Answered once more after a lost connection, when the match was over: its record
                # must hold the action, as it must hold every other.
                self._let_go.add((place.match_id, place.seat))
            elif status != play_service_pb2.ACT_STATUS_STALE:
                self.wrong.append(f"{place} was answered by {name}")

    def check(self, match: Match, text: str, folder: Path, seed: Seed) -> None:
        """Hold an ended match against the books: every action in it once, nothing else in it."""
        say = self.wrong.append
        if not match.counts:
            say(f"match {match.id} ended {match.end_reason}")
        for fault in match.faults:
            say(f"match {match.id}: {fault.kind.value} charged to {fault.seat}: {fault.detail}")
        path = folder / f"{match.id}.bgn"
        path.write_text(text)
        verdict = verify(path, seed)
        if not verdict.right:
            say(f"match {match.id}: its record is wrong: {verdict.problem}")
            return
        record = parse_record(text)
        if record.replay().scores != match.scores:
            say(f"match {match.id}: its record has other scores")
        mine = self._of_match.get(match.id, {})
        self._check_recorded(mine, record)
        self._check_counts(match, mine, record)

    def _check_recorded(self, mine: dict[Place, Answer], record: Record) -> None:
        for place, answer in mine.items():
            if answer.action is DECLINE:
                continue
            deal = record.deals[place.deal - 1]
            said = deal.cards if place.kind is DecisionKind.CARD else deal.calls
            found = said[place.position] if place.position < len(said) else None
            # Where both opponents say contre, that of the nearer one is recorded.
            anybody = place.kind in (DecisionKind.CONTRE, DecisionKind.SURCONTRE)
            if (
                found is None
                or found[1] != answer.action
                or (found[0] is not place.seat and not anybody)
            ):
                acked = bool(answer.accepted or answer.duplicate)
                self.wrong.append(f"{place}: {answer.action} (acked: {acked}), recorded {found}")

    def _check_counts(self, match: Match, mine: dict[Place, Answer], record: Record) -> None:
        recorded = sum(len(deal.calls) + len(deal.cards) for deal in record.deals)
        chosen = {
            (place.deal, place.kind is DecisionKind.CARD, place.position)
            for place, answer in mine.items()
            if answer.action is not DECLINE
        }
        if recorded != len(chosen):
            self.wrong.append(
                f"match {match.id}: {recorded} actions recorded, {len(chosen)} chosen"
            )
        for status in match.seats:
            asked = len(self._asked.get((match.id, status.seat), ()))
            if status.decisions != asked:
                self.wrong.append(
                    f"match {match.id}: {status.seat} made {status.decisions} of {asked} decisions"
                )
