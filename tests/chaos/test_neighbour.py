"""The neighbour of the arena: gone when nobody is there to tell it what to do."""

from __future__ import annotations

import subprocess
import sys

import pytest

WAIT_S = 60.0


@pytest.mark.parametrize("said", [b"", b"0.500\n"], ids=["idle", "busy"])
def test_it_ends_with_whoever_started_it(said: bytes) -> None:
    command = [sys.executable, "-m", "tests.chaos.neighbour"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        try:
            assert process.stdin is not None
            process.stdin.write(said)
            process.stdin.close()
            assert process.wait(WAIT_S) == 0
        finally:
            process.kill()
