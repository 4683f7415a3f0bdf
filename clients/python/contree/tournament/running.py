"""What a run says of itself in the event's folder while it goes on: ``run.json``.

For whoever looks from outside (``contree tournament status``); nothing that counts depends on it.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Callable, Collection
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from contree.tournament.memory import PeakMemory
from contree.tournament.progress import ENOUGH, Progress
from contree.tournament.results import json_text

RUN_NAME: Final = "run.json"
_EVERY_S: Final = 1.0


class Pace(NamedTuple):
    """How fast an event goes on."""

    tables_a_second: float
    seconds_left: float | None
    """None while that cannot be told."""


class Running:
    """Keeps the file up to date."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / RUN_NAME
        self._begun = datetime.now(UTC)
        self._started: float | None = None
        self.memory = PeakMemory()

    def begin(self) -> None:
        """The first card is about to be dealt: the speed counts from here."""
        self._started = time.monotonic()

    async def keep(
        self,
        progress: Callable[[], Progress],
        playing: Callable[[], Collection[str]],
        service: Callable[[], int | None],
    ) -> None:
        """Write it down every second, until cancelled."""
        while True:
            self.memory.look(service())
            self.write(progress(), playing())
            await asyncio.sleep(_EVERY_S)

    def pace(self, progress: Progress) -> Pace:
        """How fast it goes on, since the first card of this run."""
        seconds = 0.0 if self._started is None else time.monotonic() - self._started
        speed = progress.played / seconds if seconds else 0.0
        left = progress.of_tables - progress.tables
        return Pace(speed, left / speed if progress.played >= ENOUGH else None)

    def write(self, progress: Progress, playing: Collection[str]) -> None:
        """Write down how far it is."""
        speed, left = self.pace(progress)
        document = {
            "process": os.getpid(),
            "begun": self._begun.isoformat(timespec="seconds"),
            "written": datetime.now(UTC).isoformat(timespec="seconds"),
            "state": "waiting for bots" if self._started is None else "playing",
            **{key: getattr(progress, key) for key in ("tables", "of_tables")},
            **{key: getattr(progress, key) for key in ("boards", "of_boards")},
            "playing": sorted(playing),
            "tables_a_second": round(speed, 3),
            "seconds_left": None if left is None else round(left, 1),
            "memory_mib": self.memory.megabytes(),
        }
        # Not written through to the disk: it is of no use once the machine is gone.
        temporary = self._path.with_name(f"{RUN_NAME}.tmp")
        temporary.write_text(json_text(document), encoding="utf-8")
        temporary.replace(self._path)


def read_run(folder: Path) -> dict[str, Any]:
    """What the last run said of itself; empty when there is nothing that can be read."""
    try:
        found = json.loads((folder / RUN_NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
