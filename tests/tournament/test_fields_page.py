"""The page names the fields of every file, and no others."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.tournament.html_report.folders import make_folder

from contree.tournament.documents import BOARDS, CONDUCT, STANDINGS, Derived
from contree.tournament.formats import Kind, Shape
from contree.tournament.proof import EventProof
from contree.tournament.statistics.sprt import Design
from contree.tournament.tables import Attempt, TableFault, forfeited

PAGE = (Path(__file__).parents[2] / "docs" / "run-a-tournament.md").read_text("utf-8")
SHAPES = {
    "round-robin": (Shape(), ("x", "y", "z")),
    "swiss": (Shape(kind=Kind.SWISS, rounds=2), ("x", "y", "z", "w")),
    "knockout": (Shape(kind=Kind.KNOCKOUT), ("x", "y", "z", "w")),
    "sprt": (Shape(kind=Kind.SPRT, design=Design(every=5, least=10)), ("x", "y")),
}


def section(name: str) -> str:
    """What the page says of a file."""
    after = PAGE.split("## Fields", 1)[1].split(f"### {name}\n", 1)[1]
    return after.split("\n### ", 1)[0]


def heads(name: str) -> set[str]:
    """The fields that have a row, or share one."""
    rows = re.findall(r"^\| (`.*?) \|", section(name), re.MULTILINE)
    return {field for row in rows for field in re.findall(r"`(\w+)`", row)}


def named(name: str) -> set[str]:
    return set(re.findall(r"`(\w+)`", section(name)))


def keys(value: Any) -> set[str]:
    """The names in a document, at any depth, but for those of bots, seats and faults."""
    if isinstance(value, list):
        return set().union(*map(keys, value))
    if not isinstance(value, dict):
        return set()
    free = {"faults", "match_points", "buchholz"}
    inner = (keys(one) for name, one in value.items() if name not in free)
    return set(value).union(*inner)


def test_a_line_of_results() -> None:
    table = Shape().build(("x", "y"), 1).opened({}).tables[0]
    line = forfeited(table, {"x"}, 250, race=True, attempts=(Attempt("m", "cancelled"),)).to_dict()
    assert heads("tables.jsonl") == set(line)
    assert set(TableFault._fields) | set(Attempt._fields) <= named("tables.jsonl")


@pytest.mark.parametrize("name", SHAPES)
def test_the_files_that_are_computed(name: str, tmp_path: Path) -> None:
    shape, bots = SHAPES[name]
    proof = EventProof.read(make_folder(tmp_path, shape, bots=bots, boards=12))
    files = Derived.of(proof.schedule, proof.results).documents("cup-1", proof.kind)
    standings = json.loads(files[STANDINGS])
    assert set(standings) | {"report"} == heads("standings.json")
    assert keys(standings) <= named("standings.json") | {"first", "second", "winner", "how"} | {
        *("t0", "t1", "alpha", "beta", "every", "least"),  # of the file
        *("round", "extensions", "pairings", "bye"),
    }
    assert keys(json.loads(files[CONDUCT])) <= named("standings.json")
    columns = csv.DictReader(io.StringIO(files[BOARDS])).fieldnames
    assert columns is not None
    assert set(columns) == heads("boards.csv")
