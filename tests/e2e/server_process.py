"""`contree serve` as a process of its own, that can be killed and started again."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from tests.ports import Port

START_S = 90.0


class ServerProcess:
    """A server on a port and a data folder that stay the same from one start to the next."""

    def __init__(
        self, folder: Path, *, redis: str = "", environment: Mapping[str, str] | None = None
    ) -> None:
        """With ``redis`` it shares that store with others; else it has one of its own."""
        self.folder = folder
        self._port = Port()
        self.address = self._port.address
        self._environment = {
            "CONTREE_LEASE_MS": "3000",
            "CONTREE_REDIS_URL": redis,
            **(environment or {}),
        }
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it serves."""
        self.folder.mkdir(parents=True, exist_ok=True)
        ready = self.folder / "ready.json"
        ready.unlink(missing_ok=True)
        with (self.folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "contree.cli", "serve"),
                    *("--listen", self.address, "--metrics", "off", "--log", "json"),
                    *("--data", str(self.folder / "data"), "--ready-file", str(ready)),
                ],
                stdin=subprocess.DEVNULL,
                stderr=log,
                env={**self._environment, "PATH": ""},
            )
        deadline = time.monotonic() + START_S
        while not ready.exists():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(self.log)
            time.sleep(0.02)
        assert json.loads(ready.read_text())["address"] == self.address

    def kill(self) -> None:
        """kill -9."""
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        """SIGTERM; the exit code."""
        return self._end(signal.SIGTERM)

    def pause(self) -> None:
        """SIGSTOP."""
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """SIGCONT."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def _end(self, number: signal.Signals) -> int:
        assert self._process is not None
        self._process.send_signal(number)
        return self._process.wait(timeout=START_S)

    @property
    def log(self) -> str:
        """All that it has logged."""
        return (self.folder / "server.log").read_text()

    def logged(self, event: str) -> int:
        """How often an event is in its log."""
        return self.log.count(f'"event": "{event}"')

    def of_matches(self, event: str) -> list[str]:
        """The matches that an event in its log is of, in order."""
        # A last line without its end is being written.
        whole = self.log.rpartition("\n")[0].splitlines()
        lines = [json.loads(line) for line in whole if line[:1] == "{"]
        return [line["match_id"] for line in lines if line["event"] == event]

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def store_pid(self) -> int:
        """The process id of the embedded store that this server started."""
        assert self._process is not None
        return store_below(self._process.pid)


def store_below(pid: int) -> int:
    """The process id of the embedded store that a process started."""
    children = Path(f"/proc/{pid}/task").glob("*/children")
    pids = [int(child) for one in children for child in one.read_text().split()]
    stores = [child for child in pids if "valkey" in Path(f"/proc/{child}/cmdline").read_text()]
    assert len(stores) == 1, stores
    return stores[0]
