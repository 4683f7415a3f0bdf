"""Who has won all tricks so far, as one number, for what all eight are worth depends on it.

0 to 3: that seat alone; ``PAIR`` + 0 or 1: both players of that pair; ``NOBODY`` has won a trick
yet; ``MIXED``: each pair has, or eight tricks count nothing of their own.
"""

from __future__ import annotations

from typing import Final

from contree.search.jit import compiled
from contree.search.position import Position
from contree.search.stakes import Stakes

__all__ = ["MIXED", "NOBODY", "PAIR", "after_trick", "outcome_of", "swept_so_far"]

PAIR: Final = 4
NOBODY: Final = 6
MIXED: Final = 7


def swept_so_far(position: Position, stakes: Stakes) -> int:
    """That number for a position."""
    if stakes.total == stakes.generale:
        return MIXED
    winners = [seat for seat, tricks in enumerate(position.won) if tricks]
    if not winners:
        return NOBODY
    if len(winners) == 1:
        return winners[0]
    return MIXED if winners[0] + 2 != winners[-1] or len(winners) > 2 else PAIR + (winners[0] & 1)


@compiled
def after_trick(swept: int, winner: int) -> int:
    """The number after a trick of this seat."""
    if swept in (MIXED, winner):
        return swept
    if swept == NOBODY:
        return winner
    if (swept ^ winner) & 1:
        return MIXED
    return PAIR + (winner & 1)


@compiled
def outcome_of(swept: int, points: int, total: int, capot: int, generale: int) -> int:
    """The outcome (``stakes``) of a finished play in which North-South have these points."""
    if swept >= NOBODY:
        return points
    slam = generale if swept < PAIR else capot
    return total - slam if swept & 1 else slam
