"""Round robin and gauntlet."""

from __future__ import annotations

from tests.tournament.formats.play import by_strength, play_event

from contree.tournament.formats import Gauntlet, RoundRobin
from contree.tournament.schedule import Pairing
from contree.tournament.standings import standings

BOTS = ("w", "x", "y", "z")
STRENGTH = {"w": 10.0, "x": 40.0, "y": 20.0, "z": 0.0}


def test_a_gauntlet_is_one_against_each() -> None:
    schedule = Gauntlet(BOTS, 3, "y")
    assert schedule.pairings == (Pairing("y", "w"), Pairing("y", "x"), Pairing("y", "z"))
    tables = schedule.opened({}).tables
    assert len(tables) == len(schedule) == 3 * 3 * 2
    assert [table.number for table in schedule.tables_of(2)] == [1, 2, 3, 4, 5, 6]
    assert len({table.id for table in tables}) == len(tables)


def test_a_gauntlet_ranks_the_others_by_how_they_did_against_it() -> None:
    schedule = Gauntlet(BOTS, 4, "y")
    results = play_event(schedule, by_strength(STRENGTH))
    table = standings(BOTS, tuple(results.values()))
    assert [row.bot for row in table.rows] == ["x", "y", "w", "z"]
    assert Pairing("w", "x") not in table.meetings


def test_everything_is_known_at_once() -> None:
    schedule = RoundRobin(BOTS, 2)
    opened = schedule.opened({})
    assert opened.complete
    assert opened.tables == tuple(schedule)
    assert not opened.over({})
    results = play_event(schedule, by_strength(STRENGTH))
    assert opened.over(results)
    assert len(opened.counted(results)) == opened.of_tables
