"""Positions: as the engine's deals go on, and none that is no position."""

from __future__ import annotations

import random

import pytest
from tests.search.deals import KINDS, RULES, bid_and_played, uniform_hands

from contree.engine import CARDS, DeckError, IllegalAction, Seat, Strain, mask_of, project
from contree.search import Position

FFB = RULES["ffb-mixte"]


@pytest.mark.parametrize(("name", "strain"), KINDS)
def test_it_goes_on_as_a_deal_does(name: str, strain: Strain) -> None:
    rng = random.Random(f"position {name} {strain}")
    deal, _ = bid_and_played(RULES[name], strain, uniform_hands(rng), rng, 0)
    position = Position.of_deal(deal)
    assert position == Position.start(deal.rules, strain, deal.dealt, deal.owed[0])
    while deal.result is None:
        assert position == Position.of_deal(deal) == position.checked()
        assert position == Position.of_view(project(deal, Seat.EAST), deal.hands)
        assert position.turn is deal.owed[0]
        assert position.legal == deal.choices
        card = rng.choice(position.legal)
        illegal = next((other for other in CARDS if other not in position.legal), None)
        if illegal is not None:
            with pytest.raises(IllegalAction):
                position.play(illegal)
        position = position.play(card)
        deal = deal.apply(deal.owed[0], card)
    assert position.over
    assert position.turn is deal.past.winners[-1]
    assert (position.taken, sum(position.won)) == (deal.past.taken, 8)
    with pytest.raises(ValueError, match="card play"):
        Position.of_deal(deal)


def test_what_is_no_position_is_refused() -> None:
    hands = uniform_hands(random.Random(1))
    north, east, south, west = hands
    with pytest.raises(DeckError, match="two places"):
        Position.start(FFB, Strain.CLUBS, (north, east, south, south), Seat.NORTH)
    with pytest.raises(DeckError, match="missing"):
        Position.start(FFB, Strain.CLUBS, (north, east, south, west & west - 1), Seat.NORTH)
    card = north & -north
    with pytest.raises(DeckError, match="should hold"):
        Position.start(FFB, Strain.CLUBS, (north ^ card, east | card, south, west), Seat.NORTH)
    led_by_east = Position(
        FFB,
        Strain.CLUBS,
        (north ^ card, east, south, west),
        Seat.EAST,
        (CARDS[card.bit_length() - 1],),
    )
    with pytest.raises(DeckError, match="should hold"):  # it is North's card
        led_by_east.checked()
    over, _ = bid_and_played(FFB, Strain.CLUBS, hands, random.Random(1), 32)
    with pytest.raises(ValueError, match="card play"):
        Position.of_view(project(over, Seat.NORTH), hands)
    assert mask_of(CARDS) == north | east | south | west
