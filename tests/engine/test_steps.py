"""A record played again step by step: every call and card once, and nothing that nobody heard."""

import itertools

import pytest
from tests.engine.test_notation_json import RULES, random_record

from contree.engine import DECLINE, Deal, IllegalAction, Mode, PlacedCall, RuleSet, Say, steps


def cards_held(deal: Deal) -> int:
    return sum(hand.bit_count() for hand in deal.hands)


@pytest.mark.parametrize("mode", Mode, ids=lambda mode: mode.value)
@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.name)
def test_every_call_and_card_is_a_step(rules: RuleSet, mode: Mode) -> None:
    for seed in (1, 2, 3):
        record = random_record(rules, mode, seed)
        game = record.replay()
        taken = list(steps(record))
        assert [(step.deal_index, step.what) for step in taken] == [
            (index, what)
            for index, deal in enumerate(record.deals)
            for what in (None, *deal.calls, *deal.cards)
        ]
        assert not any(isinstance(s.what, PlacedCall) and s.what.call is DECLINE for s in taken)
        assert taken[-1].scores == game.scores
        assert taken[-1].deal == game.finished[-1]
        for before, after in itertools.pairwise(taken):
            if before.deal_index == after.deal_index:
                played = cards_held(before.deal) - cards_held(after.deal)
                assert played == int(not isinstance(after.what, PlacedCall))


def test_unfinished_match_stops_where_it_was_left() -> None:
    for count in range(0, 40, 3):
        record = random_record(RULES[2], Mode.RACE, 7, steps=count)
        *_, last = steps(record)
        assert len(last.deal.auction.calls) == len(record.deals[-1].calls)


def test_what_the_rules_forbid_ends_it() -> None:
    record = random_record(RULES[5], Mode.BOARD, 1)
    (deal,) = record.deals
    wrong = deal._replace(calls=(PlacedCall(deal.dealer, Say.PASS), *deal.calls))
    bad = type(record)(
        rules=record.rules, mode=record.mode, names=record.names, deals=(wrong,), number=1
    )
    walk = steps(bad)
    assert next(walk).what is None
    with pytest.raises(IllegalAction, match="turn to speak"):
        next(walk)
