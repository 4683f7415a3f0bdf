"""What programs write: kept within bounds, its end at hand."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path
from typing import cast

import pytest
from tests.tournament.waiting import eventually

from contree.tournament.output import MOST_A_PAUSE, PAUSE_S, BotLog, Tap


def test_a_full_log_makes_room_once(tmp_path: Path) -> None:
    log = BotLog(tmp_path / "x.log", most=100)
    for number in range(1000):
        log.append(b"line %03d\n" % number)
    log.close()
    kept = (tmp_path / "x.log.1").read_bytes() + (tmp_path / "x.log").read_bytes()
    assert kept.splitlines()[-1] == b"line 999"
    assert 100 < len(kept) <= 200
    assert len(list(tmp_path.iterdir())) == 2


def test_a_log_goes_on_where_an_earlier_run_left_it(tmp_path: Path) -> None:
    (tmp_path / "x.log").write_bytes(b"y" * 90)
    log = BotLog(tmp_path / "x.log", most=100)
    log.append(b"z" * 20)
    log.close()
    assert (tmp_path / "x.log.1").read_bytes() == b"y" * 90


class Program:
    """Stands for a program that writes to what it was given."""

    def __init__(self, folder: Path, mark: str = "") -> None:
        self.log = BotLog(folder / "x.log")
        self.tap = Tap(self.log, mark)
        self._out = os.dup(self.tap.descriptor)
        os.set_blocking(self._out, False)
        self.tap.started()

    def write(self, data: bytes) -> int:
        try:
            return os.write(self._out, data)
        except BlockingIOError:
            return 0

    def end(self) -> None:
        os.close(self._out)

    def close(self) -> None:
        self.tap.close()
        self.log.close()

    @property
    def kept(self) -> bytes:
        return self.log.path.read_bytes()


@pytest.fixture
async def program(tmp_path: Path) -> AsyncIterator[Program]:
    program = Program(tmp_path)
    yield program
    program.close()


async def test_lines_are_kept_as_they_come(program: Program) -> None:
    program.write(b"one\ntw")
    assert await eventually(lambda: program.kept == b"one\n")
    program.write(b"o\nthree")
    program.end()
    assert await eventually(lambda: program.kept == b"one\ntwo\nthree\n")


async def test_the_tail_has_what_was_written_last_before_the_end(program: Program) -> None:
    program.write(b"".join(b"line %d\n" % number for number in range(100)) + b"\x1b[31mred")
    program.end()
    # Nothing has been awaited: the loop has read nothing yet.
    lines = program.tap.tail().splitlines()
    assert len(lines) == 12
    assert lines[-2:] == ["line 99", "red"]


async def test_processes_that_share_a_log_are_told_apart(tmp_path: Path) -> None:
    program = Program(tmp_path, mark="[b1/1] ")
    program.write(b"one\ntwo\n")
    program.end()
    assert await eventually(lambda: program.kept == b"[b1/1] one\n[b1/1] two\n")
    assert program.tap.tail() == "one\ntwo"
    program.close()


async def test_the_runner_can_say_a_line_of_its_own(program: Program) -> None:
    program.write(b"half a li")
    program.tap.say("the process ended")
    assert program.kept == b"half a li\ncontree: the process ended\n"
    program.end()


class Turns:
    """Stands for the event loop: what it would call is called by the test."""

    def __init__(self) -> None:
        self.read: Callable[[], None] | None = None
        self.pauses: list[tuple[float, Callable[[], None]]] = []

    def add_reader(self, end: int, read: Callable[[], None]) -> None:
        self.read = read

    def remove_reader(self, end: int) -> None:
        self.read = None

    def call_later(self, delay: float, then: Callable[[], None]) -> asyncio.TimerHandle:
        self.pauses.append((delay, then))
        return cast("asyncio.TimerHandle", Handle())


class Handle:
    def cancel(self) -> None:
        pass


class CountedLog(BotLog):
    writes = 0

    def append(self, data: bytes) -> None:
        self.writes += 1
        super().append(data)


@pytest.mark.parametrize("line", [b"x" * 79 + b"\n", b"\n"], ids=["lines", "empty lines"])
@pytest.mark.parametrize("mark", ["", "[b123/1] "], ids=["alone", "marked"])
def test_one_that_writes_without_end_waits_and_costs_little(
    tmp_path: Path, line: bytes, mark: str
) -> None:
    turns, log = Turns(), CountedLog(tmp_path / "x.log", most=1 << 30)
    tap = Tap(log, mark, cast("asyncio.AbstractEventLoop", turns))
    os.set_blocking(tap.descriptor, False)
    chatter = line * ((1 << 16) // len(line))
    for round_ in range(1, 4):
        reads = 0
        while turns.read is not None:
            with suppress(BlockingIOError):
                os.write(tap.descriptor, chatter)
            turns.read()
            reads += 1
        # A piece may be as long as a pipe holds, and its lines are marked.
        most = MOST_A_PAUSE + (1 << 16) * (1 + len(mark))
        assert MOST_A_PAUSE <= log.path.stat().st_size / round_ <= most
        assert log.writes <= round_ * reads
        assert reads <= 1 + MOST_A_PAUSE // len(chatter) + round_
        (delay, go_on) = turns.pauses.pop()
        assert delay == PAUSE_S
        go_on()
    tap.started()
    tap.close()
    log.close()


async def test_a_log_that_cannot_be_written_is_no_failure(tmp_path: Path) -> None:
    log = BotLog(tmp_path / "x.log", most=10)
    (tmp_path / "x.log.1").mkdir()
    (tmp_path / "x.log.1" / "full").touch()
    for _ in range(3):
        log.append(b"a line\n")
    log.close()
    log.append(b"too late\n")


@pytest.mark.parametrize("close_first", [True, False])
async def test_closing_twice_is_closing_once(program: Program, close_first: bool) -> None:
    if close_first:
        program.tap.close()
    program.end()
    assert await eventually(lambda: not program.tap._open)
    program.tap.close()
    assert program.tap.tail() == ""
