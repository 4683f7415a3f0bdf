"""The rules player as a whole: legal, deterministic, quick, and better than chance."""

from __future__ import annotations

from statistics import fmean
from time import perf_counter

import pytest
from tests.policy.positions import FFB, after, deals, dealt, random_states, view_of

from contree.bots.strength import compare
from contree.engine import PRESET_NAMES, SEATS, RuleSet, drive, preset, project, rules_from_dict
from contree.policy import BID_STYLE, random_player, rules_player, styled_player

OTHERS: dict[str, dict[str, object]] = {
    "announced": {"belote_mode": "announced"},
    "must-undertrump": {"undertrump": "must", "partner_master": "must_rise"},
    "all-strains": {"strains": ["S", "H", "D", "C", "SA", "TA"], "belotes_at_all_trump": 4},
    "only-sans-atout": {"strains": ["SA"], "ladder": [80, "capot"]},
}
RULES = [preset(name) for name in PRESET_NAMES] + [
    rules_from_dict({"base": "ffb-mixte", "name": name, **options})
    for name, options in OTHERS.items()
]
every_rule_set = pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.name)


@every_rule_set
def test_its_actions_are_legal_among_its_like_and_among_others(rules: RuleSet) -> None:
    by_chance = random_player(1)
    for deal in deals(rules, 200):
        assert drive([rules_player] * 4, deal).result is not None
        assert drive([rules_player, by_chance, by_chance, by_chance], deal).result is not None


@every_rule_set
def test_its_actions_are_legal_in_positions_it_would_never_reach(rules: RuleSet) -> None:
    for deal in random_states(rules, 100):
        for seat in deal.owed:
            view = project(deal, seat)
            assert rules_player(view) in view.legal


def test_it_answers_a_view_always_alike() -> None:
    views = [view_of(state) for state in random_states(FFB, 40)]
    first = [rules_player(view) for view in views]
    assert [rules_player(view) for view in reversed(views)] == first[::-1]
    # An equal player that remembers nothing yet.
    fresh = styled_player(BID_STYLE._replace())
    assert [fresh(view) for view in views] == first


@pytest.mark.parametrize("name", PRESET_NAMES)
def test_it_beats_chance(name: str) -> None:
    found = compare(rules_player, random_player(2), preset(name), boards=100)
    assert found.mean - found.error > 300


@pytest.mark.parametrize("name", [name for name in PRESET_NAMES if name != "coinche-annonce"])
def test_its_contracts_are_made_more_often_than_not(name: str) -> None:
    # A contract of coinche-annonce marks its value alone, and the defence its points: one has to
    # be surer there.
    results = [drive([rules_player] * 4, deal).result for deal in deals(preset(name), 400)]
    scores = [result.score for result in results if result is not None]
    made = fmean(score.made for score in scores if score is not None)
    assert 0.5 < made < 0.75


def test_it_takes_microseconds() -> None:
    found = compare(rules_player, rules_player, FFB, boards=50)
    assert found.decision_us < 200


def test_its_first_decision_under_unknown_rules_takes_no_noticeable_time() -> None:
    rules = rules_from_dict({"base": "coinche-classique", "failed_base": 161})
    (deal,) = deals(rules, 1)
    start = perf_counter()
    drive([rules_player] * 4, deal)
    assert perf_counter() - start < 1.0


def test_it_says_belote_where_that_must_be_said() -> None:
    rules = rules_from_dict({"base": "ffb-mixte", "belote_mode": "announced"})
    deal = dealt(rules, north="JS 9S AS KS QS TS 7H 7D")
    deal = drive([rules_player] * 4, after(deal, "capotS"))
    assert deal.result is not None
    assert deal.result.belotes == (1, 0)


def test_it_refuses_a_view_that_asks_for_nothing() -> None:
    deal = dealt()
    idle = next(seat for seat in SEATS if seat not in deal.owed)
    with pytest.raises(ValueError, match="nothing is asked"):
        rules_player(project(deal, idle))
