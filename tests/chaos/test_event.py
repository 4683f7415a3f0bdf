"""An event whose runner, service, store and bots are killed comes to the bytes of a quiet one."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sys
from asyncio.subprocess import STDOUT, Process
from collections import Counter
from pathlib import Path
from typing import Final

import pytest
from tests.chaos.scale import choices, pick
from tests.chaos.waiting import until
from tests.tournament.waiting import alive, children

from contree.tournament.audit import audit
from contree.tournament.export import export_event

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(pick(400, 1800))]

KILLS: Final = pick(5, 30)
BOARDS: Final = pick(15, 60)
WAIT_S: Final = 90.0
PLAYER: Final = """
# The players of the house; as long as there is a file "slow", they take their time.
import asyncio
import sys
from pathlib import Path

from contree.client import Bot, run_bot
from contree.policy import BidStyle, random_player, rules_player, styled_player

POLICIES = {
    "rules": rules_player,
    "quiet": styled_player(BidStyle(claim=0.0)),
    "random": random_player("chaos"),
}


class Player(Bot):
    threaded = False

    def __init__(self, policy):
        self.policy = policy

    async def decide(self, turn):
        if Path("slow").exists():
            await asyncio.sleep(0.05)
        return self.policy(turn.view)


run_bot(Player(POLICIES[sys.argv[1]]))
"""
BOT: Final = '[[bots]]\nname = "{0}"\ncommand = ["python", "player.py", "{0}"]\n'
FILE: Final = (
    f'name = "Killed"\nboards = {BOARDS}\ntables = 6\nseed = "chaos"\n'
    '[time]\nper_move = "60s"\nready = "60s"\nseat_timeout = "120s"\n'
    + "".join(map(BOT.format, ("rules", "quiet", "random")))
)
RUN: Final = "import sys; from contree.tournament import run_event; sys.exit(run_event('cup.toml'))"
SAME: Final = ("standings.json", "standings.csv", "boards.csv")


class Event:
    """An event in a folder of its own, and the process that runs it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "cup.toml").write_text(FILE)
        (folder / "player.py").write_text(PLAYER)
        self.slow = folder / "slow"
        self.log = folder / "run.log"
        self.process: Process | None = None

    @property
    def results(self) -> Path:
        (found,) = (self.folder / "results").iterdir()
        return found

    def played(self) -> int:
        logs = list((self.folder / "results").glob("*/tables.jsonl"))
        return logs[0].read_bytes().count(b"\n") if logs else 0

    async def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                sys.executable, "-c", RUN, cwd=self.folder, stdout=log, stderr=STDOUT
            )

    async def finish(self) -> None:
        assert self.process is not None
        code = await asyncio.wait_for(self.process.wait(), 300)
        assert code == 0, self.last_words()

    def last_words(self) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-30:])

    def victims(self, kind: str) -> list[int]:
        """The processes of a kind that run now."""
        assert self.process is not None
        if kind == "runner":
            return [self.process.pid]
        words = {"server": ("contree.cli", "serve"), "store": ("valkey",), "bot": ("player.py",)}
        return children(self.process.pid, *words[kind])

    async def kill(self, kind: str, when: random.Random) -> None:
        """kill -9 of a process of a kind; a runner is started again when all below it have gone."""
        assert self.process is not None
        await until(lambda: bool(self.victims(kind)) or self.over, WAIT_S, f"a {kind} to kill")
        assert not self.over, f"it is over before all kills: {self.last_words()}"
        below = children(self.process.pid)
        os.kill(when.choice(self.victims(kind)), signal.SIGKILL)
        if kind == "runner":
            await self.process.wait()
            await until(lambda: not any(map(alive, below)), WAIT_S, "what it started is gone")
            await self.start()

    @property
    def over(self) -> bool:
        return self.process is not None and self.process.returncode is not None


async def test_thirty_kills_change_no_byte_of_the_standings(tmp_path: Path) -> None:
    (tmp_path / "quiet").mkdir()
    (tmp_path / "killed").mkdir()
    quiet, killed = Event(tmp_path / "quiet"), Event(tmp_path / "killed")
    await quiet.start()
    await quiet.finish()
    when = choices("event")
    killed.slow.touch()
    await killed.start()
    tally: Counter[str] = Counter()
    try:
        for kind in _kinds(when):
            before = killed.played()
            if when.random() < 0.6:
                await until(lambda b=before: killed.played() > b or killed.over, WAIT_S, "a table")  # type: ignore[misc]
            await asyncio.sleep(when.uniform(0.0, 3.0))  # the moment is what is drawn
            await killed.kill(kind, when)
            tally[kind] += 1
        at_last_kill = killed.played()
        killed.slow.unlink()
        await killed.finish()
    finally:
        if killed.process is not None and not killed.over:
            killed.process.kill()
            await killed.process.wait()
    conduct = json.loads((killed.results / "conduct.json").read_text())
    reasons = Counter(one["reason"] for one in conduct["replayed"])
    print(
        f"{dict(tally)} killed, the last after {at_last_kill} of {killed.played()} tables; "
        f"attempts without a result: {dict(reasons)}"
    )
    faults = [
        fault
        for line in (killed.results / "tables.jsonl").read_text().splitlines()
        for fault in json.loads(line)["faults"]
    ]
    assert faults == []
    for name in SAME:
        assert (killed.results / name).read_bytes() == (quiet.results / name).read_bytes(), name
    for event in (quiet, killed):
        found = audit(export_event(event.results).files)
        assert found.right, found.findings[:5]
        assert found.tables == 6 * BOARDS


def _kinds(when: random.Random) -> list[str]:
    """What is killed, one after the other: each kind once before any comes again, so that nothing
    falls as often within a minute as a program that is broken for good.
    """
    kinds: list[str] = []
    while len(kinds) < KILLS:
        some = ["runner", "server", "store", "bot"]
        when.shuffle(some)
        kinds += some
    return kinds[:KILLS]
