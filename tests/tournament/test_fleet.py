"""Bots as processes: one that does not come is named with its last words, one that dies returns."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.tournament.scripted import ScriptedService, serving
from tests.tournament.waiting import WAIT_S, eventually

from contree.client import HostClient
from contree.tournament.config import BotConfig
from contree.tournament.errors import ProcessError
from contree.tournament.fleet import Address, Broken, Fleet
from contree.tournament.folder import EventFolder
from contree.tournament.processes import MOST_RESTARTS, Child

SLEEPS = "import signal, os; print('up as', os.environ['CONTREE_BOT'], flush=True); signal.pause()"


class Bench:
    def __init__(self, service: ScriptedService, address: str, folder: EventFolder) -> None:
        self.service = service
        self.folder = folder
        self.address = Address(address, lambda bot: f"event-1-{bot}", 8)
        self.notes: list[str] = []
        self.broken: Broken | None = None

    @asynccontextmanager
    async def fleet(self, **programs: str | None) -> AsyncIterator[tuple[Fleet, HostClient]]:
        """Bots by name; None for one that dials in."""
        bots = [
            BotConfig(
                name=name,
                command=() if program is None else ("python", "-c", program),
                cwd=self.folder.path,
            )
            for name, program in programs.items()
        ]
        async with (
            HostClient(self.address.server) as host,
            Fleet.running(
                bots,
                self.address,
                self.folder,
                self.notes.append,
                *([] if self.broken is None else [self.broken]),
            ) as fleet,
        ):
            yield fleet, host

    def log(self, bot: str) -> str:
        path = self.folder.bot_log(bot)
        return path.read_text() if path.exists() else ""


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    service = ScriptedService()
    service.bots.clear()
    with EventFolder.opened(tmp_path / "event") as folder:
        async with serving(service) as address:
            yield Bench(service, address, folder)


async def test_bots_are_told_what_they_need(bench: Bench) -> None:
    program = (
        "import os; print(*(os.environ['CONTREE_' + name] for name in "
        "('SERVER', 'BOT', 'INSTANCE', 'CAPACITY')))"
    )
    async with bench.fleet(x=program):
        assert await eventually(lambda: bench.log("x").endswith("\n"))
    assert bench.log("x").split() == [bench.address.server, "x", "event-1-x", "8"]


async def test_room_is_what_the_bots_say(bench: Bench) -> None:
    bench.service.bots |= {"x": 8, "y": 5}
    async with bench.fleet(x=SLEEPS, y=None) as (fleet, host):
        assert await fleet.connected(host, WAIT_S) == {"x": 8, "y": 5}


async def test_one_that_ends_at_once(bench: Bench) -> None:
    async with bench.fleet(x=SLEEPS, y="raise SystemExit('no model file')") as (fleet, host):
        with pytest.raises(ProcessError) as caught:
            await fleet.connected(host, WAIT_S)
    assert str(caught.value) == "y ended with exit code 1 before it connected."
    assert caught.value.log_tail == "no model file"


async def test_one_that_falls_before_it_connects_is_started_again(bench: Bench) -> None:
    """It may have been killed, or have fallen with the service."""
    falls = (
        "import os, pathlib, signal\n"
        "if not pathlib.Path('fell').exists():\n"
        "    pathlib.Path('fell').touch(); os.kill(os.getpid(), signal.SIGKILL)\n" + SLEEPS
    )
    bench.service.bots["x"] = 8
    async with bench.fleet(x=None, y=falls) as (fleet, host):
        connecting = asyncio.create_task(fleet.connected(host, WAIT_S))
        assert await eventually(lambda: "up as y" in bench.log("y"))
        bench.service.bots["y"] = 8
        assert await connecting == {"x": 8, "y": 8}
    assert bench.notes == [
        "y ended killed by SIGKILL before it connected: starting it again.",
    ]


async def test_one_that_never_connects(bench: Bench) -> None:
    bench.service.bots["x"] = 8
    async with bench.fleet(x=None, y=SLEEPS) as (fleet, host):
        assert await eventually(lambda: "up as y" in bench.log("y"))
        with pytest.raises(ProcessError, match=r"y did not connect to .* within 0.3 s") as caught:
            await fleet.connected(host, 0.3)
    assert caught.value.log_tail == "up as y"


async def test_one_that_does_not_dial_in(bench: Bench) -> None:
    async with bench.fleet(x=None, y=None) as (fleet, host):
        with pytest.raises(ProcessError, match=r"x did not connect .* it is to dial in"):
            await fleet.connected(host, 0.3)
    assert bench.notes == [f"Waiting for x, y to dial in at {bench.address.server}."]


async def test_one_that_takes_a_single_seat(bench: Bench) -> None:
    bench.service.bots |= {"x": 8, "y": 1}
    async with bench.fleet(x=None, y=None) as (fleet, host):
        with pytest.raises(ProcessError, match="y takes one seat at a time"):
            await fleet.connected(host, WAIT_S)


async def test_a_command_that_is_not_there_ends_those_already_started(bench: Bench) -> None:
    bots = [
        BotConfig(name="x", command=("python", "-c", SLEEPS), cwd=bench.folder.path),
        BotConfig(name="y", command=("no-such-bot",), cwd=bench.folder.path),
    ]
    with pytest.raises(ProcessError, match="y cannot be started"):
        async with Fleet.running(bots, bench.address, bench.folder, bench.notes.append):
            pass


async def test_one_that_dies_is_started_again_a_bounded_number_of_times(bench: Bench) -> None:
    async with bench.fleet(x="print('once more'); raise SystemExit(3)", y=SLEEPS) as (fleet, _):
        with pytest.raises(ProcessError, match="x ended with exit code 3 again and again"):
            await asyncio.wait_for(fleet.watch(), WAIT_S)
        assert fleet.restarts == {"x": MOST_RESTARTS}
    assert bench.log("x").count("once more") == 1 + MOST_RESTARTS
    assert bench.notes == ["x ended with exit code 3: starting it again."] * MOST_RESTARTS


async def test_a_fleet_of_guests_is_watched_in_vain(bench: Bench) -> None:
    async with bench.fleet(x=None) as (fleet, _):
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(fleet.watch(), 0.05)


async def test_without_those_that_fail_the_others_go_on(bench: Bench) -> None:
    bench.service.bots["x"] = 8
    failed: list[str] = []
    bench.broken = lambda bot, error: failed.append(f"{bot}: {error}")
    program = "import time; time.sleep(0.5); raise SystemExit(4)"
    async with bench.fleet(x=None, y="raise SystemExit(1)", z=None, w=program) as (fleet, host):
        assert await fleet.connected(host, 3.0) == {"x": 8}
        watching = asyncio.create_task(fleet.watch())
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.shield(watching), 1.0)
        watching.cancel()
    assert sorted(one.split(" ")[0] for one in failed) == ["w:", "y:", "z:"]
    assert any("y ended with exit code 1 before it connected" in one for one in failed)
    assert any("z did not connect" in one for one in failed)


async def test_two_processes_of_one_name_are_announced(bench: Bench) -> None:
    bench.service.bots |= {"x": 8, "y": 8}
    bench.service.instances = {"x": ["x-1", "x-2"], "y": ["event-1-y", "stranger"]}
    async with bench.fleet(x=None, y=SLEEPS) as (fleet, host):
        assert (await fleet.connected(host, WAIT_S))["x"] == 16
    assert bench.notes == [
        "2 processes have dialled in as x (instances x-1, x-2): its seats are shared out among "
        "them. Stop those that are not meant to play.",
        "Another process has dialled in as y (instance stranger): it is given no seat, those of y "
        "are kept for the process that was started here.",
    ]


async def test_all_are_ended_whatever_happens(bench: Bench) -> None:
    children: list[Child] = []

    async def fails() -> None:
        async with bench.fleet(x=SLEEPS, y=SLEEPS) as (fleet, _):
            children.extend(fleet._children.values())
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fails()
    assert len(children) == 2
    assert all(child.returncode is not None for child in children)
