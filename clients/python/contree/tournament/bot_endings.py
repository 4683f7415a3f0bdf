"""``endings.jsonl``: how each process of a bot ended that was not ended by the runner.

Of a run that is broken off the file is kept, so that restarts are counted over a whole event. It
bears on no result.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Final, NamedTuple

from contree.tournament.errors import ResultsError

ENDINGS_NAME: Final = "endings.jsonl"
"""In the folder of an event."""


class Ending(NamedTuple):
    """A process of a bot that ended by itself, or for what it used."""

    bot: str
    process: str
    """Which of the bot's: see ``isolation.Post``."""
    how: str
    """For a sentence: ``with exit code 1``, ``killed by SIGKILL``; and the limit it went over."""
    restarted: bool
    """Whether it was started again."""
    last: str = ""
    """The end of what it wrote."""


def note_ending(path: Path, ending: Ending) -> None:
    """Add a line for it to the file."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(ending._asdict()) + "\n")


def read_endings(path: Path) -> tuple[Ending, ...]:
    """All of the file; none when there is no file. A line that was cut off is left out.

    Raises ResultsError for a file that is something else.
    """
    if not path.exists():
        return ()
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    try:
        return tuple(Ending(**json.loads(line)) for line in lines if line.endswith("\n"))
    except (ValueError, TypeError) as error:
        raise ResultsError(f"{path} holds no endings ({error}).") from None


def restarts(endings: tuple[Ending, ...]) -> dict[str, int]:
    """How often processes of each bot were started again; those of which any was."""
    return dict(Counter(ending.bot for ending in endings if ending.restarted))
