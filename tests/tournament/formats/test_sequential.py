"""The sequential test as a format, and on the engine: the right hypothesis, time after time."""

from __future__ import annotations

import hashlib
import os
import random
from collections import Counter

import pytest
from tests.tournament.formats.play import by_policies, by_strength, play_event, result

from contree.engine import preset
from contree.policy import random_player, rules_player
from contree.tournament.formats import Sequential
from contree.tournament.schedule import Pairing, Side, Table
from contree.tournament.standings import standings
from contree.tournament.statistics.sprt import Design, Look, Verdict

TWO = ("x", "y")
FULL = bool(os.environ.get("FULL"))


def test_it_stops_where_the_test_says() -> None:
    schedule = Sequential(TWO, 500, Design())
    results = play_event(schedule, by_strength({"x": 60.0, "y": 0.0}, spread=100), at_once=1)
    look = schedule.look(results)
    assert look.verdict is Verdict.H1
    opened = schedule.opened(results)
    assert len(opened.tables) == 2 * look.boards
    assert opened.over(results)
    assert "H1 (t = 0.15) accepted after" in schedule.report(results).lines[0]


def test_27_what_was_in_play_besides_does_not_count() -> None:
    schedule = Sequential(TWO, 500, Design())
    play = by_strength({"x": 30.0, "y": 0.0}, spread=100)
    alone = play_event(schedule, play)
    many = play_event(schedule, play, at_once=40, chance=random.Random(3))
    assert len(many) > len(alone)
    opened = schedule.opened(many)
    assert opened.tables == schedule.opened(alone).tables
    assert len(opened.surplus) == len(many) - len(opened.tables)
    assert standings(TWO, opened.counted(many)) == standings(TWO, tuple(alone.values()))
    assert schedule.report(many) == schedule.report(alone)


def test_27_a_gap_is_waited_for() -> None:
    schedule = Sequential(TWO, 100, Design())
    pairing = Pairing(*TWO)
    tables = [Table(board, pairing, side, 1) for board in range(1, 101) for side in Side]
    results = {t.id: result(t, (500, 0)) for t in tables if (t.board, t.side) != (7, Side.B)}
    assert schedule.look(results) == Look(Verdict.OPEN, 0, 0.0)
    results[tables[13].id] = result(tables[13], (500, 0))
    assert schedule.look(results).boards == 60


def test_undecided_it_ends_with_the_last_board() -> None:
    schedule = Sequential(TWO, 60, Design())
    results = play_event(schedule, by_strength(dict.fromkeys(TWO, 0.0), spread=100))
    assert len(results) == 120
    assert schedule.opened(results).over(results)
    assert "open after 60 boards" in schedule.report(results).lines[0]


def test_races_are_won_drawn_and_lost() -> None:
    schedule = Sequential(TWO, 400, Design(least=60), races=True)
    pairing = Pairing(*TWO)
    results = {}
    for board in range(1, 401):
        for side, number in ((Side.A, 1), (Side.B, 2)):
            table = Table(board, pairing, side, number)
            results[table.id] = result(table, (1000 + board % 3, 1001), race=True)
    assert schedule.look(results).verdict is not Verdict.OPEN


@pytest.mark.parametrize("opponent", ["random", "rules"])
@pytest.mark.timeout(1800)
def test_the_right_hypothesis_is_accepted(
    opponent: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The rules player against random is better; against itself it is not.

    Schedule, seating, layout with disguises, and the test are those of events; only the service is
    left out. 100 runs each with FULL=1 (``make test-sprt``), else fewer; one seed for each run.
    """
    runs = 100 if FULL else {"random": 8, "rules": 4}[opponent]
    right = Verdict.H1 if opponent == "random" else Verdict.H0
    schedule = Sequential(TWO, 1500, Design())
    verdicts: Counter[Verdict] = Counter()
    boards = 0
    for run in range(runs):
        seed = hashlib.sha256(f"{opponent} {run}".encode()).digest()
        other = rules_player if opponent == "rules" else random_player(run)
        play = by_policies({"x": rules_player, "y": other}, preset("ffb-mixte"), seed)
        look = schedule.look(play_event(schedule, play, at_once=8, chance=random.Random(run)))
        verdicts[look.verdict] += 1
        boards += look.boards
    with capsys.disabled():
        print(
            f"\nrules v {opponent}: {right.value} accepted in {verdicts[right]} of {runs} runs, "
            f"{boards / runs:.0f} boards on average",
            flush=True,
        )
    assert verdicts[right] >= 0.95 * runs
