"""Command lines in this process, and golden screens."""

import io
import os
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from tests.cli.running import Ran

from contree.cli.app import run

GOLDEN = Path(__file__).parent.parent / "data" / "screens"


Contree = Callable[..., Ran]
Golden = Callable[[str, str], None]


@pytest.fixture(autouse=True)
def _log_of_a_command(log_put_back: None) -> None:
    """A command in this process sets up its log."""


@pytest.fixture
def contree(monkeypatch: pytest.MonkeyPatch) -> Contree:
    """Runs a command line in this process, 80 columns wide, without colours."""
    for name in ("FORCE_COLOR", "CONTREE_SERVER", "CONTREE_BOT", "CONTREE_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "80")

    def call(*arguments: str) -> Ran:
        out, err = _stream(), _stream()
        with redirect_stdout(out), redirect_stderr(err):
            code = run(arguments)
        return Ran(code, _text(out), _text(err))

    return call


@pytest.fixture
def golden() -> Golden:
    """Compares a screen with the one in tests/data/screens; REWRITE=1 makes it the new one."""

    def compare(name: str, screen: str) -> None:
        path = GOLDEN / f"{name}.txt"
        text = "\n".join(line.rstrip() for line in screen.splitlines()) + "\n"
        if os.environ.get("REWRITE"):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8"), "REWRITE=1 pytest tests/cli accepts it"

    return compare


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)


def _text(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()
