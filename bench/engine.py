"""Whole deals with random players: the engine against colver's ``Env`` (Rust), both from Python.

``make bench-engine``. Each side is driven by the quickest way that its public interface has: the
engine by ``Deal.start``, ``owed``, ``choices``, ``apply`` and ``result``; colver, in one ``Env``,
by ``redeal_with_hands`` and ``step``, which hands out the legal actions, and ``deal_outcome``. Both
get the same cards, dealers and dice under the rules of the FFB, in turns of a hundred deals. What
counts is CPU time, so that other work on the machine does not. The last line is the ratio of deals
per second, ``{"engine_vs_colver": x}``: the median over the turns.
"""

from __future__ import annotations

import json
import random
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from colver import Env

from contree.engine import SEATS, Deal, mask_of, preset

TURNS: Final = 100
DEALS: Final = 100
"""Deals of each side in a turn."""

RULES: Final = preset("ffb-mixte")

ENV: Final = Env()

Pack = list[list[int]]
"""Four hands of cards."""

Play = Callable[[Any, int, Callable[[], float]], int]
"""Plays a deal: cards, dealer, dice; the number of actions."""


def play_ours(pack: Sequence[int], dealer: int, dice: Callable[[], float]) -> int:
    """One deal by the engine; the number of actions."""
    actions = 0
    deal = Deal.start(RULES, SEATS[dealer], pack)
    while owed := deal.owed:
        legal = deal.choices
        deal = deal.apply(owed[0], legal[int(dice() * len(legal))])
        actions += 1
    assert deal.result is not None
    assert deal.result.marks is not None
    return actions


def play_theirs(pack: Pack, dealer: int, dice: Callable[[], float]) -> int:
    """One deal by colver; the number of actions."""
    actions = 0
    ENV.redeal_with_hands(dealer, pack)  # quicker than a new Env for each deal
    legal, done = ENV.legal_actions(), False
    while not done:
        _, _, done, legal = ENV.step(legal[int(dice() * len(legal))])
        actions += 1
    assert ENV.deal_outcome() is not None
    return actions


def measure(play: Play, packs: Sequence[Any], seed: int) -> tuple[float, int]:
    """Seconds and actions of these deals."""
    dice = random.Random(seed).random
    start = time.process_time()
    actions = sum(play(pack, number & 3, dice) for number, pack in enumerate(packs))
    return time.process_time() - start, actions


def packs_of(turn: int) -> tuple[list[tuple[int, ...]], list[Pack]]:
    """The same cards, as masks and as lists."""
    rng = random.Random(turn)
    decks = [rng.sample(range(32), 32) for _ in range(DEALS)]
    theirs = [[deck[first : first + 8] for first in (0, 8, 16, 24)] for deck in decks]
    return [tuple(mask_of(hand) for hand in pack) for pack in theirs], theirs


def main() -> None:
    spent = {"contree": 0.0, "colver": 0.0}
    actions = {"contree": 0, "colver": 0}
    ratios = []
    for turn in range(-1, TURNS):  # the first one warms up and is not counted
        ours, theirs = packs_of(turn)
        our_time, our_actions = measure(play_ours, ours, turn)
        their_time, their_actions = measure(play_theirs, theirs, turn)
        if turn < 0:
            continue
        ratios.append(their_time / our_time)
        for name, time_, count in (
            ("contree", our_time, our_actions),
            ("colver", their_time, their_actions),
        ):
            spent[name] += time_
            actions[name] += count
    print(f"{TURNS} turns of {DEALS} deals each, ffb-mixte, random players")
    for name, seconds in spent.items():
        deals = TURNS * DEALS
        each = actions[name] / deals
        print(
            f"{name:8} {deals / seconds:8,.0f} deals/s  {each:.1f} actions a deal, "
            f"{seconds / actions[name] * 1e6:.2f} us each"
        )
    low, *_, high = statistics.quantiles(ratios, n=10)
    print(f"ratio by turn: {low:.2f} to {high:.2f} (tenth to ninetieth percentile)")
    print(json.dumps({"engine_vs_colver": round(statistics.median(ratios), 2)}))


if __name__ == "__main__":
    main()
