"""The servers of a test that is killed end with it."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.stores,
    pytest.mark.timeout(400),
    pytest.mark.skipif(
        not hasattr(os, "pidfd_open"), reason="waits for processes not its children"
    ),
]

PROGRAM = """
import asyncio, sys
from pathlib import Path
from tests.stores.cluster import store_cluster
from tests.stores.sentinel import sentinel_set

async def main(folder):
    (folder / "c").mkdir(), (folder / "s").mkdir()
    cluster, watched = store_cluster(folder / "c", replicas=True), sentinel_set(folder / "s")
    async with cluster as c, watched as s:
        servers = [*c.nodes, s.master, *s.replicas, *s.sentinels]
        print(*(server.pid for server in servers), flush=True)
        await asyncio.sleep(600)

asyncio.run(main(Path(sys.argv[1])))
"""


async def test_nothing_is_left_of_a_test_that_is_killed(tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", PROGRAM, str(tmp_path)),
        stdout=asyncio.subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
        cwd=Path(__file__).parents[2],
    )
    assert process.stdout is not None
    async with asyncio.timeout(180):
        pids = [int(one) for one in (await process.stdout.readline()).split()]
    assert len(pids) == 11
    descriptors = [os.pidfd_open(pid) for pid in pids]
    process.send_signal(signal.SIGKILL)
    await process.wait()
    for descriptor in descriptors:
        ready, _, _ = await asyncio.to_thread(select.select, [descriptor], [], [], 60)
        os.close(descriptor)
        assert ready
