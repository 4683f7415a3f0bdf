"""Command lines as processes."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple


class Ran(NamedTuple):
    """What a command line did."""

    code: int
    out: str
    err: str


def start(
    *arguments: str, cwd: Path | None = None, env: Sequence[tuple[str, str]] = ()
) -> subprocess.Popen[str]:
    """Start a command line as a process of its own, with its output piped."""
    environment = {key: text for key, text in os.environ.items() if not key.startswith("CONTREE_")}
    environment.update(COLUMNS="80", PYTHONUTF8="1")
    environment.update(env)
    return subprocess.Popen(
        [sys.executable, "-m", "contree.cli", *arguments],
        cwd=cwd,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


HANGS_S = 100.0
"""A process that has not come so far by then never will."""


def finish(process: subprocess.Popen[str], timeout: float = HANGS_S, stdin: str = "") -> Ran:
    """Wait for a process to end by itself; one that does not is killed, and what it said told."""
    try:
        out, err = process.communicate(stdin, timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        raise AssertionError(f"it does not end: {process.args!r} {process.communicate()}") from None
    except BaseException:
        end(process)
        raise
    return Ran(process.returncode, out, err)


def end(process: subprocess.Popen[str]) -> None:
    """Kill it if it still runs, and leave nothing of it behind: not its pipes either."""
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


def processes_with(text: str) -> list[str]:
    """The command lines of running processes that hold `text`."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = entry.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if text in line:
            found.append(line)
    return found
