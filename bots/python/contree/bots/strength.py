"""How strong a player is: duplicate boards between two players, without a server.

    python -m contree.bots.strength                     rules against random, all presets
    python -m contree.bots.strength rules rules         how often its contracts are made
    python -m contree.bots.strength --boards 2000 --preset ffb-mixte

A board is played twice, with the same cards and dealer: the first player sits north and south, then
east and west. Its result is the mean of the two differences of marks, first player less second.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Callable, Mapping, Sequence
from math import sqrt
from statistics import fmean, stdev
from time import process_time
from typing import Final, NamedTuple

from contree.engine import (
    DEFAULT_PRESET,
    PRESET_NAMES,
    Action,
    Deal,
    DealResult,
    Policy,
    RuleSet,
    SeededDeals,
    View,
    drive,
    preset,
)
from contree.policy import random_player, rules_player

PLAYERS: Final[Mapping[str, Callable[[int], Policy]]] = {
    "random": random_player,
    "rules": lambda seed: rules_player,
}
"""The players by name; each is made from a seed."""


class Comparison(NamedTuple):
    """Two players over a number of boards, from the first one's side."""

    mean: float
    """Marks a board."""
    error: float
    """Half the width of the 95% interval of the mean."""
    results: tuple[DealResult, ...]
    """Two for each board."""
    decision_us: float
    """Mean CPU time of a decision of the first player, in microseconds."""

    @property
    def made(self) -> float:
        """The part of the contracts, whoever took them, that were made."""
        scores = [result.score for result in self.results if result.score is not None]
        return fmean(score.made for score in scores) if scores else 0.0


def compare(
    first: Policy, second: Policy, rules: RuleSet, boards: int, seed: str = "strength"
) -> Comparison:
    """Play boards 1, 2 ... of a seed, each in both orientations."""
    deals = SeededDeals(hashlib.sha256(seed.encode()).digest(), rules.name)
    watched = _Stopwatch(first)
    margins: list[float] = []
    results: list[DealResult] = []
    for number in range(1, boards + 1):
        board = deals.board(number, rules)
        start = Deal.start(rules, board.dealer, board.hands)
        one = drive((watched, second, watched, second), start).result
        two = drive((second, watched, second, watched), start).result
        if one is None or two is None:
            raise AssertionError("a driven deal has a result")
        results += (one, two)
        margins.append((one.marks[0] - one.marks[1] + two.marks[1] - two.marks[0]) / 2)
    error = 1.96 * stdev(margins) / sqrt(boards) if boards > 1 else float("inf")
    return Comparison(fmean(margins), error, tuple(results), watched.mean_us)


class _Stopwatch:
    """A player whose thinking is timed."""

    def __init__(self, player: Policy) -> None:
        self._player = player
        self._seconds = 0.0
        self._decisions = 0

    def __call__(self, view: View) -> Action:
        start = process_time()
        action = self._player(view)
        self._seconds += process_time() - start
        self._decisions += 1
        return action

    @property
    def mean_us(self) -> float:
        return 1e6 * self._seconds / max(1, self._decisions)


def main(arguments: Sequence[str] | None = None) -> None:
    """Compare two players and print one line for each preset."""
    parser = argparse.ArgumentParser(
        prog="python -m contree.bots.strength",
        description="Compares two players over duplicate boards.",
    )
    parser.add_argument("first", nargs="?", choices=sorted(PLAYERS), default="rules")
    parser.add_argument("second", nargs="?", choices=sorted(PLAYERS), default="random")
    parser.add_argument("--boards", type=int, default=1000, help="boards, each played twice")
    parser.add_argument(
        "--preset", choices=["all", *PRESET_NAMES], default="all", help=f"e.g. {DEFAULT_PRESET}"
    )
    parser.add_argument("--seed", default="strength", help="another seed is another set of boards")
    chosen = parser.parse_args(arguments)
    first, second = PLAYERS[chosen.first](1), PLAYERS[chosen.second](2)
    print(f"{chosen.first} - {chosen.second}, {chosen.boards} boards, seed {chosen.seed!r}")
    print(f"{'rules':20}  {'marks a board (95%)':>21}  contracts made  us CPU a decision")
    for name in PRESET_NAMES if chosen.preset == "all" else (chosen.preset,):
        found = compare(first, second, preset(name), chosen.boards, chosen.seed)
        interval = f"{found.mean:+.0f} ± {found.error:.0f}"
        print(f"{name:20}  {interval:>21}  {found.made:14.0%}  {found.decision_us:17.0f}")


if __name__ == "__main__":
    main()
