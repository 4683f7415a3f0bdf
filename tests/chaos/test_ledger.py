"""The books themselves: what is wrong in a record does not go unnoticed."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from tests.chaos.ledger import ACCEPTED, DUPLICATE, Ledger, Place
from tests.chaos.player import choose

from contree.cli.verifying import Seed
from contree.client import Board, EndReason, Match, MatchState
from contree.client.matches import SeatStatus
from contree.engine import (
    PASS,
    SEATS,
    Action,
    Game,
    Mode,
    Record,
    SeededDeals,
    View,
    drive_game,
    format_record,
    preset,
)
from contree.v1 import play_service_pb2

SEED = Seed(bytes(range(32)), "books")
MATCH = "m1"


class Played:
    """A board that was played, with books on it."""

    def __init__(self) -> None:
        self.ledger = Ledger()
        self.places: list[Place] = []
        self.actions: dict[Place, Action] = {}
        self._choices = random.Random(4)
        rules = preset("ffb-mixte")
        start = Game.start(rules, SeededDeals(*SEED), Mode.BOARD, 1)
        self.game = drive_game([self._act] * 4, start)
        self.text = format_record(Record.of(self.game, ["a", "b", "c", "d"]))
        decisions = [sum(place.seat is seat for place in self.places) for seat in SEATS]
        self.match = Match(
            id=MATCH,
            state=MatchState.ENDED,
            rules=rules,
            mode=Board(1),
            scores=self.game.scores,
            end_reason=EndReason.BOARD_DONE,
            seats=tuple(
                SeatStatus(seat, "bot", "", False, True, True, decisions[seat], 0.0)
                for seat in SEATS
            ),
        )

    def _act(self, view: View) -> Action:
        action = choose(view, self._choices)
        self.note(view, action)
        return action

    def note(self, view: View, action: Action) -> None:
        place = Place.of(MATCH, view)
        self.places.append(place)
        self.actions[place] = action
        self.ledger.answer(place, str(place).encode(), action)
        self.ledger.heard(str(place).encode(), ACCEPTED)

    def wrong(self, folder: Path) -> list[str]:
        self.ledger.check(self.match, self.text, folder, SEED)
        return self.ledger.wrong


@pytest.fixture
def played() -> Played:
    played = Played()
    assert played.game.finished[0].play is not None
    return played


def test_a_match_as_it_was(played: Played, tmp_path: Path) -> None:
    played.ledger.heard(str(played.places[3]).encode(), DUPLICATE)
    assert played.wrong(tmp_path) == []
    assert played.ledger.acknowledged == len(played.places)


def test_an_acknowledged_action_that_is_not_recorded(played: Played, tmp_path: Path) -> None:
    lost = played.places[-1]._replace(position=32)
    played.ledger.answer(lost, b"lost", PASS)
    assert any("recorded None" in line for line in played.wrong(tmp_path))


def test_a_recorded_action_that_nobody_chose(played: Played, tmp_path: Path) -> None:
    short = Ledger()
    for place in played.places[:-1]:
        short.answer(place, str(place).encode(), played.actions[place])
    short.check(played.match, played.text, tmp_path, SEED)
    assert any("chosen" in line for line in short.wrong)


def test_one_decision_accepted_twice(played: Played, tmp_path: Path) -> None:
    played.ledger.heard(str(played.places[5]).encode(), ACCEPTED)
    assert any("accepted twice" in line for line in played.wrong(tmp_path))


def test_one_decision_under_two_ids(played: Played, tmp_path: Path) -> None:
    played.ledger.answer(played.places[5], b"another", PASS)
    assert any("two ids" in line for line in played.wrong(tmp_path))


def test_an_answer_that_was_late(played: Played, tmp_path: Path) -> None:
    played.ledger.heard(str(played.places[5]).encode(), play_service_pb2.ACT_STATUS_LATE)
    assert any("LATE" in line for line in played.wrong(tmp_path))


def test_an_answer_sent_again_when_the_match_was_over(played: Played, tmp_path: Path) -> None:
    last = played.places[-1]
    played.ledger.heard(str(last).encode(), play_service_pb2.ACT_STATUS_UNKNOWN_SEAT)
    assert played.wrong(tmp_path) == []
    played.ledger.answer(last, str(last).encode(), played.actions[last])
    assert any("no such seat" in line for line in played.wrong(tmp_path))


def test_another_end(played: Played, tmp_path: Path) -> None:
    played.match = replace(played.match, end_reason=EndReason.INFRASTRUCTURE)
    assert any("infrastructure" in line.lower() for line in played.wrong(tmp_path))


def test_other_cards(played: Played, tmp_path: Path) -> None:
    played.ledger.check(played.match, played.text, tmp_path, Seed(bytes(32), "books"))
    assert any("its record is wrong" in line for line in played.ledger.wrong)
