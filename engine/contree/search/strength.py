"""Cards numbered by strength: a position told so that the solver need not know what is trump.

The trump suit changes places with spades, and within each suit the stronger card has the higher
bit. Three kinds of strain are left: spades as trump, sans-atout and tout-atout.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from contree.engine.cards import Strain
from contree.engine.masks import ALL_TRUMP, NO_TRUMP, TRUMP_POWER

__all__ = ["BEATS_BY_STRENGTH", "kind_of", "numbering", "renumbered"]


def kind_of(strain: Strain) -> int:
    """The strain as the solver sees it: 0 with trumps, ``NO_TRUMP`` or ``ALL_TRUMP``."""
    return 0 if strain < NO_TRUMP else int(strain)


@lru_cache(maxsize=6)
def numbering(strain: Strain) -> tuple[int, ...]:
    """The number by strength of each of the 32 cards."""
    return tuple(_place(strain, card >> 3, card & 7) for card in range(32))


def _place(strain: int, suit: int, rank: int) -> int:
    at_trump = strain in (suit, ALL_TRUMP)
    if strain < NO_TRUMP:
        suit = 0 if suit == strain else strain if suit == 0 else suit
    return suit * 8 + (TRUMP_POWER[rank] if at_trump else rank)


def renumbered(mask: int, places: tuple[int, ...]) -> int:
    """A set of cards with each card at its new place."""
    result = 0
    while mask:
        bit = mask & -mask
        result |= 1 << places[bit.bit_length() - 1]
        mask ^= bit
    return result


def _stronger(kind: int, card: int) -> int:
    suit, power = divmod(card, 8)
    higher = (0xFF & ~((2 << power) - 1)) << suit * 8
    return higher | (0xFF if kind == 0 and suit else 0)


BEATS_BY_STRENGTH: Final[tuple[int, ...]] = tuple(
    _stronger(strain, card) for strain in range(6) for card in range(32)
)
"""``masks.BEATS`` for cards numbered by strength; its rows 1, 2 and 3 are never asked for."""
