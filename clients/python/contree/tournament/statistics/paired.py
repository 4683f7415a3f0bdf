"""What playing each board both ways round has gained: a ratio of variances.

Of n boards, 2n tables, the estimate of a difference is the mean of (a + b) / 2, a and b being what
the first bot won at the two tables. Its variance is (Va + Vb + 2 Cov) / 4n. Had the 2n tables been
dealt each afresh, half of them with the first bot at North-South and half at East-West, it would be
(Va + Vb) / 4n. The ratio, 1 + 2 Cov / (Va + Vb), is what the same number of tables pays for not
pairing: 0.25 means that four times the tables would have been needed. It needs no second event, for
one table of a board, looked at alone, is as good as a fresh one.

Over several pairings variances and covariances are added up, each taken within its pairing. The
interval is a percentile bootstrap over boards, all pairings of a board drawn together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

import numpy as np

from contree.tournament.statistics.intervals import FEW, LEVEL

RESAMPLES: Final = 1999

_Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


class Gain(NamedTuple):
    """The variance of the paired estimate over that of an unpaired one with as many tables."""

    ratio: float
    low: float
    high: float
    boards: int

    @property
    def tables(self) -> float:
        """How many times the tables an unpaired event would need."""
        return 1 / self.ratio if self.ratio > 0 else float("inf")


def gain(pairings: Iterable[Mapping[int, tuple[float, float]]]) -> Gain | None:
    """The ratio, from what the first bot won at both tables of each board, by pairing.

    None below 10 boards, and where no table was different from another.
    """
    given = [boards for boards in pairings if len(boards) >= 2]
    numbers = sorted({board for boards in given for board in boards})
    if len(numbers) < FEW:
        return None
    place = {board: row for row, board in enumerate(numbers)}
    # Of each pairing and board: played, a, b, a squared + b squared, a times b.
    sums = np.zeros((5, len(numbers), len(given)))
    for column, boards in enumerate(given):
        for board, (a, b) in boards.items():
            sums[:, place[board], column] = 1.0, a, b, a * a + b * b, a * b
    ones = np.ones((1, len(numbers)))
    ratio = float(_ratios(ones, sums)[0])
    if not np.isfinite(ratio):
        return None
    generator = np.random.default_rng(0)
    drawn: list[_Floats] = []
    left = RESAMPLES
    while left:
        batch = min(left, max(1, 2_000_000 // len(numbers)))
        chance = np.full(len(numbers), 1 / len(numbers))
        weights = generator.multinomial(len(numbers), chance, size=batch).astype(np.float64)
        drawn.append(_ratios(weights, sums))
        left -= batch
    ratios = np.concatenate(drawn)
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(ratios[np.isfinite(ratios)], [tail, 1 - tail])
    return Gain(ratio, min(ratio, float(low)), max(ratio, float(high)), len(numbers))


def _ratios(weights: _Floats, sums: _Floats) -> _Floats:
    """The ratio under each row of weights of boards."""
    number, a, b, squares, products = (weights @ one for one in sums)
    with np.errstate(all="ignore"):  # a resample may miss a pairing
        single = squares - (a * a + b * b) / number  # Va + Vb, times the boards
        common = products - a * b / number
    missed = number < 1
    single[missed] = common[missed] = 0.0
    with np.errstate(all="ignore"):
        ratios = 1 + 2 * common.sum(axis=1) / single.sum(axis=1)
    ratios[single.sum(axis=1) < 1e-9] = np.nan
    return np.asarray(ratios)
