"""`contree replay`: every step as a screen, the keys, and a terminal to press them in."""

import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.conftest import Contree, Golden
from tests.cli.test_record import BOARD, RACE
from tests.cli.test_render import drawn

from contree.cli.render import step_screen
from contree.cli.stepping import KEYS, Frame, Move, frames, move_of, moved
from contree.engine import format_record, format_record_json

BOARD_FRAMES = frames(BOARD)
RACE_FRAMES = frames(RACE)


def screen(shown: list[Frame], at: int) -> str:
    return drawn(step_screen(shown[at].screen, at, len(shown)))


# --- screens


def test_screens(golden: Golden) -> None:
    (deal,) = BOARD.deals
    calls = len(deal.calls)
    shown = {"dealt": 0, "auction": 2, "lead": calls + 1, "trick": calls + 4, "next": calls + 5}
    for name, at in {**shown, "end": len(BOARD_FRAMES) - 1}.items():
        golden(f"replay-{name}", screen(BOARD_FRAMES, at))


def test_plain_print(contree: Contree, golden: Golden, tmp_path: Path) -> None:
    path = tmp_path / "r.bgn"
    path.write_text(format_record(BOARD), "ascii")
    ran = contree("replay", str(path))
    golden("replay-plain", ran.out)
    assert contree("replay", str(path), "--plain").out == ran.out
    path.write_text(format_record_json(BOARD), "ascii")
    assert contree("replay", str(path)).out == ran.out


def test_every_step_has_a_frame() -> None:
    for record, shown in ((BOARD, BOARD_FRAMES), (RACE, RACE_FRAMES)):
        assert len(shown) == sum(1 + len(deal.calls) + len(deal.cards) for deal in record.deals)
        assert [frame.deal for frame in shown] == sorted(frame.deal for frame in shown)
        for frame in shown:
            assert frame.screen.note
            held = sum(len(hand) for hand in frame.screen.hands.values())
            assert 0 <= held <= 32
    assert RACE_FRAMES[-1].screen.scores == RACE.replay().scores
    assert RACE_FRAMES[-1].screen.state == "ended"


# --- ways through it


def walk(shown: list[Frame], move: Move, at: int = 0) -> list[int]:
    places = [at]
    while (there := moved(shown, places[-1], move)) != places[-1]:
        places.append(there)
    return places


def test_ways_through_a_race() -> None:
    last = len(RACE_FRAMES) - 1
    assert walk(RACE_FRAMES, Move.NEXT) == list(range(last + 1))
    assert walk(RACE_FRAMES, Move.PREVIOUS, last) == list(range(last, -1, -1))
    deals = walk(RACE_FRAMES, Move.NEXT_DEAL)
    assert [RACE_FRAMES[at].deal for at in deals] == [0, 1, 2, 2]
    assert all("has dealt" in RACE_FRAMES[at].screen.note for at in deals[:3])
    assert walk(RACE_FRAMES, Move.PREVIOUS_DEAL, last) == [last, *deals[2::-1]]
    tricks = walk(RACE_FRAMES, Move.NEXT_TRICK)
    assert len(tricks) == 3 * 9
    assert walk(RACE_FRAMES, Move.PREVIOUS_TRICK, last) == tricks[::-1]
    for at in tricks:
        trick = RACE_FRAMES[at].screen.trick
        assert trick is None or trick.complete
    assert moved(RACE_FRAMES, 5, Move.FIRST) == 0
    assert moved(RACE_FRAMES, 5, Move.LAST) == last
    assert moved(RACE_FRAMES, 5, Move.QUIT) == 5


def test_keys() -> None:
    assert set(KEYS.values()) == set(Move)
    assert move_of("right", None) is move_of("n", "n") is Move.NEXT
    assert move_of("T", "T") is move_of("upper_t", "T") is move_of("up", None)
    assert move_of("x", "x") is move_of("f5", None) is move_of("", None) is None


# --- in a terminal


class Terminal:
    """`contree replay` with a terminal of its own."""

    def __init__(self, path: Path) -> None:
        self.ours, theirs = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "contree.cli", "replay", str(path)],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "80", "LINES": "30", "PYTHONUTF8": "1"},
            start_new_session=True,
        )
        os.close(theirs)
        self.seen = ""

    def press(self, keys: str) -> None:
        os.write(self.ours, keys.encode())

    def shows(self, text: str, within: float = 60.0) -> None:
        """Wait until this is on the screen."""
        deadline = time.monotonic() + within
        while text not in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.seen):
            left = deadline - time.monotonic()
            assert left > 0, self.seen
            if select.select([self.ours], [], [], left)[0]:
                try:
                    self.seen += os.read(self.ours, 65536).decode(errors="replace")
                except OSError:  # the other end is closed
                    assert text in self.seen, self.seen
        self.seen = ""

    def ends(self) -> int:
        """The exit code; what is still written is read, or the end would wait for it."""
        try:
            while os.read(self.ours, 65536):
                pass
        except OSError:
            pass
        return self.process.wait(60)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    path = tmp_path / "r.bgn"
    path.write_text(format_record(BOARD), "ascii")
    opened = Terminal(path)
    yield opened
    opened.process.kill()
    opened.process.wait()
    os.close(opened.ours)


def test_keys_in_a_terminal(terminal: Terminal) -> None:
    count = len(BOARD_FRAMES)
    terminal.shows(f"step 1 of {count}")
    terminal.press("n")
    terminal.shows(f"step 2 of {count}")
    terminal.press("\x1b[C\x1b[C")
    terminal.shows(f"step 4 of {count}")
    terminal.press("p")
    terminal.shows(f"step 3 of {count}")
    terminal.press("G")
    terminal.shows("The board is played")
    terminal.press("q")
    assert terminal.ends() == 0


def test_ctrl_c_ends_it(terminal: Terminal) -> None:
    terminal.shows("step 1 of")
    terminal.press("\x03")
    assert terminal.ends() == 0
