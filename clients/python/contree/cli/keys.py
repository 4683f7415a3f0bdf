"""Keys as they are pressed."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator


@contextlib.contextmanager
def typing() -> Iterator[Iterator[str]]:
    """What is typed on the terminal, key by key and without echo, until its end; then the terminal
    is as it was. Ctrl-C interrupts as always.
    """
    import termios
    import tty

    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    try:
        tty.setcbreak(terminal)
        yield _read(terminal)
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def _read(terminal: int) -> Iterator[str]:
    """An arrow key comes as three or four bytes at once."""
    while data := os.read(terminal, 64):
        yield data.decode(errors="replace")
