"""Search for belote contrée: random play, perfect play with open cards, and worlds that agree with
what a seat knows. Compiled with numba, which the extra ``search`` brings.

    from contree.search import Position, Solver, hidden_from, rollouts_by_card

    hidden = hidden_from(view)                      # of the view a bot gets, and of nothing else
    worlds = hidden.sample(100, seed=1)             # hands by seat, as masks
    position = Position.of_view(view, worlds[0])
    found = rollouts_by_card(position, worlds, 10, seed=2)
    solution = Solver().solve(position)

``docs/search.md`` describes it.
"""

from __future__ import annotations

try:
    import numba as _numba  # noqa: F401 - only to say so where it is missing
except ModuleNotFoundError as _error:
    raise ModuleNotFoundError(
        "contree.search needs numba: pip install 'contree[search]'", name="numba"
    ) from _error

from contree.search.evidence import Evidence, evidence_in
from contree.search.marks import Marks
from contree.search.position import Position
from contree.search.rollouts import random_lines, rollouts, rollouts_by_card, rollouts_over
from contree.search.solver import Solution, Solver, solve
from contree.search.stakes import Stakes, stakes_of
from contree.search.worlds import Hidden, Weight, hidden_from

__all__ = [
    "Position",
    "Stakes",
    "stakes_of",
    "Marks",
    "rollouts",
    "rollouts_by_card",
    "rollouts_over",
    "random_lines",
    "Solver",
    "Solution",
    "solve",
    "Hidden",
    "Weight",
    "hidden_from",
    "Evidence",
    "evidence_in",
]
