"""What each pair is sure of before a trick is led: two limits of the outcome without any search.

- The highest trumps left, down to the first that the other pair holds, win a trick whenever they
  are played, so their points are their holders'. (Not so at sans-atout and tout-atout, where one
  may have to throw a master away.)
- The leader can play all masters that nobody can cut: without trumps around, or while both
  opponents have to follow, or once the leader's own master trumps have drawn theirs.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from contree.search.dd_game import (
    CAPOT,
    DEAL,
    GENERALE,
    KIND,
    LAST,
    TOTAL,
    Game,
    in_suit,
    sum_of,
    worth_of,
)
from contree.search.jit import compiled, popcount
from contree.search.slams import MIXED, NOBODY, PAIR

__all__ = ["limits"]

_DOWN_FROM: Final = np.array([(1 << held.bit_length()) - 1 for held in range(256)], dtype=np.int64)
"""For a set of cards of a suit, its highest card and all below."""


@compiled
def limits(game: Game, unplayed: int, leader: int, points: int, swept: int) -> tuple[int, int]:
    """The outcome is not below the first and not above the second.

    ``points`` are North-South's so far, ``swept`` is as in ``slams``.
    """
    rest = game[LAST] + worth_of(game, unplayed)
    hand = game[DEAL + leader] & unplayed
    partner = game[DEAL + (leader ^ 2)] & unplayed
    next_hand = game[DEAL + (leader + 1 & 3)] & unplayed
    last_hand = game[DEAL + (leader + 3 & 3)] & unplayed

    tricks = 0  # that the leader can take from the top
    gain = 0
    loss = 0
    wins = False
    lost = False
    first_plain = 0
    drawn = True
    if game[KIND] == 0:
        first_plain = 1
        ours = (hand | partner) & 255
        theirs = (next_hand | last_hand) & 255
        gain = sum_of(game, 0, ours & ~_DOWN_FROM[theirs])
        wins, lost = ours > theirs, theirs > ours
        loss = sum_of(game, 0, theirs & ~_DOWN_FROM[ours])
        own = hand & 255
        tricks = popcount(own & ~_DOWN_FROM[(theirs | partner & 255)])
        drawn = popcount(next_hand & 255) <= tricks and popcount(last_hand & 255) <= tricks
    for suit in range(first_plain, 4):
        own = in_suit(hand, suit)
        if own:
            masters = own & ~_DOWN_FROM[in_suit(unplayed & ~hand, suit)]
            if masters:
                count = popcount(masters)
                if not drawn:
                    followed = min(
                        popcount(in_suit(next_hand, suit)), popcount(in_suit(last_hand, suit))
                    )
                    while count > followed:
                        masters &= masters - 1
                        count -= 1
                tricks += count
                gain += sum_of(game, suit, masters)
    everything = tricks == popcount(hand)
    if everything:
        gain = rest

    north_south = not leader & 1
    if north_south:
        low, high = points + gain, points + rest - loss
    else:
        low, high = points + loss, points + rest - gain
    if swept == MIXED:
        return low, high
    return _with_slams(game, low, high, (leader, swept), wins or tricks > 0, lost, everything)


@compiled
def _with_slams(  # noqa: PLR0917 - positional, for the compiler
    game: Game,
    low: int,
    high: int,
    who: tuple[int, int],
    leader_wins: bool,
    leader_loses: bool,
    leader_sweeps: bool,
) -> tuple[int, int]:
    """The limits where eight tricks of one pair are still possible."""
    leader, swept = who
    total = game[TOTAL]
    generale = game[GENERALE] if swept < PAIR or swept == NOBODY else game[CAPOT]
    north_south = not leader & 1
    ours = swept == NOBODY or not (swept ^ leader) & 1
    theirs = swept == NOBODY or not ours
    best = generale  # what the pair that may still win all can have at most
    if leader_sweeps and ours:
        sure = generale if swept in (NOBODY, leader) else game[CAPOT]
        if north_south:
            low = sure
        else:
            high = total - sure
    if ours and not leader_loses:
        if north_south:
            high = best
        else:
            low = total - best
    if theirs and not leader_wins:
        if north_south:
            low = total - best
        else:
            high = best
    return low, high
