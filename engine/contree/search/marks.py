"""What outcomes are worth: the marks of the deal under its contract, as the engine scores them."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from contree.engine import Contract, RuleSet, Slam
from contree.engine.scoring import Tally, score
from contree.search.stakes import Stakes, stakes_of

__all__ = ["Marks"]


class Marks:
    """The marks of North-South less those of East-West, by outcome.

    Where belote has to be said, it is taken for said. An outcome does not tell which player of a
    pair won all eight tricks: a générale that was bid counts as made if one of the two did.
    """

    def __init__(self, rules: RuleSet, contract: Contract) -> None:
        """ValueError as for ``stakes_of``."""
        self._rules = rules
        self._contract = contract
        self._stakes: Final = stakes_of(rules, contract.strain)
        self._low: Final = self._stakes.total - self._stakes.generale
        self._table = lru_cache(maxsize=None)(self._by_outcome)

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

    def _by_outcome(self, north_south: int, east_west: int) -> npt.NDArray[np.float64]:
        return np.array(
            [
                self.mark(outcome, north_south, east_west)
                for outcome in range(self._low, self._stakes.generale + 1)
            ],
            dtype=np.float64,
        )

    def mark(self, outcome: int, north_south: int, east_west: int) -> int:
        """The marks of one outcome, where the pairs hold so many belotes."""
        contract, stakes = self._contract, self._stakes
        side = contract.taker & 1
        points = stakes.points(outcome)
        swept = _swept(stakes, outcome)
        tricks = 4 if swept is None else 8 if swept == side else 0
        alone = tricks == 8 and outcome in (stakes.generale, stakes.total - stakes.generale)
        summary = Tally(
            points[side],
            points[1 - side],
            tricks,
            8 if alone and contract.level is Slam.GENERALE else min(tricks, 4),
            (north_south, east_west)[side],
            (east_west, north_south)[side],
        )
        scored = score(self._rules, contract.level, contract.strain, contract.doubling, summary)
        mark = scored.taker - scored.defence
        return -mark if side else mark


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
