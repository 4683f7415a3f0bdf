"""The random player."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.policy.positions import FFB, deals, random_states, view_of

from contree.engine import PRESET_NAMES, Game, SeededDeals, drive, drive_game, preset
from contree.policy import random_player


@pytest.mark.parametrize("name", PRESET_NAMES)
def test_plays_every_preset(name: str) -> None:
    players = [random_player(seed) for seed in ("N", "E", "S", "W")]
    for deal in deals(preset(name), 300):
        assert drive(players, deal).result is not None


def test_plays_a_match() -> None:
    game = Game.start(FFB, SeededDeals(bytes(32)))
    assert drive_game([random_player()] * 4, game).outcome is not None


def test_is_reproducible_and_follows_its_seed() -> None:
    views = [view_of(state) for state in random_states(FFB, 20)]
    views = [view for view in views if len(view.legal) > 1]
    choices = {seed: [random_player(seed)(view) for view in views] for seed in (1, 2)}
    assert choices[1] == [random_player(1)(view) for view in reversed(views)][::-1]
    assert choices[1] != choices[2]


def test_takes_each_action_as_often_as_the_others() -> None:
    (deal,) = deals(FFB, 1)
    view = view_of(deal)
    drawn = Counter(random_player(seed)(view) for seed in range(4000))
    expected = 4000 / len(view.legal)
    chi_square = sum((drawn[action] - expected) ** 2 / expected for action in view.legal)
    assert chi_square < 80  # 40 degrees of freedom: above it once in 5,000 seeds' sets
    assert set(drawn) == set(view.legal)
