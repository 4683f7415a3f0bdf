"""What a contract may be expected to bring, in marks, by one rule set's way of scoring."""

from __future__ import annotations

from functools import lru_cache
from math import erf, exp, sqrt
from typing import Final

from contree.engine.actions import Level, Slam
from contree.engine.cards import Strain
from contree.engine.contract import Doubling
from contree.engine.masks import NO_TRUMP
from contree.engine.points import capot_points, deal_points, generale_points
from contree.engine.rules import RuleSet
from contree.engine.scoring import Tally, score
from contree.policy.style import BidStyle

_STANDARD: Final = 162.0
"""The points of a deal on the scale of means."""
_MEANS: Final = range(0, 221, 2)
"""The means that are told apart."""
_STEP: Final = 5
"""Points are told apart by fives: levels are multiples of ten."""
_GENERALE: Final = 0.3
"""The part of capots in which the taker alone wins all tricks."""
_STRAINS: Final = (Strain.SPADES, Strain.NO_TRUMP, Strain.ALL_TRUMP)
"""One strain of each kind; suits are all alike."""


class Outlook:
    """Expected marks of contracts under a rule set, and what bids tell.

    Means are the takers' expected points, their belote included, where a deal holds 162. Marks are
    the takers' less the defence's. Contracts are named by their rank on the ladder. What is asked
    for the first time is computed then.
    """

    def __init__(self, rules: RuleSet, style: BidStyle) -> None:
        self.values: Final = tuple(rules.level_value(level) for level in rules.ladder)
        """The contract values by rank."""
        self._rules = rules
        self._style = style
        self._marks: dict[tuple[int, int, Doubling], tuple[float, ...]] = {}
        self._promises: dict[int, tuple[float, ...]] = {}

    def marks(self, rank: int, strain: int, doubling: Doubling, mean: float) -> float:
        """The marks that a contract may be expected to bring."""
        key = (rank, _kind(strain), doubling)
        table = self._marks.get(key)
        if table is None:
            table = self._marks[key] = self._marks_table(*key)
        return table[0 if mean <= 0 else min(int(mean + 1.0) >> 1, len(table) - 1)]

    def promise(self, strain: int, rank: int) -> float:
        """The mean that a player has who opens with this bid."""
        kind = _kind(strain)
        promises = self._promises.get(kind)
        if promises is None:
            promises = self._promises[kind] = self._promises_table(kind)
        return promises[rank]

    def _marks_table(self, rank: int, kind: int, doubling: Doubling) -> tuple[float, ...]:
        style, strain = self._style, _STRAINS[kind]
        level = self._rules.ladder[rank]
        capot = _capot_marks(self._rules, level, strain, doubling)
        marks = _marks_by_points(self._rules, level, strain, doubling)
        scale = _STANDARD / float(deal_points(self._rules, strain))
        # Between 10 and 15, say, lie 10 to 14: a level of 15 is not reached.
        edges = [(_STEP * (place + 1) - 0.5) * scale for place in range(len(marks) - 1)]
        table: list[float] = []
        for mean in _MEANS:
            below = 0.0
            ordinary = 0.0
            for worth, edge in zip(marks, edges, strict=False):
                up_to = 0.5 + 0.5 * erf((edge - mean) / (style.spread * sqrt(2.0)))
                ordinary += (up_to - below) * worth
                below = up_to
            ordinary += (1.0 - below) * marks[-1]
            sweep = 1.0 / (1.0 + exp((style.capot_mean - mean) / style.capot_spread))
            table.append(sweep * capot + (1.0 - sweep) * ordinary)
        return tuple(table)

    def _promises_table(self, kind: int) -> tuple[float, ...]:
        """The average of the means with which each level is the best to open."""
        style = self._style
        weights = [0.0] * len(self.values)
        sums = [0.0] * len(self.values)
        for mean in _MEANS:
            rank = self._opening(kind, mean)
            if rank >= 0:
                likely = exp(-(((mean - style.usual) / style.usual_spread) ** 2) / 2)
                weights[rank] += likely
                sums[rank] += likely * mean
        promises: list[float] = []
        for value, weight, total in zip(self.values, weights, sums, strict=True):
            if weight:
                promises.append(total / weight)
            else:  # nobody should open so: at least what the level below tells
                before = promises[-1] if promises else 0.0
                promises.append(max(before, min(float(value), _STANDARD)))
        return tuple(promises)

    def _opening(self, kind: int, mean: float) -> int:
        """The rank to open with; -1 to pass."""
        style, values = self._style, self.values
        best, most = -1, style.open_above
        for rank, value in enumerate(values):
            worth = self.marks(rank, _STRAINS[kind], Doubling.NONE, mean)
            worth += style.claim * min(value - values[0], style.claim_most)
            if worth > most:
                best, most = rank, worth
        return best


@lru_cache(maxsize=64)
def outlook(rules: RuleSet, style: BidStyle) -> Outlook:
    """The outlook of a rule set; the same object each time, for it remembers."""
    return Outlook(rules, style)


def _kind(strain: int) -> int:
    return 0 if strain < NO_TRUMP else strain - 3


def _marks_by_points(
    rules: RuleSet, level: Level, strain: Strain, doubling: Doubling
) -> list[float]:
    """The marks when both pairs win tricks, for 0-4, 5-9 ... points of the takers; what goes beyond
    all the points of a deal is a belote.
    """
    total = int(deal_points(rules, strain))
    marks: list[float] = []
    for points in range(_STEP // 2, total + 20, _STEP):
        taken = min(points, total)
        tally = Tally(taken, total - taken, 4, 4, int(points > total), 0)
        scored = score(rules, level, strain, doubling, tally)
        marks.append(float(scored.taker - scored.defence))
    return marks


def _capot_marks(rules: RuleSet, level: Level, strain: Strain, doubling: Doubling) -> float:
    """The marks when the takers win all tricks."""
    shared = Tally(capot_points(rules, strain), 0, 8, 4)
    scored = score(rules, level, strain, doubling, shared)
    marks = float(scored.taker - scored.defence)
    if level is Slam.GENERALE:
        alone = Tally(generale_points(rules, strain), 0, 8, 8)
        scored = score(rules, level, strain, doubling, alone)
        marks += _GENERALE * (scored.taker - scored.defence - marks)
    return marks
