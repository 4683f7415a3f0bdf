"""`python deploy/grafana/generate.py` writes the dashboards' JSON, which `as_code` makes.

With --check nothing is written; the exit code says whether the committed files are what it makes.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from as_code import BOARDS, Board, json_of

FOLDER: Final = Path(__file__).parent / "dashboards"


def target(board: Board) -> Path:
    """Where a dashboard is committed."""
    return FOLDER / f"{board.name.lower()}.json"


def main() -> int:
    """Write the files, or with --check compare them."""
    wanted = {target(board): json_of(board) for board in BOARDS}
    if sys.argv[1:] == ["--check"]:
        there = {path: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.json")}
        stale = {
            path for path in wanted.keys() | there.keys() if wanted.get(path) != there.get(path)
        }
        for path in sorted(stale):
            print(f"{path} is stale: run {Path(__file__)}", file=sys.stderr)
        return 1 if stale else 0
    for path, text in wanted.items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
