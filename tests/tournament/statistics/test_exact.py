"""Exact tests: against numbers worked by hand, scipy, and all signs written out."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from contree.tournament.statistics.exact import exact_checks


def test_nothing_decided_says_nothing() -> None:
    assert exact_checks([]) is None
    assert exact_checks([0.0, 0.0]) is None


def test_all_won_by_hand() -> None:
    # Of 2^5 choices of signs, two are as far out: 2 / 32.
    found = exact_checks([10.0, 20.0, 5.5, 40.0, 80.0, 0.0])
    assert found is not None
    assert (found.sign, found.flip, found.flip_is_exact, found.decided) == (0.0625, 0.0625, True, 5)


@pytest.mark.parametrize("values", [[1, -2, 3, 4.5], [10, 10, -10, 250, -80, 35, 35, 0.5, -1]])
def test_against_all_signs(values: list[float]) -> None:
    sums = [abs(sum(s * v for s, v in zip(signs, values, strict=True)))
            for signs in product((1, -1), repeat=len(values))]  # fmt: skip
    as_far = sum(one >= abs(sum(values)) - 1e-9 for one in sums)
    found = exact_checks(values)
    assert found is not None
    assert found.flip == pytest.approx(as_far / len(sums))


def test_against_scipy() -> None:
    values = np.random.default_rng(4).choice([-160, -80, 0, 0, 10, 80, 250], size=12)
    found = exact_checks(values.tolist())
    same = stats.permutation_test(
        (values.astype(float),), lambda x, axis: x.mean(axis=axis), permutation_type="samples",
        n_resamples=np.inf, vectorized=True,
    )  # fmt: skip
    assert found is not None
    assert found.flip == pytest.approx(same.pvalue)


def test_the_side_does_not_matter() -> None:
    values = [3.0, -1.0, 0.0, 7.5, 2.0]
    assert exact_checks(values) == exact_checks([-value for value in values])


def test_many_large_odd_values_are_drawn_and_always_alike() -> None:
    values = (np.random.default_rng(1).normal(0.5, 1, 400) * 1000).tolist()
    found = exact_checks(values)
    assert found is not None
    assert not found.flip_is_exact
    assert found == exact_checks(values)
    assert 1e-4 <= found.flip < 0.001
