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

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from contree.tournament.statistics.intervals import FEW, LEVEL

RESAMPLES: Final = 1999
_KEPT: Final = 2_000_000
"""Numbers that are kept, or made at once, at most."""

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
    ratios = np.concatenate([_ratios(weights, sums) for weights in _resamples(len(numbers))])
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(ratios[np.isfinite(ratios)], [tail, 1 - tail])
    return Gain(ratio, min(ratio, float(low)), max(ratio, float(high)), len(numbers))


def _resamples(boards: int) -> Iterator[_Floats]:
    """How often each board is drawn, a row for each resample; always the same."""
    if boards * RESAMPLES <= _KEPT:
        yield _kept(boards)
        return
    generator = np.random.default_rng(0)
    left = RESAMPLES
    while left:
        batch = min(left, max(1, _KEPT // boards))
        yield generator.multinomial(boards, np.full(boards, 1 / boards), size=batch).astype(float)
        left -= batch


@lru_cache(maxsize=1)
def _kept(boards: int) -> _Floats:
    """All of them: the pairings of an event have as many boards each."""
    generator = np.random.default_rng(0)
    draws = generator.multinomial(boards, np.full(boards, 1 / boards), size=RESAMPLES)
    return draws.astype(np.float64)


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
