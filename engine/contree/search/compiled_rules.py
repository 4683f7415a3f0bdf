"""The engine's rules of play, compiled: the functions of ``contree.engine.masks`` themselves.

Twice: with cards numbered as everywhere, and with cards numbered by strength (``strength.py``),
which differ in nothing but the table of what beats what.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from contree.engine import masks
from contree.engine.cards import SUIT_MASKS
from contree.search.jit import rebound
from contree.search.strength import BEATS_BY_STRENGTH

__all__ = ["BEATS", "STRONGER", "legal_by_strength", "legal_cards"]

BEATS: Final = np.array(masks.BEATS, dtype=np.int64)
"""``masks.BEATS``."""
STRONGER: Final = np.array(BEATS_BY_STRENGTH, dtype=np.int64)
"""The same for cards numbered by strength."""

_SUITS: Final = np.array(SUIT_MASKS, dtype=np.int64)

_void: Final = rebound(masks._void, "plain", BEATS=BEATS, SUIT_MASKS=_SUITS)
legal_cards: Final = rebound(
    masks.legal_cards, "plain", BEATS=BEATS, SUIT_MASKS=_SUITS, _void=_void
)
"""``masks.legal_cards``."""

_void_by_strength: Final = rebound(masks._void, "strength", BEATS=STRONGER, SUIT_MASKS=_SUITS)
legal_by_strength: Final = rebound(
    masks.legal_cards,
    "strength",
    BEATS=STRONGER,
    SUIT_MASKS=_SUITS,
    _void=_void_by_strength,
)
"""``masks.legal_cards`` for cards numbered by strength."""
