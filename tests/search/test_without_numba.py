"""Where the extra is not installed."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import sys
sys.modules["numba"] = None  # so that importing it fails as if it were not there
try:
    import contree.search
except ModuleNotFoundError as error:
    print(error)
import contree.policy, contree.client
"""


def test_it_says_what_is_missing() -> None:
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True, timeout=60
    )
    assert run.stdout == "contree.search needs numba: pip install 'contree[search]'\n"
