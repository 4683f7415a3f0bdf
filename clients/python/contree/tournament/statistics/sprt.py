"""A sequential test of one bot against another: play until one of two hypotheses is refuted.

The effect is the mean of a board over its standard deviation (the t value, which in chess is called
normalised Elo but for a factor): it says how many boards a difference takes to show, whatever the
rules and the scale. H0 says that it is ``t0``, H1 that it is ``t1``. After so many boards the
logarithm of the generalised likelihood ratio (LLR) is compared with Wald's bounds,
log(beta / (1 - alpha)) and log((1 - beta) / alpha).

Boards enter as numbers of results in bins (IMPs; or races won), in the order of the schedule and
without gaps: a board that is slow to finish must not be overtaken by quick ones, for quick boards
are not like slow ones. Looks are taken every ``every`` boards, from ``least`` on; the first that
crosses a bound decides for good, whatever is finished besides.

The likelihood ratio is that of the best distribution over the bins under each hypothesis (M. Van
den Bergh, "Comments on normalized Elo", section 4.1; fishtest computes the same by a fixed-point
iteration). Written with b = value - reference and tau = t / sqrt(1 + t^2), the hypothesis is
E[b] = tau sqrt(E[b^2]), and since sqrt(m) is the least of (m / s + s) / 2 over s > 0 it falls apart
into linear ones, E[b - tau (b^2 / s + s) / 2] = 0, one for each s. A linear one has one multiplier,
found by bisection; among the s the best (the worst, when the results lie beyond the hypothesis) is
found on a grid that closes in. Both take a fixed number of steps, so nothing can fail to converge:
neither all boards lost, nor all tied, nor values that are not whole.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from enum import Enum
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

EMPTY: Final = 1e-3
"""What an empty bin counts, as in fishtest: no result is impossible."""
_GRID: Final = 13
_ZOOMS: Final = 5
_HALVINGS: Final = 50

_Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


class Verdict(Enum):
    """What a test has come to."""

    H0 = "H0"
    H1 = "H1"
    OPEN = "open"
    """Neither yet; at the last board: neither, for good."""


class Design(NamedTuple):
    """A test as it is laid down before the first board."""

    t0: float = 0.0
    t1: float = 0.15
    alpha: float = 0.05
    """Chance of accepting H1 where H0 holds, at most about."""
    beta: float = 0.05
    """Chance of accepting H0 where H1 holds, at most about."""
    every: int = 10
    """Boards from one look to the next."""
    least: int = 60
    """No look before so many boards."""

    @property
    def lower(self) -> float:
        """H0 is accepted at or below this LLR."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """H1 is accepted at or above this LLR."""
        return math.log((1 - self.beta) / self.alpha)

    def looks(self, boards: int) -> range:
        """After which numbers of boards there is a look, up to this one."""
        first = -(-self.least // self.every) * self.every
        return range(first, boards + 1, self.every)


class Look(NamedTuple):
    """The state of a test at its last look."""

    verdict: Verdict
    boards: int
    """Boards that the look rests on; 0 before the first."""
    llr: float


def judge(design: Design, bins: Sequence[float], values: Sequence[float]) -> Look:
    """The last of the ``looks``; before the first one, a look at nothing."""
    look = Look(Verdict.OPEN, 0, 0.0)
    for taken in looks(design, bins, values):
        look = taken
    return look


def looks(design: Design, bins: Sequence[float], values: Sequence[float]) -> Iterator[Look]:
    """Look as often as the design says at board values in schedule order, without gaps.

    The last look is the one that decides, or the last that can be taken so far. A value that is no
    bin counts in the nearest.
    """
    edges = np.asarray(sorted(bins), dtype=np.float64)
    middles = (edges[1:] + edges[:-1]) / 2
    where = np.searchsorted(middles, np.asarray(values, dtype=np.float64))
    counts: Counter[float] = Counter()
    seen = 0
    for boards in design.looks(len(values)):
        counts.update(float(edges[place]) for place in where[seen:boards])
        seen = boards
        found = llr({value: counts[value] for value in edges.tolist()}, design.t0, design.t1)
        verdict = (
            Verdict.H1
            if found >= design.upper
            else Verdict.H0
            if found <= design.lower
            else Verdict.OPEN
        )
        yield Look(verdict, boards, found)
        if verdict is not Verdict.OPEN:
            return


def llr(counts: Mapping[float, float], t0: float, t1: float, reference: float = 0.0) -> float:
    """The log-likelihood ratio of t1 against t0 after so many results of each value.

    ``t`` is (mean - reference) / standard deviation. Every bin counts, also one without results;
    the values must lie on both sides of the reference.
    """
    values = tuple(value - reference for value in counts)
    return _llr(values, tuple(counts.values()), t0, t1)


@lru_cache(maxsize=8192)
def _llr(values: Hashable, counts: Hashable, t0: float, t1: float) -> float:
    b = np.asarray(values, dtype=np.float64)
    n = np.asarray(counts, dtype=np.float64)
    n = np.where(n > 0, n, EMPTY)
    total = float(n.sum())
    p = n / total
    return total * (_best(b, p, t1) - _best(b, p, t0))


def _best(b: _Floats, p: _Floats, t: float) -> float:
    """The mean log-likelihood of the best distribution with this t, less that of ``p`` itself."""
    if t < 0:
        return _best(-b, p, -t)
    tau = t / math.sqrt(1 + t * t)
    if not tau:
        return float(_linear(b[None, :], p)[0])
    short = float(p @ b) < tau * math.sqrt(float(p @ b**2))
    sizes = np.abs(b[b != 0.0])
    low, high = math.log(float(sizes.min()) * 1e-3), math.log(float(sizes.max()))
    best = 0.0
    for _ in range(_ZOOMS):
        grid = np.linspace(low, high, _GRID)
        s = np.exp(grid)[:, None]
        g = b[None, :] - tau * (b[None, :] ** 2 / s + s) / 2
        found = _linear(g, p)
        if short:
            place = int(np.argmax(found))
        else:  # beyond: all of the linear ones must hold as E[g] <= 0, and some do as it is
            found = np.where(g @ p > 0, found, 0.0)
            place = int(np.argmin(found))
        best = float(found[place])
        low, high = float(grid[max(0, place - 1)]), float(grid[min(_GRID - 1, place + 1)])
    return best


def _linear(g: _Floats, p: _Floats) -> _Floats:
    """For each row of ``g``: the same where the hypothesis is E[g] = 0.

    The best q is p / (1 + x g) with the x for which sum(p g / (1 + x g)) = 0, a sum that falls with
    x. A row without both signs cannot be had: its likelihood is -inf.
    """
    above, below = g.max(axis=1), g.min(axis=1)
    able = (above > 0) & (below < 0)
    result = np.full(len(g), -np.inf)
    if not able.any():
        return result
    rows = g[able]
    low, high = -1 / above[able], -1 / below[able]
    for _ in range(_HALVINGS):
        x = (low + high) / 2
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = (p * rows / (1 + x[:, None] * rows)).sum(axis=1)
        up = slope > 0
        low, high = np.where(up, x, low), np.where(up, high, x)
    inner = np.maximum(1 + ((low + high) / 2)[:, None] * rows, 1e-300)
    result[able] = -(p * np.log(inner)).sum(axis=1)
    return result
