"""A server for one session: started by a command that needs one, and gone with it."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from contree.cli.errors import Failure

_START_S: Final = 60.0
_STOP_S: Final = 10.0
_POLL_S: Final = 0.02


def answers(address: str) -> bool:
    """Whether something listens at HOST:PORT."""
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=1.0):
            return True
    except (OSError, ValueError):
        return False


@contextlib.contextmanager
def local_server(listen: str = "127.0.0.1:0") -> Iterator[str]:
    """Run a server with a store of its own on this machine, by default at a free port; yields its
    HOST:PORT.

    It is a process of its own, so that a bot that computes does not stop it. It ends with this
    one, however this one ends, for it watches a pipe that this process holds open.
    """
    with tempfile.TemporaryDirectory(prefix="contree-") as name:
        folder = Path(name)
        ready, log = folder / "ready.json", folder / "server.log"
        options = {
            "--listen": listen,
            "--metrics": "off",
            "--data": str(folder / "data"),
            "--fsync": "everysec",
            "--log": "json",
            "--log-level": "warning",
            "--drain": "1",
            "--ready-file": str(ready),
        }
        # -P: the author's folder must not stand in for the standard library there.
        command = [sys.executable, "-P", "-m", "contree.cli", "serve", "--until-eof"]
        command += [part for pair in options.items() for part in pair]
        environment = {key: text for key, text in os.environ.items() if key[:8] != "CONTREE_"}
        with log.open("wb") as stderr:
            server = subprocess.Popen(
                command,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                # Ctrl-C is for this process, which then ends the server.
                start_new_session=True,
            )
        try:
            yield _wait_until_ready(server, ready, log)
        finally:
            _stop(server)


def _wait_until_ready(server: subprocess.Popen[bytes], ready: Path, log: Path) -> str:
    deadline = time.monotonic() + _START_S
    while not ready.exists():
        if server.poll() is not None:
            raise Failure(f"The local server ended at once: {_last_words(log)}")
        if time.monotonic() > deadline:
            raise Failure(f"The local server does not start: {_last_words(log)}")
        time.sleep(_POLL_S)
    address: str = json.loads(ready.read_text(encoding="utf-8"))["address"]
    return address


def _stop(server: subprocess.Popen[bytes]) -> None:
    assert server.stdin is not None
    server.stdin.close()
    try:
        server.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def _last_words(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return (lines[-1] if lines else "it said nothing").removeprefix("contree: ")
