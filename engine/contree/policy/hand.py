"""What eight cards are worth in each strain, before a card is played.

A worth is in card points that the takers may expect, the last trick included, on the scale on which
a deal holds 162. It is a sum over the four suits, so each suit's 256 holdings are in a table. The
weights are least-squares fits to deals that the rules player has played with itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from contree.engine.masks import NO_TRUMP


class _Holding(NamedTuple):
    """Weights of what may be held in one suit; "best" and so on mean ranks, in the suit's order."""

    best: float
    both: float
    """The second besides the best ..."""
    second: tuple[float, float, float]
    """... and without it: alone, with one more card, with several."""
    third: float
    length: tuple[float, ...]
    """By number of cards; the last stands for all longer holdings."""


_TRUMP_RANKS: Final = (3, 2, 7)
"""J 9 A."""
_PLAIN_RANKS: Final = (7, 6, 5)
"""A T K."""

_Table = tuple[float, ...]


def _table(weights: _Holding, ranks: tuple[int, int, int]) -> _Table:
    """The worth of each of the 256 holdings of a suit."""
    best, second, third = ranks
    worth: list[float] = []
    for held in range(256):
        count = held.bit_count()
        value = weights.length[min(count, len(weights.length) - 1)]
        if held >> best & 1:
            value += weights.best
            if held >> second & 1:
                value += weights.both
        elif held >> second & 1:
            value += weights.second[min(count, 3) - 1]
        if held >> third & 1:
            value += weights.third
        worth.append(value)
    return tuple(worth)


class _Tables(NamedTuple):
    """The worth of a hand in every strain, from one point of view."""

    base: tuple[float, float, float]
    """What is added in a suit, at sans-atout, at tout-atout."""
    trump: _Table
    plain: _Table
    no_trump: _Table
    all_trump: _Table

    def worth(self, hand: int, strain: int) -> float:
        """The worth of a hand (a mask) in a strain."""
        parts = (hand & 255, hand >> 8 & 255, hand >> 16 & 255, hand >> 24)
        if strain < NO_TRUMP:
            plain = self.plain
            trumps = parts[strain]
            total = sum([plain[part] for part in parts]) - plain[trumps]
            return self.base[0] + total + self.trump[trumps]
        table = self.no_trump if strain == NO_TRUMP else self.all_trump
        return self.base[strain - 3] + sum([table[part] for part in parts])


def _tables(
    base: tuple[float, float, float],
    trump: _Holding,
    plain: _Holding,
    no_trump: _Holding,
    all_trump: _Holding,
) -> _Tables:
    return _Tables(
        base,
        _table(trump, _TRUMP_RANKS),
        _table(plain, _PLAIN_RANKS),
        _table(no_trump, _PLAIN_RANKS),
        _table(all_trump, _TRUMP_RANKS),
    )


TAKING: Final = _tables(
    (53.1, 38.2, 40.3),
    _Holding(26.4, 12.1, (4.3, 9.3, 11.4), 6.0, (0.0, -16.7, -11.3, -2.9, 7.9, 12.3, 14.0, 17.0)),
    _Holding(12.8, 4.9, (-3.5, 4.3, 4.3), 0.4, (19.7, 8.7, 0.7, -6.0, -10.5, -12.6)),
    _Holding(28.0, 13.7, (1.7, 9.6, 9.2), 1.1, (-5.8, -5.4, -3.5, 0.8, 4.9, 9.0)),
    _Holding(25.7, 14.5, (2.2, 9.5, 10.2), 1.5, (-5.1, -5.3, -3.5, 0.1, 3.9, 9.7)),
)
"""The worth of the taker's hand, with an average partner."""

HELPING: Final = _tables(
    (-16.4, -17.8, -16.3),
    _Holding(28.0, 6.6, (7.8, 12.0, 9.7), 5.7, (-12.6, -8.4, -4.4, -2.7, 9.0, 19.1)),
    _Holding(16.0, 3.2, (0.8, 4.6, 4.4), 0.0, (17.7, 8.1, 2.0, -3.3, -8.8, -15.8)),
    _Holding(28.1, 9.9, (4.0, 9.7, 8.7), 1.5, (-6.5, -5.0, -2.0, 2.0, 4.6, 7.0)),
    _Holding(26.2, 7.9, (3.3, 11.2, 10.2), 2.1, (-9.0, -5.8, -2.6, 2.1, 6.2, 9.1)),
)
"""What the hand of the taker's partner adds to an average one."""

DEFENDING: Final = _tables(
    (-2.3, 3.6, 8.8),
    _Holding(-12.4, -5.4, (5.4, -7.6, -9.9), -0.8, (7.6, 15.2, 17.9, 2.2, -11.7, -21.4)),
    _Holding(-6.1, -0.8, (1.1, -3.4, -3.2), 0.0, (-5.6, -1.8, -0.6, 0.5, 2.3, 5.3)),
    _Holding(-6.8, -5.4, (3.6, -3.4, -3.4), -1.0, (2.7, 3.5, 2.6, -0.1, -2.5, -6.2)),
    _Holding(-6.3, -5.5, (4.6, -3.8, -3.8), -1.3, (-3.9, -0.4, 1.2, 1.4, 1.4, 0.3)),
)
"""What the hand of one defender adds to the takers' points (mostly: takes from them)."""

_MARRIAGE: Final = 0b00110000
"""Queen and king of a suit."""


def belotes(hand: int, strain: int, at_all_trump: int) -> int:
    """How many belotes a hand holds in a strain."""
    if strain < NO_TRUMP:
        return int(hand >> strain * 8 & _MARRIAGE == _MARRIAGE)
    if strain == NO_TRUMP or not at_all_trump:
        return 0
    return sum(hand >> suit * 8 & _MARRIAGE == _MARRIAGE for suit in range(4))


def best_strain(hand: int, strains: Sequence[int]) -> tuple[int, float]:
    """The strain in which this hand is worth most to a taker, and that worth."""
    worth, strain = max((TAKING.worth(hand, strain), strain) for strain in strains)
    return strain, worth
