"""`contree play` in a real terminal: tmux types the keys and tells what is on the screen."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = [pytest.mark.terminal, pytest.mark.timeout(300)]

WITHIN_S = 60.0


class Tmux:
    """A terminal of a size, with one command in it."""

    def __init__(self, folder: Path, command: str, size: tuple[int, int]) -> None:
        self.socket = folder / "tmux"
        width, height = size
        self("new-session", "-d", "-x", str(width), "-y", str(height), command)
        self("set-option", "remain-on-exit", "on")

    def __call__(self, *arguments: str) -> str:
        ran = subprocess.run(
            ["tmux", "-S", str(self.socket), "-f", "/dev/null", *arguments],
            capture_output=True,
            text=True,
            env={**os.environ, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"},
            check=False,
        )
        return ran.stdout

    def press(self, *keys: str) -> None:
        self("send-keys", *keys)

    def screen(self) -> str:
        return self("capture-pane", "-p")

    def shows(self, pattern: str) -> str:
        """Wait until this is on the screen."""
        deadline = time.monotonic() + WITHIN_S
        while not re.search(pattern, self.screen(), re.M):
            assert time.monotonic() < deadline, f"{pattern}\n{self.screen()}"
            time.sleep(0.05)
        return self.screen()

    def hides(self, text: str) -> None:
        """Wait until this is not on the screen any more, and all is drawn that took its place."""
        deadline = time.monotonic() + WITHIN_S
        while text in (screen := self.screen()) or screen != self.screen():
            assert time.monotonic() < deadline, screen
            time.sleep(0.05)


@pytest.fixture(params=[(80, 24), (160, 48)], ids=["80x24", "160x48"])
def tmux(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Tmux]:
    if shutil.which("tmux") is None:
        pytest.fail("tmux is not installed; on Debian: apt install tmux")
    options = "--deals 1 --pace 0 --name Ann --letters en --clock 900"
    command = f"{sys.executable} -m contree.cli play {options}; echo code $?"
    terminal = Tmux(tmp_path, command, request.param)
    yield terminal
    terminal("kill-server")


def test_a_whole_deal(tmux: Tmux) -> None:
    tmux.shows(r"^ *Your c")
    tmux.press("z")
    assert "ou may " in tmux.shows(r"'z' is not a")
    tmux.press("?")
    tmux.shows("Cards that may be played stand higher")
    tmux.press("Space")
    turns = 0
    while True:
        screen = tmux.shows(r"^ *Your c|Contre, or|Surcontre, or|any key goes on|The match is over")
        if "any key goes on" in screen:
            break
        if "The match is over" in screen:
            break
        tmux.press("h")
        tmux.shows("The rules player would ")
        tmux.press("Enter")
        turns += 1
        tmux.hides("The rules player would ")
    screen = tmux.shows("any key goes on")
    assert re.search(r"marked +\d+ +\d+", screen) or "All four passed" in screen
    assert turns >= 8 or "All four passed" in screen
    tmux.press("Enter")
    tmux.shows("All deals are played: you ")
    tmux.press("q")
    tmux.shows("code 0")
