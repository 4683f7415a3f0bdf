"""The stack of the solver: one row of integers for each card played below the root.

The search keeps its own stack and does not call itself, because numba cannot load recursive
functions from its cache.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

__all__ = [
    "BEST",
    "CARD",
    "CARDS",
    "COUNT",
    "FATES",
    "Frames",
    "HIGH",
    "HOLDER",
    "KEY",
    "LAID",
    "LED",
    "LOW",
    "NEXT",
    "NODES_LEFT",
    "ON_TABLE",
    "POINTS",
    "RUNS",
    "SCORES",
    "SEAT",
    "SWEPT",
    "UNPLAYED",
    "VALUE",
    "VALUES_OF",
    "new_frames",
]

Frames = npt.NDArray[np.int64]

# The position.
SEAT: Final = 0
"""Whose turn it is."""
UNPLAYED: Final = 1
LAID: Final = 2
"""How many cards the current trick has."""
ON_TABLE: Final = 3
"""These cards, as a mask."""
LED: Final = 4
"""The suit led, -1 before the lead."""
BEST: Final = 5
"""The card that holds the trick, and who played it; before the lead 0 and the leader."""
HOLDER: Final = 6
POINTS: Final = 7
"""North-South's in finished tricks."""
SWEPT: Final = 8
"""As in ``slams``."""

# The search of it.
KEY: Final = 9
"""In the table; 0 within a trick."""
LOW: Final = 10
HIGH: Final = 11
"""Limits of the outcome known beforehand."""
VALUE: Final = 12
"""The best limit found so far, and the card that brought it."""
CARD: Final = 13
NEXT: Final = 14
"""Which of the cards below is being searched."""
COUNT: Final = 15
"""How many there are."""

# For each card that may be played, the most promising first.
CARDS: Final = 16
SCORES: Final = 24
"""How promising it looks."""
RUNS: Final = 32
"""Cards of a run are next to each other as far as all other hands and the trick are concerned."""
FATES: Final = 40
"""Whose the trick will certainly be, as in ``dd_moves``."""
VALUES_OF: Final = 48
"""What the search found."""

# Beside the stack.
NODES_LEFT: Final = 33, 0
"""How many more positions may be searched; below 0 when the search was broken off for want of them.
"""


def new_frames() -> Frames:
    """Room for 32 cards and the end, and a row for ``NODES_LEFT``."""
    return np.zeros((34, 56), dtype=np.int64)
