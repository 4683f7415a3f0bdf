"""A plain minimax: every line of play, nothing passed by, nothing remembered.

Compiled, so that thousands of endings can be compared with it. It shares with the solver only the
rules of play, which are the engine's own.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from contree.search import Position, Stakes
from contree.search.compiled_rules import BEATS, legal_cards
from contree.search.jit import borrowed

_njit: Any = numba.njit
_UNKNOWN = -1_000_000


def plain_outcome(position: Position, stakes: Stakes) -> int:
    """The outcome if all play perfectly."""
    row = position.strain * 32
    step = position.rules.turn_direction.step
    best, holder = 0, int(position.leader)
    for turn, card in enumerate(position.trick):
        if not turn or BEATS[row + best] >> card & 1:
            best, holder = int(card), (position.leader + step * turn) & 3
    return int(
        _start(
            np.array(position.hands, dtype=np.int64),
            np.array(stakes.values, dtype=np.int64),
            (int(position.strain), position.rules.play_duties, step),
            (stakes.last, stakes.total, stakes.capot, stakes.generale),
            (
                int(position.turn),
                len(position.trick),
                int(position.trick[0] >> 3) if position.trick else -1,
                best,
                holder,
            ),
            (
                sum(stakes.values[card] for card in position.trick),
                stakes.worth(position.taken[0]),
                sum(1 << seat for seat in range(4) if position.won[seat]),
            ),
        )
    )


@_njit
def _start(hands, values, game, worth, turn, sums):  # type: ignore[no-untyped-def]  # noqa: PLR0917
    return _outcome(borrowed(hands), borrowed(values), game, worth, turn, sums)


@_njit
def _outcome(hands, values, game, worth, turn, sums):  # type: ignore[no-untyped-def]  # noqa: PLR0917
    strain, duties, step = game
    seat, laid, led, best, holder = turn
    on_table, north_south, winners = sums
    hand = hands[seat]
    if hand == 0:
        last, total, capot, generale = worth
        if winners & 0b1010 == 0:
            return generale if winners in (1, 4) else capot
        if winners & 0b0101 == 0:
            return total - (generale if winners in (2, 8) else capot)
        return north_south if holder & 1 else north_south + last
    legal = legal_cards(hand, strain, led, best, holder == seat ^ 2, duties)
    outcome = _UNKNOWN
    for card in range(32):
        if not legal >> card & 1:
            continue
        takes = laid == 0 or BEATS[strain * 32 + best] >> card & 1
        top, whose = (card, seat) if takes else (best, holder)
        laid_out = on_table + values[card]
        if laid < 3:
            suit = card >> 3 if laid == 0 else led
            next_turn = (seat + step & 3, laid + 1, suit, top, whose)
            next_sums = (laid_out, north_south, winners)
        else:
            next_turn = (whose, 0, -1, 0, whose)
            points = north_south if whose & 1 else north_south + laid_out
            next_sums = (0, points, winners | 1 << whose)
        hands[seat] = hand ^ 1 << card
        after = _outcome(hands, values, game, worth, next_turn, next_sums)
        hands[seat] = hand
        if outcome == _UNKNOWN or (after < outcome if seat & 1 else after > outcome):
            outcome = after
    return outcome
