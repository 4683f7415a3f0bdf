"""The table of positions already searched, at the beginning of a trick.

Of one deal a position is told by the cards unplayed, the leader and who has won all tricks so far
(``slams``), so the key is exact: no two positions share it. A generation in its upper bits makes
all entries of earlier deals void at once. Entries hold limits of what is still to be won.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from contree.search.dd_game import TWINS, Game
from contree.search.jit import compiled, popcount
from contree.search.slams import MIXED

__all__ = ["GENERATIONS", "NO_CARD", "Table", "find", "key_of", "new_table", "put", "unpack"]

Table = npt.NDArray[np.int64]

GENERATIONS: Final = 1 << 26
"""So many deals can follow one another before a table must be emptied."""
NO_CARD: Final = 63
_ZERO: Final = 1 << 14  # limits are stored above it
_MIX: Final = -7046029254386353131  # 2**64 divided by the golden section
_WORTHLESS: Final = 7 | 7 << 8 | 7 << 16 | 7 << 24


def new_table(bits: int) -> Table:
    """An empty table of ``2 ** bits`` entries of 16 bytes."""
    return np.zeros(2 << bits, dtype=np.int64)


@compiled
def key_of(game: Game, unplayed: int, leader: int, swept: int, generation: int) -> int:
    """The key of a position; the same for positions that differ in twins (``dd_game``)."""
    cards = unplayed & ~_WORTHLESS
    for suit in range(4):
        cards |= game[TWINS + suit * 8 + (unplayed >> suit * 8 & 7)] << suit * 8
    return cards | leader << 32 | swept << 34 | generation << 37


@compiled
def _slot(table: Table, key: int) -> int:
    return (key * _MIX >> 24 & (table.size >> 1) - 1) << 1


@compiled
def find(table: Table, key: int) -> int:
    """What ``unpack`` reads of this position, 0 when the table does not have it."""
    slot = _slot(table, key)
    if table[slot] == key:
        return table[slot + 1]  # type: ignore[no-any-return]
    slot ^= 2
    if table[slot] == key:
        return table[slot + 1]  # type: ignore[no-any-return]
    return 0


@compiled
def unpack(data: int, points: int, swept: int) -> tuple[int, int, int]:
    """Limits of the outcome, and the card that was best."""
    base = (points if swept == MIXED else 0) - _ZERO
    return (data & 0xFFFF) + base, (data >> 16 & 0xFFFF) + base, data >> 32


@compiled
def put(table: Table, key: int, limits: tuple[int, int], card: int, who: tuple[int, int]) -> None:
    """Keep what is known of a position; ``who`` is its points and ``swept``.

    Of two neighbours, the position with more cards stays.
    """
    points, swept = who
    base = (points if swept == MIXED else 0) - _ZERO
    slot = _slot(table, key)
    if table[slot] != key:
        if table[slot ^ 2] == key:
            slot ^= 2
        else:
            old = table[slot]
            if old >> 37 == key >> 37 and _cards(old) > _cards(key):
                slot ^= 2
    low, high = limits
    table[slot] = key
    table[slot + 1] = low - base | high - base << 16 | card << 32


@compiled
def _cards(key: Any) -> Any:
    return popcount(key & 0xFFFF_FFFF)
