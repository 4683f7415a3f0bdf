"""Swiss: no rematch, one bye at most, the same pairings whenever it is asked."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tournament.formats.play import by_strength, play_event

from contree.tournament.formats import Swiss
from contree.tournament.formats.swiss import most_rounds, pair, usual_rounds
from contree.tournament.schedule import Pairing


def names(count: int) -> tuple[str, ...]:
    return tuple(f"b{number:02}" for number in range(1, count + 1))


def test_the_first_round_is_the_upper_half_against_the_lower() -> None:
    pairs = pair(names(8), dict.fromkeys(names(8), 0), {})
    assert pairs == [("b01", "b05"), ("b02", "b06"), ("b03", "b07"), ("b04", "b08")]


def test_with_an_odd_number_the_last_has_the_bye() -> None:
    assert pair(names(5), dict.fromkeys(names(5), 0), {})[-1] == ("b05", "")


def test_who_is_equal_meets() -> None:
    points = {"b01": 2, "b02": 0, "b03": 2, "b04": 0}
    assert pair(names(4), points, {}) == [("b01", "b03"), ("b02", "b04")]


def test_a_rematch_is_avoided_though_scores_differ() -> None:
    points = {"b01": 2, "b02": 0, "b03": 2, "b04": 0}
    met = {"b01": {"b03"}, "b03": {"b01"}}
    pairs = pair(names(4), points, met)
    assert ("b01", "b03") not in pairs
    assert len(pairs) == 2


@settings(max_examples=60)
@given(st.integers(2, 21), st.integers(0, 10**6))
def test_rounds_have_no_rematch_and_one_bye_each_at_most(count: int, seed: int) -> None:
    bots = names(count)
    chance = random.Random(seed)
    strength = {bot: chance.choice([0.0, 5.0, 5.0, 20.0]) for bot in bots}
    schedule = Swiss(bots, 1, most_rounds(count))
    results = play_event(schedule, by_strength(strength, spread=10, seed=seed))
    opened = schedule.opened(results)
    assert opened.over(results)
    assert len(opened.tables) == opened.of_tables
    met = [frozenset(table.pairing) for table in opened.tables if table.side.value == "A"]
    assert len(met) == len(set(met)) == schedule.rounds * (count // 2)
    data = schedule.report(results).data
    byes = [one["bye"] for one in data["rounds"] if one["bye"]]
    assert len(byes) == len(set(byes)) == (schedule.rounds if count % 2 else 0)
    for board in range(1, schedule.rounds + 1):
        seated = [bot for t in opened.tables if t.board == board for bot in t.pairing]
        assert len(seated) == 4 * (count // 2)


@pytest.mark.parametrize("stop", [1, 7, 8, 13, 30])
def test_stopped_anywhere_it_pairs_the_same(stop: int) -> None:
    schedule = Swiss(names(7), 2, 3)
    play = by_strength({bot: float(i * 7 % 5) for i, bot in enumerate(names(7))}, spread=20)
    whole = play_event(schedule, play)
    part = play_event(schedule, play, at_once=4, chance=random.Random(stop), stop_after=stop)
    assert len(part) == stop
    again = play_event(schedule, play, at_once=3, chance=random.Random(2), results=dict(part))
    assert again == whole
    assert schedule.report(again) == schedule.report(whole)


def test_the_next_round_opens_when_all_of_this_one_is_played() -> None:
    schedule = Swiss(names(4), 2, 2)
    first = schedule.opened({})
    assert len(first.tables) == 8
    assert (first.of_tables, first.complete) == (16, False)
    results = play_event(schedule, by_strength(dict.fromkeys(names(4), 0.0)), stop_after=7)
    assert schedule.opened(results).tables == first.tables
    results = play_event(schedule, by_strength(dict.fromkeys(names(4), 0.0)), stop_after=8)
    assert len(schedule.opened(results).tables) == 16


def test_match_points_then_opponents_then_boards() -> None:
    strength = {"b01": 40.0, "b02": 30.0, "b03": 20.0, "b04": 10.0}
    schedule = Swiss(names(4), 2, 2)
    report = schedule.report(play_event(schedule, by_strength(strength)))
    assert report.places == {"b01": 1, "b02": 2, "b03": 3, "b04": 4}
    assert report.data["match_points"] == {"b01": 4, "b02": 2, "b03": 2, "b04": 0}
    assert report.lines[1] == "Round 1: b01 beat b03; b02 beat b04."
    assert report.lines[-1].startswith("Match points (and those of the opponents met): b01 4")


def test_a_tie_gives_one_each_and_a_bye_two() -> None:
    schedule = Swiss(names(3), 1, 1)
    report = schedule.report(play_event(schedule, by_strength(dict.fromkeys(names(3), 0.0))))
    assert report.data["match_points"] == {"b01": 1, "b02": 1, "b03": 2}
    assert "b01 = b02; b03 bye" in report.lines[1]


@pytest.mark.parametrize(
    ("bots", "most", "usual"), [(2, 1, 1), (3, 2, 2), (4, 2, 2), (5, 3, 3), (8, 4, 3), (16, 8, 4)]
)
def test_rounds(bots: int, most: int, usual: int) -> None:
    assert (most_rounds(bots), usual_rounds(bots)) == (most, usual)


def test_pairings_keep_the_order_of_strength() -> None:
    schedule = Swiss(names(4), 1, 1)
    assert schedule.opened({}).tables[0].pairing == Pairing("b01", "b03")
