"""Where the extra is not installed, the command says so, and what only reads works."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.tournament.html_report.folders import make_folder

SCRIPT = """
import sys
sys.modules["numba"] = None  # so that importing it fails as if it were not there
import contree.analysis
from contree.cli.app import run
sys.exit(run(sys.argv[1:]))
"""


def test_one_clear_sentence(tmp_path: Path) -> None:
    folder = make_folder(tmp_path, bots=("x", "y"), boards=1)
    record = next((folder / "records").iterdir())
    for arguments in ([str(record)], [str(folder), "--workers", "2"]):
        ran = subprocess.run(
            [sys.executable, "-c", SCRIPT, "analyse", *arguments],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert ran.returncode == 1
        assert ran.stdout == ""
        assert ran.stderr.endswith(
            "contree: This needs numba, which is not installed: pip install 'contree[search]'.\n"
        )
        assert "Traceback" not in ran.stderr
