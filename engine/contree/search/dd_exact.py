"""From limits to the outcome itself: a few searches of one limit each, closing in on it."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from contree.search.dd_frames import (
    CARDS,
    COUNT,
    NODES_LEFT,
    ON_TABLE,
    POINTS,
    RUNS,
    SWEPT,
    UNPLAYED,
    Frames,
)
from contree.search.dd_game import CAPOT, GENERALE, LAST, TOTAL, VALUES, Game, worth_of
from contree.search.dd_moves import list_cards
from contree.search.dd_search import limit_of, play_card
from contree.search.dd_table import NO_CARD, Table
from contree.search.jit import borrowed, compiled
from contree.search.slams import MIXED

__all__ = ["outcome_at", "outcomes_by_card"]

_FIRST_STEP: Final = 2


@compiled
def outcome_at(game: Game, table: Table, generation: int, frames: Frames) -> int:
    """The outcome of the position in the first frame, if ``NODES_LEFT`` is not below 0 after it."""
    game, table, frames = borrowed(game), borrowed(table), borrowed(frames)
    low, high = _range_of(game, frames)
    return _close_in(game, table, generation, frames, (low, high), _guess(game, frames))


@compiled
def outcomes_by_card(
    game: Game, table: Table, generation: int, frames: Frames, outcomes: npt.NDArray[np.int64]
) -> None:
    """The outcome after each card that may be played in the first frame, into an array by card;
    its other places are left as they are. Not all are known if ``NODES_LEFT`` is below 0 after it.
    """
    game, table, frames = borrowed(game), borrowed(table), borrowed(frames)
    list_cards(game, frames, 0, NO_CARD)
    root = frames[0].copy()
    low, high = _range_of(game, frames)
    guess = _guess(game, frames)
    for number in range(root[COUNT]):
        card = root[CARDS + number]
        least, most = low, high
        for other in range(number):
            if root[RUNS + other] == root[RUNS + number]:
                neighbour = root[CARDS + other]
                more = abs(game[VALUES + card] - game[VALUES + neighbour])
                least = max(least, outcomes[neighbour] - more)
                most = min(most, outcomes[neighbour] + more)
        frames[0] = root
        play_card(game, frames, 0, card)
        frames[0] = frames[1]
        guess = _close_in(game, table, generation, frames, (least, most), guess)
        if frames[NODES_LEFT] < 0:
            break
        outcomes[card] = guess


@compiled
def _range_of(game: Game, frames: Frames) -> tuple[int, int]:
    """Within what the outcome must be."""
    points = frames[0, POINTS]
    rest = worth_of(game, frames[0, UNPLAYED] | frames[0, ON_TABLE]) + game[LAST]
    if frames[0, SWEPT] == MIXED:
        return points, points + rest
    slam = max(game[CAPOT], game[GENERALE])
    return game[TOTAL] - slam, slam


@compiled
def _guess(game: Game, frames: Frames) -> int:
    """Half of what is left."""
    rest = worth_of(game, frames[0, UNPLAYED] | frames[0, ON_TABLE]) + game[LAST]
    return frames[0, POINTS] + (rest >> 1)  # type: ignore[no-any-return]


@compiled
def _close_in(  # noqa: PLR0917 - positional, for the compiler
    game: Game,
    table: Table,
    generation: int,
    frames: Frames,
    limits: tuple[int, int],
    guess: int,
) -> int:
    """The outcome, by searches that go up or down from a guess in growing steps until they have
    passed it, and then halve what is left. Far from the outcome a search costs next to nothing.
    """
    low, high = limits
    above = False  # whether a search has found that it is not above ``high``
    below = False
    step = _FIRST_STEP
    target = min(max(guess, low + 1), high)
    while low < high:
        found = limit_of(game, table, generation, frames, target)
        if frames[NODES_LEFT] < 0:
            break
        if found >= target:
            low = max(low, found)
            below = True
        else:
            high = min(high, found)
            above = True
        if above and below:
            target = (low + high + 1) >> 1
        elif below:
            target = min(low + step, high)
            step *= 2
        else:
            target = max(high - step + 1, low + 1)
            step *= 2
    return low
