"""At the event's own service a bot is a bot: its key plays under its name and does nothing else."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
from asyncio import create_subprocess_exec, create_subprocess_shell, wait_for
from asyncio.subprocess import PIPE, STDOUT
from pathlib import Path

import pytest
from tests.tournament.meddling import PROGRAM, REFUSED, outcomes

from contree.tournament.export import export_event
from contree.tournament.folder import EventFolder
from contree.tournament.service_keys import ServiceKeys

pytestmark = [pytest.mark.events, pytest.mark.timeout(240)]

EVENT = """
name = "Meddled"
boards = {boards}
tables = 2
isolation = "none"
watch = "live"
[[bots]]
name = "meddler"
command = ["python", "meddler.py"]
env = {{ CONTREE_TOKEN_FILE = "of-another-service" }}
[[bots]]
name = "random"
command = ["python", "-m", "contree.bots.random"]
"""
RUN = "import sys; from contree.tournament import run_event; sys.exit(run_event('cup.toml'))"


def write(folder: Path, boards: int) -> None:
    (folder / "cup.toml").write_text(EVENT.format(boards=boards))
    (folder / "meddler.py").write_text(PROGRAM)


def test_a_bot_cannot_do_what_is_the_hosts(tmp_path: Path) -> None:
    write(tmp_path, 1)
    ran = subprocess.run(
        [sys.executable, "-c", RUN],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    (results,) = (tmp_path / "results").iterdir()
    assert outcomes(results / "logs" / "meddler.log") == REFUSED
    lines = (results / "tables.jsonl").read_text().splitlines()
    assert [json.loads(line)["faults"] for line in lines] == [[], []]

    assert stat.S_IMODE((results / "keys").stat().st_mode) == 0o700
    files = list((results / "keys").iterdir())
    assert {path.name for path in files} == {
        "host.token", "watch.token", "bot-meddler.token", "bot-random.token"
    }  # fmt: skip
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    tokens = [path.read_bytes().strip() for path in files]
    assert len(set(tokens)) == len(tokens)
    texts = [p.read_bytes() for p in results.rglob("*") if p.is_file() and p not in files]
    texts += [ran.stdout.encode(), ran.stderr.encode(), *export_event(results).files.values()]
    assert not any(token in text for token in tokens for text in texts)


async def test_the_printed_command_watches(tmp_path: Path) -> None:
    write(tmp_path, 200)
    runner = await create_subprocess_exec(
        sys.executable, "-c", RUN, cwd=tmp_path, stdout=PIPE, stderr=STDOUT,
        env=os.environ | {"COLUMNS": "500"},
    )  # fmt: skip
    try:
        assert runner.stdout is not None
        said = ""
        while not (found := re.search(r"To watch from elsewhere: (.*?) *[(;]", said)):
            line = await wait_for(runner.stdout.readline(), 60)
            assert line, said
            said += line.decode()
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        shell = await create_subprocess_shell(
            # Before the first match there is nothing to see.
            f"until {found[1]} --json > watched; do sleep 0.1; done",
            cwd=tmp_path,
            env={"PATH": path, "HOME": str(tmp_path)},
            stderr=PIPE,
            start_new_session=True,
        )
        try:
            _, said_of_it = await wait_for(shell.communicate(), 120)
        finally:
            if shell.returncode is None:
                os.killpg(shell.pid, signal.SIGKILL)
                await shell.wait()
        first, *others = (tmp_path / "watched").read_text().splitlines()
        assert set(json.loads(first)) >= {"seats", "state"}, said_of_it
        assert others
    finally:
        runner.terminate()
        await wait_for(runner.communicate(), 60)


async def test_keys_stay_from_run_to_run_and_go_with_their_store(tmp_path: Path) -> None:
    notes: list[str] = []
    with EventFolder.opened(tmp_path / "event") as folder:
        first = await ServiceKeys.of(folder, ["x", "y"], notes.append)
        assert await ServiceKeys.of(folder, ["x", "y"], notes.append) == first
        first.bot_file("y").unlink()  # its runner was killed before it wrote it
        mended = await ServiceKeys.of(folder, ["x", "y"], notes.append)
        assert (mended.host, mended.bots["x"]) == (first.host, first.bots["x"])
        assert mended.bots["y"] != first.bots["y"]
        shutil.rmtree(folder.store)
        other = await ServiceKeys.of(folder, ["x"], notes.append)
        assert other.host != first.host
        assert other.bots.keys() == {"x"}
        assert other.bots["x"] != first.bots["x"]
        assert first.host not in repr(first) + repr(notes)
        assert notes == []
