"""The blocks of docs/write-a-bot.md for other languages: of Go as they stand, of the others with
their own command.
"""

from __future__ import annotations

import json
import shlex
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.languages.folders import LANGUAGES, built, commands
from tests.pages import ROOT, Block, Reader, blocks_of

PAGE = (ROOT / "docs" / "write-a-bot.md").read_text(encoding="utf-8")
GO = "bin/starter"
PATIENT = "--limit 15 --start 120 --back 60"
PATH = Block("environment", 'export PATH="$REPOSITORY/.venv/bin:$PATH"\n')


def block_for(block: Block, command: tuple[str, ...]) -> Block:
    """A block for Go, with the command of another bot, and time for it on a busy machine."""
    what = block.what.removeprefix("language ")
    in_file, in_shell = json.dumps(command), shlex.join(command)
    if what == "language":
        text = block.text.replace(GO, in_shell)
        return Block("run", text.replace("contree check-bot", f"contree check-bot {PATIENT}"))
    return Block(what, block.text.replace(f'["{GO}"]', in_file))


@pytest.mark.languages
@pytest.mark.parametrize("language", [name for name in LANGUAGES if name != "python"])
@pytest.mark.timeout(2400)
def test_commands_in_order(language: str, tmp_path: Path) -> None:
    assert commands("go")[1] == GO
    mine = [block for block in blocks_of(PAGE) if block.what.startswith("language")]
    assert len(mine) == 3
    with ExitStack() as running:
        blocks = [PATH, *(block_for(block, built(language)) for block in mine)]
        said = "\n".join(Reader(tmp_path).follow(blocks, running))
    assert "25 passed." in said
    assert "All 10 tables have a result." in said
    assert "now  " in said
