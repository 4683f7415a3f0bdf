"""Intervals of many means that hold all at once, with 95%: for a cross table.

With 16 bots there are 120 meetings; of intervals that hold with 95% each, six would be wrong. Here
the factor before the standard errors is not Student's t but the 95% point of the *largest* of the
|t| of all meetings, taken from a bootstrap over boards (max-t). Meetings share boards, and a board
is drawn for all of them together, so what they have in common is accounted for: for meetings that
say the same the factor is that of one, for independent ones it is about Bonferroni's.

Below ``FEW`` boards of a meeting a bootstrap is no guide: then Bonferroni's with Student's t.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple, TypeVar

import numpy as np
from scipy import stats

from contree.tournament.statistics.intervals import FEW, LEVEL

RESAMPLES: Final = 4999

_Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
_Key = TypeVar("_Key")


class Simultaneous(NamedTuple):
    """The interval of one mean among many."""

    low: float
    high: float
    factor: float
    """Standard errors from the mean to either end."""

    @property
    def opposite(self) -> Simultaneous:
        """The same for the other side."""
        return self._replace(low=-self.high, high=-self.low)


def simultaneous(
    meetings: Mapping[_Key, Mapping[int, float]], *, quick: bool = False
) -> dict[_Key, Simultaneous]:
    """The intervals of the means of some meetings, each given as points by board number.

    Meetings of fewer than two boards have none. ``quick`` takes Bonferroni's factor for all.
    """
    able = {key: points for key, points in meetings.items() if len(points) >= 2}
    if not able:
        return {}
    boards = sorted({board for points in able.values() for board in points})
    place = {board: row for row, board in enumerate(boards)}
    points = np.zeros((len(boards), len(able)))
    played = np.zeros_like(points)
    for column, values in enumerate(able.values()):
        for board, value in values.items():
            points[place[board], column] = value
            played[place[board], column] = 1.0
    number = played.sum(axis=0)
    mean = points.sum(axis=0) / number
    spread = np.sqrt((played * (points - mean) ** 2).sum(axis=0) / (number - 1))
    error = spread / np.sqrt(number)
    error[error < 1e-9] = 0.0
    moving = error > 0  # a meeting that is always the same has no interval to speak of
    bonferroni = stats.t.ppf(1 - (1 - LEVEL) / (2 * max(1, int(moving.sum()))), number - 1)
    single = stats.t.ppf((1 + LEVEL) / 2, number - 1)
    factor = np.where(moving, bonferroni, single)
    large = moving & (number >= FEW)
    if large.any() and not quick:
        drawn = _largest(points[:, large], played[:, large], mean[large])
        factor[large] = np.maximum(drawn, single[large])
    return {
        key: Simultaneous(
            float(mean[column] - factor[column] * error[column]),
            float(mean[column] + factor[column] * error[column]),
            float(factor[column]),
        )
        for column, key in enumerate(able)
    }


def _largest(points: _Floats, played: _Floats, mean: _Floats) -> float:
    """The point that the largest |t| of a bootstrap stays below with 95%."""
    boards = len(points)
    centred = played * (points - mean)
    generator = np.random.default_rng(0)
    largest: list[_Floats] = []
    left = RESAMPLES
    while left:
        batch = min(left, max(1, 2_000_000 // boards))
        weights = generator.multinomial(boards, np.full(boards, 1 / boards), size=batch)
        weights = weights.astype(np.float64)
        number, sums = weights @ played, weights @ centred
        squares = weights @ centred**2
        with np.errstate(all="ignore"):  # a resample may miss a meeting, or draw one board only
            shift = sums / number
            variance = (squares - number * shift**2) / (number - 1)
            t = np.abs(shift) / np.sqrt(variance / number)
        t[~np.isfinite(t) | (number < 2) | (variance < 1e-12)] = 0.0
        largest.append(t.max(axis=1))
        left -= batch
    return float(np.quantile(np.concatenate(largest), LEVEL))
