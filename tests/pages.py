"""Pages whose files are written and whose commands are run, in order, as a reader would.

What is done with a block stands in the comment before it: `file: NAME` writes it, `environment`
holds for all that follows, `run` runs its lines, `run: repository` does so there, `run: server`
starts a server, and `run: background` something that goes on; `until TEXT` waits for its output.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.ports import Port

ROOT = Path(__file__).parent.parent
COMMAND_S = 200.0
_BLOCK = re.compile(
    r"^<!-- (?P<what>.*?) -->\n```\w+\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)


class Block(NamedTuple):
    """A block of a page and what is done with it."""

    what: str
    text: str


def blocks_of(page: str) -> list[Block]:
    return [Block(found["what"], found["text"]) for found in _BLOCK.finditer(page)]


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def dead_links(page: str, folder: Path) -> list[str]:
    """The links of a page to files of the repository that are not there."""
    targets: list[str] = re.findall(r"\]\((?!http)([^)#]+)\)", page)
    return [target for target in targets if not (folder / target).exists()]


class Reader:
    """The reader's shell, in a folder of its own, with a free port."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.own_port = Port()
        self.port = self.own_port.number
        self.ready = folder / "ready.json"
        self.environment = {
            **{key: text for key, text in os.environ.items() if not key.startswith("CONTREE_")},
            "REPOSITORY": str(ROOT),
            "PYTHONUTF8": "1",
            "XDG_DATA_HOME": str(folder / "data"),
            "CONTREE_LISTEN": f"127.0.0.1:{self.port}",
            "CONTREE_METRICS": "off",
            "CONTREE_READY_FILE": str(self.ready),
        }

    def follow(self, blocks: Sequence[Block], running: ExitStack) -> list[str]:
        """Do what the blocks say, in order; what each line to run has printed. What goes on in the
        background ends with ``running``.
        """
        said: list[str] = []
        for what, text in blocks:
            kind, _, argument = what.partition(": ")
            if kind == "file":
                (self.folder / argument).write_text(text, encoding="utf-8")
            elif kind == "environment":
                for line in lines(text):
                    self.export(line)
            elif argument == "server":
                (line,) = lines(text)
                running.enter_context(self.background(line, self.ready.exists))
            elif argument.startswith("background"):
                (line,) = lines(text)
                until = argument.removeprefix("background").removeprefix(" until ")
                running.enter_context(self.background(line, self.said(until)))
            else:
                folder = ROOT if argument == "repository" else self.folder
                said += [self.run(line, folder) for line in lines(text)]
        return said

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
        # Into a file: who logs to a pipe that nobody reads stands still once it is full.
        with (
            tempfile.TemporaryFile("w+", encoding="utf-8") as log,
            subprocess.Popen(
                self.shell(f"exec env {line}"),
                cwd=self.folder,
                env=self.environment,
                stdout=subprocess.DEVNULL,
                stderr=log,
            ) as process,
        ):
            threading.Thread(target=process.wait, daemon=True).start()  # as a shell would
            try:
                deadline = time.monotonic() + COMMAND_S
                while not ready():
                    assert process.poll() is None, log.seek(0) or log.read()
                    assert time.monotonic() < deadline, f"{line} comes to nothing"
                    time.sleep(0.01)
                yield
            finally:
                process.terminate()
                try:
                    process.wait(timeout=COMMAND_S)
                finally:
                    process.kill()

    def shell(self, line: str) -> list[str]:
        here = line.replace("games.example", "localhost").replace(":50051", f":{self.port}")
        return ["bash", "-euo", "pipefail", "-c", here]

    def said(self, text: str) -> Callable[[], bool]:
        log = self.folder / "run.log"
        return lambda: not text or (log.exists() and text in log.read_text("utf-8"))
