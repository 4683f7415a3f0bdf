"""The folders of ``bots/``: each README says how its bot is built and run, and that is done."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Final

from tests.bots.processes import ROOT

LANGUAGES: Final = ("python", "node", "go", "rust", "java", "cpp")
_BUILD_S: Final = 1800


def folder(language: str) -> Path:
    return ROOT / "bots" / language


def commands(language: str) -> tuple[str, str]:
    """The first code block of the README: what builds the bot, and its last line, which runs it."""
    readme = (folder(language) / "README.md").read_text("utf-8")
    block = re.search(r"(?:^ {4}.*\n)+", readme, re.MULTILINE)
    assert block is not None, "the README has no commands"
    *build, run = (line.strip() for line in block.group().splitlines())
    return " && ".join(build), run


@cache
def built(language: str) -> tuple[str, ...]:
    """The command that runs a bot, which is built first where that is needed."""
    build, run = commands(language)
    if language != "python":
        made = subprocess.run(
            ["bash", "-c", build],
            cwd=folder(language),
            capture_output=True,
            text=True,
            timeout=_BUILD_S,
            check=False,
        )
        assert made.returncode == 0, f"{build}\n{made.stdout[-5000:]}{made.stderr[-5000:]}"
    words = [sys.executable if word == "python" else word for word in shlex.split(run)]
    return tuple(_found(language, word) for word in words)


def _found(language: str, word: str) -> str:
    """A word of a command, as a path where it names a file in the folder."""
    path = folder(language) / word
    return str(path) if path.is_file() else word
