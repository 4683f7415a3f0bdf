"""What all tests of chaos share: the seed is shown, background work must not fail unseen."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Coroutine, Iterator

import pytest
from tests.chaos.arena import Arena
from tests.chaos.neighbour import LOWEST, Neighbour
from tests.chaos.scale import FULL, SEED
from tests.chaos.server import Server
from tests.chaos.steady import SteadyTable
from tests.chaos.waiting import until


@pytest.fixture(autouse=True)
def shown_seed() -> None:
    print(f"\nCHAOS_SEED={SEED}{' FULL=1' if FULL else ''}")


@pytest.fixture(scope="module")
def settings() -> dict[str, str]:
    """What the server of a module is set to."""
    return {"CONTREE_FSYNC": "everysec"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, settings: dict[str, str]) -> Iterator[Server]:
    """A server for a whole module. Whatever clients do, it has no error of its own."""
    folder = tmp_path_factory.mktemp("server")
    with Server(folder, "server", settings=settings) as server:
        asyncio.run(server.start())
        yield server
        asyncio.run(server.stop())
    ours = ("call_failed", "decide_failed", "telling_failed", "commit_not_told", "deadline_failed")
    failures = [line for event in ours for line in server.said(event)]
    assert not failures, "an error of the service"


@pytest.fixture(scope="module")
def arena(server: Server) -> Iterator[Arena]:
    """The server with a healthy table, which no bad client brings a fault."""
    with SteadyTable(server.address, server.folder / "count") as table, Neighbour() as neighbour:
        asyncio.run(until(lambda: table.decisions() > 100, 90, "the healthy table plays"))
        with _humble():
            yield Arena(server, table, neighbour)
        assert not [fault for fault in server.said("fault") if fault["bot"] == "steady"]


@contextlib.contextmanager
def _humble() -> Iterator[None]:
    """A bad client has a machine of its own: on this one it gets the time that is left."""
    before = os.getpriority(os.PRIO_PROCESS, 0)
    os.setpriority(os.PRIO_PROCESS, 0, LOWEST)
    yield
    with contextlib.suppress(PermissionError):  # only root may take it back
        os.setpriority(os.PRIO_PROCESS, 0, before)


@contextlib.asynccontextmanager
async def beside(*work: Coroutine[object, object, None]) -> AsyncIterator[None]:
    """Run work beside the block; its failure ends the block, and the end of the block it."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one) for one in work]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
