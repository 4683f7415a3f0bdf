"""The double-dummy solver: what each card brings when all see all hands and play perfectly."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from contree.engine import Card, Points, RuleSet, Strain
from contree.search.dd_exact import outcome_at, outcomes_by_card
from contree.search.dd_frames import NODES_LEFT, new_frames
from contree.search.dd_game import Game, belongs_to, game_of
from contree.search.dd_root import write_root
from contree.search.dd_table import GENERATIONS, new_table
from contree.search.position import Position
from contree.search.stakes import Stakes, stakes_of
from contree.search.strength import numbering

__all__ = ["Solution", "Solver", "solve"]


class Solution(NamedTuple):
    """What each card is worth in one position."""

    position: Position
    stakes: Stakes
    outcomes: dict[Card, int]
    """By legal card, lowest first: the outcome (``stakes``) if it is played now and all play
    perfectly from then on."""

    @property
    def outcome(self) -> int:
        """The outcome if the seat to play plays perfectly too."""
        best = min if self.position.turn & 1 else max
        return best(self.outcomes.values())

    @property
    def best(self) -> tuple[Card, ...]:
        """The cards that reach it, lowest first."""
        outcome = self.outcome
        return tuple(card for card, found in self.outcomes.items() if found == outcome)

    @property
    def points(self) -> dict[Card, tuple[Points, Points]]:
        """The outcomes as points of North-South and East-West."""
        return {card: self.stakes.points(outcome) for card, outcome in self.outcomes.items()}


_ENDLESS: Final = 1 << 60
"""More positions than any deal has."""


class Solver:
    """Solves positions. It keeps what it found for later positions of the same deal.

    Not for several threads at a time; a solver for each is fine, since the interpreter's lock is
    not held while one works.
    """

    def __init__(self, *, slams: bool = True, table_bits: int = 18) -> None:
        """``slams``: count capot and générale as the rules do (``stakes_of``); without it, eight
        tricks are worth their card points. The table takes ``2 ** (table_bits + 4)`` bytes.
        """
        self._slams = slams
        self._table = new_table(table_bits)
        self._frames = new_frames()
        self._generation = 0
        self._game: Game = np.zeros(0, dtype=np.int64)
        self._played: tuple[RuleSet, Strain] | None = None

    def solve(self, position: Position) -> Solution:
        """What each legal card is worth. ValueError when the play is over."""
        solution = self.solve_within(position, _ENDLESS)
        assert solution is not None
        return solution

    def solve_within(self, position: Position, nodes: int) -> Solution | None:
        """The same if it takes no more than so many positions (some 20 in a microsecond);
        None if it takes more. Asked again for the same position, it goes on where it was, as far as
        its table remembers: so one can look at the clock in between. ``nodes_left`` tells how many
        of them were not needed.
        """
        if position.over:
            raise ValueError("the play is over")
        stakes = self._enter(position, nodes)
        found = np.zeros(32, dtype=np.int64)
        outcomes_by_card(self._game, self._table, self._generation, self._frames, found)
        if self._frames[NODES_LEFT] < 0:
            return None
        places = numbering(position.strain)
        outcomes = {card: int(found[places[card]]) for card in position.legal}
        return Solution(position, stakes, outcomes)

    @property
    def nodes_left(self) -> int:
        """What was left of the ``nodes`` of the last ``solve_within``: at least 0."""
        return max(0, int(self._frames[NODES_LEFT]))

    def outcome(self, position: Position) -> int:
        """What the position is worth, which takes less time than all its cards; also when the play
        is over.
        """
        self._enter(position)
        return outcome_at(self._game, self._table, self._generation, self._frames)

    def line(self, position: Position) -> tuple[Card, ...]:
        """A line of perfect play to the end: of equally good cards always the lowest."""
        line = []
        while not position.over:
            card = self.solve(position).best[0]
            line.append(card)
            position = position.play(card)
        return tuple(line)

    def _enter(self, position: Position, nodes: int = _ENDLESS) -> Stakes:
        """Make the first frame hold this position, to be searched with so many nodes."""
        rules, strain = position.rules, position.strain
        stakes = stakes_of(rules, strain, slams=self._slams)
        if self._played != (rules, strain) or not belongs_to(self._game, position):
            self._game = game_of(position, stakes)
            self._played = rules, strain
            self._generation += 1
            if self._generation == GENERATIONS:
                self._table[:] = 0
                self._generation = 1
        write_root(self._frames, position, stakes)
        self._frames[NODES_LEFT] = nodes
        return stakes


def solve(position: Position, *, slams: bool = True) -> Solution:
    """What each legal card is worth, by a solver of its own; ``Solver`` is quicker for many."""
    return Solver(slams=slams).solve(position)
