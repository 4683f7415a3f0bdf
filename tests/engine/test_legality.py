"""What a view allows by itself is what the deal it was cut from allows."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from contree.engine import (
    CARDS,
    CONTRE,
    DECLINE,
    PASS,
    PRESET_NAMES,
    SURCONTRE,
    Action,
    Announced,
    Bid,
    Deal,
    IllegalAction,
    RuleSet,
    SeededDeals,
    Slam,
    Strain,
    preset,
    project,
)
from contree.engine.legality import legal_of, refusal_of
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


CALLS: tuple[Action, ...] = (
    *(PASS, CONTRE, SURCONTRE, DECLINE),
    *(Bid(level, strain) for level in (70, 80, 120, Slam.GENERALE) for strain in Strain),
)


@pytest.mark.parametrize("rules", RULES)
def test_a_view_refuses_with_the_sentence_of_its_deal(rules: RuleSet) -> None:
    rng = random.Random(2)
    reasons = set()
    for number in range(1, 13):
        dealer, hands = SeededDeals(bytes(32)).board(number, rules)
        deal = Deal.start(rules, dealer, hands)
        while deal.owed:
            seat = rng.choice(deal.owed)
            view = project(deal, seat)
            for action in (*CALLS, *CARDS, *(Announced(card) for card in view.hand)):
                if action in view.legal:
                    continue
                with pytest.raises(IllegalAction) as refused:
                    deal.apply(seat, action)
                reasons.add(refused.value.reason)
                assert str(refusal_of(view, action)) == str(refused.value)
            legal = deal.legal_actions(seat)
            deal = deal.apply(seat, rng.choice(legal[:6] if isinstance(legal[-1], Bid) else legal))
    duties = ("must follow", "must trump: ", "must play higher than")
    assert all(any(duty in reason for reason in reasons) for duty in duties)
