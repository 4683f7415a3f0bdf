"""Dealing is even: a chi-square test over card and seat, on a million cards with ``FULL=1``."""

import os

import pytest
from scipy.stats import chi2

from contree.engine import CARDS, SeededDeals, preset
from contree.engine.cards import cards_in

DEALS = 31_250 if os.environ.get("FULL") else 3_125
"""32 cards each: a million, or a tenth of it."""
SEED = bytes(range(32))

Counts = list[list[int]]
"""How often each card (row) was dealt to each seat (column)."""


def counted(name: str, deals: int, label: str = "uniform") -> Counts:
    rules, source = preset(name), SeededDeals(SEED, label)
    counts = [[0] * 4 for _ in CARDS]
    for board in range(1, deals + 1):
        for seat, hand in enumerate(source.board(board, rules).hands):
            for card in cards_in(hand):
                counts[card][seat] += 1
    return counts


def p_of(counts: Counts) -> float:
    """How often fair dealing would come out at least that uneven.

    A card goes to one seat, a seat gets eight cards: 31 x 3 degrees of freedom. As the eight cards
    of a hand are all different, the sum is larger than chi-square by 32 / 31.
    """
    expected = sum(counts[0]) / 4
    statistic = sum((count - expected) ** 2 / expected for row in counts for count in row)
    return float(chi2.sf(statistic * 31 / 32, 31 * 3))


@pytest.mark.parametrize("name", ["ffb-mixte", "coinche-classique"], ids=["3-2-3", "cut 3-3-2"])
def test_29_every_seat_is_dealt_every_card_alike(name: str) -> None:
    counts = counted(name, DEALS)
    assert all(sum(row) == DEALS for row in counts)
    assert 0.001 < p_of(counts) < 0.999


def test_statistic_has_the_distribution_it_is_held_to() -> None:
    """Over many small samples the probabilities spread evenly: the test above is no sham."""
    values = [p_of(counted("ffb-mixte", 40, f"sample {sample}")) for sample in range(60)]
    below = [sum(value < bound for value in values) / len(values) for bound in (0.25, 0.5, 0.75)]
    assert below == pytest.approx([0.25, 0.5, 0.75], abs=0.2)


def test_an_uneven_deal_would_be_noticed() -> None:
    """An ace that North is dealt a fifth too often, at East's expense."""
    counts = counted("ffb-mixte", 3_125)
    assert p_of(counts) > 0.001
    moved = 3_125 // 20
    for card, direction in ((-1, 1), (0, -1)):
        counts[card][0] += direction * moved
        counts[card][1] -= direction * moved
    assert p_of(counts) < 0.001
