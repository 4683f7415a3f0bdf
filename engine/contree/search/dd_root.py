"""The position to be solved, written into the first frame of the stack."""

from __future__ import annotations

from contree.engine.cards import mask_of
from contree.search.compiled_rules import STRONGER
from contree.search.dd_frames import (
    BEST,
    HOLDER,
    LAID,
    LED,
    ON_TABLE,
    POINTS,
    SEAT,
    SWEPT,
    UNPLAYED,
    Frames,
)
from contree.search.position import Position
from contree.search.slams import PAIR, swept_so_far
from contree.search.stakes import Stakes
from contree.search.strength import kind_of, numbering, renumbered

__all__ = ["write_root"]


def write_root(frames: Frames, position: Position, stakes: Stakes) -> None:
    """Write it, with cards numbered by strength and seats in turn order (``dd_game``)."""
    places = numbering(position.strain)
    step = position.rules.turn_direction.step
    row = kind_of(position.strain) * 32
    trick = [places[card] for card in position.trick]
    best, holder = (trick[0] if trick else 0), 0
    for turn, card in enumerate(trick):
        if STRONGER[row + best] >> card & 1:
            best, holder = card, turn
    leader = step * position.leader & 3
    swept = swept_so_far(position, stakes)
    frame = frames[0]
    frame[SEAT] = (leader + len(trick)) & 3
    frame[UNPLAYED] = renumbered(sum(position.hands), places)
    frame[LAID] = len(trick)
    frame[ON_TABLE] = mask_of(trick)
    frame[LED] = trick[0] >> 3 if trick else -1
    frame[BEST] = best
    frame[HOLDER] = (leader + holder) & 3
    frame[POINTS] = stakes.worth(position.taken[0])
    frame[SWEPT] = step * swept & 3 if swept < PAIR else swept
    if position.over and position.leader & 1 == 0:
        frame[POINTS] += stakes.last
