"""What a view allows by itself is what the deal it was cut from allows."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from contree.engine import (
    PRESET_NAMES,
    Bid,
    Deal,
    RuleSet,
    SeededDeals,
    preset,
    project,
)
from contree.engine.legality import legal_of
from contree.engine.options import BeloteMode, ContreTiming

RULES = [
    *(pytest.param(preset(name), id=name) for name in PRESET_NAMES),
    *(
        pytest.param(
            replace(preset(name), belote_mode=BeloteMode.ANNOUNCED, contre_timing=timing),
            id=f"{name}-announced-{timing.value}",
        )
        for name in ("ffb-mixte", "coinche-annonce")
        for timing in ContreTiming
    ),
]


@pytest.mark.parametrize("rules", RULES)
def test_a_view_allows_what_its_deal_allows(rules: RuleSet) -> None:
    rng = random.Random(1)
    deals = SeededDeals(bytes(32))
    for number in range(1, 61):
        dealer, hands = deals.board(number, rules)
        deal = Deal.start(rules, dealer, hands)
        while deal.owed:
            for seat in deal.owed:
                view = project(deal, seat)
                assert legal_of(view._replace(kind=None, legal=())) == view.legal
            seat = rng.choice(deal.owed)
            legal = deal.legal_actions(seat)
            # Low bids, so that auctions are long and windows many.
            if isinstance(legal[-1], Bid) and rng.random() < 0.7:
                deal = deal.apply(seat, rng.choice(legal[:6]))
            else:
                deal = deal.apply(seat, rng.choice(legal))
