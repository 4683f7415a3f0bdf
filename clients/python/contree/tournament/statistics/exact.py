"""Two tests of "neither is better" that assume nothing about the spread of results.

Were two bots alike, each board would be as likely to go one way as the other. The *sign test* looks
only at which way boards went; the *sign-flip test* (a paired permutation test) also at how far: it
asks how often the mean would be as far from nothing if the sign of every board were drawn. Tied
boards say nothing in either. Both are checks of the interval of the mean, not a replacement: where
they disagree with it, it is the interval that rests on too few boards.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Final, NamedTuple

import numpy as np
from scipy import stats

RESAMPLES: Final = 9999
_MOST_STEPS: Final = 50_000_000
"""How much work the exact distribution may be; beyond that signs are drawn."""


class ExactChecks(NamedTuple):
    """Two-sided probabilities of results as far from nothing, were the two alike."""

    sign: float
    flip: float
    flip_is_exact: bool
    """Computed over all signs; else over 9,999 draws, and then never below 1 in 10,000."""
    decided: int
    """Boards that were not tied."""


def exact_checks(points: Sequence[float]) -> ExactChecks | None:
    """Both tests; None while no board has been decided."""
    decided = [value for value in points if value]
    if not decided:
        return None
    won = sum(value > 0 for value in decided)
    sign = float(stats.binomtest(won, len(decided)).pvalue)
    whole = _whole(decided)
    exact = whole is not None and sum(map(abs, whole)) * len(whole) <= _MOST_STEPS
    flip = _all_signs(whole) if exact and whole is not None else _drawn_signs(decided)
    return ExactChecks(sign, flip, exact, len(decided))


def _whole(values: Sequence[float]) -> list[int] | None:
    """The values as whole numbers without a common divisor; None when that takes too large ones."""
    fractions = [Fraction(value) for value in values]
    common = math.lcm(*(fraction.denominator for fraction in fractions))
    if common > 1000:
        return None
    whole = [int(fraction * common) for fraction in fractions]
    divisor = math.gcd(*whole)
    return [value // divisor for value in whole]


def _all_signs(values: Sequence[int]) -> float:
    """The share of all choices of signs whose sum is at least as far from 0."""
    reach = sum(map(abs, values))
    chance = np.zeros(2 * reach + 1)  # of each sum, from -reach
    chance[reach] = 1.0
    for size in map(abs, values):
        moved = np.zeros_like(chance)
        moved[size:] += chance[: len(chance) - size]
        moved[: len(chance) - size] += chance[size:]
        chance = moved / 2
    far = abs(sum(values))
    sums = np.abs(np.arange(-reach, reach + 1))
    return min(1.0, float(chance[sums >= far].sum()))


def _drawn_signs(values: Sequence[float]) -> float:
    sizes = np.abs(np.asarray(values, dtype=np.float64))
    observed = abs(float(np.sum(values)))
    generator = np.random.default_rng(0)
    as_far, left = 0, RESAMPLES
    while left:
        batch = min(left, max(1, 4_000_000 // len(sizes)))
        signs = generator.integers(0, 2, size=(batch, len(sizes))) * 2.0 - 1.0
        as_far += int((np.abs(signs @ sizes) >= observed - 1e-9).sum())
        left -= batch
    return (as_far + 1) / (RESAMPLES + 1)
