"""Events as processes, with their metrics; and the bots that they start."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Self

from tests.ports import Port

_BOT: Final = """
# Plays legal actions; which, and how, its first argument says.
import os
import random
import sys
import time

from contree.client import Bot, run_bot

how = sys.argv[1]


class Player(Bot):
    asked = 0

    def decide(self, turn):
        self.asked += 1
        if how == "slow":
            time.sleep(1.5)
        if how == "crashes" and self.asked == 4:
            os._exit(3)
        legal = turn.view.legal
        return random.choice(legal) if how == "random" else legal[0]


run_bot(Player())
"""


class Event:
    """An event in a folder of its own, and the process that runs it."""

    def __init__(self, folder: Path, name: str) -> None:
        self.name = name
        self._folder = folder / name
        self._folder.mkdir()
        (self._folder / "player.py").write_text(_BOT, encoding="utf-8")
        self._port = Port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def metrics_address(self) -> str:
        return self._port.address

    @property
    def started(self) -> bool:
        return self._process is not None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait(60)

    def start(
        self,
        server: str,
        head: str,
        bots: Sequence[str],
        *,
        dial_in: bool = False,
        token: str = "",
        bots_token: str = "",
    ) -> None:
        """Run it: ``head`` is its file before the bots. Once it has ended its metrics stay."""
        lines = [f'name = "{self.name}"', head]
        for bot in bots:
            lines += ["[[bots]]", f'name = "{bot}"']
            if not dial_in:
                lines.append(f'command = ["python", "player.py", "{bot}"]')
                lines.append(f'env = {{ CONTREE_TOKEN = "{bots_token}" }}' if bots_token else "")
        path = self._folder / "event.toml"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        with (self._folder / "run.log").open("wb") as log:
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "contree.cli", "tournament", "run", str(path)),
                    *("--server", server, "--results", str(self._folder / "results")),
                    *("--metrics-port", self.metrics_address, "--linger", "600"),
                ],
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, "CONTREE_TOKEN": token} if token else None,
            )

    @property
    def results(self) -> Path:
        """Its folder of results."""
        (found,) = (self._folder / "results").iterdir()
        return found

    def last_words(self) -> str:
        """The end of what it wrote, for a failure."""
        return (self._folder / "run.log").read_text(encoding="utf-8", errors="replace")[-2000:]
