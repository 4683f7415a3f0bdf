"""Counted legal continuations of fixed positions, as in chess ("perft").

``tests/data/perft.json`` holds positions and how many sequences of 1, 2, 3 ... legal actions follow
from each: in the auction calls only, in a window of several seats in every order. The counts come
from the slow reading in ``reading.py``, never from the engine, and ``REWRITE=1 pytest
tests/engine/test_perft.py`` has it count all of them anew. Here the engine must reach every number,
and the reading those that it reaches quickly (``FULL=1``: every number).
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.engine.reading import CLOCKWISE, Reading

from contree.engine import Deal, RuleSet, Seat, parse_action, rules_from_dict
from contree.engine.notation import parse_hand

FILE = Path(__file__).parent.parent / "data" / "perft.json"
QUICK = 1_500
FULL, REWRITE = (bool(os.environ.get(name)) for name in ("FULL", "REWRITE"))


@dataclass(frozen=True)
class Position:
    """A deal after some actions, each by the first seat that owed one."""

    name: str
    rules: dict[str, Any]
    dealer: str
    hands: str
    actions: str
    counts: list[int]

    @property
    def rule_set(self) -> RuleSet:
        return rules_from_dict(self.rules)

    def deal(self) -> Deal:
        masks = [parse_hand(hand) for hand in self.hands.split()]
        deal = Deal.start(self.rule_set, Seat.parse(self.dealer), masks)
        for action in self.actions.split():
            deal = deal.apply(deal.owed[0], parse_action(action))
        return deal

    def reading(self) -> Reading:
        cards = [
            [
                rank + suit
                for suit, ranks in zip("SHDC", hand.split("."), strict=True)
                for rank in ranks
            ]
            for hand in self.hands.split()
        ]
        hands = dict(zip(CLOCKWISE, cards, strict=True))
        reading = Reading(self.rule_set.to_dict(), self.dealer, hands)
        for action in self.actions.split():
            reading.act(reading.owed()[0], action)
        return reading


POSITIONS = [Position(**entry) for entry in json.loads(FILE.read_text("utf-8"))]


def continuations(deal: Deal, depth: int) -> int:
    """How many sequences of so many legal actions follow, says the engine."""
    total = 0
    for seat in deal.owed:
        legal = deal.legal_actions(seat)
        if depth == 1:
            total += len(legal)
            continue
        for action in legal:
            after = deal.apply(seat, action)
            if (after.play is None) == (deal.play is None):
                total += continuations(after, depth - 1)
    return total


def read_continuations(reading: Reading, depth: int) -> int:
    """The same, says the reading."""
    total = 0
    for seat in reading.owed():
        legal = reading.legal(seat)
        if depth == 1:
            total += len(legal)
            continue
        for action in legal:
            after = reading.copy()
            after.act(seat, action)
            if (after.play is None) == (reading.play is None):
                total += read_continuations(after, depth - 1)
    return total


@pytest.mark.timeout(900)
@pytest.mark.parametrize("position", POSITIONS, ids=lambda position: position.name)
def test_reading_gives_the_counts(position: Position) -> None:
    reading = position.reading()
    counts: list[int] = []
    for depth, count in enumerate(position.counts, 1):
        if not (FULL or REWRITE or count <= QUICK):
            break
        counts.append(read_continuations(reading, depth))
    if REWRITE:
        rewrite(position.name, counts)
    else:
        assert counts == position.counts[: len(counts)]


def rewrite(name: str, counts: list[int]) -> None:
    """Put these counts in the file, where each position has a line of them."""
    entries = json.loads(FILE.read_text("utf-8"))
    next(entry for entry in entries if entry["name"] == name)["counts"] = counts
    texts = [
        ",\n".join(f"    {json.dumps(key)}: {json.dumps(value)}" for key, value in entry.items())
        for entry in entries
    ]
    FILE.write_text("[\n" + ",\n".join(f"  {{\n{text}\n  }}" for text in texts) + "\n]\n", "utf-8")


@pytest.mark.parametrize("position", POSITIONS, ids=lambda position: position.name)
def test_engine_reaches_every_count(position: Position) -> None:
    deal = position.deal()
    found = [continuations(deal, depth) for depth in range(1, len(position.counts) + 1)]
    assert found == position.counts


def test_the_positions_differ_by_their_rules() -> None:
    """Same cards, another option: another count, so each option is felt."""
    plays = [position for position in POSITIONS if position.deal().play is not None]
    assert len(POSITIONS) >= 12
    assert len({tuple(position.counts) for position in POSITIONS}) == len(POSITIONS)
    assert len({position.hands for position in plays}) < len(plays)
