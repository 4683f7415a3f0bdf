"""What an event takes: measured on real processes."""

from __future__ import annotations

import subprocess
import sys

import pytest

from contree.tournament.memory import PeakMemory

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="measured in /proc")
HOLD = "x = bytearray(b'1') * (64 << 20); print('held', flush=True); input()"


def test_the_largest_of_what_runs_below() -> None:
    memory = PeakMemory()
    memory.look()
    before = memory.megabytes()
    assert before["runner"] > 10
    with subprocess.Popen(
        [sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"held\n"
        memory.look()
        bots = memory.megabytes()
        memory.look(service=child.pid)
        child.communicate(b"\n")
    memory.look()
    found = memory.megabytes()
    assert bots["bots"] - before.get("bots", 0) >= 64
    assert 64 <= bots["bot"] < 200
    assert 64 <= found["service"] < 200, "a process counts as what it is"
    assert found["together"] >= found["service"] + 10
    assert "Peak memory in MiB: runner " in memory.sentence()
    assert f"(the largest process {found['bot']})" in memory.sentence()
