"""Positions of random matches, of every preset, for the codec to carry."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from contree.engine import PRESET_NAMES, Game, RuleSet, Say, SeededDeals, View, preset, project
from contree.engine.options import BeloteMode

ANNOUNCED = "belote announced"
RULES: dict[str, RuleSet] = {
    **{name: preset(name) for name in PRESET_NAMES},
    ANNOUNCED: replace(preset("ffb-mixte"), belote_mode=BeloteMode.ANNOUNCED),
}


def random_views(name: str, seed: int, limit: int = 300) -> list[View]:
    """The views of the seats that owe something in a random match; they say little, play much."""
    draw = random.Random(f"{name} {seed}")
    game = Game.start(RULES[name], SeededDeals(draw.randbytes(32)))
    views: list[View] = []
    while game.owed and len(views) < limit:
        seat = draw.choice(game.owed)
        view = project(game, seat)
        views.append(view)
        quiet = [action for action in view.legal if isinstance(action, Say)]
        loud = not quiet or draw.random() < 0.2
        game = game.apply(seat, draw.choice(view.legal if loud else quiet))
    return views


@pytest.fixture(scope="session", params=RULES)
def views(request: pytest.FixtureRequest) -> list[View]:
    return [view for seed in range(4) for view in random_views(request.param, seed)]


@pytest.fixture(scope="session")
def every_view() -> list[View]:
    return [view for name in RULES for seed in (9, 10, 11) for view in random_views(name, seed)]
