"""What a card gave away: in the deal as it lay, and in the worlds that its seat could see.

The marks of a choice are those of the outcome that perfect play for outcomes comes to. Where marks
fall as outcomes rise, play for marks would come to others (docs/analyse.md says under which rules).
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from math import sqrt
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from contree.analysis.belotes import Valued, belotes_of
from contree.analysis.values import CardCost, Open, Seen
from contree.engine import (
    Action,
    Announced,
    Card,
    Contract,
    Deal,
    RuleSet,
    Seat,
    View,
    project,
)
from contree.engine.cards import ALL_CARDS
from contree.search import Position, Solver, hidden_from
from contree.search.stakes import stakes_of

__all__ = ["CardJudge", "Worths"]

Numbers = npt.NDArray[np.int64]


class Worths(NamedTuple):
    """What each choice comes to in each world, for the pair whose choice it is: worlds by choices.

    All are whole numbers, so that sums are exact and equals are equal.
    """

    choices: tuple[Action, ...]
    outcomes: Numbers
    marks: Numbers
    times: Numbers
    """How often each world was drawn."""
    unit: int
    """Outcomes to a point."""


class CardJudge:
    """Judges cards under one contract. Not for several threads at a time."""

    def __init__(self, rules: RuleSet, contract: Contract, solver: Solver, seer: Solver) -> None:
        """Two solvers, of which the second is for worlds: what the first has found for the deal
        itself is kept that way. ValueError as for ``stakes_of``.
        """
        self._valued: Final = Valued(rules, contract)
        self._unit: Final = stakes_of(rules, contract.strain).unit
        self._solver: Final = solver
        self._seer: Final = seer

    def judge(self, deal: Deal, action: Action, place: int, worlds: int, key: str) -> CardCost:
        """What it costs to play this now. ``worlds`` are drawn, always the same for the same
        ``key``; 0 for none.
        """
        seat = deal.owed[0]
        seen = None
        if worlds:
            seen = _seen(self.in_worlds(project(deal, seat), worlds, key), action)
        return CardCost(
            place, seat, action, len(deal.choices), _open(self.in_deal(deal), action), seen
        )

    def in_deal(self, deal: Deal) -> Worths:
        """What each choice of the seat to play comes to in the deal as it lies."""
        said = deal.past.announced
        return self._worths(
            self._solver,
            deal.owed[0],
            deal.choices,
            _Drawn((Position.of_deal(deal),), (deal.dealt,), np.ones(1, dtype=np.int64)),
            _Heard(said, ALL_CARDS & ~(deal.unplayed | said)),
        )

    def in_worlds(self, view: View, worlds: int, key: str) -> Worths:
        """The same in worlds that agree with a view, each equally likely; nothing but the view is
        known here.
        """
        hidden = hidden_from(view)
        drawn, times = np.unique(hidden.sample(worlds, _number(key)), axis=0, return_counts=True)
        dealt = drawn | np.array(hidden.evidence.played, dtype=np.int64)
        found = _Drawn(
            [Position.of_view(view, world) for world in drawn.tolist()], dealt.tolist(), times
        )
        return self._worths(self._seer, view.seat, view.legal, found, _heard(view))

    def _worths(
        self, solver: Solver, seat: Seat, choices: tuple[Action, ...], drawn: _Drawn, heard: _Heard
    ) -> Worths:
        sign = -1 if seat & 1 else 1
        cards = [_card(choice) for choice in choices]
        after = [heard.with_card(choice) for choice in choices]
        outcomes = np.empty((len(drawn.positions), len(choices)), dtype=np.int64)
        marks = np.empty_like(outcomes)
        for row, (position, hands) in enumerate(zip(drawn.positions, drawn.dealt, strict=True)):
            found = solver.solve(position).outcomes
            for column, (card, (said, silent)) in enumerate(zip(cards, after, strict=True)):
                belotes = belotes_of(position.rules, position.strain, hands, said, silent)
                outcomes[row, column] = sign * found[card]
                marks[row, column] = sign * self._valued.of(found[card], belotes)
        return Worths(choices, outcomes, marks, drawn.times, self._unit)


class _Drawn(NamedTuple):
    """Worlds."""

    positions: Sequence[Position]
    dealt: Sequence[Sequence[int]]
    """The hands that were dealt in each."""
    times: Numbers


class _Heard(NamedTuple):
    """The cards played so far with belote said, and without."""

    said: int
    silent: int

    def with_card(self, choice: Action) -> _Heard:
        """The same with this card."""
        bit = 1 << _card(choice)
        if isinstance(choice, Announced):
            return _Heard(self.said | bit, self.silent)
        return _Heard(self.said, self.silent | bit)


def _open(worths: Worths, action: Action) -> Open:
    outcomes, marks = worths.outcomes[0], worths.marks[0]
    played, best = _compared(worths, action, outcomes, marks)
    return Open(
        round(int(outcomes.max() - outcomes[played]) / worths.unit, 3),
        int(marks.max() - marks[played]),
        worths.choices[best],
    )


def _seen(worths: Worths, action: Action) -> Seen:
    outcomes, marks = worths.times @ worths.outcomes, worths.times @ worths.marks
    played, best = _compared(worths, action, outcomes, marks)
    points, points_error = _mean(worths, worths.outcomes, int(outcomes.argmax()), played)
    lost, lost_error = _mean(worths, worths.marks, best, played)
    unit = worths.unit
    return Seen(
        round(points / unit, 3),
        None if points_error is None else round(points_error / unit, 3),
        round(lost, 3),
        None if lost_error is None else round(lost_error, 3),
        worths.choices[best],
    )


def _compared(worths: Worths, action: Action, outcomes: Numbers, marks: Numbers) -> tuple[int, int]:
    """The places of what was played and of the best: in marks, then in points, then what was
    played, then the first.
    """
    played = worths.choices.index(action)
    order = range(len(worths.choices))
    return played, max(order, key=lambda place: (marks[place], outcomes[place], place == played))


def _mean(worths: Worths, values: Numbers, best: int, played: int) -> tuple[float, float | None]:
    """By how much one choice was better than another on average, and the standard error."""
    lost, times = values[:, best] - values[:, played], worths.times
    count = int(times.sum())
    mean = float(times @ lost) / count
    if count < 2:
        return mean, None
    return mean, sqrt(float(times @ (lost - mean) ** 2) / (count - 1) / count)


def _heard(view: View) -> _Heard:
    """What a view tells of it: who has said belote, but not with which cards, nor whether rebelote
    followed. It is taken for said. So at tout-atout, a seat that has several pairs and said one of
    them counts as having said each of which it has played a card.
    """
    said = silent = 0
    tricks = view.tricks if view.trick is None else (*view.tricks, view.trick)
    for trick in tricks:
        order = view.rules.turn_direction.order(trick.leader)
        for seat, card in zip(order, trick.cards, strict=False):
            if seat in view.belotes:
                said |= 1 << card
            else:
                silent |= 1 << card
    return _Heard(said, silent)


def _card(choice: Action) -> Card:
    card = choice.card if isinstance(choice, Announced) else choice
    assert isinstance(card, Card)
    return card


def _number(key: str) -> int:
    return int.from_bytes(sha256(key.encode()).digest()[:7], "big")
