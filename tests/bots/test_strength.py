"""The measure of strength."""

from __future__ import annotations

import pytest

from contree.bots.strength import compare, main
from contree.engine import preset
from contree.policy import random_player, rules_player

FFB = preset("ffb-mixte")


def test_a_player_is_as_strong_as_itself() -> None:
    found = compare(rules_player, rules_player, FFB, boards=20)
    assert (found.mean, found.error) == (0, 0)
    assert len(found.results) == 40
    assert 0 < found.made < 1
    assert found.decision_us > 0


def test_a_comparison_can_be_turned_round() -> None:
    one = compare(rules_player, random_player(1), FFB, boards=20)
    other = compare(random_player(1), rules_player, FFB, boards=20)
    assert one.mean == -other.mean > 0
    assert one.error == other.error


def test_another_seed_is_another_set_of_boards() -> None:
    first, second = (
        compare(rules_player, random_player(1), FFB, boards=5, seed=seed) for seed in "ab"
    )
    assert first.results != second.results


def test_prints_one_line_for_each_preset(capsys: pytest.CaptureFixture[str]) -> None:
    main(["rules", "random", "--boards", "5", "--preset", "coinche-annonce"])
    title, header, line = capsys.readouterr().out.splitlines()
    assert title.startswith("rules - random, 5 boards")
    assert header.startswith("rules ")
    assert line.startswith("coinche-annonce")
