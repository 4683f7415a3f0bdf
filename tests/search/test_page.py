"""What docs/search.md shows is true."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.search.deals import RULES, bid_and_played, uniform_hands

import contree.search
from contree.engine import Strain, project

PAGE = Path(__file__).parents[2] / "docs" / "search.md"


def test_the_example_runs() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    names: dict[str, Any] = {}
    exec(example, names)
    cards: Callable[..., Any] = names["cards"]
    rng = random.Random(1)
    deal, _ = bid_and_played(RULES["ffb-mixte"], Strain.CLUBS, uniform_hands(rng), rng, 9)
    by_chance, points = cards(project(deal, deal.owed[0]))
    assert set(by_chance) == set(points) == set(deal.choices)
    assert all(outcomes.shape == (100, 10) for outcomes in by_chance.values())
    assert all(sum(pair) == 162 for pair in points.values())


def test_every_name_of_the_package_is_described() -> None:
    text = PAGE.read_text()
    assert not [name for name in contree.search.__all__ if name not in text]
