"""An event that is played by a process of its own, in which anything may be killed."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import signal
import sys
from asyncio.subprocess import STDOUT, Process
from pathlib import Path
from typing import Final

from tests.chaos.waiting import until
from tests.tournament.waiting import alive, children

WAIT_S: Final = 180.0
_PLAYER: Final = """
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
_BOT: Final = '[[bots]]\nname = "{0}"\ncommand = ["python", "player.py", "{0}"]\n'
_FILE: Final = (
    'name = "Killed"\nboards = {0}\ntables = {1}\nseed = "chaos"\n'
    '[time]\nper_move = "60s"\nready = "60s"\nseat_timeout = "120s"\n'
)
_BOTS: Final = "".join(map(_BOT.format, ("rules", "quiet", "random")))
_RUN: Final = (
    "import sys; from contree.tournament import run_event; "
    "sys.exit(run_event('cup.toml', server={!r}))"
)
SAME: Final = ("standings.json", "standings.csv", "boards.csv")
"""Files that come out the same, whatever was killed meanwhile."""


class Event:
    """An event in a folder of its own, and the process that runs it."""

    def __init__(
        self, folder: Path, *, boards: int, tables: int = 6, server: str | None = None
    ) -> None:
        """It is played at ``server``, else at a service of its own."""
        self.folder = folder
        self.boards = boards
        self._server = server
        (folder / "cup.toml").write_text(_FILE.format(boards, tables) + _BOTS)
        (folder / "player.py").write_text(_PLAYER)
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

    async def plays(self, tables: int) -> None:
        """Wait until so many tables have a result."""
        await until(lambda: self.played() >= tables or self.over, WAIT_S, f"{tables} tables")
        assert not self.over, f"it is over before {tables} tables: {self.last_words()}"

    async def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-c", _RUN.format(self._server)),
                cwd=self.folder,
                stdout=log,
                stderr=STDOUT,
            )

    async def finish(self) -> None:
        assert self.process is not None
        code = await asyncio.wait_for(self.process.wait(), 600)
        assert code == 0, self.last_words()

    def faults(self) -> list[dict[str, object]]:
        """What was charged to bots."""
        lines = (self.results / "tables.jsonl").read_text().splitlines()
        return [fault for line in lines for fault in json.loads(line)["faults"]]

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
        below: list[int] = []
        killed: list[int] = []

        def strike() -> bool:
            """Kill one, if one is there: it may end by itself between a look and the kill."""
            if self.over:
                return True
            assert self.process is not None
            below[:] = children(self.process.pid)
            if victims := self.victims(kind):
                victim = when.choice(victims)
                with contextlib.suppress(ProcessLookupError):
                    os.kill(victim, signal.SIGKILL)
                    killed.append(victim)
            return bool(killed)

        await until(strike, WAIT_S, f"a {kind} to kill")
        assert killed, f"it is over before all kills: {self.last_words()}"
        if kind == "runner":
            await self.process.wait()
            await until(lambda: not any(map(alive, below)), WAIT_S, "what it started is gone")
            await self.start()

    @property
    def over(self) -> bool:
        return self.process is not None and self.process.returncode is not None
