"""docs/host-a-competition.md: its files are written and its commands run, in order."""

from __future__ import annotations

import json
import re
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from tests.pages import ROOT, Reader, blocks_of, dead_links

PAGE = (ROOT / "docs" / "host-a-competition.md").read_text(encoding="utf-8")
BLOCKS = blocks_of(PAGE)


@pytest.mark.pages
@pytest.mark.timeout(400)
def test_commands_in_order(tmp_path: Path) -> None:
    with ExitStack() as running:
        said = Reader(tmp_path).follow(BLOCKS, running)
    everything = "\n".join(said)
    assert re.search(r"rules and quiet: \d+ boards", everything)
    assert everything.count("SHA-256): ") >= 2
    assert re.search(r"Event spring-cup-\w+, round-robin: running", everything)
    assert "All 180 tables have a result." in everything
    assert re.search(r"Event spring-cup-\w+: right. 180 tables; 180 records", everything)
    (event,) = tmp_path.glob("results/spring-cup-*")
    results: list[dict[str, Any]] = [
        json.loads(line) for line in (event / "tables.jsonl").read_text().splitlines()
    ]
    assert not [fault for result in results for fault in result["faults"]]
    assert {result["reason"] for result in results} <= {"board_done", "passed_out"}
    tokens = [path.read_text().strip().encode() for path in tmp_path.glob("*.token")]
    assert len(tokens) == 4
    published = (tmp_path / "spring-cup.zip").read_bytes()
    assert f"{event.name}/report.html".encode() in published
    assert not any(token in published for token in tokens)


def test_every_block_of_shell_is_run() -> None:
    assert PAGE.count("```sh\n") == sum(not block.what.startswith("file") for block in BLOCKS)
    assert len(BLOCKS) >= 15


def test_it_is_one_page() -> None:
    assert PAGE.count("\n") <= 170


def test_links_lead_somewhere() -> None:
    assert not dead_links(PAGE, ROOT / "docs")
