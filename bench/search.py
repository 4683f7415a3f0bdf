"""Random play and perfect play: ``contree.search`` against colver (Rust), in one run.

``make bench-search``. Rollouts: random plays a second from the first card of a deal, by
``rollouts`` and by colver's ``Env.rollout``, in turns over ten deals. Double dummy: the outcome of
every card of the leader's whole hand in 40 deals, by ``Solver.solve`` and by ``Env.solve_scores``,
under the same rules (those of the FFB, clockwise, 252 for eight tricks); the points must be equal.
Compiling is not counted: it happens once on a machine. What counts is CPU time, so that other work
on the machine matters little. The last line has plays a second divided by colver's, and the mean
time over the deals divided by colver's.
"""

from __future__ import annotations

import json
import random
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from colver import Env

from contree.engine import Deal, Seat, Strain, mask_of, preset, project, rules_from_dict
from contree.search import Position, Solver, hidden_from, rollouts

RULES: Final = rules_from_dict(
    {
        **preset("ffb-mixte").to_dict(),
        "turn_direction": "cw",
        "capot_total": "off",
        "capot_last_trick": 100,
    }
)
DEALS: Final = 40
TURNS: Final = 10
PLAYS: Final = 200_000
WORLDS: Final = 1_000_000


def pairs(count: int, seed: int) -> list[tuple[Position, Any]]:
    """The same deals on both sides."""
    rng = random.Random(seed)
    made = []
    for _ in range(count):
        deck = rng.sample(range(32), 32)
        hands = [sorted(deck[first : first + 8]) for first in (0, 8, 16, 24)]
        strain = Strain(rng.randrange(4))
        theirs = Env.deal_with_hands(rng.randrange(4), hands)
        theirs.set_contract(int(strain), 80, 0, 0)
        theirs.set_phase_playing()
        leader = Seat(theirs.current_player())
        held = [mask_of(hand) for hand in hands]
        made.append((Position.start(RULES, strain, held, leader), theirs))
    return made


def seconds(work: Callable[[], object]) -> tuple[float, Any]:
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def bench_rollouts() -> float:
    ratios, ours, theirs = [], 0.0, 0.0
    for turn, (position, env) in enumerate(pairs(TURNS + 1, 1)):
        our_time, _ = seconds(partial(rollouts, position, PLAYS, turn))
        their_time, _ = seconds(partial(env.rollout, PLAYS))
        if turn:  # the first one compiles, and is not counted
            ratios.append(their_time / our_time)
            ours += our_time
            theirs += their_time
    print(f"rollouts: {TURNS} deals, {PLAYS:,} random plays of each by each side")
    for name, spent in (("contree", ours), ("colver", theirs)):
        print(f"  {name:8} {TURNS * PLAYS / spent / 1e6:6.2f} million/s")
    print(f"  ratio by deal: {min(ratios):.2f} to {max(ratios):.2f}")
    return statistics.median(ratios)


def bench_double_dummy() -> float:
    solver = Solver()
    ours, theirs = [], []
    for number, (position, env) in enumerate(pairs(DEALS + 1, 2)):
        our_time, solution = seconds(partial(solver.solve, position))
        their_time, found = seconds(env.solve_scores)
        points = {int(card): north for card, (north, _) in solution.points.items()}
        assert points == dict(found["scores"]), "the two disagree"
        if number:
            ours.append(our_time * 1e3)
            theirs.append(their_time * 1e3)
    print(f"double dummy: {DEALS} deals, all cards of the leader, the same points")
    for name, spent in (("contree", ours), ("colver", theirs)):
        print(
            f"  {name:8} mean {statistics.mean(spent):5.1f} ms, "
            f"median {statistics.median(spent):5.1f} ms, longest {max(spent):6.1f} ms"
        )
    return statistics.mean(ours) / statistics.mean(theirs)


def bench_sampling() -> None:
    """For the record: colver has nothing to compare with that needs no trained network."""
    position, _ = pairs(1, 3)[0]
    hidden = hidden_from(project(Deal.start(RULES, Seat.NORTH, position.hands), Seat.NORTH))
    hidden.sample(10, 1)
    spent, _ = seconds(partial(hidden.sample, WORLDS, 1))
    print(f"sampling: {WORLDS / spent / 1e6:.1f} million worlds/s before the first card")


def main() -> None:
    bench_sampling()
    plays = bench_rollouts()
    solving = bench_double_dummy()
    print(
        json.dumps(
            {"rollouts_vs_colver": round(plays, 2), "double_dummy_vs_colver": round(solving, 2)}
        )
    )


if __name__ == "__main__":
    main()
