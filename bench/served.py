"""Processes of the service benches: a server on a store of its own, bots, and what they cost."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent


class Served(NamedTuple):
    """A server that runs."""

    address: str
    metrics: str
    pid: int

    def moves(self) -> float:
        """Moves committed so far, from its own metrics."""
        return self.counted("contree_moves_total")

    def counted(self, name: str) -> float:
        """The sum of a metric's samples."""
        with urllib.request.urlopen(f"http://{self.metrics}/metrics", timeout=10) as response:
            lines = response.read().decode().splitlines()
        return sum(
            float(line.split()[-1]) for line in lines if line.startswith((f"{name}{{", f"{name} "))
        )

    def cpu_s(self) -> float:
        """Seconds of a core that it has had."""
        return cpu_s(self.pid)

    def resident_mb(self) -> float:
        """Memory that it holds."""
        status = Path(f"/proc/{self.pid}/status").read_text(encoding="ascii")
        (line,) = (line for line in status.splitlines() if line.startswith("VmRSS:"))
        return int(line.split()[1]) / 1024


def cpu_s(pid: int) -> float:
    """Seconds of a core that a process has had."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def process(*command: str, stdout: int | None = None) -> Iterator[subprocess.Popen[str]]:
    """A Python process that ends with the block."""
    running = subprocess.Popen(
        [sys.executable, *command], text=True, stdout=stdout, stderr=subprocess.DEVNULL
    )
    try:
        yield running
    finally:
        running.terminate()
        running.wait(timeout=30)
        if running.stdout:
            running.stdout.close()


@contextlib.contextmanager
def server(fsync: str, *, journal: bool = True, redis: str | None = None) -> Iterator[Served]:
    """`contree serve` on an embedded store in a folder of its own, or on the store ``redis``."""
    command = ["-m", "contree.cli", "serve"] if journal else [str(HERE / "serve_unjournaled.py")]
    with tempfile.TemporaryDirectory() as folder:
        ready = Path(folder) / "ready.json"
        store = ("--redis", redis) if redis else ("--data", f"{folder}/data")
        with process(
            *command,
            *("--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--fsync", fsync),
            *(*store, "--ready-file", str(ready), "--log-level", "warning"),
        ) as running:
            while not ready.exists():
                if running.poll() is not None:
                    raise SystemExit("the server did not start")
                time.sleep(0.02)
            facts = json.loads(ready.read_text())
            yield Served(facts["address"], facts["metrics"], facts["pid"])
