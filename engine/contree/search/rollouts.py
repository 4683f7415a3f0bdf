"""Random play to the end, many times over, by the engine's own rules.

Each legal card is equally likely at every turn. (Within two parts in a thousand million: a choice
among n is the upper half of n times a random number of 32 bits.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from contree.engine import Card
from contree.search.compiled_rules import BEATS, legal_cards
from contree.search.jit import compiled, next_random, popcount
from contree.search.position import Position
from contree.search.slams import after_trick, outcome_of, swept_so_far
from contree.search.stakes import stakes_of

__all__ = ["random_lines", "rollouts", "rollouts_by_card", "rollouts_over"]

Outcomes = npt.NDArray[np.int16]
"""An outcome (``stakes``) for each rollout."""

Lines = npt.NDArray[np.int8]
"""Cards in the order in which they were played, for each rollout."""


def rollouts(position: Position, count: int, seed: int, *, slams: bool = True) -> Outcomes:
    """The outcomes of ``count`` random plays from here to the end; the same for the same seed.

    ``stakes_of(rules, strain, slams=slams).points`` tells what an outcome is in points.
    """
    hands = np.array([position.hands], dtype=np.int64)
    return rollouts_over(position, hands, count, seed, slams=slams).reshape(count)


def rollouts_by_card(
    position: Position,
    hands: Sequence[Sequence[int]] | npt.NDArray[np.int64],
    count: int,
    seed: int,
    *,
    slams: bool = True,
) -> dict[Card, Outcomes]:
    """For each legal card, the outcomes of ``count`` random plays in each of these worlds after it
    was played: an array of worlds by plays.

    Worlds are hands as ``Position.hands`` has them; the seat to play must hold the same in all. The
    position gives everything else. The random sequence is the same for each card.
    """
    worlds = np.array(hands, dtype=np.int64)
    found = {}
    for card in position.legal:
        after = position.play(card)
        there = worlds & ~np.int64(1 << card)
        found[card] = rollouts_over(after, there, count, seed, slams=slams)
    return found


def random_lines(position: Position, count: int, seed: int) -> tuple[Lines, Outcomes]:
    """The cards of the same random plays as ``rollouts`` makes of this seed, in order, as an array
    of plays by cards, and their outcomes.
    """
    left = sum(hand.bit_count() for hand in position.hands)
    lines = np.empty((count, left), dtype=np.int8)
    hands = np.array([position.hands], dtype=np.int64)
    outcomes = _outcomes(position, hands, count, seed, lines, slams=True)
    return lines, outcomes.reshape(count)


def rollouts_over(
    position: Position,
    hands: npt.NDArray[np.int64],
    count: int,
    seed: int,
    *,
    slams: bool = True,
) -> Outcomes:
    """The outcomes of ``count`` random plays in each of these worlds, as an array of worlds by
    plays; the position gives everything but the hands.
    """
    return _outcomes(position, hands, count, seed, None, slams=slams)


def _outcomes(
    position: Position,
    hands: npt.NDArray[np.int64],
    count: int,
    seed: int,
    lines: Lines | None,
    *,
    slams: bool,
) -> Outcomes:
    rules, strain = position.rules, position.strain
    stakes = stakes_of(rules, strain, slams=slams)
    outcomes = np.empty((len(hands), count), dtype=np.int16)
    _play_out(
        hands,
        np.array(position.trick, dtype=np.int64),
        int(position.leader),
        stakes.worth(position.taken[0]),
        swept_so_far(position, stakes),
        (int(strain), rules.play_duties, rules.turn_direction.step),
        (stakes.last, stakes.total, stakes.capot, stakes.generale),
        np.array(stakes.values, dtype=np.int64),
        seeded(seed),
        outcomes,
        lines,
    )
    return outcomes


def seeded(seed: int) -> int:
    """A state to begin a random sequence with: seeds that differ little give sequences that have
    nothing in common.
    """
    mixed = (seed + 1) * 0x9E37_79B9_7F4A_7C15 & (1 << 64) - 1  # splitmix64
    mixed = (mixed ^ mixed >> 30) * 0xBF58_476D_1CE4_E5B9 & (1 << 64) - 1
    mixed = (mixed ^ mixed >> 27) * 0x94D0_49BB_1331_11EB & (1 << 64) - 1
    mixed ^= mixed >> 31
    return (mixed or 1) - (1 << 64 if mixed >> 63 else 0)


@compiled
def _play_out(  # noqa: PLR0917 - positional, for the compiler
    hands: npt.NDArray[np.int64],
    trick: npt.NDArray[np.int64],
    root_leader: int,
    root_points: int,
    root_swept: int,
    game: tuple[int, int, int],
    worth: tuple[int, int, int, int],
    values: npt.NDArray[np.int64],
    state: int,
    outcomes: npt.NDArray[Any],
    lines: npt.NDArray[Any] | None,
) -> None:
    strain, duties, step = game
    last, total, capot, generale = worth
    row = strain * 32
    laid = trick.size
    for world in range(hands.shape[0]):
        dealt = hands[world]
        everything = dealt[0] | dealt[1] | dealt[2] | dealt[3]
        for run in range(outcomes.shape[1]):
            unplayed = everything
            number = 0
            leader = root_leader
            north_south = root_points
            swept = root_swept
            first = laid
            while unplayed:
                seat = leader
                led = -1
                best = 0
                holder = leader
                worth_of_it = 0
                for turn in range(4):
                    if turn < first:
                        card = trick[turn]
                        bit = 1 << card
                    else:
                        hand = dealt[seat] & unplayed
                        legal = legal_cards(hand, strain, led, best, holder == seat ^ 2, duties)
                        state = next_random(state)
                        bit = any_of(legal, state)
                        card = popcount(bit - 1)
                        unplayed ^= bit
                        if lines is not None:  # decided when it is compiled
                            lines[run, number] = card
                            number += 1
                    worth_of_it += values[card]
                    if turn == 0:
                        led = card >> 3
                        best = card
                    elif BEATS[row + best] & bit:
                        best = card
                        holder = seat
                    seat = (seat + step) & 3
                first = 0
                leader = holder
                if not leader & 1:
                    north_south += worth_of_it
                swept = after_trick(swept, leader)
            if not leader & 1:
                north_south += last
            outcomes[world, run] = outcome_of(swept, north_south, total, capot, generale)


@compiled
def any_of(cards: int, state: int) -> int:
    """One of these cards, by the dice."""
    skip = (state >> 32 & 0xFFFF_FFFF) * popcount(cards) >> 32
    while skip:
        cards &= cards - 1
        skip -= 1
    return cards & -cards
