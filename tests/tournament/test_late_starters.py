"""Real processes that are started for each match, and take longer than they have for Ready."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.events, pytest.mark.timeout(180)]

EVENT = """
name = "Late"
boards = 2
tables = 2
isolation = "{isolation}"
[time]
per_move = "30s"
ready = "1s"
[[bots]]
name = "late"
command = ["python", "late.py"]
[[bots]]
name = "rules"
command = ["python", "-m", "contree.bots.rules"]
"""
LATE = """
import runpy, time

time.sleep(6)  # as an interpreter that loads a model
runpy.run_module("contree.bots.random", run_name="__main__")
"""
RUN = "import sys; from contree.tournament import run_event; sys.exit(run_event('cup.toml'))"


@pytest.mark.parametrize("isolation", ["match", "seat"])
def test_one_that_starts_late_is_not_charged_for_it(tmp_path: Path, isolation: str) -> None:
    (tmp_path / "cup.toml").write_text(EVENT.format(isolation=isolation))
    (tmp_path / "late.py").write_text(LATE)
    subprocess.run([sys.executable, "-c", RUN], cwd=tmp_path, check=True, timeout=150)
    (results,) = (tmp_path / "results").iterdir()
    lines = [json.loads(line) for line in (results / "tables.jsonl").read_text().splitlines()]
    assert len(lines) == 4
    for line in lines:
        assert line["attempts"] == [], "not even the first attempt failed"
        assert line["faults"] == []
        # Its clock began with its first decision.
        assert line["seconds"]["late"] < 6
