"""What programs use, with all below them; and the limits that the kernel keeps."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.tournament.waiting import WAIT_S, eventually

from contree.tournament.limits import Limits, size
from contree.tournament.processes import Child, environment_for
from contree.tournament.starting import kernel_limits
from contree.tournament.usage import usages

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits and /proc of Linux")

MIB = 1 << 20
HOLDS = "import mmap, signal; kept = {}; print('holds', flush=True); signal.pause()"  # what is held
PRIVATE = "b'x' * (64 << 20)"
SHARED = "mmap.mmap(-1, 64 << 20); kept.write(b'x' * (64 << 20))"


class Bench:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.children: list[Child] = []

    async def start(self, program: str, *, limits: Limits | None = None) -> Child:
        child = await Child.start(
            "bot",
            ["python", "-c", program],
            log=self.folder / "log",
            cwd=self.folder,
            environment=environment_for({}),
            limits=kernel_limits(limits or Limits(), 0, sandboxed=False),
        )
        self.children.append(child)
        return child

    async def says(self, text: str) -> str:
        log = self.folder / "log"
        assert await eventually(lambda: log.exists() and text in log.read_text())
        return log.read_text()


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    bench = Bench(tmp_path)
    yield bench
    for child in bench.children:
        await child.stop(0.1)


@pytest.mark.parametrize("what", [PRIVATE, SHARED], ids=["private", "shared"])
async def test_memory_is_seen(bench: Bench, what: str) -> None:
    child = await bench.start(HOLDS.format(what))
    await bench.says("holds")
    used = usages({child.pid: 1})[child.pid]
    assert 64 * MIB < used.memory < 80 * MIB
    assert usages({child.pid: 1}, ask_above=1 << 40)[child.pid].memory == 0


async def test_what_it_started_counts_also_in_a_session_of_its_own(bench: Bench) -> None:
    hold = HOLDS.format(PRIVATE)
    program = (
        "import subprocess, sys, signal;"
        f"hold = {hold!r};"
        "two = [subprocess.Popen([sys.executable, '-c', hold], start_new_session=n) "
        "for n in (True, False)]; signal.pause()"
    )
    child = await bench.start(program)
    log = bench.folder / "log"
    assert await eventually(lambda: log.exists() and log.read_text().count("holds") == 2)
    used = usages({child.pid: 1})[child.pid]
    assert used.processes == 3
    assert used.memory > 128 * MIB
    await child.stop(0.1)


async def test_threads_count(bench: Bench) -> None:
    child = await bench.start(
        "import threading; e = threading.Event();"
        "[threading.Thread(target=e.wait).start() for _ in range(9)]; print('up', flush=True)"
    )
    await bench.says("up")
    assert usages({child.pid: 1})[child.pid].processes == 10
    child.kill()


async def test_programs_are_told_apart_and_what_is_gone_is_nothing(bench: Bench) -> None:
    one = await bench.start(HOLDS.format(PRIVATE))
    other = await bench.start("import signal; signal.pause()")
    await bench.says("holds")
    used = usages({one.pid: 1, other.pid: 1})
    assert used[one.pid].memory > 64 * MIB > used[other.pid].memory
    await one.stop(0.1)
    assert list(usages({one.pid: 1, other.pid: 1})) == [other.pid]


# -- limits of the kernel -------------------------------------------------------------------------


async def test_a_program_starts_within_its_limits(bench: Bench) -> None:
    limits = Limits(memory=256 * MIB, cpu_time=50.0, cpus=1, files=99)
    await bench.start(
        "import json, os, resource as r; print(json.dumps([r.getrlimit(r.RLIMIT_DATA),"
        "r.getrlimit(r.RLIMIT_CPU), r.getrlimit(r.RLIMIT_NOFILE), r.getrlimit(r.RLIMIT_CORE),"
        "len(os.sched_getaffinity(0))]))",
        limits=limits,
    )
    said = json.loads(await bench.says("]"))
    assert said == [[256 * MIB] * 2, [50, 51], [99, 99], [0, 0], 1]


async def test_memory_beyond_its_limit_it_is_not_given(bench: Bench) -> None:
    child = await bench.start("x = bytearray(4 << 30)", limits=Limits(memory=256 * MIB))
    assert await asyncio.wait_for(child.wait(), WAIT_S) == 1
    assert "MemoryError" in child.tail()


async def test_beyond_its_cpu_time_it_is_ended(bench: Bench) -> None:
    child = await bench.start("while True: pass", limits=Limits(cpu_time=1.0))
    await asyncio.wait_for(child.wait(), WAIT_S)
    assert child.ending == "killed by SIGXCPU"


async def test_one_that_does_not_heed_it_has_a_second_more(bench: Bench) -> None:
    program = "import signal; signal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass"
    child = await bench.start(program, limits=Limits(cpu_time=1.0))
    await asyncio.wait_for(child.wait(), WAIT_S)
    assert child.ending == "killed by SIGKILL"


def test_processors_are_shared_out_evenly() -> None:
    there = len(os.sched_getaffinity(0))
    given = [kernel_limits(Limits(cpus=1), turn, sandboxed=False)[-1] for turn in range(there)]
    assert len(set(given)) == there
    (most,) = kernel_limits(Limits(cpus=4096), 0, sandboxed=False)[1:]
    assert len(most.split(",")) == there


def test_processes_are_left_to_the_kernel_where_it_counts_those_of_the_bot_alone() -> None:
    limits = Limits(processes=50)
    assert kernel_limits(limits, 0, sandboxed=False) == ["core=0"]
    assert kernel_limits(limits, 0, sandboxed=True) == ["core=0", "nproc=50"]


def test_sizes_for_people() -> None:
    assert [size(n) for n in (5, 1 << 20, 1536 << 20, 3 << 30)] == [
        "5 bytes",
        "1 MiB",
        "1.5 GiB",
        "3 GiB",
    ]
    shown = str(Limits(memory=512 * MIB, cpu_time=60.0, processes=9))
    assert shown == "memory 512 MiB, cpu time 60 s, processes 9"
    assert str(Limits()) == ""
