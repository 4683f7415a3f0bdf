"""The interval of a mean: golden values, and what degenerate results come to."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contree.tournament.statistics.intervals import FEW, MANY, estimate


def test_no_interval_for_fewer_than_two_boards() -> None:
    assert estimate([]) is None
    assert estimate([80.0]) is None


def test_few_boards_give_students_t() -> None:
    # Mean 2, standard deviation 1, n = 3: t(0.975, 2) = 4.302653, half width 4.302653 / sqrt(3).
    found = estimate([1.0, 2.0, 3.0])
    assert found is not None
    assert found.method == "student"
    assert (found.mean, found.boards) == (2.0, 3)
    assert found.high - found.mean == pytest.approx(4.302652729911275 / math.sqrt(3))
    assert found.mean - found.low == pytest.approx(found.high - found.mean)


def test_golden_bootstrap() -> None:
    results = [0.0] * 30 + [80.0, -80.0, 40.0, 160.0, 250.0, -125.0, 40.0, 80.0, 0.0, -40.0]
    found = estimate(results)
    assert found is not None
    assert found.method == "bootstrap"
    assert found.mean == pytest.approx(10.125)
    assert (found.low, found.high) == pytest.approx((-7.881084347105961, 31.75), abs=1e-9)
    assert found == estimate(results)


def test_bootstrap_reaches_at_least_as_far_as_students_t() -> None:
    generator = np.random.default_rng(3)
    for _ in range(20):
        results = generator.choice([0, 0, 0, 80, -160, 500], size=40).tolist()
        careful, quick = estimate(results), estimate(results, quick=True)
        assert careful is not None
        assert quick is not None
        assert quick.method == "student"
        assert careful.low <= quick.low <= quick.high <= careful.high


@pytest.mark.parametrize("boards", [2, FEW, 200, MANY])
def test_equal_boards_give_one_value_and_say_so(boards: int) -> None:
    found = estimate([12.5] * boards)
    assert found is not None
    assert (found.mean, found.low, found.high, found.method) == (12.5, 12.5, 12.5, "constant")


def test_one_swing_in_many_ties_is_finite() -> None:
    found = estimate([0.0] * 99 + [500.0])
    assert found is not None
    assert found.low <= 0.0 < found.high < 100


def test_26_a_board_of_several_pairings_counts_as_one_cluster() -> None:
    # The same board results three times over are no more information.
    once = estimate([10.0, -20.0, 30.0, 0.0])
    thrice = estimate([30.0, -60.0, 90.0, 0.0], [3, 3, 3, 3])
    assert once is not None
    assert thrice is not None
    assert (thrice.mean, thrice.low, thrice.high) == pytest.approx((once.mean, once.low, once.high))


def test_boards_with_fewer_results_weigh_less() -> None:
    found = estimate([60.0, 0.0], [2, 1])
    assert found is not None
    assert found.mean == pytest.approx(20.0)


@given(st.lists(st.integers(-1000, 1000), min_size=2, max_size=25))
def test_the_other_side_sees_the_mirror_image(results: list[int]) -> None:
    ours, theirs = estimate([float(x) for x in results]), estimate([-float(x) for x in results])
    assert ours is not None
    assert theirs is not None
    assert ours.opposite.mean == pytest.approx(theirs.mean)
    assert ours.low <= ours.mean + 1e-9
    assert ours.mean <= ours.high + 1e-9
    if ours.method == "student":
        assert (ours.opposite.low, ours.opposite.high) == pytest.approx((theirs.low, theirs.high))
