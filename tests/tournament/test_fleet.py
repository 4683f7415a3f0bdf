"""Bots as processes: one that does not come is named with its last words, one that dies returns."""

from __future__ import annotations

import asyncio
import errno
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.tournament.scripted import ScriptedService, serving
from tests.tournament.waiting import WAIT_S, alive, eventually

from contree.client import ConnectedBot, HostClient
from contree.engine import SEATS, Seat
from contree.tournament.bot_endings import Ending, read_endings, restarts
from contree.tournament.bots import BotConfig
from contree.tournament.errors import ProcessError
from contree.tournament.fleet import Broken, Fleet
from contree.tournament.folder import EventFolder
from contree.tournament.isolation import Isolation, Post
from contree.tournament.limits import NO_LIMITS, Limits
from contree.tournament.output import Tap
from contree.tournament.processes import MOST_RESTARTS, Child
from contree.tournament.runner import stop
from contree.tournament.service_keys import ServiceKeys
from contree.tournament.starting import Address, patiently
from contree.tournament.usage import Usage
from contree.tournament.worker import EARLY_RESTARTS

SLEEPS = "import signal, os; print('up as', os.environ['CONTREE_BOT'], flush=True); signal.pause()"


class Bench:
    def __init__(self, service: ScriptedService, address: str, folder: EventFolder) -> None:
        self.service = service
        self.folder = folder
        self.address = Address(address, lambda post: f"event-1-{post.key}", 4)
        self.notes: list[str] = []
        self.broken: Broken = stop
        self.limits = NO_LIMITS
        self.env: tuple[tuple[str, str], ...] = ()

    @asynccontextmanager
    async def fleet(self, **programs: str | None) -> AsyncIterator[tuple[Fleet, HostClient]]:
        """Bots by name; None for one that dials in."""
        bots = [
            BotConfig(
                name=name,
                command=() if program is None else ("python", "-c", program),
                cwd=self.folder.path,
                limits=self.limits,
                env=() if program is None else self.env,
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
                broken=self.broken,
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
        assert await fleet.connected(host, WAIT_S) == {"x": 4, "y": 2}


async def test_room_is_in_the_list_that_has_them_all(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next one may come from another server, which has not heard of them."""
    bench.service.bots["x"] = 8
    async with bench.fleet(x=None) as (fleet, host):
        list_bots = host.list_bots

        async def once() -> Sequence[ConnectedBot]:
            listed = await list_bots()
            bench.service.bots.clear()
            return listed

        monkeypatch.setattr(host, "list_bots", once)
        assert await fleet.connected(host, WAIT_S) == {"x": 4}


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
        assert await connecting == {"x": 4, "y": 4}
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


async def test_who_is_missing_is_known_however_short_the_patience_is(bench: Bench) -> None:
    """Shorter than the service takes to say who is there."""
    bench.service.bots["x"] = 8
    async with bench.fleet(x=None, y=None) as (fleet, host):
        with pytest.raises(ProcessError, match=r"^y did not connect .* it is to dial in"):
            await fleet.connected(host, 0.0)


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


@pytest.mark.parametrize("isolation", [Isolation.SEAT, Isolation.MATCH])
async def test_one_that_cannot_be_started_fails_alone(bench: Bench, isolation: Isolation) -> None:
    bots = [
        BotConfig(name="x", command=("./gone",), cwd=bench.folder.path),
        BotConfig(name="y", command=("python", "-c", SLEEPS), cwd=bench.folder.path),
    ]
    failed: list[str] = []
    bench.service.bots["y"] = 8
    bench.service.instances["y"] = [f"event-1-y {seat}" for seat in SEATS]
    async with (
        HostClient(bench.address.server) as host,
        Fleet.running(
            bots,
            bench.address._replace(isolation=isolation),
            bench.folder,
            bench.notes.append,
            broken=lambda bot, error: failed.append(f"{bot}: {error}"),
        ) as fleet,
    ):
        assert fleet._failed == ({"x"} if isolation is Isolation.SEAT else set())
        await fleet.connected(host, WAIT_S)
        watching = asyncio.create_task(fleet.watch())
        if isolation is Isolation.MATCH:
            await fleet.man("m-1", [Post("x", Seat.NORTH, "b1/1"), Post("x", Seat.SOUTH, "b1/1")])
            await fleet.man("m-2", [Post("y", Seat.NORTH, "b2/1")])
        await asyncio.sleep(0)
        assert not watching.done()
        assert {worker.post.bot for worker in fleet._workers() if worker.pid} == {"y"}
        watching.cancel()
    (sentence,) = failed
    assert sentence.startswith("x: x (north")
    assert "does not exist" in sentence


async def test_where_the_machine_has_no_room_it_is_tried_again() -> None:
    errors = [OSError(errno.EAGAIN, "no process"), OSError(errno.EMFILE, "no file")]

    async def start() -> str:
        if errors:
            raise errors.pop()
        return "started"

    assert await patiently("x", start, (0.0, 0.0)) == "started"
    errors.extend(OSError(errno.EAGAIN, "no process") for _ in range(3))
    with pytest.raises(ProcessError, match=r"x cannot be started: .* no process"):
        await patiently("x", start, (0.0, 0.0))
    errors[:] = [OSError(errno.EACCES, "forbidden")] * 2
    with pytest.raises(ProcessError, match="forbidden"):
        await patiently("x", start, (0.0, 0.0))
    assert len(errors) == 1


async def test_at_the_events_own_service_each_has_its_own_token(bench: Bench) -> None:
    keys = ServiceKeys(bench.folder.keys, "of-the-host", {"x": "of-x", "y": "of-y"})
    bench.address = bench.address._replace(keys=keys)
    program = (
        "import os, signal\n"
        "told = (os.environ.get('CONTREE_' + name) for name in ('TOKEN', 'TOKEN_FILE'))\n"
        "print(*told, flush=True)\n"
        "signal.pause()"
    )
    bench.env = (("CONTREE_TOKEN", "of-another-service"), ("CONTREE_TOKEN_FILE", "token"))
    async with bench.fleet(x=program, y=None) as (fleet, host):
        assert await eventually(lambda: bench.log("x").endswith("\n"))
        with pytest.raises(ProcessError):
            await fleet.connected(host, 0.3)
    assert bench.log("x") == "of-x None\n"
    assert bench.notes[0] == (
        f"Waiting for y to dial in at {bench.address.server}, each with a token of its own "
        f"(CONTREE_TOKEN_FILE): {keys.bot_file('y')}."
    )


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
        bench.service.bots["z"] = 8
        assert await fleet.connected(host, WAIT_S) == {"x": 4, "z": 4}
        del bench.service.bots["z"]
        assert await fleet.connected(host, 0.3) == {"x": 4}
        watching = asyncio.create_task(fleet.watch())
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.shield(watching), 1.0)
        watching.cancel()
    assert sorted(one.split(" ")[0] for one in failed) == ["w:", "y:", "z:"]
    assert any("y ended with exit code 1 before it connected" in one for one in failed)
    assert any("w ended with exit code 4 before it connected" in one for one in failed)
    assert any("z did not connect" in one for one in failed)


async def test_two_processes_of_one_name_are_announced(bench: Bench) -> None:
    bench.service.bots |= {"x": 8, "y": 8}
    bench.service.instances = {"x": ["x-1", "x-2"], "y": ["event-1-y", "stranger"]}
    async with bench.fleet(x=None, y=SLEEPS) as (fleet, host):
        assert (await fleet.connected(host, WAIT_S))["x"] == 8
    assert bench.notes == [
        "2 processes have dialled in as x (instances x-1, x-2): its seats are shared out among "
        "them. Stop those that are not meant to play.",
        "Another process has dialled in as y (instance stranger): it is given no seat, those of y "
        "are kept for the process that was started here.",
    ]


async def test_all_are_ended_whatever_happens(bench: Bench) -> None:
    pids: list[int] = []

    async def fails() -> None:
        async with bench.fleet(x=SLEEPS, y=SLEEPS) as (fleet, _):
            pids.extend(worker.pid or 0 for worker in fleet._workers())
            assert all(map(alive, pids))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fails()
    assert len(pids) == 2
    assert not any(map(alive, pids))


# -- several processes of a bot -------------------------------------------------------------------

TOLD = "import os, signal; print(*(os.environ['CONTREE_' + n] for n in ('INSTANCE', 'CAPACITY')))"


async def test_a_process_for_each_seat_of_the_board(bench: Bench) -> None:
    bench.address = bench.address._replace(isolation=Isolation.SEAT)
    async with bench.fleet(x=TOLD + "\nsignal.pause()", y=None) as (fleet, host):
        for seat in SEATS:
            path = bench.folder.bot_log("x", seat.name.lower())
            assert await eventually(lambda: path.exists() and path.stat().st_size > 0)  # noqa: B023
            assert path.read_text().split() == ["event-1-x", str(seat), "4"]
        bench.service.bots["y"] = 8
        waiting = asyncio.create_task(fleet.connected(host, WAIT_S))
        bench.service.instances["x"] = [f"event-1-x {seat}" for seat in "NES"]
        bench.service.bots["x"] = 3
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.shield(waiting), 0.5)  # one is not there yet
        bench.service.instances["x"].append("event-1-x W")
        # A table takes one seat of a process.
        assert await waiting == {"x": 3, "y": 4}


async def test_the_one_that_is_missing_is_named(bench: Bench) -> None:
    bench.address = bench.address._replace(isolation=Isolation.SEAT)
    bench.service.bots["x"] = 3
    bench.service.instances["x"] = [f"event-1-x {seat}" for seat in "NSW"]
    async with bench.fleet(x=SLEEPS) as (fleet, host):
        with pytest.raises(ProcessError, match=r"x \(east\) did not connect"):
            await fleet.connected(host, 3.0)


FALLS = """
import os, pathlib, signal
if os.environ["CONTREE_INSTANCE"].endswith(" N") and not pathlib.Path("fell").exists():
    pathlib.Path("fell").touch()
    raise SystemExit(3)
signal.pause()
"""


async def test_with_a_key_of_its_own_the_one_that_fell_is_started_again(bench: Bench) -> None:
    """Instances are told only to their own key: which one is missing shows in its process."""
    bench.address = bench.address._replace(isolation=Isolation.SEAT)
    bench.service.bots["x"] = 4
    bench.service.instances["x"] = [""] * 3
    async with bench.fleet(x=FALLS) as (fleet, host):
        waiting = asyncio.create_task(fleet.connected(host, WAIT_S))
        assert await eventually(lambda: fleet.restarts == {"x": 1})
        bench.service.instances["x"].append("")
        assert await waiting == {"x": 4}
        assert all(worker.pid for worker in fleet._workers())
    assert bench.notes == [
        "x (north) ended with exit code 3 before it connected: starting it again."
    ]


async def test_with_a_key_of_its_own_nobody_is_blamed_at_random(bench: Bench) -> None:
    bench.address = bench.address._replace(isolation=Isolation.SEAT)
    bench.service.bots["x"] = 4
    bench.service.instances["x"] = [""] * 3
    async with bench.fleet(x=SLEEPS) as (fleet, host):
        with pytest.raises(ProcessError, match="1 of the 4 processes of x did not connect") as said:
            await fleet.connected(host, 2.0)
    assert "though all of them run" in str(said.value)


async def test_a_crew_comes_with_its_match_and_goes_with_it(bench: Bench) -> None:
    bench.address = bench.address._replace(isolation=Isolation.MATCH)
    posts = [Post("x", Seat.NORTH, "b1/1"), Post("x", Seat.SOUTH, "b1/1")]
    async with bench.fleet(x=TOLD + "\nsignal.pause()") as (fleet, host):
        assert await fleet.connected(host, WAIT_S) == {}
        assert fleet._workers() == []
        await fleet.man("m-1", posts)
        pids = [worker.pid or 0 for worker in fleet._workers()]
        north = bench.folder.bot_log("x", "north")
        assert await eventually(lambda: "event-1-x N b1/1 1" in north.read_text())
        assert north.read_text().startswith("[b1/1] event-1-x")
        await fleet.man("m-2", [Post("x", Seat.NORTH, "b2/1")])
        fleet.dismiss("m-1")
        fleet.dismiss("m-1")
        assert await eventually(lambda: not any(map(alive, pids)))
        (other,) = fleet._workers()
        assert alive(other.pid or 0)
        fleet.dismiss("m-3")
    assert fleet.restarts == {}
    assert read_endings(bench.folder.endings) == ()


async def test_one_of_a_crew_that_dies_is_started_again(bench: Bench) -> None:
    bench.address = bench.address._replace(isolation=Isolation.MATCH)
    failed: list[str] = []
    bench.broken = lambda bot, error: failed.append(str(error))
    async with bench.fleet(x="raise SystemExit(3)") as (fleet, _):
        watching = asyncio.create_task(fleet.watch())
        await fleet.man("m-1", [Post("x", Seat.NORTH, "b1/1")])
        assert await eventually(lambda: bool(failed))
        watching.cancel()
    assert failed == [
        "x (north at b1/1) ended with exit code 3 again and again; see "
        f"{bench.folder.bot_log('x', 'north')}."
    ]


@pytest.mark.parametrize("how", ["its match is over", "the event is over"])
async def test_one_that_is_just_being_started_again_is_ended_too(bench: Bench, how: str) -> None:
    bench.address = bench.address._replace(isolation=Isolation.MATCH)
    started: list[int] = []
    second, go_on = asyncio.Event(), asyncio.Event()
    program = (
        "import pathlib, signal\n"
        "if pathlib.Path('once').exists(): signal.pause()\n"
        "pathlib.Path('once').touch(); raise SystemExit(3)"
    )
    async with bench.fleet(x=program) as (fleet, _):
        start = fleet._starter.start

        async def slowly(bot: BotConfig, post: Post) -> tuple[Child, Tap]:
            child, tap = await start(bot, post)
            started.append(child.pid)
            if len(started) == 2:
                second.set()
                await go_on.wait()
            return child, tap

        fleet._starter.start = slowly  # type: ignore[method-assign]
        await fleet.man("m-1", [Post("x", Seat.NORTH, "b1/1")])
        await asyncio.wait_for(second.wait(), WAIT_S)
        assert alive(started[1])
        if how == "its match is over":
            fleet.dismiss("m-1")
            go_on.set()
            assert await eventually(lambda: not alive(started[1]))
            assert await eventually(lambda: not fleet._leaving)
        go_on.set()
    assert len(started) == 2
    assert await eventually(lambda: not any(map(alive, started)))


async def test_one_that_ends_with_its_match_has_not_failed(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It hears of the end before the runner does."""
    monkeypatch.setattr("contree.tournament.worker.END_GRACE_S", WAIT_S)
    bench.address = bench.address._replace(isolation=Isolation.MATCH)
    async with bench.fleet(x="raise SystemExit(0)") as (fleet, _):
        await fleet.man("m-1", [Post("x", Seat.NORTH, "b1/1")])
        (worker,) = fleet._workers()
        assert await eventually(lambda: worker.pid is None)
        fleet.dismiss("m-1")
        assert await eventually(lambda: not fleet._tasks)
        assert fleet.restarts == {}
    assert bench.notes == []
    assert read_endings(bench.folder.endings) == ()


async def test_one_that_leaves_a_match_that_goes_on_is_started_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("contree.tournament.worker.END_GRACE_S", 0.01)
    bench.address = bench.address._replace(isolation=Isolation.MATCH)
    async with bench.fleet(x="raise SystemExit(0)") as (fleet, _):
        await fleet.man("m-1", [Post("x", Seat.NORTH, "b1/1")])
        assert await eventually(lambda: bool(bench.notes))
    assert bench.notes[0] == "x (north at b1/1) ended with exit code 0: starting it again."


async def test_endings_are_counted_over_all_runs(bench: Bench) -> None:
    for _ in range(2):
        async with bench.fleet(x="print('ouch'); raise SystemExit(3)", y=SLEEPS) as (fleet, _):
            with pytest.raises(ProcessError):
                await asyncio.wait_for(fleet.watch(), WAIT_S)
    endings = read_endings(bench.folder.endings)
    assert len(endings) == 2 * (1 + MOST_RESTARTS)
    assert endings[0] == Ending("x", "x", "with exit code 3", True, "ouch")
    assert not endings[-1].restarted
    assert restarts(endings) == {"x": 2 * MOST_RESTARTS}
    assert "contree: the process ended with exit code 3" in bench.log("x")
    with bench.folder.endings.open("a") as file:
        file.write('{"bot": "x", "proc')  # cut off
    assert len(read_endings(bench.folder.endings)) == len(endings)


# -- limits ---------------------------------------------------------------------------------------

TAKES = {
    "memory": "import mmap\nm = mmap.mmap(-1, 1 << 30)\n"
    "for _ in range(1024): m.write(b'x' * (1 << 20))",
    "processes": "import subprocess as s\nfor _ in range(20): s.Popen(['sleep', '60'])",
}


@pytest.mark.skipif(sys.platform != "linux", reason="usage is read from Linux's /proc")
@pytest.mark.parametrize(
    ("what", "limits", "said"),
    [
        ("memory", Limits(memory=64 << 20), "of memory and may use 64 MiB"),
        ("processes", Limits(processes=9), "processes and threads at once and may run 9"),
    ],
    ids=["memory that it shares", "processes"],
)
async def test_one_that_uses_too_much_is_ended_alone(
    bench: Bench, what: str, limits: Limits, said: str
) -> None:
    failed: list[str] = []
    bench.broken = lambda bot, error: failed.append(str(error))
    bench.limits = limits
    async with bench.fleet(x=f"{TAKES[what]}\nimport signal; signal.pause()", y=SLEEPS) as (
        fleet,
        _,
    ):
        watching = asyncio.create_task(fleet.watch())
        assert await eventually(lambda: bool(failed), 60)
        (other,) = (worker for worker in fleet._workers() if worker.post.bot == "y")
        assert alive(other.pid or 0)
        watching.cancel()
    assert fleet.restarts == {"x": MOST_RESTARTS}
    (sentence,) = failed
    assert said in sentence
    assert said in bench.notes[0]
    assert said in bench.log("x")
    assert said in read_endings(bench.folder.endings)[0].how


@pytest.mark.skipif(sys.platform != "linux", reason="usage is read from Linux's /proc")
async def test_limits_hold_before_all_are_connected(bench: Bench) -> None:
    bench.limits = Limits(memory=64 << 20)
    bench.service.bots["y"] = 8
    program = f"{TAKES['memory']}\nimport signal; signal.pause()"
    async with bench.fleet(x=program, y=None) as (fleet, host):
        with pytest.raises(ProcessError, match=r"may use 64 MiB before it connected"):
            await fleet.connected(host, 60.0)
    endings = read_endings(bench.folder.endings)
    assert [one.restarted for one in endings] == [True] * EARLY_RESTARTS + [False]


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's limits are those of Linux")
async def test_one_whose_computing_time_is_used_up_is_told_so(bench: Bench) -> None:
    bench.limits = Limits(cpu_time=1.0)
    async with bench.fleet(x="while True: pass") as (fleet, _):
        watching = asyncio.create_task(fleet.watch())
        assert await eventually(lambda: bool(bench.notes))
        watching.cancel()
    how = "killed by SIGXCPU, for it has used up its cpu time of 1 s"
    assert bench.notes[0] == f"x ended {how}: starting it again."
    assert f"contree: the process ended {how}" in bench.log("x")


async def test_what_one_used_is_not_held_against_the_next(bench: Bench) -> None:
    bench.limits = Limits(memory=64 << 20)
    async with bench.fleet(x=SLEEPS) as (fleet, _):
        (worker,) = fleet._workers()
        pid = worker.pid
        assert pid is not None
        too_much = Usage(1, 1 << 30)
        worker.check(pid + 1, too_much)
        assert await eventually(lambda: "up as x" in bench.log("x"))
        assert worker.pid == pid
        worker.check(pid, too_much)
        assert await eventually(lambda: worker.pid is None)
