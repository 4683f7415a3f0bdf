"""Sampling the hidden cards: hands that agree with all that a seat knows, each equally likely.

Nothing is drawn and thrown away. Cards that the same seats may hold form a class; of three hidden
hands there are seven classes, and the ways to deal them are counted by how many cards of each class
go to which seat. A sample takes one of these splits, as likely as it has ways, and then deals each
class at random.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import comb
from typing import Final

import numpy as np
import numpy.typing as npt

from contree.engine import View
from contree.search.evidence import Evidence, evidence_in
from contree.search.jit import compiled, next_random, popcount
from contree.search.rollouts import seeded

__all__ = ["Hidden", "Weight", "hidden_from"]

Hands = npt.NDArray[np.int64]
"""Worlds by seats: the cards each seat still holds, as masks."""

Weight = Callable[[tuple[int, int, int, int]], float]
"""How likely, from 0 to 1, it is that all said and did what they did if these hands were dealt."""

_CHOOSE: Final = np.array(
    [[comb(of, some) for some in range(25)] for of in range(25)], dtype=np.int64
)


class Hidden:
    """The cards that a seat does not see, and all ways in which they can be dealt."""

    def __init__(self, evidence: Evidence) -> None:
        """ValueError when nothing agrees with the evidence."""
        self.evidence: Final = evidence
        others = [seat for seat in range(4) if seat != evidence.seat]
        self._others = np.array(others, dtype=np.int64)
        left = np.array([evidence.left[seat] for seat in others], dtype=np.int64)
        self._left = left
        self._classes = np.array(
            [_classes(evidence.unseen, [case[seat] for seat in others]) for case in evidence.cases],
            dtype=np.int64,
        ).reshape(-1, 8)
        splits = [_splits(number, row, left) for number, row in enumerate(self._classes)]
        self._splits = np.concatenate([np.zeros((0, 5), dtype=np.int64), *splits])
        self._until = np.cumsum(self._splits[:, 4])
        if not self.count:
            raise ValueError("no deal of the hidden cards agrees with what this seat has seen")

    @property
    def count(self) -> int:
        """How many worlds there are."""
        return int(self._until[-1]) if len(self._until) else 0

    def sample(self, count: int, seed: int) -> Hands:
        """So many worlds, each drawn anew and uniformly from all; the same for the same seed."""
        worlds = np.zeros((count, 4), dtype=np.int64)
        worlds[:, self.evidence.seat] = self.evidence.hand
        if count:
            _draw(
                self._splits,
                self._until,
                self._classes,
                self._left,
                self._others,
                seeded(seed),
                worlds,
            )
        return worlds

    def sample_weighted(self, count: int, seed: int, weight: Weight, *, tries: int = 100) -> Hands:
        """Worlds drawn as likely as ``weight`` says of the hands that were dealt in them.

        A world that was drawn uniformly is kept with this probability, so the result is exact; but
        when after ``tries`` times ``count`` draws fewer have been kept, there are only these. Let
        the weight of a likely world be near 1.
        """
        kept: list[Hands] = []
        rest = count
        dice = np.random.default_rng(seed)
        played = np.array(self.evidence.played, dtype=np.int64)
        for turn in range(tries):
            if not rest:
                break
            worlds = self.sample(count, seed + (turn + 1) * _APART)
            dealt = (worlds | played).tolist()
            chances = np.array([weight((n, e, s, w)) for n, e, s, w in dealt])
            some = worlds[dice.random(count) < chances][:rest]
            rest -= len(some)
            kept.append(some)
        return np.concatenate([np.zeros((0, 4), dtype=np.int64), *kept])


_APART: Final = 1_000_003


def hidden_from(view: View) -> Hidden:
    """What is hidden from the seat of a view. ValueError when nothing agrees with it."""
    return Hidden(evidence_in(view))


def _classes(unseen: int, may: Sequence[int]) -> list[int]:
    """The cards that just these of three seats may hold, as a mask, by the mask of these seats."""
    classes = [0] * 8
    for seats in range(8):
        cards = unseen
        for number in range(3):
            cards &= may[number] if seats >> number & 1 else ~may[number]
        classes[seats] = cards
    return classes


@compiled
def _splits(case: int, classes: npt.NDArray[np.int64], left: npt.NDArray[np.int64]) -> Hands:
    """All ways to split the classes: the case, how many cards of both the first and the second go
    to the first, of first and third to the first, of second and third to the second; and in how
    many ways that can be done.
    """
    first = left[0] - popcount(classes[1])
    second = left[1] - popcount(classes[2])
    third = left[2] - popcount(classes[4])
    size12, size13, size23 = popcount(classes[3]), popcount(classes[5]), popcount(classes[6])
    size123 = popcount(classes[7])
    possible = classes[0] == 0
    rows = np.zeros(((size12 + 1) * (size13 + 1) * (size23 + 1), 5), dtype=np.int64)
    count = 0
    for of12 in range(size12 + 1):
        for of13 in range(size13 + 1):
            for of23 in range(size23 + 1):
                to_first = first - of12 - of13
                to_second = second - (size12 - of12) - of23
                to_third = third - (size13 - of13) - (size23 - of23)
                if possible and to_first >= 0 and to_second >= 0 and to_third >= 0:
                    rows[count, 0] = case
                    rows[count, 1] = of12
                    rows[count, 2] = of13
                    rows[count, 3] = of23
                    rows[count, 4] = (
                        _CHOOSE[size12, of12]
                        * _CHOOSE[size13, of13]
                        * _CHOOSE[size23, of23]
                        * _CHOOSE[size123, to_first]
                        * _CHOOSE[size123 - to_first, to_second]
                    )
                    count += 1
    return rows[:count]


@compiled
def _draw(  # noqa: PLR0917 - positional, for the compiler
    splits: Hands,
    until: npt.NDArray[np.int64],
    classes: Hands,
    left: npt.NDArray[np.int64],
    others: npt.NDArray[np.int64],
    state: int,
    worlds: Hands,
) -> None:
    total = until[-1]
    for world in range(worlds.shape[0]):
        state = next_random(state)
        upper = state >> 32 & 0x3FFF_FFFF
        state = next_random(state)
        place = (upper << 32 | state >> 32 & 0xFFFF_FFFF) % total
        split = splits[np.searchsorted(until, place, side="right")]
        row = classes[split[0]]
        first = row[1]
        second = row[2]
        third = row[4]

        state, some = _choose(row[3], split[1], state)
        first |= some
        second |= row[3] & ~some
        state, some = _choose(row[5], split[2], state)
        first |= some
        third |= row[5] & ~some
        state, some = _choose(row[6], split[3], state)
        second |= some
        third |= row[6] & ~some
        state, some = _choose(row[7], left[0] - popcount(first), state)
        first |= some
        state, more = _choose(row[7] & ~some, left[1] - popcount(second), state)
        second |= more
        third |= row[7] & ~(some | more)

        worlds[world, others[0]] = first
        worlds[world, others[1]] = second
        worlds[world, others[2]] = third


@compiled
def _choose(cards: int, count: int, state: int) -> tuple[int, int]:
    """The state after it, and ``count`` of these cards, all such sets equally likely."""
    chosen = 0
    size = popcount(cards)
    while count:
        bit = cards & -cards
        cards ^= bit
        state = next_random(state)
        if (state >> 32 & 0xFFFF_FFFF) * size >> 32 < count:
            chosen |= bit
            count -= 1
        size -= 1
    return state, chosen
