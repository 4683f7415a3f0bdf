"""README.md: its files are written and its commands run, in order, in an empty folder.

What is done with a block stands in the comment before it: `file: NAME` writes it, `run` runs it,
`run: background` starts it and waits until it serves.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from tests.pages import ROOT, blocks_of, dead_links, lines
from tests.ports import Port

from contree.cli.app import app

README = (ROOT / "README.md").read_text(encoding="utf-8")
DEFAULTS = ("127.0.0.1:50051", "127.0.0.1:9464")
COMMAND_S = 200
BLOCKS = blocks_of(README)


class Shell:
    """The reader's shell; the default addresses are replaced by free ones."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ports = [Port() for _ in DEFAULTS]
        self.addresses = [port.address for port in self.ports]
        self.environment = {
            **{key: text for key, text in os.environ.items() if not key.startswith("CONTREE_")},
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "XDG_DATA_HOME": str(folder / "data"),
            "PYTHONUTF8": "1",
        }

    def run(self, line: str) -> str:
        ran = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", self._here(line)],
            cwd=self.folder,
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
    def serving(self, line: str) -> Iterator[None]:
        """Run a server at the free addresses; commands that name none find it."""
        address, metrics = self.addresses
        ready = self.folder / "ready.json"
        self.environment |= {
            "CONTREE_LISTEN": address,
            "CONTREE_METRICS": metrics,
            "CONTREE_READY_FILE": str(ready),
            "CONTREE_SERVER": address,
        }
        # Into a file: who logs to a pipe that nobody reads stands still once it is full.
        with (
            tempfile.TemporaryFile("w+", encoding="utf-8") as log,
            subprocess.Popen(
                line.split(),
                cwd=self.folder,
                env=self.environment,
                stdout=subprocess.DEVNULL,
                stderr=log,
            ) as server,
        ):
            try:
                deadline = time.monotonic() + COMMAND_S
                while not ready.exists():
                    assert server.poll() is None, log.seek(0) or log.read()
                    assert time.monotonic() < deadline, "the server does not start"
                    time.sleep(0.01)
                assert json.loads(ready.read_text("utf-8"))["address"] == address
                yield
                server.send_signal(signal.SIGTERM)
                assert server.wait(COMMAND_S) == 0, log.seek(0) or log.read()
            finally:
                server.kill()

    def _here(self, line: str) -> str:
        for default, address in zip(DEFAULTS, self.addresses, strict=True):
            line = line.replace(default, address)
        return line


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_commands_in_order(tmp_path: Path) -> None:
    said = ""
    with ExitStack() as running:
        shell = Shell(tmp_path)
        for block in BLOCKS:
            kind, _, argument = block.what.partition(": ")
            if kind == "file":
                (tmp_path / argument).write_text(block.text, encoding="utf-8")
            elif argument == "background":
                (line,) = lines(block.text)
                running.enter_context(shell.serving(line))
            else:
                for line in lines(block.text):
                    said += shell.run(line)
    assert "The target is reached: NS " in said
    assert re.search(r"match m\w+, ffb-mixte: N MyBot  E rules  S MyBot  W rules", said)
    assert "95% interval" in said
    assert 'contree_moves_total{kind="card"}' in said
    assert list(tmp_path.glob("results/*/*"))


def test_every_block_of_shell_is_run() -> None:
    assert README.count("```sh\n") == sum(block.what.startswith("run") for block in BLOCKS)
    assert len(BLOCKS) >= 6


def test_first_bot_is_short() -> None:
    (bot,) = (block.text for block in BLOCKS if block.what == "file: my_bot.py")
    assert len(bot.splitlines()) <= 20


def test_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^ {4}make (\S+)", README, re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_links_lead_somewhere() -> None:
    assert not dead_links(README, ROOT)


def test_commands_named_in_the_text_exist() -> None:
    names = {command.name for command in app.registered_commands}
    names |= {group.name for group in app.registered_groups}
    for name in re.findall(
        r"\bcontree ([a-z-]+)\b(?! is\b)", " ".join(re.findall(r"`[^`]+`", README))
    ):
        assert name in names, name
