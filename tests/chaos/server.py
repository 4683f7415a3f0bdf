"""`contree serve` as a process that is killed at any moment and started again where it was."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Self

from prometheus_client.parser import text_string_to_metric_families
from tests.chaos.waiting import until
from tests.ports import Port

START_S = 120.0


class Server:
    """A server with an address and a store that stay the same from one start to the next."""

    def __init__(
        self,
        folder: Path,
        name: str,
        *,
        redis: str | None = None,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        """Without ``redis`` its store is embedded, in ``folder``. ``settings`` are variables."""
        self.name = name
        self.folder = folder
        self._ports = Port(), Port()
        self.address, self.metrics_address = (port.address for port in self._ports)
        self._redis = redis
        self._settings = dict(settings or {})
        self._ready = folder / f"{name}.json"
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Whatever became of the test, nothing is left running."""
        if self._process is not None and self.alive:
            self._process.kill()
            self._process.wait(START_S)

    @property
    def log(self) -> Path:
        """What it wrote, over all starts."""
        return self.folder / f"{self.name}.log"

    @property
    def pid(self) -> int:
        """The process id of the last start."""
        assert self._process is not None
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def launch(self) -> None:
        """Start it; it does not serve yet."""
        assert not self.alive
        self._ready.unlink(missing_ok=True)
        store = ("--redis", self._redis) if self._redis else ("--data", str(self.folder / "data"))
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "contree.cli", "serve", *store),
                    *("--listen", self.address, "--metrics", self.metrics_address),
                    *("--log", "json", "--ready-file", str(self._ready)),
                ],
                stdin=subprocess.DEVNULL,
                stderr=log,
                env={"PATH": "", **self._settings},
            )

    async def serving(self) -> None:
        """Wait until it serves."""
        await until(lambda: self._ready.exists() or not self.alive, START_S, f"{self.name} serves")
        assert self.alive, f"{self.name} ended at its start: {self.last_words()}"
        assert json.loads(self._ready.read_text())["pid"] == self.pid

    async def start(self) -> None:
        """Start it and wait until it serves."""
        self.launch()
        await self.serving()

    async def kill(self) -> None:
        """kill -9, at whatever it is doing."""
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        await asyncio.to_thread(self._process.wait, START_S)

    async def stop(self) -> None:
        """SIGTERM, as an operator does."""
        if self._process is not None and self.alive:
            self._process.send_signal(signal.SIGTERM)
            await asyncio.to_thread(self._process.wait, START_S)

    def kill_store(self) -> bool:
        """kill -9 of its embedded store; False when it has none at this moment."""
        for children in Path(f"/proc/{self.pid}/task").glob("*/children"):
            # A thread or a process that ended meanwhile is not there any more.
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                for pid in children.read_text().split():
                    if "valkey" in Path(f"/proc/{pid}/cmdline").read_text():
                        os.kill(int(pid), signal.SIGKILL)
                        return True
        return False

    def memory_mb(self) -> float:
        """Its resident memory."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024

    async def metric(self, name: str) -> float:
        """The sum of a metric's samples."""
        return await asyncio.to_thread(self.metric_of(name))

    def metric_of(self, name: str) -> Callable[[], float]:
        """Reads the sum of a metric's samples; for threads."""
        url = f"http://{self.metrics_address}/metrics"

        def read() -> float:
            with urllib.request.urlopen(url, timeout=60) as response:
                families = list(text_string_to_metric_families(response.read().decode()))
            return sum(s.value for family in families for s in family.samples if s.name == name)

        return read

    async def server_id(self) -> str:
        """What it calls itself since its last start."""

        def read() -> str:
            with urllib.request.urlopen(
                f"http://{self.metrics_address}/metrics", timeout=60
            ) as response:
                families = text_string_to_metric_families(response.read().decode())
                return next(
                    sample.labels["server_id"]
                    for family in families
                    for sample in family.samples
                    if sample.name == "contree_build_info"
                )

        return await asyncio.to_thread(read)

    def said(self, event: str) -> list[dict[str, object]]:
        """The lines of its log with this event."""
        # A last line without its end is being written.
        lines = self.log.read_text(errors="replace").rpartition("\n")[0].splitlines()
        parsed = (json.loads(line) for line in lines if f'"{event}"' in line and line[:1] == "{")
        return [line for line in parsed if line.get("event") == event]

    def last_words(self) -> str:
        """The end of its log, for a failure."""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-20:])
