"""International match points: the difference of a board's two tables on a scale that flattens.

Belote marks have a long tail: a capot, a contre that fails or a chain of surcontres is worth more
than a dozen boards well played. The scale of duplicate bridge (WBF Laws 2017, Law 78B) turns the
total of the two tables into 0 to 24 points of which each costs more than the one before. It is used
unchanged, for marks are of the same size: contracts of 80 to 180 and their undertricks move a board
by 100 to 600, as part scores and games do there.

    total of both tables   0-10  20  50  90 130 170 220 270 320 370 430 500
    IMPs                      0   1   2   3   4   5   6   7   8   9  10  11
    total                   600 750 900 1100 1300 1500 1750 2000 2250 2500 3000 3500 4000
    IMPs                     12  13  14   15   16   17   18   19   20   21   22   23   24

The official score of an event stays the mean of points; this is a second opinion, and what the
sequential test looks at.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Final

STEPS: Final = (
    20, 50, 90, 130, 170, 220, 270, 320, 370, 430, 500, 600,
    750, 900, 1100, 1300, 1500, 1750, 2000, 2250, 2500, 3000, 3500, 4000,
)  # fmt: skip
"""From which total on there is one more."""
MOST: Final = len(STEPS)


def imps(total: float) -> int:
    """The IMPs of a board whose two tables differ by this many marks in all."""
    won = bisect_right(STEPS, abs(total))
    return won if total > 0 else -won
