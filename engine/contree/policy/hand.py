"""What eight cards are worth in each strain, before a card is played.

A worth is in card points that the takers may expect, the last trick included, on the scale on which
a deal holds 162. It is a sum over the four suits, so each suit's 256 holdings are in a table. The
weights are least-squares fits to deals that the rules player has played with itself.
"""

from __future__ import annotations

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


class Tables(NamedTuple):
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
) -> Tables:
    return Tables(
        base,
        _table(trump, _TRUMP_RANKS),
        _table(plain, _PLAIN_RANKS),
        _table(no_trump, _PLAIN_RANKS),
        _table(all_trump, _TRUMP_RANKS),
    )


TAKING: Final = _tables(
    (62.0, 60.0, 65.5),
    _Holding(23.0, 12.0, (0.0, 12.5, 12.0), 4.5, (-24.0, -17.0, -11.5, -3.5, 7.0, 12.0, 14.0)),
    _Holding(10.0, 6.0, (-4.0, 5.0, 4.0), 0.5, (17.0, 9.0, 1.5, -4.5, -10.0, -13.0)),
    _Holding(17.5, 10.0, (-2.0, 6.5, 6.5), 0.5, (2.5, 0.0, -2.0, -1.5, -1.0, 1.5)),
    _Holding(16.5, 10.5, (0.0, 7.5, 8.0), 1.5, (-4.0, -4.5, -3.5, -0.5, 3.5, 9.0)),
)
"""The worth of the taker's hand, with an average partner."""

HELPING: Final = _tables(
    (-13.5, -25.5, -28.0),
    _Holding(23.5, 8.0, (8.0, 12.5, 13.0), 3.5, (-21.5, -12.0, -5.5, -1.5, 11.0, 23.5)),
    _Holding(13.5, 4.0, (0.5, 6.0, 5.5), 0.5, (10.0, 4.5, 1.5, -1.0, -4.5, -11.0)),
    _Holding(23.5, 9.5, (3.0, 10.0, 8.5), 1.5, (-1.5, -2.0, -1.5, 1.0, 2.5, 1.5)),
    _Holding(22.0, 10.5, (2.5, 9.5, 10.0), 2.0, (2.0, 0.0, -1.0, -0.5, 0.5, -1.5)),
)
"""What the hand of the taker's partner adds to an average one."""

DEFENDING: Final = _tables(
    (-2.0, 22.0, 13.0),
    _Holding(-12.5, -8.0, (4.0, -9.0, -10.5), -1.5, (11.0, 17.0, 18.5, 2.0, -15.0, -25.5)),
    _Holding(-7.5, -1.0, (1.5, -3.5, -3.5), -0.5, (-3.0, -1.5, -1.0, 0.0, 1.5, 4.5)),
    _Holding(-11.5, -6.0, (3.5, -6.0, -5.5), -0.5, (-14.0, -7.0, -1.0, 3.0, 7.0, 12.0)),
    _Holding(-10.5, -6.5, (3.5, -6.0, -6.0), -1.0, (-4.0, -0.5, 1.0, 1.5, 1.0, 1.0)),
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


def is_solid(hand: int, strain: int) -> bool:
    """Whether a hand of eight cards takes every trick once it has the lead, wherever the others
    are.
    """
    if strain >= NO_TRUMP:
        order = _PLAIN_ORDER if strain == NO_TRUMP else _TRUMP_ORDER
        return all(_run(hand >> 8 * suit & 255, order) for suit in range(4))
    for suit in range(4):
        held = hand >> 8 * suit & 255
        if suit != strain:
            if not _run(held, _PLAIN_ORDER):
                return False
        else:
            # At worst one opponent has all the other trumps: each of them needs one from the top.
            missing = 8 - held.bit_count()
            tops = sum([1 << rank for rank in _TRUMP_ORDER[:missing]])
            if held & tops != tops:
                return False
    return True


_PLAIN_ORDER: Final = (7, 6, 5, 4, 3, 2, 1, 0)
_TRUMP_ORDER: Final = (3, 2, 7, 6, 5, 4, 1, 0)


def _run(held: int, order: tuple[int, ...]) -> bool:
    """Whether a holding is a run from the best rank down, or nothing."""
    for rank in order:
        if not held >> rank & 1:
            return held & sum([1 << lower for lower in order[order.index(rank) :]]) == 0
    return True
