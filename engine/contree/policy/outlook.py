"""What a contract may be expected to bring, in marks, under one rule set's way of scoring."""

from __future__ import annotations

from functools import lru_cache
from math import erf, exp, sqrt
from typing import Final

from contree.engine.actions import Level, Slam
from contree.engine.cards import Strain
from contree.engine.contract import Doubling
from contree.engine.masks import NO_TRUMP
from contree.engine.points import capot_points, deal_points, generale_points
from contree.engine.rules import BELOTE_POINTS, RuleSet
from contree.engine.scoring import Tally, score
from contree.policy.style import BidStyle

STANDARD: Final = 162.0
"""The points of a deal on the scale of ``hand``."""
HIGHEST: Final = 220
"""The highest mean that is told apart."""

_STEP: Final = 5
"""Points are told apart by fives: levels are multiples of ten."""
_GENERALE: Final = 0.3
"""The part of capots in which the taker alone wins all tricks."""


class Outlook:
    """Expected marks of contracts under a rule set, by the mean of the takers' points.

    Means are points on the scale of ``hand``, the takers' belote included. Marks are those of the
    takers less those of the defence. Values are computed when first asked for.
    """

    def __init__(self, rules: RuleSet, style: BidStyle) -> None:
        self.rules = rules
        self._style = style
        self._marks: dict[tuple[Level, int, int], tuple[float, ...]] = {}
        self._limits: dict[int, tuple[int, ...]] = {}
        self._promises: dict[int, tuple[float, ...]] = {}
        self.values = tuple(rules.level_value(level) for level in rules.ladder)

    def marks(self, rank: int, strain: int, doubling: Doubling, mean: float) -> float:
        """The expected marks of a contract, by its rank on the ladder."""
        level = self.rules.ladder[rank]
        kind = _kind(strain)
        table = self._marks.get((level, kind, doubling))
        if table is None:
            table = self._marks[level, kind, doubling] = self._table(level, kind, doubling)
        return table[_index(mean)]

    def limit(self, strain: int, mean: float) -> int:
        """The rank of the level that a pair with these means should bid by itself; -1 for none."""
        return self._limits_of(_kind(strain))[_index(mean)]

    def promise(self, strain: int, rank: int) -> float:
        """The mean that a bid of this rank tells of."""
        kind = _kind(strain)
        promises = self._promises.get(kind)
        if promises is None:
            promises = self._promises[kind] = self._promises_of(kind)
        return promises[rank]

    def _limits_of(self, kind: int) -> tuple[int, ...]:
        limits = self._limits.get(kind)
        if limits is None:
            limits = self._limits[kind] = tuple(
                self._best_rank(kind, float(mean)) for mean in range(0, HIGHEST + 1, 2)
            )
        return limits

    def _best_rank(self, kind: int, mean: float) -> int:
        strain = (Strain.SPADES, Strain.NO_TRUMP, Strain.ALL_TRUMP)[kind]
        best, most = -1, self._style.open_above
        for rank, value in enumerate(self.values):
            marks = self.marks(rank, strain, Doubling.NONE, mean)
            worth = marks + self._style.claim * min(value - self.values[0], self._style.claim_most)
            if worth > most:
                best, most = rank, worth
        return best

    def _promises_of(self, kind: int) -> tuple[float, ...]:
        style = self._style
        weights = [0.0] * len(self.values)
        sums = [0.0] * len(self.values)
        for index, rank in enumerate(self._limits_of(kind)):
            mean = 2.0 * index
            weight = exp(-(((mean - style.usual) / style.usual_spread) ** 2) / 2)
            weights[rank] += weight if rank >= 0 else 0.0
            sums[rank] += weight * mean if rank >= 0 else 0.0
        promises: list[float] = []
        for rank, value in enumerate(self.values):
            if weights[rank]:
                promises.append(sums[rank] / weights[rank])
            else:
                before = promises[-1] if promises else float(value)
                promises.append(max(before, min(float(value), STANDARD)))
        return tuple(promises)

    def _table(self, level: Level, kind: int, doubling: Doubling) -> tuple[float, ...]:
        """The expected marks for each mean."""
        rules = self.rules
        strain = (Strain.SPADES, Strain.NO_TRUMP, Strain.ALL_TRUMP)[kind]
        total = float(deal_points(rules, strain))
        belote = BELOTE_POINTS if kind != 1 else 0
        tops = int(total) + belote
        scored: list[tuple[float, float]] = []
        for points in range(_STEP // 2, tops + 1, _STEP):
            taken = min(points, int(total))
            tally = Tally(
                taken, int(total) - taken, 4, 4, int(points > total), 0
            )
            marks = score(rules, level, strain, doubling, tally)
            scored.append((float(points), float(marks.taker - marks.defence)))
        slam_points = capot_points(rules, strain)
        slam = score(rules, level, strain, doubling, Tally(slam_points, 0, 8, 4, 0, 0))
        capot = float(slam.taker - slam.defence)
        if level is Slam.GENERALE:
            won = Tally(generale_points(rules, strain), 0, 8, 8, 0, 0)
            alone = score(rules, level, strain, doubling, won)
            capot += _GENERALE * (alone.taker - alone.defence - capot)

        style = self._style
        scale = total / STANDARD
        table: list[float] = []
        for mean in range(0, HIGHEST + 1, 2):
            sweep = 1.0 / (1.0 + exp(-(mean - style.capot_mean) / style.capot_spread))
            rest = 0.0
            below = 0.0
            for points, marks_of in scored:
                upto = (
                    1.0
                    if points + _STEP > tops
                    else _below((points + (_STEP + 1) / 2) / scale, mean, style.spread)
                )
                rest += (upto - below) * marks_of
                below = upto
            table.append(sweep * capot + (1.0 - sweep) * rest)
        return tuple(table)


@lru_cache(maxsize=64)
def outlook(rules: RuleSet, style: BidStyle) -> Outlook:
    """The outlook of a rule set, the same object each time."""
    return Outlook(rules, style)


def _below(points: float, mean: float, spread: float) -> float:
    return 0.5 * (1.0 + erf((points - mean) / (spread * sqrt(2.0))))


def _kind(strain: int) -> int:
    return 0 if strain < NO_TRUMP else strain - 3


def _index(mean: float) -> int:
    if mean <= 0:
        return 0
    return min(int(mean + 1.0), HIGHEST) >> 1
