"""A process that does nothing but use a share of a core."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from typing import Final, Self

LOWEST: Final = 19
"""The priority of bad clients on this machine: they get the time that is left."""
_PERIOD_S: Final = 0.01


class Neighbour:
    """It stands for the time that a bad client takes by being on the machine of the server, so that
    the rate beside it differs from the rate under attack by what the server is made to do.
    """

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.chaos.neighbour"], stdin=subprocess.PIPE
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.kill()
        self._process.wait()

    def use(self, share: float) -> None:
        """Use such a share of a core from now on, at the lowest priority."""
        assert self._process.stdin is not None
        self._process.stdin.write(b"%.3f\n" % share)
        self._process.stdin.flush()


def _be_busy() -> None:
    """Use what was said last, until nobody is there to say any more."""
    os.nice(LOWEST)
    heard, share = b"", 0.0
    while True:
        while select.select([sys.stdin], [], [], 0 if share else None)[0]:
            more = os.read(sys.stdin.fileno(), 4096)
            if not more:
                return
            *lines, heard = (heard + more).split(b"\n")
            if lines:
                share = float(lines[-1])
        until = time.process_time() + share * _PERIOD_S
        while time.process_time() < until:
            pass
        time.sleep(max(0.0, 1 - share) * _PERIOD_S)


if __name__ == "__main__":
    _be_busy()
