"""The search for one limit: is the outcome at least so much?

Alpha-beta with an empty window, fail-soft: the answer is a limit that is often better than what was
asked. Much of the tree need not be looked at, because cards of a run (``dd_frames``) stand in for
each other. Let a card worth ``d`` points more be played now and its neighbour later, or the other
way round: the same tricks go to the same seats, and the outcomes differ by ``d`` at most. If it is
certain whose the trick will be, one of the two is never better than the other: the winner of the
trick wants the points in it, the loser does not.
"""

from __future__ import annotations

from typing import Final

from contree.search.compiled_rules import STRONGER
from contree.search.dd_bounds import limits
from contree.search.dd_frames import (
    BEST,
    CARD,
    CARDS,
    COUNT,
    FATES,
    HIGH,
    HOLDER,
    KEY,
    LAID,
    LED,
    LOW,
    NEXT,
    NODES_LEFT,
    ON_TABLE,
    POINTS,
    RUNS,
    SEAT,
    SWEPT,
    UNPLAYED,
    VALUE,
    VALUES_OF,
    Frames,
)
from contree.search.dd_game import (
    CAPOT,
    DEAL,
    GENERALE,
    KIND,
    LAST,
    TOTAL,
    VALUES,
    Game,
    worth_of,
)
from contree.search.dd_moves import LOST, WON, list_cards
from contree.search.dd_table import NO_CARD, Table, find, key_of, put, unpack
from contree.search.jit import compiled, popcount
from contree.search.slams import after_trick, outcome_of

__all__ = ["limit_of", "play_card"]

_UNKNOWN: Final = 1 << 20


@compiled
def limit_of(game: Game, table: Table, generation: int, frames: Frames, target: int) -> int:
    """A limit of the outcome of the position in the first frame: a lower one if it is ``target`` or
    more, else an upper one. Nothing is known when ``NODES_LEFT`` is below 0 after it; but what was
    found on the way is in the table, so the same search goes on from there.
    """
    ply = 0
    found = 0
    known = False  # whether ``found`` is the limit of the position below this frame
    nodes = frames[NODES_LEFT]
    while ply >= 0:
        if not known:
            nodes -= 1
            if nodes < 0:
                break
            if frames[ply, LAID] == 0:
                known, found, favourite = _look_up(game, table, generation, frames, ply, target)
                if known:
                    ply -= 1
                    continue
            else:
                favourite = NO_CARD
                frames[ply, KEY] = 0
            list_cards(game, frames, ply, favourite)
            frames[ply, NEXT] = 0
            frames[ply, CARD] = NO_CARD
            frames[ply, VALUE] = _UNKNOWN if frames[ply, SEAT] & 1 else -_UNKNOWN
            decided = False
        else:
            decided = _take_in(frames, ply, found, target)
        if not decided:
            number = _next_card(game, frames, ply, target)
            frames[ply, NEXT] = number
            if number < frames[ply, COUNT]:
                play_card(game, frames, ply, frames[ply, CARDS + number])
                ply += 1
                known = False
                continue
        found = frames[ply, VALUE]
        if frames[ply, KEY]:
            found = _remember(table, frames, ply, found, target)
        known = True
        ply -= 1
    frames[NODES_LEFT] = nodes
    return found


@compiled
def _look_up(  # noqa: PLR0917 - positional, for the compiler
    game: Game, table: Table, generation: int, frames: Frames, ply: int, target: int
) -> tuple[bool, int, int]:
    """Whether a limit is known before a trick is searched, the limit, and the card to try first."""
    unplayed = frames[ply, UNPLAYED]
    points = frames[ply, POINTS]
    swept = frames[ply, SWEPT]
    leader = frames[ply, SEAT]
    if unplayed == 0:
        return True, _outcome(game, points, swept), NO_CARD
    low, high = limits(game, unplayed, leader, points, swept)
    if low >= target:
        return True, low, NO_CARD
    if high < target:
        return True, high, NO_CARD
    hand = game[DEAL + leader] & unplayed
    if hand & (hand - 1) == 0:
        return True, _last_trick(game, unplayed, leader, points, swept), NO_CARD
    key = key_of(game, unplayed, leader, swept, generation)
    data = find(table, key)
    favourite = NO_CARD
    if data:
        known_low, known_high, favourite = unpack(data, points, swept)
        low = max(low, known_low)
        high = min(high, known_high)
        if low >= target or low == high:
            return True, low, favourite
        if high < target:
            return True, high, favourite
    frames[ply, KEY] = key
    frames[ply, LOW] = low
    frames[ply, HIGH] = high
    return False, 0, favourite


@compiled
def _outcome(game: Game, points: int, swept: int) -> int:
    return outcome_of(swept, points, game[TOTAL], game[CAPOT], game[GENERALE])


@compiled
def _last_trick(game: Game, unplayed: int, leader: int, points: int, swept: int) -> int:
    """The outcome when each seat has one card left."""
    row = game[KIND] * 32
    best = popcount((game[DEAL + leader] & unplayed) - 1)
    holder = leader
    for turn in range(1, 4):
        seat = leader + turn & 3
        bit = game[DEAL + seat] & unplayed
        if STRONGER[row + best] & bit:
            best = popcount(bit - 1)
            holder = seat
    if not holder & 1:
        points += worth_of(game, unplayed) + game[LAST]
    return _outcome(game, points, after_trick(swept, holder))


@compiled
def _take_in(frames: Frames, ply: int, found: int, target: int) -> bool:
    """Take in what was found of the card that was searched; whether that decides the position."""
    number = frames[ply, NEXT]
    frames[ply, VALUES_OF + number] = found
    frames[ply, NEXT] = number + 1
    if frames[ply, SEAT] & 1:
        if found < frames[ply, VALUE]:
            frames[ply, VALUE] = found
            frames[ply, CARD] = frames[ply, CARDS + number]
        return found < target
    if found > frames[ply, VALUE]:
        frames[ply, VALUE] = found
        frames[ply, CARD] = frames[ply, CARDS + number]
    return found >= target


@compiled
def _next_card(game: Game, frames: Frames, ply: int, target: int) -> int:
    """The number of the next card to be searched, past those that cannot decide because another of
    their run did not.
    """
    number = frames[ply, NEXT]
    minimise = frames[ply, SEAT] & 1
    while number < frames[ply, COUNT]:
        value = game[VALUES + frames[ply, CARDS + number]]
        fate = frames[ply, FATES + number]
        passed = False
        for other in range(number):
            if frames[ply, RUNS + other] == frames[ply, RUNS + number]:
                more = value - game[VALUES + frames[ply, CARDS + other]]
                if (fate == WON and more <= 0) or (fate == LOST and more >= 0):
                    more = 0
                limit = frames[ply, VALUES_OF + other]
                limit += -abs(more) if minimise else abs(more)
                if (limit >= target) == bool(minimise):
                    frames[ply, VALUES_OF + number] = limit
                    if minimise:
                        frames[ply, VALUE] = min(frames[ply, VALUE], limit)
                    else:
                        frames[ply, VALUE] = max(frames[ply, VALUE], limit)
                    passed = True
                    break
        if not passed:
            break
        number += 1
    return number  # type: ignore[no-any-return]


@compiled
def play_card(game: Game, frames: Frames, ply: int, card: int) -> None:
    """Write the position after this card into the next frame."""
    bit = 1 << card
    seat = frames[ply, SEAT]
    laid = frames[ply, LAID]
    best = frames[ply, BEST]
    holder = frames[ply, HOLDER]
    led = frames[ply, LED]
    on_table = frames[ply, ON_TABLE] | bit
    if laid == 0:
        led = card >> 3
        best = card
        holder = seat
    elif STRONGER[game[KIND] * 32 + best] & bit:
        best = card
        holder = seat
    unplayed = frames[ply, UNPLAYED] ^ bit
    points = frames[ply, POINTS]
    swept = frames[ply, SWEPT]
    below = ply + 1
    if laid == 3:
        if not holder & 1:
            points += worth_of(game, on_table)
            if unplayed == 0:
                points += game[LAST]
        swept = after_trick(swept, holder)
        seat = holder
        laid = 0
        led = -1
        best = 0
        on_table = 0
    else:
        seat = seat + 1 & 3
        laid += 1
    frames[below, SEAT] = seat
    frames[below, UNPLAYED] = unplayed
    frames[below, LAID] = laid
    frames[below, ON_TABLE] = on_table
    frames[below, LED] = led
    frames[below, BEST] = best
    frames[below, HOLDER] = holder
    frames[below, POINTS] = points
    frames[below, SWEPT] = swept


@compiled
def _remember(table: Table, frames: Frames, ply: int, found: int, target: int) -> int:
    """Keep a limit in the table; the limit, made no worse than what was known before."""
    low = frames[ply, LOW]
    high = frames[ply, HIGH]
    found = min(max(found, low), high)
    if found >= target:
        low = found
    else:
        high = found
    who = frames[ply, POINTS], frames[ply, SWEPT]
    put(table, frames[ply, KEY], (low, high), frames[ply, CARD], who)
    return found
