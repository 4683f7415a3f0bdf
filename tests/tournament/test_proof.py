"""An event read back from its folder, to prove its records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.tournament.events import SEED, make_event

from contree.engine import parse_rules
from contree.tournament.errors import ResultsError
from contree.tournament.proof import EventProof


def test_all_that_an_event_says_is_read_back(tmp_path: Path) -> None:
    rules = parse_rules('base = "coinche-classique"\nname = "club"\ntarget = 7\n')
    plan = make_event(tmp_path, rules=rules)
    proof = EventProof.read(tmp_path)
    assert (proof.id, proof.label, proof.seed) == (plan.id, "cup", SEED)
    assert proof.rules == rules
    tables = plan.schedule.opened({}).tables
    assert proof.schedule == plan.schedule
    assert len(proof.results) == len(tables) == 2 * 3 * 2
    assert str(SEED.hex()) not in repr(proof)
    for table in tables:
        assert proof.table(table.id) == table
        assert proof.record(table).is_file()
        match = plan.match(table, 1)
        assert match.labels == (plan.id,), "a label of the table would tell its board"
        layout = proof.layout(table, SEED, "cup")
        assert match.deals is not None
        assert layout.deal.hands == getattr(match.deals, "hands", None)


@pytest.mark.parametrize(
    "table", ["", "b", "b0000-x~y-A", "b0003-x~y-A", "b0001-x~y-C", "b0001-y~x-A", "r", "b٣-x~y-A"]
)
def test_tables_that_the_event_has_not(tmp_path: Path, table: str) -> None:
    make_event(tmp_path, boards=2)
    assert EventProof.read(tmp_path).table(table) is None


def test_seed_that_is_not_revealed(tmp_path: Path) -> None:
    make_event(tmp_path, revealed=False)
    assert EventProof.read(tmp_path).seed is None


def test_line_of_results_that_was_not_finished_is_passed_over(tmp_path: Path) -> None:
    make_event(tmp_path)
    log = tmp_path / "tables.jsonl"
    log.write_text(log.read_text("utf-8")[:-20], encoding="utf-8")
    assert len(EventProof.read(tmp_path).results) == 11
    log.unlink()
    assert EventProof.read(tmp_path).results == {}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"seed": "00" * 32}, "the seed is not the one that its commitment is of"),
        ({"seed": "00"}, "32 bytes"),
        ({"seed": "zz"}, "cannot be read"),
        ({"rules": {"base": "tarot"}}, "tarot"),
        ({"rules": {"target": 1}}, "missing"),
        ({"bots": 3}, "cannot be read"),
        ({"boards": "many"}, "cannot be read"),
    ],
    ids=["commitment", "short", "no hex", "rules", "half the rules", "bots", "boards"],
)
def test_events_that_cannot_be_trusted(
    tmp_path: Path, change: dict[str, Any], problem: str
) -> None:
    make_event(tmp_path)
    file = tmp_path / "event.json"
    file.write_text(json.dumps({**json.loads(file.read_text("utf-8")), **change}), "utf-8")
    with pytest.raises(ResultsError, match=problem):
        EventProof.read(tmp_path)


@pytest.mark.parametrize("text", ["", "[]", "{}", "{"], ids=["nothing", "list", "empty", "half"])
def test_headers_that_are_none(tmp_path: Path, text: str) -> None:
    make_event(tmp_path)
    (tmp_path / "event.json").write_text(text, encoding="utf-8")
    with pytest.raises(ResultsError, match="cannot be read"):
        EventProof.read(tmp_path)


def test_folder_without_an_event(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match=r"it has no event\.json"):
        EventProof.read(tmp_path)
