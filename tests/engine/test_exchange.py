"""The same position with other hidden cards."""

import random

import pytest
from tests.engine.test_view import ANNOUNCED, random_prefix

from contree.engine import (
    PRESET_NAMES,
    SEATS,
    Announced,
    Card,
    DeckError,
    RuleSet,
    cards_in,
    exchange,
    mask_of,
    preset,
    project,
)

RULES = [*map(preset, PRESET_NAMES), ANNOUNCED]


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.name)
def test_the_cards_it_has_already_make_the_same_deal(rules: RuleSet) -> None:
    rng = random.Random(rules.name)
    for number in range(1, 80):
        deal, _ = random_prefix(rules, rng, number)
        assert exchange(deal, deal.hands) == deal


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.name)
def test_who_holds_other_cards_may_play_others(rules: RuleSet) -> None:
    rng = random.Random(rules.name)
    for number in range(1, 80):
        deal, _ = random_prefix(rules, rng, number)
        pool = list(cards_in(deal.unplayed))
        rng.shuffle(pool)
        hands = []
        for seat in SEATS:
            size = deal.hands[seat].bit_count()
            hands.append(mask_of(pool[:size]))
            del pool[:size]
        other = exchange(deal, hands)
        assert list(other.hands) == hands
        assert other.unplayed == deal.unplayed
        assert other.auction == deal.auction
        assert other.past == deal.past
        if other.setting is not None and other.owed:
            (turn,) = other.owed
            view = project(other, turn)
            action = rng.choice(view.legal)
            card = action.card if isinstance(action, Announced) else action
            assert isinstance(card, Card)
            assert card in view.hand
            assert other.apply(turn, action).unplayed == other.unplayed & ~mask_of([card])


def test_cards_that_are_no_exchange_are_refused() -> None:
    deal, _ = random_prefix(preset("ffb-mixte"), random.Random(1), 1)
    north, east, south, west = deal.hands
    with pytest.raises(DeckError):
        exchange(deal, (north, east, south, west & (west - 1)))
    with pytest.raises(DeckError):
        exchange(deal, (north, east, south, south))
