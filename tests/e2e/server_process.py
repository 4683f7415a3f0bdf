"""`contree serve` as a process of its own, that can be killed and started again."""

from __future__ import annotations

import contextlib
import json
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

START_S = 20.0


def free_port() -> int:
    with contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class ServerProcess:
    """A server on a port and a data folder that stay the same from one start to the next."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.address = f"127.0.0.1:{free_port()}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it serves."""
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
                env={"CONTREE_LEASE_MS": "1000", "PATH": ""},
            )
        deadline = time.monotonic() + START_S
        while not ready.exists():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError((self.folder / "server.log").read_text())
            time.sleep(0.02)
        assert json.loads(ready.read_text())["address"] == self.address

    def kill(self) -> None:
        """kill -9."""
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        """SIGTERM; the exit code."""
        return self._end(signal.SIGTERM)

    def _end(self, number: signal.Signals) -> int:
        assert self._process is not None
        self._process.send_signal(number)
        return self._process.wait(timeout=START_S)

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def store_pid(self) -> int:
        """The process id of the embedded store that this server started."""
        assert self._process is not None
        children = Path(f"/proc/{self._process.pid}/task").glob("*/children")
        pids = [int(pid) for one in children for pid in one.read_text().split()]
        stores = [pid for pid in pids if "valkey" in Path(f"/proc/{pid}/cmdline").read_text()]
        assert len(stores) == 1, stores
        return stores[0]
