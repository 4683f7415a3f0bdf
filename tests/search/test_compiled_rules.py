"""The compiled rules are the engine's: a million positions with ``FULL=1``, else 50,000."""

from __future__ import annotations

import random
from collections import Counter

from tests.search.deals import FULL

from contree.engine import Strain, masks
from contree.engine.cards import SUIT_MASKS
from contree.search.compiled_rules import BEATS, STRONGER, legal_by_strength, legal_cards
from contree.search.strength import kind_of, numbering, renumbered

POSITIONS = 1_000_000 if FULL else 50_000


def test_the_same_cards_are_legal() -> None:
    rng = random.Random(1)
    seen: Counter[str] = Counter()
    for _ in range(POSITIONS):
        strain = Strain(rng.randrange(6))
        best = rng.randrange(32)
        cuts = strain < 4 and best >> 3 == strain and rng.random() < 0.7
        led = rng.randrange(4) if cuts else best >> 3
        hand = 0
        for card in rng.sample(range(32), rng.randrange(1, 9)):
            hand |= 1 << card
        if rng.random() < 0.5:
            hand &= ~SUIT_MASKS[led]
        hand &= ~(1 << best)
        if rng.random() < 0.03:
            led = -1
        partner = rng.random() < 0.5
        duties = rng.randrange(1024)

        legal = masks.legal_cards(hand, strain, led, best, partner, duties)
        assert legal_cards(hand, int(strain), led, best, partner, duties) == legal
        seen["all" if legal == hand else "some"] += 1

        places = numbering(strain)
        suit = places[led * 8] >> 3 if led >= 0 else -1
        found = legal_by_strength(
            renumbered(hand, places), kind_of(strain), suit, places[best], partner, duties
        )
        assert found == renumbered(legal, places)
    assert min(seen["all"], seen["some"]) > POSITIONS // 4
    print(f"{POSITIONS} positions: no difference. {dict(seen)}")


def test_the_same_cards_win() -> None:
    for strain in Strain:
        places = numbering(strain)
        for best in range(32):
            winners = masks.BEATS[strain * 32 + best]
            assert BEATS[strain * 32 + best] == winners
            row = kind_of(strain) * 32
            assert STRONGER[row + places[best]] == renumbered(winners, places)
