"""docs/faults-met-by-others.md: each row has tests, and they exist."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parent.parent
ROWS: Final = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (ROOT / "docs" / "faults-met-by-others.md").read_text("utf-8").splitlines()
    if line.startswith("|") and "::" in line
]
NAMED: Final = sorted({test for row in ROWS for test in re.findall(r"`(\S+::\S+)`", row[-1])})


@cache
def defined_in(file: str) -> frozenset[str]:
    module = ast.parse((ROOT / "tests" / file).read_text("utf-8"))
    functions = ast.FunctionDef | ast.AsyncFunctionDef
    return frozenset(node.name for node in module.body if isinstance(node, functions))


def test_every_numbered_fault_has_its_row() -> None:
    numbers = [int(row[0]) for row in ROWS if row[0].isdigit()]
    assert numbers == list(range(1, 31))


def test_every_row_names_tests() -> None:
    lines = (ROOT / "docs" / "faults-met-by-others.md").read_text("utf-8").splitlines()
    rows = [line for line in lines if line.startswith("| ") and not line.startswith(("| #", "| w"))]
    assert len(rows) == len(ROWS)


@pytest.mark.parametrize("named", NAMED)
def test_it_exists(named: str) -> None:
    file, _, name = named.partition("::")
    assert name in defined_in(file)
