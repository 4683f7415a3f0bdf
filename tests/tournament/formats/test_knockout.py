"""Knockout: the bracket, extensions that end, ids that do not depend on results."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tournament.formats.play import by_strength, play_event

from contree.tournament.formats import Knockout
from contree.tournament.formats.knockout import bracket

BOTS = ("a", "b", "c", "d", "e", "f")


def test_brackets() -> None:
    assert bracket(2) == [0, 1]
    assert bracket(4) == [0, 3, 1, 2]
    assert bracket(8) == [0, 7, 3, 4, 1, 6, 2, 5]


def test_the_best_seeds_wait_for_the_second_round() -> None:
    schedule = Knockout(BOTS, 2)
    opened = schedule.opened({})
    assert {str(table.pairing) for table in opened.tables} == {"d~e", "c~f"}
    assert opened.of_tables == 5 * 2 * 2
    assert not opened.complete


def test_the_strongest_wins_and_places_follow_the_rounds() -> None:
    strength = {bot: float(value) for bot, value in zip(BOTS, (5, 9, 1, 7, 3, 2), strict=True)}
    schedule = Knockout(BOTS, 2)
    results = play_event(schedule, by_strength(strength))
    report = schedule.report(results)
    assert report.places == {"b": 1, "d": 2, "a": 3, "f": 3, "c": 5, "e": 5}
    assert report.lines == (
        "Quarter-finals: a has no opponent; d beat e; b has no opponent; f beat c.",
        "Semi-finals: d beat a; b beat f.",
        "Final: b beat d.",
    )
    assert len(results) == 5 * 2 * 2


def test_an_even_match_is_extended_and_then_the_better_seed_goes_on() -> None:
    schedule = Knockout(("a", "b"), 3, tiebreak_boards=2, tiebreaks=2)
    play = by_strength({"a": 0.0, "b": 0.0})
    results = play_event(schedule, play, stop_after=6)
    assert len(schedule.opened(results).tables) == 10
    results = play_event(schedule, play)
    assert len(results) == 2 * (3 + 2 * 2)
    report = schedule.report(results)
    assert report.places == {"a": 1, "b": 2}
    assert report.lines == ("Final: a beat b as the better seed: even after all boards.",)
    assert report.data["matches"][0]["extensions"] == 2


def test_an_extension_can_decide() -> None:
    schedule = Knockout(("a", "b"), 2, tiebreak_boards=4, tiebreaks=3)

    def play(table):  # type: ignore[no-untyped-def]
        return (100, 100) if table.board < 5 else (100, 180)

    results = play_event(schedule, play)
    assert len(results) == 2 * (2 + 4)
    assert schedule.report(results).lines == ("Final: b beat a after 4 more boards.",)


def test_without_tiebreaks_the_better_seed_goes_on_at_once() -> None:
    schedule = Knockout(("a", "b"), 2, tiebreaks=0)
    results = play_event(schedule, by_strength({"a": 0.0, "b": 0.0}))
    assert len(results) == 4
    assert schedule.report(results).places == {"a": 1, "b": 2}


@settings(max_examples=60)
@given(st.integers(2, 17), st.integers(0, 10**6), st.integers(1, 40))
def test_stopped_anywhere_it_comes_to_the_same(count: int, seed: int, stop: int) -> None:
    bots = tuple(f"b{number}" for number in range(count))
    chance = random.Random(seed)
    schedule = Knockout(bots, 1, tiebreak_boards=1, tiebreaks=2)
    play = by_strength({bot: chance.choice([0.0, 1.0]) for bot in bots})
    whole = play_event(schedule, play)
    part = play_event(schedule, play, at_once=5, chance=chance, stop_after=stop)
    again = play_event(schedule, play, at_once=2, chance=chance, results=dict(part))
    assert again == whole
    report = schedule.report(whole)
    assert sorted(report.places.values())[0] == 1
    assert list(report.places.values()).count(1) == 1
    assert len({(t.board, t.number) for t in schedule.opened(whole).tables}) == len(whole)


def test_boards_of_a_round_do_not_depend_on_extensions() -> None:
    schedule = Knockout(("a", "b", "c", "d"), 2, tiebreak_boards=3, tiebreaks=2)
    even = play_event(schedule, by_strength(dict.fromkeys("abcd", 0.0)))
    clear = play_event(schedule, by_strength({"a": 9.0, "b": 5.0, "c": 2.0, "d": 1.0}))
    finals = [
        {table.board for table in schedule.opened(one).tables if table.pairing == ("a", "b")}
        for one in (even, clear)
    ]
    assert min(finals[0]) == min(finals[1]) == 2 + 2 * 3 + 1


@pytest.mark.parametrize("count", [2, 3, 4, 5, 8, 9])
def test_everybody_but_one_loses_once(count: int) -> None:
    bots = tuple(f"b{number}" for number in range(count))
    schedule = Knockout(bots, 1)
    strength = {bot: float(number) for number, bot in enumerate(bots)}
    results = play_event(schedule, by_strength(strength))
    assert len(results) == 2 * (count - 1)
    assert schedule.opened(results).of_tables == len(results)
