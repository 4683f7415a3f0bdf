"""Real processes: service, bots and runner, each killed in the middle; the event ends the same."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from asyncio.subprocess import PIPE, STDOUT, Process
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.tournament.waiting import alive, children, eventually

# One group: the undisturbed event is played once.
pytestmark = [
    pytest.mark.events,
    pytest.mark.timeout(300),
    pytest.mark.xdist_group("interruptions"),
]

BOARDS = 16 if os.environ.get("FULL") else 8
SOME = BOARDS // 2
DIGEST = """
import asyncio
from pathlib import Path

from contree.client import Bot, run_bot


class Digest(Bot):
    # Plays all over the place, but always the same. Where there is a file "hold", it stops once as
    # many tables as that says have a result, so that the event is not over too soon.

    name = "digest"

    async def decide(self, turn):
        while held():
            await asyncio.sleep(0.02)
        legal = turn.view.legal
        return legal[sum(turn.view.hand) % len(legal)]


def held():
    try:
        most = int(Path("hold").read_text())
    except FileNotFoundError:
        return False
    logs = list(Path("results").glob("*/tables.jsonl"))
    return bool(logs) and logs[0].read_bytes().count(b"\\n") >= most


run_bot(Digest())
"""
FILE = """
name = "Interrupted"
boards = BOARDS
tables = 6
seed = "interruptions"
[time]
per_move = "90s"
[[bots]]
name = "rules"
command = ["python", "-m", "contree.bots.rules"]
[[bots]]
name = "digest"
command = ["python", "digest.py"]
"""
FILE = FILE.replace("BOARDS", str(BOARDS))
RUN = "import sys; from contree.tournament import run_event; sys.exit(run_event('cup.toml'))"
ALL = 2 * BOARDS
STRUCK_EARLY = """
# The service falls before there is a table.
import os
import signal
import sys

from contree.tournament import run_event
from contree.tournament.runner import Runner
from tests.tournament.waiting import children

begin = Runner.clear_left_over


async def struck(self):
    for pid in children(os.getpid(), "contree.cli", "serve"):
        os.kill(pid, signal.SIGKILL)
    await begin(self)


Runner.clear_left_over = struck
sys.exit(run_event("cup.toml"))
"""
ROOT = Path(__file__).resolve().parents[2]


class Event:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.said = ""
        (folder / "cup.toml").write_text(FILE)
        (folder / "digest.py").write_text(DIGEST)

    async def start(self, program: str = RUN) -> Process:
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", program),
            cwd=self.folder,
            stdout=PIPE,
            stderr=STDOUT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )

    async def finish(self, process: Process) -> int:
        said, _ = await asyncio.wait_for(process.communicate(), 120)
        self.said = said.decode()
        assert process.returncode is not None
        return process.returncode

    @property
    def results(self) -> Path:
        (found,) = (self.folder / "results").iterdir()
        return found

    def played(self) -> int:
        logs = list((self.folder / "results").glob("*/tables.jsonl"))
        return logs[0].read_bytes().count(b"\n") if logs else 0

    async def reaches(self, tables: int) -> None:
        """Wait for so many results. No new ones come, but of tables in play, until it goes on."""
        assert await eventually(lambda: self.played() >= tables, 60)

    def hold_at(self, tables: int) -> None:
        partly = self.folder / "partly"
        partly.write_text(str(tables))
        partly.rename(self.folder / "hold")

    def go_on(self) -> None:
        (self.folder / "hold").unlink()

    def boards(self) -> str:
        return (self.results / "boards.csv").read_text()

    def faults(self) -> list[object]:
        lines = (self.results / "tables.jsonl").read_text().splitlines()
        return [fault for line in lines for fault in json.loads(line)["faults"]]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The boards of an event that nothing happened to."""
    event = Event(tmp_path_factory.mktemp("undisturbed"))
    subprocess.run([sys.executable, "-c", RUN], cwd=event.folder, check=True, timeout=120)
    assert event.faults() == []
    return event.boards()


@pytest.fixture
def event(tmp_path: Path) -> Event:
    return Event(tmp_path)


def check(event: Event, undisturbed: str) -> None:
    assert event.played() == ALL
    assert event.faults() == []
    assert event.boards() == undisturbed
    assert len(list((event.results / "records").iterdir())) == ALL
    assert json.loads((event.results / "standings.json").read_text())["complete"]


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["Ctrl-C", "SIGTERM"]
)
async def test_stopped_and_run_again(
    event: Event, undisturbed: str, number: signal.Signals, code: int
) -> None:
    event.hold_at(SOME)
    process = await event.start()
    await event.reaches(SOME)
    below = children(process.pid)
    assert len(below) >= 3
    process.send_signal(number)
    process.send_signal(number)
    assert await event.finish(process) == code, event.said
    event.go_on()
    assert await eventually(lambda: not any(alive(pid) for pid in below))
    assert "run the same command again to go on" in event.said
    assert "points/board" in event.said
    partial = json.loads((event.results / "standings.json").read_text())
    assert not partial["complete"]
    assert SOME <= partial["tables"] < ALL
    assert await event.finish(await event.start()) == 0, event.said
    assert "Going on:" in event.said
    check(event, undisturbed)


async def test_stopped_before_the_first_card(event: Event, undisturbed: str) -> None:
    process = await event.start()
    assert await eventually(lambda: bool(children(process.pid)), 60)
    below = children(process.pid)
    process.send_signal(signal.SIGINT)
    assert await event.finish(process) == 130, event.said
    assert await eventually(lambda: not any(alive(pid) for pid in below))
    assert await event.finish(await event.start()) == 0, event.said
    check(event, undisturbed)


async def test_1_and_2_the_runner_is_killed_and_run_again(event: Event, undisturbed: str) -> None:
    for tables in (1, BOARDS):
        event.hold_at(tables)
        process = await event.start()
        await event.reaches(tables)
        below = children(process.pid)
        process.kill()
        await process.communicate()
        event.go_on()
        assert await eventually(lambda: not any(alive(pid) for pid in below))  # noqa: B023
    assert await event.finish(await event.start()) == 0, event.said
    check(event, undisturbed)


VICTIMS: dict[str, Callable[[int], list[int]]] = {
    "service": lambda pid: children(pid, "contree.cli", "serve"),
    "rules": lambda pid: children(pid, "contree.bots.rules"),
    "digest": lambda pid: children(pid, "digest.py"),
}


@pytest.mark.parametrize("victim", list(VICTIMS))
async def test_one_is_killed_and_the_event_goes_on(
    event: Event, undisturbed: str, victim: str
) -> None:
    event.hold_at(SOME)
    process = await event.start()
    await event.reaches(SOME)
    pid = min(VICTIMS[victim](process.pid))
    os.kill(pid, signal.SIGKILL)
    event.go_on()
    assert await event.finish(process) == 0, event.said
    assert "ended killed by SIGKILL: starting it again" in event.said
    check(event, undisturbed)


async def test_the_service_is_killed_before_the_first_table(event: Event, undisturbed: str) -> None:
    process = await event.start(STRUCK_EARLY)
    assert await event.finish(process) == 0, event.said
    assert event.said.count("The service ended killed by SIGKILL: starting it again") == 1
    check(event, undisturbed)
