"""docs/host-a-competition.md: its files are written and its commands run, in order.

What is done with a block stands in the comment before it: `file: NAME` writes it, `environment`
holds for all that follows, `run` runs its lines, `run: repository` does so there, `run: server`
starts a server, and `run: background` something that goes on; `until TEXT` waits for its output.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.test_readme import BLOCK, ROOT, Block, lines

PAGE = (ROOT / "docs" / "host-a-competition.md").read_text(encoding="utf-8")
BLOCKS = [Block(found["what"], found["text"]) for found in BLOCK.finditer(PAGE)]
COMMAND_S = 200.0


class Host:
    """The host's shell, in a folder of its own, with a free port."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.ready = folder / "ready.json"
        self.environment = {
            **{key: text for key, text in os.environ.items() if not key.startswith("CONTREE_")},
            "REPOSITORY": str(ROOT),
            "PYTHONUTF8": "1",
            "CONTREE_METRICS": "off",
            "CONTREE_READY_FILE": str(self.ready),
        }

    def export(self, line: str) -> None:
        for name, text in re.findall(r'(\w+)="?([^\s"]+)"?', line):
            self.environment[name] = re.sub(
                r"\$(\w+)", lambda found: self.environment[found[1]], text
            )

    def run(self, line: str, folder: Path | None = None) -> str:
        ran = subprocess.run(
            self.shell(line),
            cwd=folder or self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=COMMAND_S,
            check=False,
        )
        assert ran.returncode == 0, f"{line}\n{ran.stdout}{ran.stderr}"
        assert "Traceback" not in ran.stderr
        return ran.stdout

    @contextmanager
    def background(self, line: str, ready: Callable[[], bool]) -> Iterator[None]:
        """Run something until the end; what it starts ends with it."""
        with subprocess.Popen(
            self.shell(f"exec env {line}"),
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            threading.Thread(target=process.wait, daemon=True).start()  # as a shell would
            try:
                deadline = time.monotonic() + COMMAND_S
                while not ready():
                    assert process.poll() is None, process.communicate()
                    assert time.monotonic() < deadline, f"{line} comes to nothing"
                    time.sleep(0.01)
                yield
            finally:
                process.terminate()
                try:
                    process.communicate(timeout=COMMAND_S)
                finally:
                    process.kill()

    def shell(self, line: str) -> list[str]:
        here = line.replace("games.example", "localhost").replace(":50051", f":{self.port}")
        return ["bash", "-euo", "pipefail", "-c", here]

    def said(self, text: str) -> Callable[[], bool]:
        log = self.folder / "run.log"
        return lambda: not text or (log.exists() and text in log.read_text("utf-8"))


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_commands_in_order(tmp_path: Path) -> None:
    host = Host(tmp_path)
    said: list[str] = []
    with ExitStack() as running:
        for what, text in BLOCKS:
            kind, _, argument = what.partition(": ")
            if kind == "file":
                (tmp_path / argument).write_text(text, encoding="utf-8")
            elif kind == "environment":
                for line in lines(text):
                    host.export(line)
            elif argument == "server":
                (line,) = lines(text)
                running.enter_context(host.background(line, host.ready.exists))
            elif argument.startswith("background"):
                (line,) = lines(text)
                until = argument.removeprefix("background").removeprefix(" until ")
                running.enter_context(host.background(line, host.said(until)))
            else:
                folder = ROOT if argument == "repository" else tmp_path
                said += [host.run(line, folder) for line in lines(text)]
    everything = "\n".join(said)
    assert re.search(r"rules and quiet: \d+ boards", everything)
    assert everything.count("SHA-256): ") >= 2
    assert re.search(r"Event spring-cup-\w+, round-robin: running", everything)
    assert "All 180 tables have a result." in everything
    assert re.search(r"Event spring-cup-\w+: right. 180 tables; 180 records", everything)
    (event,) = tmp_path.glob("results/spring-cup-*")
    results: list[dict[str, Any]] = [
        json.loads(line) for line in (event / "tables.jsonl").read_text().splitlines()
    ]
    assert not [fault for result in results for fault in result["faults"]]
    assert {result["reason"] for result in results} <= {"board_done", "passed_out"}
    tokens = [path.read_text().strip().encode() for path in tmp_path.glob("*.token")]
    assert len(tokens) == 4
    published = (tmp_path / "spring-cup.zip").read_bytes()
    assert f"{event.name}/report.html".encode() in published
    assert not any(token in published for token in tokens)


def test_every_block_of_shell_is_run() -> None:
    assert PAGE.count("```sh\n") == sum(not block.what.startswith("file") for block in BLOCKS)
    assert len(BLOCKS) >= 15


def test_it_is_one_page() -> None:
    assert PAGE.count("\n") <= 170


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", PAGE):
        assert (ROOT / "docs" / target).is_file(), target
