"""What outcomes are worth in marks where belote counts only if it is said.

Then whoever holds king and queen may say it or not, and what is better for the own pair depends:
after a contre the winner may get it all. So a belote that can still be said is counted or not, as
its holders like. Where belote counts by itself it always does.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

from contree.engine import SEATS, Contract, RuleSet, Strain
from contree.engine.options import BeloteMode
from contree.search import Marks

__all__ = ["Belotes", "Valued", "belotes_of"]


class Belotes(NamedTuple):
    """How many belotes each pair, North-South and East-West, has."""

    sure: tuple[int, int]
    """Those that count."""
    free: tuple[int, int]
    """Those that can still be said or not."""


def belotes_of(
    rules: RuleSet, strain: Strain, dealt: Sequence[int], said: int = 0, silent: int = 0
) -> Belotes:
    """The belotes of these hands. ``said`` and ``silent`` are the cards that were played with
    belote said, and without; of no matter where it counts by itself.
    """
    sure, free = [0, 0], [0, 0]
    by_itself = rules.belote_mode is BeloteMode.AUTO
    for pair in rules.settings[strain].pairs:
        for seat in SEATS:
            if dealt[seat] & pair != pair:
                continue
            if by_itself or said & pair == pair:
                sure[seat & 1] += 1
            elif not silent & pair:
                free[seat & 1] += 1
    return Belotes((sure[0], sure[1]), (free[0], free[1]))


class Valued:
    """The marks of outcomes under a contract, North-South's less those of East-West."""

    def __init__(self, rules: RuleSet, contract: Contract) -> None:
        """ValueError as for ``stakes_of``."""
        self._marks: Final = Marks(rules, contract)
        self.of: Final = cache(self._of)

    def _of(self, outcome: int, belotes: Belotes) -> int:
        (north_south, east_west), free = belotes
        return max(
            min(
                self._marks.mark(outcome, north_south + more, east_west + other)
                for other in range(free[1] + 1)
            )
            for more in range(free[0] + 1)
        )
