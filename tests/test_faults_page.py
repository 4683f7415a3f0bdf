"""docs/faults-met-by-others.md: each row has tests, of which one has its number, and they exist."""

from __future__ import annotations

import ast
import re
from functools import cache
from typing import Final

import pytest
from tests.pages import ROOT, dead_links

PAGE: Final = (ROOT / "docs" / "faults-met-by-others.md").read_text("utf-8")
LINES: Final = PAGE.splitlines()
ROWS: Final = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in LINES
    if line.startswith("| ") and not line.startswith(("| #", "| where"))
]
LINK: Final = re.compile(r"\[([\w/]+\.py)::(\w+)\]\(\.\./tests/([\w/]+\.py)\)")
NAMED: Final = sorted({found for row in ROWS for found in LINK.findall(row[-1])})
NUMBERED: Final = re.compile(r"test_((?:\d{1,2}_and_)*\d{1,2})_[a-z]")
FAULTS: Final = 30


def numbers_of(test: str) -> set[int]:
    """The rows that a test is named after."""
    found = NUMBERED.match(test)
    return {int(number) for number in found[1].split("_and_")} if found else set()


@cache
def defined_in(file: str) -> frozenset[str]:
    module = ast.parse((ROOT / "tests" / file).read_text("utf-8"))
    functions = ast.FunctionDef | ast.AsyncFunctionDef
    return frozenset(node.name for node in module.body if isinstance(node, functions))


def test_every_numbered_fault_has_its_row() -> None:
    assert [int(row[0]) for row in ROWS if row[0].isdigit()] == list(range(1, FAULTS + 1))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_every_row_names_tests_and_links_them(row: list[str]) -> None:
    named = LINK.findall(row[-1])
    assert len(named) == row[-1].count("::") > 0
    if row[0].isdigit():
        assert any(int(row[0]) in numbers_of(name) for _, name, _ in named)


@pytest.mark.parametrize(("file", "name", "linked"), NAMED, ids=lambda part: part)
def test_it_exists(file: str, name: str, linked: str) -> None:
    assert file == linked
    assert name in defined_in(file)


def test_its_links_lead_somewhere() -> None:
    assert not dead_links(PAGE, ROOT / "docs")


def test_tests_named_after_a_row_are_on_the_page_in_that_row() -> None:
    named = {
        (file.relative_to(ROOT / "tests").as_posix(), name, number)
        for file in (ROOT / "tests").rglob("test_*.py")
        for name in defined_in(file.relative_to(ROOT / "tests").as_posix())
        for number in numbers_of(name)
        if number <= FAULTS
    }
    listed = {
        (file, name, int(row[0]))
        for row in ROWS
        if row[0].isdigit()
        for file, name, _ in LINK.findall(row[-1])
    }
    assert named <= listed
