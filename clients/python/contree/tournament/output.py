"""What programs write: kept in files, and its end at hand for when one fails.

What the service writes goes to its file directly, so that it can still write when the runner is
gone. What bots write comes through the runner, which keeps a bounded amount of it.
"""

from __future__ import annotations

import asyncio
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

MOST_LOG: Final = 4 << 20
"""Bytes of a bot's log; a full one becomes ``NAME.1``, in place of an earlier one."""
MOST_A_PAUSE: Final = 1 << 18
PAUSE_S: Final = 0.25
"""A program that has written ``MOST_A_PAUSE`` bytes, the marks of its lines included, is not
listened to for so long, so that it costs the runner little. It waits for itself: no other program
is held up."""
_TAIL_LINES: Final = 12
_TAIL_BYTES: Final = 4096
_LONGEST_LINE: Final = 1 << 13
_CHUNK: Final = 1 << 16
_CONTROLS: Final = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f]")


class Output(Protocol):
    """Where a program that is started writes to."""

    descriptor: int
    """What the program is given as its standard output and error."""

    def started(self) -> None:
        """The program has the descriptor now, or could not be started."""

    def tail(self) -> str:
        """The last lines that the program wrote, fit for a terminal."""

    def close(self) -> None:
        """The program is gone, and what it started too."""


class FileOutput:
    """Appends to a file, past the runner."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self._start = os.lseek(self.descriptor, 0, os.SEEK_END)

    def started(self) -> None:
        os.close(self.descriptor)

    def tail(self) -> str:
        with suppress(OSError), self._path.open("rb") as file:
            end = file.seek(0, os.SEEK_END)
            file.seek(max(self._start, end - _TAIL_BYTES))
            return _shown(file.read())
        return ""

    def close(self) -> None:
        """Nothing is left open."""


class BotLog:
    """A file of bounded size with what the processes of one post write, over all their lives."""

    def __init__(self, path: Path, most: int = MOST_LOG) -> None:
        self.path = path
        self._most = most
        self._file = path.open("ab", buffering=0)
        self._size = self._file.tell()

    def append(self, data: bytes) -> None:
        """Keep this. A disk that is full is no reason to end an event for a bot's chatter."""
        if self._file.closed:
            return
        with suppress(OSError):
            if self._size + len(data) > self._most:
                self._file.close()
                self.path.replace(self.path.with_name(self.path.name + ".1"))
                self._file = self.path.open("ab", buffering=0)
                self._size = self._file.tell()
            self._file.write(data)
            self._size += len(data)

    def close(self) -> None:
        self._file.close()


class Tap:
    """Reads what one process writes into its log, in whole lines, as long as it lives."""

    def __init__(
        self, log: BotLog, mark: str = "", loop: asyncio.AbstractEventLoop | None = None
    ) -> None:
        """``mark`` is put before each line, where several processes write to one log. ``loop``
        tells when there is something to read; the running one, unless given.
        """
        self._log = log
        self._mark = mark.encode()
        self._end, self.descriptor = os.pipe()
        os.set_blocking(self._end, False)
        self._tail = b""
        self._line = b""
        self._left = MOST_A_PAUSE
        self._open = True
        self._loop = loop or asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._loop.add_reader(self._end, self._read)

    def started(self) -> None:
        os.close(self.descriptor)

    def tail(self) -> str:
        self._drain()
        return _shown((self._tail + self._line)[-_TAIL_BYTES:])

    def say(self, text: str) -> None:
        """Write a line of the runner's own into the log."""
        self._drain()
        self._flush()
        self._keep(f"contree: {text}\n".encode())

    def close(self) -> None:
        self._drain()
        self._flush()
        self._end_reading()

    def _read(self) -> None:
        """Take a piece of what there is, and then a breath where that was much."""
        if not self._take():
            return
        if self._left <= 0:
            self._loop.remove_reader(self._end)
            self._timer = self._loop.call_later(PAUSE_S, self._go_on)

    def _go_on(self) -> None:
        self._left = MOST_A_PAUSE
        self._loop.add_reader(self._end, self._read)

    def _drain(self) -> None:
        """Take what a program that has ended left behind: no more than a pipe holds."""
        for _ in range(MOST_A_PAUSE // _CHUNK):
            if not (self._open and self._take()):
                return

    def _take(self) -> bool:
        """Take a piece; whether there was one."""
        try:
            data = os.read(self._end, _CHUNK)
        except BlockingIOError:
            return False
        if not data:
            self._flush()
            self._end_reading()
            return False
        before, newline, self._line = (self._line + data).rpartition(b"\n")
        self._left -= len(data)
        if newline:
            self._left -= len(self._mark) * self._keep(before + newline)
        if len(self._line) > _LONGEST_LINE:
            self._flush()
        return True

    def _keep(self, lines: bytes) -> int:
        """Keep whole lines, in one piece however many they are; how many."""
        self._tail = (self._tail + lines[-_TAIL_BYTES:])[-_TAIL_BYTES:]
        count = lines.count(b"\n")
        if self._mark:
            lines = self._mark + lines.replace(b"\n", b"\n" + self._mark, count - 1)
        self._log.append(lines)
        return count

    def _flush(self) -> None:
        """Keep a line that has no end yet."""
        if self._line:
            self._keep(self._line + b"\n")
            self._line = b""

    def _end_reading(self) -> None:
        if not self._open:
            return
        self._open = False
        if self._timer is not None:
            self._timer.cancel()
        self._loop.remove_reader(self._end)
        os.close(self._end)


def _shown(text: bytes) -> str:
    lines = _CONTROLS.sub("", text.decode(errors="replace")).splitlines()
    return "\n".join(lines[-_TAIL_LINES:])
