"""How many boards it takes: before an event from a pilot, and during it from what there is.

The error of a mean falls with the root of the number of boards, so a number needed follows from the
spread of a board and the difference that is to be seen. Both are known only about, and so is the
number: it comes with the range in which it lies.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from scipy import stats

from contree.tournament.statistics.intervals import LEVEL, Estimate

POWER: Final = 0.9
"""How likely a difference that is there is to be seen."""
LEAST: Final = 10
"""Boards of a pilot below which nothing is foretold."""
_Z: Final = float(stats.norm.ppf((1 + LEVEL) / 2))


class Needed(NamedTuple):
    """A number of boards in all, and the range that the results so far leave for it."""

    boards: int
    low: int
    high: int | None
    """None: no end is in sight."""


def to_see(points: Sequence[float], difference: float) -> Needed | None:
    """Boards after which a true difference of so many points a board shows in a 95% interval.

    With a probability of 90%, from the boards of a pilot; None when these are fewer than 10 or all
    equal. The range is that of the spread (95%, chi-square).
    """
    boards = len(points)
    variance = float(np.var(points, ddof=1)) if boards >= LEAST else 0.0
    if variance <= 0 or difference <= 0:
        return None
    factor = ((_Z + float(stats.norm.ppf(POWER))) / difference) ** 2
    tail = (1 - LEVEL) / 2
    low, high = (
        variance * (boards - 1) / float(stats.chi2.ppf(chance, boards - 1))
        for chance in (1 - tail, tail)
    )
    return Needed(*(max(2, math.ceil(factor * one)) for one in (variance, low, high)))


def to_separate(estimate: Estimate | None) -> Needed | None:
    """Boards after which the interval of a mean leaves 0 outside, if it goes on like this.

    The range takes the true mean at either end of the present interval. None when there is no
    interval yet, when it does not move, or when it has left 0 already.
    """
    if estimate is None or estimate.boards < LEAST or estimate.method == "constant":
        return None
    half = (estimate.high - estimate.low) / 2
    if estimate.low > 0 or estimate.high < 0 or half <= 0:
        return None
    farthest = max(abs(estimate.low), abs(estimate.high))

    def boards(mean: float) -> int | None:
        if abs(mean) < half / 1000:  # a million times the boards: no end
            return None
        return max(estimate.boards + 1, math.ceil(estimate.boards * (half / mean) ** 2))

    likely, soonest = boards(estimate.mean), boards(farthest)
    if likely is None or soonest is None:
        return None
    return Needed(likely, soonest, None)
