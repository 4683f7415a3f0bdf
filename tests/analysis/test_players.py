"""Costs tell players apart: the figures of docs/analyse.md, with FULL=1."""

from __future__ import annotations

import random

from tests.search.deals import FULL, uniform_hands

from contree.analysis import Analysis, Total, totals
from contree.analysis.solving import Analyst
from contree.bots.sampler import Sampler
from contree.engine import SEATS, Deal, Mode, Policy, Record, RecordedDeal, preset, project
from contree.policy import random_player, rules_player
from contree.testing import policy

RULES = preset("ffb-mixte")
NAMES = ("random", "rules", "sampler") if FULL else ("random", "rules")


def player(name: str, key: str) -> Policy:
    if name == "rules":
        return rules_player
    if name == "random":
        return random_player(key)
    return policy(Sampler(worlds=128, seed=key))


def analysed(analyst: Analyst, number: int, name: str) -> Analysis:
    """One player with all four hands, after an auction of rules players."""
    deal = Deal.start(RULES, SEATS[number % 4], uniform_hands(random.Random(number)))
    players = {seat: player(name, f"{number}{seat}") for seat in SEATS}
    while deal.result is None:
        seat = deal.owed[0]
        who = rules_player if deal.setting is None else players[seat]
        deal = deal.apply(seat, who(project(deal, seat)))
    played = RecordedDeal.of(deal)
    record = Record(
        rules=RULES, mode=Mode.BOARD, number=number + 1, names=(name,) * 4, deals=(played,)
    )
    return analyst.analyse(record, "x")


def test_who_plays_better_gives_away_less() -> None:
    analyst = Analyst(worlds=40 if FULL else 10)
    deals = range(25 if FULL else 10)
    found = totals(analysed(analyst, number, name) for number in deals for name in NAMES)
    for row in found:
        print(row)
    assert [row.player for row in found] == sorted(NAMES, reverse=True)
    by_name: dict[str, Total] = {row.player: row for row in found}
    worse, better = by_name["random"].seen, by_name["rules"].seen
    assert worse is not None
    assert better is not None
    assert worse.each > 1.5 * better.each
