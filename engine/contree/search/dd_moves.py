"""Which cards the solver tries, and in which order: those first that probably decide.

All hands are known, so it can often be told who will have the trick. Points go to a trick that is
won, as few as possible to one that is lost, and masters are led before anything else.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from contree.search.compiled_rules import STRONGER, legal_by_strength
from contree.search.dd_frames import (
    BEST,
    CARDS,
    COUNT,
    FATES,
    HOLDER,
    LAID,
    LED,
    ON_TABLE,
    RUNS,
    SCORES,
    SEAT,
    UNPLAYED,
    Frames,
)
from contree.search.dd_game import DEAL, DUTIES, KIND, VALUES, Game
from contree.search.jit import compiled, popcount

__all__ = ["LOST", "OPEN", "WON", "list_cards"]

# Whose the trick will be if this card is played, whatever the others do.
OPEN: Final = 0
WON: Final = 1
"""The pair's that plays the card."""
LOST: Final = 2

_FIRST: Final = 1 << 20
_SUIT: Final = np.array([255, 255 << 8, 255 << 16, 255 << 24], dtype=np.int64)


@compiled
def list_cards(game: Game, frames: Frames, ply: int, favourite: int) -> None:
    """Write into a frame what may be played; ``favourite`` comes first if it is among them."""
    seat = frames[ply, SEAT]
    unplayed = frames[ply, UNPLAYED]
    hand = game[DEAL + seat] & unplayed
    partner_holds = frames[ply, HOLDER] == seat ^ 2
    legal = legal_by_strength(
        hand, game[KIND], frames[ply, LED], frames[ply, BEST], partner_holds, game[DUTIES]
    )
    others = unplayed & ~hand | frames[ply, ON_TABLE]
    only = legal & (legal - 1) == 0
    laid = frames[ply, LAID]
    count = 0
    while legal:
        bit = legal & -legal
        legal ^= bit
        card = popcount(bit - 1)
        suit = card >> 3
        run = suit * 16 + popcount(others & _SUIT[suit] & bit - 1)
        score = 0
        fate = OPEN
        if not only:
            if laid == 0:
                score, fate = _lead(game, unplayed, seat, card)
            else:
                score, fate = _follow(game, frames, ply, card)
            if card == favourite:
                score += _FIRST
        place = count
        while place > 0 and frames[ply, SCORES + place - 1] < score:
            for column in (CARDS, SCORES, RUNS, FATES):
                frames[ply, column + place] = frames[ply, column + place - 1]
            place -= 1
        frames[ply, CARDS + place] = card
        frames[ply, SCORES + place] = score
        frames[ply, RUNS + place] = run
        frames[ply, FATES + place] = fate
        count += 1
    frames[ply, COUNT] = count


@compiled
def _can_beat(hand: int, led: int, winners: int) -> bool:
    """Whether a hand that follows this suit may have one of these cards to play."""
    following = hand & _SUIT[led]
    return bool(following & winners) if following else bool(hand & winners)


@compiled
def _lead(game: Game, unplayed: int, seat: int, card: int) -> tuple[int, int]:
    """How promising a lead is, and whose the trick will be."""
    kind = game[KIND]
    suit = card >> 3
    cards = _SUIT[suit]
    value = game[VALUES + card]
    next_hand = game[DEAL + (seat + 1 & 3)] & unplayed
    partner = game[DEAL + (seat ^ 2)] & unplayed
    last_hand = game[DEAL + (seat + 3 & 3)] & unplayed
    opponents = next_hand | last_hand
    winners = STRONGER[kind * 32 + card]
    fate = OPEN
    if not _can_beat(next_hand, suit, winners) and not _can_beat(last_hand, suit, winners):
        fate = WON
    above = winners & cards & (partner | opponents)
    partner_master = above & partner > above & opponents
    if kind == 0 and suit:
        cut = (not next_hand & cards and next_hand & 255) or (
            not last_hand & cards and last_hand & 255
        )
        if not above:
            return (-200 if cut else 400 + value * 8), fate
        if partner_master and not cut:
            return 250 + value * 4, fate
        if not partner & cards and partner & 255:
            return 200, fate
        return 50 - value * 8, fate
    if not above:
        return (500 + value * 4 if opponents & cards else 0), fate
    if partner_master:
        return 250 + value * 4, fate
    return -value * 8, fate


@compiled
def _follow(game: Game, frames: Frames, ply: int, card: int) -> tuple[int, int]:
    """How promising a card is next to those on the table, and whose the trick will be."""
    seat = frames[ply, SEAT]
    unplayed = frames[ply, UNPLAYED]
    laid = frames[ply, LAID]
    led = frames[ply, LED]
    best = frames[ply, BEST]
    row = game[KIND] * 32
    value = game[VALUES + card]
    takes = STRONGER[row + best] >> card & 1
    ours = takes or frames[ply, HOLDER] == seat ^ 2
    fate = WON if ours else LOST
    if laid < 3:
        if ours:
            winners = STRONGER[row + (card if takes else best)]
            if _can_beat(game[DEAL + (seat + 1 & 3)] & unplayed, led, winners):
                fate = OPEN
                ours = False
        elif laid == 1 and _can_beat(game[DEAL + (seat ^ 2)] & unplayed, led, STRONGER[row + best]):
            fate = OPEN
            ours = True
    return (300 + value * 8 if ours else -value * 8), fate
