"""A process that does nothing but use a share of a core."""

from __future__ import annotations

import os
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
    os.nice(LOWEST)
    os.set_blocking(sys.stdin.fileno(), False)
    share = 0.0
    while True:
        said = sys.stdin.readline()
        if said:
            share = float(said)
        until = time.process_time() + share * _PERIOD_S
        while time.process_time() < until:
            pass
        time.sleep(max(0.0, 1 - share) * _PERIOD_S)


if __name__ == "__main__":
    _be_busy()
