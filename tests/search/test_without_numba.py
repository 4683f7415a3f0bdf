"""Where the extra is not installed."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import sys
sys.modules["numba"] = None  # so that importing it fails as if it were not there
try:
    import contree.search
except ModuleNotFoundError as error:
    print(error)
import contree.policy, contree.client
"""
BOT = """
import sys
sys.modules["numba"] = None
from contree.cli.app import run
sys.exit(run(sys.argv[1:]))
"""


def test_it_says_what_is_missing() -> None:
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True, timeout=60
    )
    assert run.stdout == "contree.search needs numba: pip install 'contree[search]'\n"


@pytest.mark.parametrize("bot", ["solver", "sampler", "contree.bots:Solver"])
def test_a_bot_that_needs_it_says_so_in_one_line(bot: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", BOT, "simulate", "--policies", f"rules,{bot}"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr.count("\n") == 1
    assert "contree.search needs numba: pip install 'contree[search]'" in run.stderr
