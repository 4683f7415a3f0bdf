"""`contree serve --workers N` as processes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.tournament.waiting import alive, children, eventually

START_S = 60.0
END_S = 100.0
"""A worker that hangs is killed before."""
_AT_TERMINAL = """
import fcntl, os, sys, termios
terminal = os.open(sys.argv[1], os.O_RDWR)
fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
os.execv(sys.executable, [sys.executable, *sys.argv[2:]])
"""


class Crew:
    """A supervisor and its workers, on a store in ``folder``."""

    def __init__(
        self,
        folder: Path,
        *options: str,
        workers: int = 2,
        environment: Mapping[str, str] | None = None,
        terminal: str | None = None,
    ) -> None:
        """With ``terminal``, the path of one, it is started as by a person there."""
        self._ready = folder / "ready.json"
        self._log = folder / "crew.log"
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                [
                    sys.executable,
                    *(("-c", _AT_TERMINAL, terminal) if terminal else ()),
                    *("-m", "contree.cli", "serve", "--workers", str(workers)),
                    *("--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--log", "json"),
                    *("--data", str(folder / "data"), "--ready-file", str(self._ready)),
                    *options,
                ],
                stdin=subprocess.DEVNULL,
                stderr=log,
                start_new_session=True,
                env={"PATH": "", "CONTREE_LEASE_MS": "3000", **(environment or {})},
            )

    async def serving(self) -> None:
        """Wait until all of them serve."""
        ready = await eventually(lambda: self._ready.exists() or not self.running, START_S)
        assert ready, self.log
        assert self.running, self.log

    @property
    def running(self) -> bool:
        return self.process.poll() is None

    @property
    def facts(self) -> Mapping[str, Any]:
        facts: Mapping[str, Any] = json.loads(self._ready.read_text())
        return facts

    @property
    def address(self) -> str:
        return str(self.facts["address"])

    @property
    def pids(self) -> dict[int, int]:
        """The process of each worker that serves, by number."""
        return {one["worker"]: one["pid"] for one in self.facts["workers"]}

    @property
    def log(self) -> str:
        return self._log.read_text(errors="replace")

    def said(self, event: str) -> list[dict[str, Any]]:
        """The lines of the log with this event."""
        # A last line without its end is being written.
        whole = self.log.rpartition("\n")[0].splitlines()
        lines = [json.loads(line) for line in whole if line[:1] == "{"]
        return [line for line in lines if line["event"] == event]

    def below(self) -> Sequence[int]:
        """All processes that it has started: workers and the store."""
        return children(self.process.pid)

    def get(self, path: str) -> Any:
        """A JSON document of the supervisor."""
        with urllib.request.urlopen(f"http://{self.facts['metrics']}{path}", timeout=60) as answer:
            return json.load(answer)

    def ready(self) -> bool:
        """What the supervisor says at /readyz."""
        try:
            with urllib.request.urlopen(f"http://{self.facts['metrics']}/readyz", timeout=60):
                return True
        except urllib.error.HTTPError as error:
            assert error.code == 503  # noqa: PT017
            error.close()
            return False

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def ends(self) -> int:
        """Wait for its end; the exit code."""
        try:
            return self.process.wait(END_S)
        except subprocess.TimeoutExpired:
            raise AssertionError(self.log) from None

    def close(self) -> None:
        """Whatever became of the test, nothing is left."""
        below = self.below()
        if self.running:
            self.process.kill()
            self.process.wait(START_S)
        for pid in below:
            if alive(pid):
                subprocess.run(["/bin/kill", "-9", str(pid)], check=False)


async def gone(pids: Sequence[int]) -> bool:
    """Whether these processes end."""
    return await eventually(lambda: not any(map(alive, pids)))
