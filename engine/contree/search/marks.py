"""What outcomes are worth: the marks of the deal under its contract, as the engine scores them."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from contree.engine import Bid, Contract, Doubling, RuleSet, Slam, Strain, masks
from contree.engine.actions import Level
from contree.engine.scoring import Tally, score
from contree.search.stakes import Stakes, stakes_of

__all__ = ["Marks"]


class Marks:
    """The marks of North-South less those of East-West, by outcome.

    Where belote has to be said, it is taken for said. An outcome does not tell which player of a
    pair won all eight tricks: a générale that was bid counts as made if one of the two did.
    A contract is scored when it is met for the first time, which takes some milliseconds; the marks
    of all its outcomes are kept.
    """

    def __init__(self, rules: RuleSet, contract: Contract) -> None:
        """ValueError as for ``stakes_of``."""
        self._rules = rules
        self._contract = contract
        stakes = stakes_of(rules, contract.strain)
        self._low: Final = stakes.total - stakes.generale

    def of(
        self, outcomes: npt.NDArray[np.int16], dealt: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float64]:
        """The marks of outcomes, an array of worlds by plays.

        ``dealt`` has a row for each world: the hands that were dealt in it, which say who holds the
        belotes.
        """
        holders = self._belotes(dealt)
        marks = np.empty(outcomes.shape)
        for both in np.unique(holders):
            rows = holders == both
            table = self._table(*divmod(int(both), _BOTH))
            marks[rows] = table[outcomes[rows] - self._low]
        return marks

    def _belotes(self, dealt: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The belotes of North-South and East-West in each world, as one number."""
        found = np.zeros(len(dealt), dtype=np.int64)
        for pair in self._rules.settings[self._contract.strain].pairs:
            for seat in range(4):
                found += (dealt[:, seat] & pair == pair) * (1 if seat & 1 else _BOTH)
        return found

    def mark(self, outcome: int, north_south: int, east_west: int) -> int:
        """The marks of one outcome, where the pairs hold so many belotes."""
        return int(self._table(north_south, east_west)[outcome - self._low])

    def _table(self, north_south: int, east_west: int) -> npt.NDArray[np.float64]:
        """By outcome, the lowest first, when the pairs have so many belotes."""
        (level, strain), side = self._contract.bid, self._contract.taker & 1
        one_of_its_kind = strain if strain >= masks.NO_TRUMP else Strain.SPADES
        bid = Bid(level, one_of_its_kind)
        own, other = (east_west, north_south) if side else (north_south, east_west)
        marks = _takers_marks(self._rules, bid, self._contract.doubling, own, other)
        return -marks[::-1] if side else marks


@lru_cache(maxsize=2048)
def _takers_marks(
    rules: RuleSet, bid: Bid, doubling: Doubling, own: int, other: int
) -> npt.NDArray[np.float64]:
    """The takers' marks less the defence's, by outcomes as if the takers were North-South, when the
    pairs have so many belotes.
    """
    stakes = stakes_of(rules, bid.strain)
    tallies = [
        _tally(stakes, outcome, bid.level, (own, other))
        for outcome in range(stakes.total - stakes.generale, stakes.generale + 1)
    ]
    scored = [score(rules, bid.level, bid.strain, doubling, tally) for tally in tallies]
    return np.array([one.taker - one.defence for one in scored], dtype=np.float64)


def _tally(stakes: Stakes, outcome: int, level: Level, belotes: tuple[int, int]) -> Tally:
    """What the engine scores, of the takers as North-South."""
    taken, lost = stakes.points(outcome)
    swept = _swept(stakes, outcome)
    tricks = 4 if swept is None else 0 if swept else 8
    alone = tricks == 8 and outcome in (stakes.generale, stakes.total - stakes.generale)
    by_one = 8 if alone and level is Slam.GENERALE else min(tricks, 4)
    return Tally(taken, lost, tricks, by_one, *belotes)


_BOTH: Final = 8
"""More than the belotes of a deal."""


def _swept(stakes: Stakes, outcome: int) -> int | None:
    """The pair that has won all eight tricks, as far as an outcome tells; None for none. Where a
    capot counts no more than all the points, all the points are taken for one.
    """
    if outcome > stakes.total or outcome == stakes.capot:
        return 0
    if outcome < 0 or outcome == stakes.total - stakes.capot:
        return 1
    return None
