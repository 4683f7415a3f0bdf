"""What pairing gains: the formula, and two simulated events that agree with it."""

from __future__ import annotations

import numpy as np
import pytest

from contree.tournament.statistics.paired import gain


def boards(a: np.ndarray, b: np.ndarray) -> dict[int, tuple[float, float]]:
    return {n: (float(x), float(y)) for n, (x, y) in enumerate(zip(a, b, strict=True), start=1)}


def test_the_ratio_is_one_plus_twice_the_covariance() -> None:
    generator = np.random.default_rng(1)
    deal = generator.normal(0, 100, 400)
    a, b = deal + generator.normal(0, 50, 400), -deal + generator.normal(0, 50, 400)
    found = gain([boards(a, b)])
    assert found is not None
    cov = np.cov(a, b, ddof=0)
    assert found.ratio == pytest.approx(1 + 2 * cov[0, 1] / (cov[0, 0] + cov[1, 1]))
    assert found.low < 0.2 < found.high  # 1 - 10000 / 12500
    assert found.tables == pytest.approx(1 / found.ratio)


def test_26_an_unpaired_event_does_vary_so_much_more() -> None:
    generator = np.random.default_rng(2)
    paired, unpaired = [], []
    for _ in range(2000):
        deal = generator.normal(0, 100, 20)
        a, b = deal + generator.normal(0, 50, 20), -deal + generator.normal(0, 50, 20)
        fresh = -generator.normal(0, 100, 20) + generator.normal(0, 50, 20)
        paired.append(((a + b) / 2).mean())
        unpaired.append(((a + fresh) / 2).mean())
    assert np.var(paired) / np.var(unpaired) == pytest.approx(0.2, abs=0.03)


def test_tables_without_luck_of_the_deal_gain_nothing() -> None:
    generator = np.random.default_rng(5)
    found = gain([boards(generator.normal(0, 50, 500), generator.normal(0, 50, 500))])
    assert found is not None
    assert found.low < 1 < found.high


def test_the_difference_of_two_pairings_is_no_variance() -> None:
    generator = np.random.default_rng(4)
    deal = generator.normal(0, 100, 100)
    near, far = boards(deal, -deal + 1), boards(deal + 1000, -deal + 1000)
    found = gain([near, far])
    assert found is not None
    assert found.ratio == pytest.approx(0.0, abs=1e-9)


def test_too_little_to_say() -> None:
    assert gain([]) is None
    assert gain([boards(np.arange(9.0), np.arange(9.0))]) is None
    assert gain([boards(np.zeros(50), np.zeros(50))]) is None
