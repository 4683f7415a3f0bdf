"""A bot that bids from simulated results and solves the endings of worlds that are likely.
``python -m contree.bots.solver`` runs it; it needs ``pip install 'contree[search]'``.

Like ``sampler`` it deals the hidden cards in ways that agree with all it has seen and takes the
card with the best mean, in marks. Three things are better:

- the worlds are as likely as the auction makes them (``likely``);
- from the fourth trick on each world is also solved: what every card brings when all four play
  perfectly with open cards. Perfect play and random play count alike; each is wrong in its own way,
  and random play tells apart what is the same for perfect players. Before that a world takes
  milliseconds to solve, and the few that can be had decide by chance;
- it bids by what simulated contracts come to (``simulated_bidding``).

What it leaves out, as every player of this kind does: it takes the best card in each world as if it
would know later which world it is in ("strategy fusion"), so it never plays to find something out
and does not hide what it has; it draws no conclusions from which legal cards others chose, and its
own cards tell its partner nothing by agreement.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final

import numpy as np

from contree.bots.likely import LikelyWorlds
from contree.bots.simulated_bidding import simulated_opinion
from contree.bots.thinking import Thinker, Until
from contree.client import run_bot
from contree.engine import Action, Card, View
from contree.policy import advised_call
from contree.search import Marks, Position, Solution, rollouts_by_card
from contree.search import Solver as DoubleDummy

WORLDS: Final = 64
"""Worlds that are dealt at a time."""
PLAYS: Final = 4
"""Random plays of each card in each of them."""
ENOUGH: Final = 2048
"""After so many worlds more would change little."""
SOLVED_FROM: Final = 3
"""Finished tricks from which on worlds are solved ..."""
SOLVED: Final = 8
"""... of those that are dealt, one in so many."""
SLICE: Final = 10_000
"""Positions that the solver searches before the clock is looked at again: half a millisecond."""
MOST: Final = 20
"""A world that takes more slices than that is left unsolved."""


class Solver(Thinker):
    """Bids from simulated results, plays from random plays and solved endings."""

    name = "solver"
    version = "1"

    @cached_property
    def _solver(self) -> DoubleDummy:
        return DoubleDummy(table_bits=16)

    def best_call(self, view: View, until: Until) -> Action:
        """The call that promises most marks, by simulated results and by judgement."""
        return advised_call(view, simulated_opinion(view, self.dice(view), until))

    def best_card(self, view: View, cards: Sequence[Card], until: Until) -> Card:
        """The card with the best mean of marks: of random plays, and of solved worlds."""
        assert view.contract is not None
        likely = LikelyWorlds(view)
        marks = Marks(view.rules, view.contract)
        by_chance, perfectly = np.zeros(len(cards)), np.zeros(len(cards))
        seed, done, solved = self.dice(view), 0, 0
        while not done or (done < ENOUGH and until.goes_on(done)):
            worlds = likely.sample(WORLDS, seed + done)
            dealt = worlds | likely.played
            position = Position.of_view(view, worlds[0])
            outcomes = rollouts_by_card(position, worlds, PLAYS, seed + done)
            by_chance += [marks.of(outcomes[card], dealt).mean() for card in cards]
            done += WORLDS
            if len(view.tricks) < SOLVED_FROM:
                continue
            for world in range(0, WORLDS, SOLVED):
                if solved and not until.goes_on(0):
                    break
                solution = self._solve(position, worlds[world].tolist(), until)
                if solution is not None:
                    found = np.array([[solution.outcomes[card] for card in cards]], dtype=np.int16)
                    perfectly += marks.of(found, dealt[world : world + 1])[0]
                    solved += 1
        mean = by_chance / (done / WORLDS) + perfectly / max(1, solved)
        return cards[int(np.argmax(-mean if view.seat & 1 else mean))]  # marks are North-South's

    def _solve(self, position: Position, hands: Sequence[int], until: Until) -> Solution | None:
        """What each card brings in this world; None when that takes too long."""
        north, east, south, west = hands
        world = position._replace(hands=(north, east, south, west))
        for _ in range(MOST):
            solution = self._solver.solve_within(world, SLICE)
            if solution is not None or not until.goes_on(0):
                return solution
        return None


if __name__ == "__main__":
    run_bot(Solver.from_environment())
