"""Random play: by the rules, uniform, and the same again."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare
from tests.search.deals import (
    FULL,
    KINDS,
    RULES,
    bid_and_played,
    unequal_hands,
    uniform_hands,
    variant,
)

from contree.engine import CARDS, Seat, Strain
from contree.search import (
    Position,
    random_lines,
    rollouts,
    rollouts_by_card,
    rollouts_over,
    stakes_of,
)

DEALS = 200 if FULL else 12


@pytest.mark.parametrize(("name", "strain"), KINDS)
def test_every_card_is_legal_and_the_outcome_the_engines(name: str, strain: Strain) -> None:
    rng = random.Random(f"{name} {strain}")
    rules, slams = RULES[name], 0
    stakes = stakes_of(rules, strain)
    for number in range(DEALS):
        hands = unequal_hands(rng, strain) if number % 2 else uniform_hands(rng)
        deal, _ = bid_and_played(rules, strain, hands, rng, rng.randrange(31))
        position = Position.of_deal(deal)
        lines, outcomes = random_lines(position, 5, number)
        assert list(outcomes) == list(rollouts(position, 5, number))
        for line, outcome in zip(lines, outcomes, strict=True):
            played = deal
            for card in line:
                played = played.apply(played.owed[0], CARDS[card])
            assert played.result is not None
            assert stakes.points(outcome) == played.result.points
            slams += 8 in played.result.tricks
    assert slams > 0


def test_each_legal_card_is_equally_likely() -> None:
    rng = random.Random(4)
    hands = uniform_hands(rng)
    position = Position.start(RULES["ffb-mixte"], Strain.SPADES, hands, Seat.EAST)
    lines, _ = random_lines(position, 200_000, 9)
    first = Counter(lines[:, 0].tolist())
    assert set(first) == set(position.legal)
    assert chisquare(list(first.values())).pvalue > 1e-4
    for card, after in ((card, position.play(card)) for card in position.legal):
        second = Counter(lines[lines[:, 0] == card, 1].tolist())
        assert set(second) == set(after.legal)
        assert len(second) == 1 or chisquare(list(second.values())).pvalue > 1e-4


def test_the_same_seed_gives_the_same_and_another_does_not() -> None:
    hands = uniform_hands(random.Random(8))
    position = Position.start(RULES["ffb-mixte"], Strain.CLUBS, hands, Seat.SOUTH)
    one = rollouts(position, 1000, 7)
    assert (one == rollouts(position, 1000, 7)).all()
    assert (one[:500] == rollouts(position, 500, 7)).all()
    others = [rollouts(position, 1000, seed).tolist() for seed in (8, 7 << 32, -1)]
    assert all(other != one.tolist() for other in others)


def test_worlds_by_card() -> None:
    rng = random.Random(2)
    deal, _ = bid_and_played(RULES["ffb-mixte"], Strain.HEARTS, uniform_hands(rng), rng, 14)
    position = Position.of_deal(deal)
    worlds = [position.hands] * 3
    found = rollouts_by_card(position, worlds, 50, 5)
    assert tuple(found) == position.legal
    for card, outcomes in found.items():
        assert outcomes.shape == (3, 50)
        after = position.play(card)
        there = np.array([after.hands] * 3, dtype=np.int64)
        assert (outcomes == rollouts_over(after, there, 50, 5)).all()


def test_without_slams_eight_tricks_are_their_points() -> None:
    rng = random.Random(6)
    strain = Strain.DIAMONDS
    position = Position.start(RULES["ffb-mixte"], strain, unequal_hands(rng, strain), Seat.NORTH)
    with_slams, without = (rollouts(position, 5000, 3, slams=slams) for slams in (True, False))
    assert set(with_slams[with_slams != without].tolist()) <= {250, -88}
    assert (with_slams != without).any()
    assert 0 <= without.min() <= without.max() <= 162


def test_rules_by_which_a_trick_more_loses_are_refused_unless_slams_do_not_count() -> None:
    rules = variant("ffb-mixte", capot_total=100)
    with pytest.raises(ValueError, match="slams=False"):
        stakes_of(rules, Strain.SPADES)
    assert stakes_of(rules, Strain.SPADES, slams=False).capot == 162
