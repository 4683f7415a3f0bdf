"""Intervals of a cross table: the factor is what theory says, and all of them hold together."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from contree.tournament.statistics.simultaneous import simultaneous


def meetings(values: np.ndarray) -> dict[int, dict[int, float]]:
    return {
        column: {board + 1: float(value) for board, value in enumerate(values[:, column])}
        for column in range(values.shape[1])
    }


def test_independent_meetings_are_about_bonferronis() -> None:
    values = np.random.default_rng(2).normal(0, 50, (200, 10))
    found = simultaneous(meetings(values))
    factors = {one.factor for one in found.values()}
    assert len(factors) == 1
    assert factors.pop() == pytest.approx(stats.norm.ppf(1 - 0.05 / 20), abs=0.15)


def test_meetings_that_say_the_same_cost_nothing() -> None:
    one = np.random.default_rng(3).normal(0, 50, (200, 1))
    found = simultaneous(meetings(np.repeat(one, 10, axis=1)))
    assert found[0].factor == pytest.approx(stats.t.ppf(0.975, 199), abs=0.12)


def test_they_hold_together() -> None:
    generator = np.random.default_rng(5)
    held = 0
    for _ in range(40):
        board = generator.normal(0, 30, (60, 1))
        found = simultaneous(meetings(board + generator.normal(0, 40, (60, 6))))
        held += all(one.low <= 0 <= one.high for one in found.values())
    assert held >= 33  # 38 expected; fewer has a chance of 1 in 300 if so


def test_few_boards_take_bonferronis_t() -> None:
    values = np.random.default_rng(6).normal(0, 1, (5, 4))
    assert simultaneous(meetings(values))[0].factor == pytest.approx(stats.t.ppf(1 - 0.05 / 8, 4))


def test_gaps_constants_and_single_boards() -> None:
    found = simultaneous(
        {
            "always": dict.fromkeys(range(20), 40.0),
            "once": {3: 10.0},
            "early": {board: float(board % 3) for board in range(12)},
            "late": {board: float(board % 5) for board in range(9, 40)},
        }
    )
    assert set(found) == {"always", "early", "late"}
    assert (found["always"].low, found["always"].high) == (40.0, 40.0)
    assert found["early"].low < 1.0 < found["early"].high
    assert simultaneous({}) == {}


def test_the_same_numbers_give_the_same() -> None:
    values = np.random.default_rng(7).normal(0, 50, (30, 3))
    assert simultaneous(meetings(values)) == simultaneous(meetings(values))
    assert simultaneous(meetings(-values))[0].opposite == simultaneous(meetings(values))[0]
