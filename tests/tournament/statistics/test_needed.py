"""Boards needed: formulas by hand, and a simulation that finds what it was told."""

from __future__ import annotations

import math

import numpy as np
import pytest

from contree.tournament.statistics import Estimate, estimate
from contree.tournament.statistics.needed import to_see, to_separate


def test_by_hand() -> None:
    # Spread 100, difference 20, 95% and 90%: ((1.96 + 1.2816) * 100 / 20)^2 = 262.7.
    values = [100.0, -100.0] * 50
    found = to_see(values, 20.0)
    assert found is not None
    spread = np.std(values, ddof=1)
    assert found.boards == math.ceil(((1.959964 + 1.281552) * spread / 20) ** 2)
    assert found.low < found.boards < (found.high or 0)


def test_so_many_boards_see_it() -> None:
    generator = np.random.default_rng(1)
    found = to_see(generator.normal(0, 100, 500).tolist(), 30.0)
    assert found is not None
    seen = sum(
        (one := estimate(generator.normal(30, 100, found.boards).tolist(), quick=True)) is not None
        and one.low > 0
        for _ in range(300)
    )
    assert 0.84 < seen / 300 < 0.96


def test_a_pilot_that_says_nothing() -> None:
    assert to_see([1.0] * 9, 5.0) is None
    assert to_see([1.0] * 50, 5.0) is None
    assert to_see([1.0, 2.0] * 50, 0.0) is None


def test_until_the_interval_leaves_nothing() -> None:
    # Mean 10, half width 20 after 100 boards: 4 times as many.
    found = to_separate(Estimate(10.0, -10.0, 30.0, 100, "student"))
    assert found is not None
    assert (found.boards, found.low, found.high) == (400, 101, None)
    assert to_separate(Estimate(-10.0, -30.0, 10.0, 100, "student")) == found


@pytest.mark.parametrize(
    "one",
    [
        None,
        Estimate(10.0, 5.0, 15.0, 100, "student"),
        Estimate(0.0, 0.0, 0.0, 100, "constant"),
        Estimate(0.0, -5.0, 5.0, 100, "student"),
        Estimate(1.0, -5.0, 7.0, 4, "student"),
    ],
    ids=["none", "clear", "constant", "even", "few"],
)
def test_nothing_to_say(one: Estimate | None) -> None:
    assert to_separate(one) is None
