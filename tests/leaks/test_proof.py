"""Nobody is sent what is hidden: over many matches, at every moment, with all eyes.

FULL=1 looks at many more.
"""

from __future__ import annotations

import os

import pytest
from tests.engine.test_notation_json import random_record
from tests.leaks.journals import RULES, random_journal, spec

from contree.engine import Mode, RuleSet
from contree.engine.options import BeloteMode
from contree.server.match import Acted, Faulted, fold
from contree.testing.leaks import LeakReport, journal_of, leak_test, leak_test_journal

FULL = bool(os.environ.get("FULL"))
BOARDS = range(1, 101 if FULL else 19)
RACES = range(1, 21 if FULL else 4)
WORLDS = 3 if FULL else 1
TRIED = 4 if FULL else 2


def proven(reports: list[LeakReport]) -> LeakReport:
    total = LeakReport()
    for report in reports:
        total.add(report)
    assert total.difference is None, str(total.difference)
    return total


@pytest.mark.timeout(3600 if FULL else 600)
@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.name)
def test_nobody_is_shown_what_is_hidden(rules: RuleSet) -> None:
    journals = [
        random_journal(spec(rules, Mode.BOARD, seed, house=seed % 3), seed) for seed in BOARDS
    ]
    journals += [random_journal(spec(rules, Mode.RACE, seed), seed) for seed in RACES]
    total = proven(
        [
            leak_test_journal(journal, worlds=WORLDS, tried=TRIED, seed=str(number))
            for number, journal in enumerate(journals)
        ]
    )
    entries = [entry for journal in journals for entry in journal]
    assert any(isinstance(entry, Faulted) and entry.replaced for entry in entries)
    assert any(isinstance(entry, Acted) and entry.by_house for entry in entries)
    games = [fold(journal).game for journal in journals]
    played = [deal for game in games for deal in game.finished if deal.contract is not None]
    assert {deal.contract.strain for deal in played if deal.contract} == set(rules.strains)
    if rules.belote_mode is BeloteMode.ANNOUNCED:
        assert any(deal.past.belotes for deal in played)
    windows = rules.contre_timing.value != "own_turn"
    assert bool(total.windows) is windows
    for kind in (
        "turn",
        "event",
        "fault",
        "act: act_result",
        "act too late: fault",
        "watch",
        "log",
    ):
        assert total.compared[kind] > 20, kind
    print(
        f"{rules.name}: {len(journals)} matches, {total.moments} moments, "
        f"{total.worlds} exchanges, {total.windows} in windows, {total.frames} frames"
    )


def test_a_record_is_proven_as_its_journal_was() -> None:
    record = random_record(RULES[1], Mode.RACE, 4, steps=90)
    report = leak_test(record, worlds=1)
    assert report.difference is None
    assert report.moments == len(journal_of(record)) - 1
    again = leak_test(record, worlds=1)
    assert again == report, "the same seed looks at the same worlds"
