"""Outcomes as marks are what the engine marks."""

from __future__ import annotations

import random

import numpy as np
import pytest
from tests.search.deals import FULL, KINDS, RULES, bid_and_played, unequal_hands, uniform_hands

from contree.engine import Strain
from contree.search import Marks, Position, rollouts

DEALS = 2000 if FULL else 150


@pytest.mark.parametrize(("name", "strain"), KINDS)
def test_the_marks_of_played_deals(name: str, strain: Strain) -> None:
    rng = random.Random(f"marks {name} {strain}")
    with_belote = made = slams = 0
    for _ in range(DEALS):
        hands = unequal_hands(rng, strain) if rng.random() < 0.5 else uniform_hands(rng)
        deal, _ = bid_and_played(RULES[name], strain, hands, rng, 31)
        contract = deal.contract
        assert contract is not None
        outcome = rollouts(Position.of_deal(deal), 1, 1).reshape(1, 1)
        last = deal
        while last.result is None:
            last = last.apply(last.owed[0], last.choices[0])
        marks = Marks(RULES[name], contract).of(outcome, np.array([deal.dealt], dtype=np.int64))
        north_south, east_west = last.result.marks
        swept = 8 in last.result.tricks
        if not swept and 0 in last.result.points and name == "coinche-annonce":
            continue  # all the points without all the tricks, which outcomes do not tell there
        assert marks.tolist() == [[north_south - east_west]]
        with_belote += any(last.result.belotes)
        made += last.result.score is not None and last.result.score.made
        slams += swept
    assert 0 < made < DEALS
    assert slams > 0
    assert with_belote > 0 or strain is Strain.NO_TRUMP
