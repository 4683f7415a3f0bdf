"""An event looked at, and cancelled, from another terminal while it runs."""

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Contree
from tests.cli.running import end, finish, start

EVENT = """
name = "small"
boards = 10
tables = 2
seed = "small"
[time]
per_move = "600s"
[[bots]]
name = "a"
command = ["python", "-m", "contree.bots.random"]
env = { BOT_SEED = "1" }
[[bots]]
name = "b"
command = ["python", "slow.py"]
"""
# After a few tables it waits until there is a file "fast": the event is still running when it is
# looked at.
SLOW = """
import asyncio
from pathlib import Path
from contree.client import Bot, run_bot

def results():
    return sum(log.read_bytes().count(b"\\n") for log in Path("r").glob("*/tables.jsonl"))

class Slow(Bot):
    async def decide(self, turn):
        while results() >= 4 and not Path("fast").exists():
            await asyncio.sleep(0.05)
        return turn.view.legal[0]

run_bot(Slow())
"""


def eventually(done: Callable[[], bool], seconds: float = 60) -> bool:
    deadline = time.monotonic() + seconds
    while not done():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


@pytest.mark.slow
def test_status_cancel_and_reopen(contree: Contree, tmp_path: Path) -> None:
    (tmp_path / "e.toml").write_text(EVENT)
    (tmp_path / "slow.py").write_text(SLOW)
    run = ("tournament", "run", str(tmp_path / "e.toml"), "--results", str(tmp_path / "r"))
    runner = start(*run)
    try:
        assert eventually(lambda: bool(list(tmp_path.glob("r/*/event.json"))))
        (event,) = (tmp_path / "r").iterdir()
        log = event / "tables.jsonl"
        assert eventually(lambda: log.exists() and log.read_bytes().count(b"\n") >= 4)

        def status() -> dict[str, object]:
            found = json.loads(contree("tournament", "status", str(event), "--json").out)
            assert isinstance(found, dict)
            return found

        assert eventually(lambda: bool(status()["seconds_left"]))
        found = status()
        assert (found["state"], found["process"]) == ("running", runner.pid)
        assert found["playing"]
        said = contree("tournament", "status", str(event)).out
        assert f"running (process {runner.pid})" in said
        assert contree("tournament", "standings", str(event)).out.startswith("Event small-")

        second = contree(*run)
        assert second.code == 1
        assert f"is being run by process {runner.pid}" in second.err

        ran = contree("tournament", "cancel", str(event), "--reason", "enough")
        assert ran.code == 0, ran.err
        assert "Its runner was stopped" in ran.out
        ended = finish(runner)
        assert ended.code == 143
        assert "the event is cancelled" in ended.out
        assert "Peak memory in MiB: runner " in ended.out
    finally:
        end(runner)
    assert status()["state"] == "cancelled"
    kept = log.read_bytes().count(b"\n")
    assert f"{kept} of 20 tables have a result" in ran.out

    again = contree(*run)
    assert again.code == 1
    assert "was cancelled 20" in again.err
    assert "(enough)" in again.err
    assert contree("tournament", "export", str(event), "--to", str(tmp_path / "x")).code == 1
    partial = contree("tournament", "export", str(event), "--partial", "--to", str(tmp_path / "x"))
    assert partial.code == 0
    assert contree("verify", str(tmp_path / "x")).code == 3, "its seed is not revealed"
    assert contree("verify", str(tmp_path / "x"), "--partial").code == 0

    (tmp_path / "fast").touch()
    ran = finish(start(*run, "--reopen"))
    assert ran.code == 0, ran.err
    assert status()["state"] == "complete"
    assert contree("tournament", "cancel", str(event)).code == 1
    assert contree("tournament", "export", str(event), "--to", str(tmp_path / "y.tgz")).code == 0
    assert contree("verify", str(tmp_path / "y.tgz")).code == 0


@pytest.mark.parametrize("command", ["status", "cancel"])
def test_no_event(contree: Contree, tmp_path: Path, command: str) -> None:
    ran = contree("tournament", command, str(tmp_path))
    assert (ran.code, ran.out) == (1, "")
    assert "it has no event.json" in ran.err
