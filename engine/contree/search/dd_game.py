"""What stays the same while a deal is solved, as one array of integers for compiled code.

Cards are numbered by strength (``strength.py``), seats in turn order: one seat's next is the seat
plus one, so under counter-clockwise rules East and West have changed places.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from contree.search.jit import compiled
from contree.search.position import Position
from contree.search.stakes import Stakes
from contree.search.strength import kind_of, numbering, renumbered

__all__ = [
    "CAPOT",
    "DEAL",
    "DUTIES",
    "GENERALE",
    "KIND",
    "LAST",
    "TOTAL",
    "VALUES",
    "Game",
    "belongs_to",
    "game_of",
    "in_suit",
    "sum_of",
    "worth_of",
]

Game = npt.NDArray[np.int64]

KIND: Final = 0
"""``kind_of`` the strain."""
DUTIES: Final = 1
LAST: Final = 2
TOTAL: Final = 3
CAPOT: Final = 4
GENERALE: Final = 5
"""What is played for, as in ``Stakes``."""
DEAL: Final = 8
"""The cards each seat was dealt, as far as they are unplayed in the position to be solved or in
its trick: every later hand is this without the cards played."""
TWINS: Final = 12
"""By suit, for each set of its three weakest cards, the set that stands for it: see ``_twins``."""
VALUES: Final = 44
"""The points of each card."""
SUMS: Final = 76
"""By suit, the points of each of the 256 sets of its cards."""
_SIZE: Final = SUMS + 1024


def game_of(position: Position, stakes: Stakes) -> Game:
    """The game that a position belongs to."""
    places = numbering(position.strain)
    step = position.rules.turn_direction.step
    dealt = list(position.hands)
    for turn, card in enumerate(position.trick):
        dealt[(position.leader + step * turn) & 3] |= 1 << card
    game = np.zeros(_SIZE, dtype=np.int64)
    game[KIND] = kind_of(position.strain)
    game[DUTIES] = position.rules.play_duties
    game[LAST : GENERALE + 1] = stakes.last, stakes.total, stakes.capot, stakes.generale
    for seat, hand in enumerate(dealt):
        game[DEAL + (step * seat & 3)] = renumbered(hand, places)
    for place, value in zip(places, stakes.values, strict=True):
        game[VALUES + place] = value
    _fill(game)
    return game


def belongs_to(game: Game, position: Position) -> bool:
    """Whether a position of the same rules and strain is a later one of this game's deal: each
    seat's cards are among those it was dealt there.
    """
    if not game.size:
        return False
    places = numbering(position.strain)
    step = position.rules.turn_direction.step
    return all(
        renumbered(hand, places) & ~int(game[DEAL + (step * seat & 3)]) == 0
        for seat, hand in enumerate(position.hands)
    )


@compiled
def _fill(game: Game) -> None:
    """The tables that follow from cards and values."""
    for suit in range(4):
        for held in range(256):
            total = 0
            for power in range(8):
                if held >> power & 1:
                    total += game[VALUES + suit * 8 + power]
            game[SUMS + suit * 256 + held] = total
        _twins(game, suit)


@compiled
def _twins(game: Game, suit: int) -> None:
    """Sets of worthless cards that come to the same: as many, and in the order of their strength in
    the same hands. A 7 is as good as an 8 once the other is gone. Of each kind the lowest set
    stands for all.
    """
    for held in range(8):
        twin = held
        for other in range(held):
            if _same_holders(game, suit, held, other):
                twin = other
                break
        game[TWINS + suit * 8 + held] = twin


@compiled
def _same_holders(game: Game, suit: int, one: int, other: int) -> bool:
    while one or other:
        first = one & -one
        second = other & -other
        if not first or not second:
            return False
        if first != second:
            if sum_of(game, suit, first) or sum_of(game, suit, second):
                return False
            shift = suit * 8
            for seat in range(4):
                hand = game[DEAL + seat] >> shift
                if bool(hand & first) != bool(hand & second):
                    return False
        one ^= first
        other ^= second
    return True


@compiled
def sum_of(game: Game, suit: int, held: int) -> int:
    """The points of a set of cards of one suit."""
    return game[SUMS + suit * 256 + held]  # type: ignore[no-any-return]


@compiled
def worth_of(game: Game, mask: int) -> int:
    """The points of a set of cards."""
    return (  # type: ignore[no-any-return]
        game[SUMS + (mask & 255)]
        + game[SUMS + 256 + (mask >> 8 & 255)]
        + game[SUMS + 512 + (mask >> 16 & 255)]
        + game[SUMS + 768 + (mask >> 24 & 255)]
    )


@compiled
def in_suit(mask: int, suit: int) -> int:
    """The cards of one suit, as a byte."""
    return mask >> suit * 8 & 255
