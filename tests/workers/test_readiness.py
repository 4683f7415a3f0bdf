"""Workers are asked all at once whether they are ready, and one that hangs keeps nobody waiting."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator

import pytest

from contree.server.workers import readiness
from contree.server.workers.readiness import any_ready

WAIT_S = 60.0
FOR_EVER_S = 3600.0


@pytest.fixture
def hangs() -> Iterator[str]:
    """The address of a worker that is connected to, as a stopped process is, and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"127.0.0.1:{listening.getsockname()[1]}"


@pytest.fixture
async def ready() -> AsyncIterator[str]:
    """The address of a worker that is ready."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"


@pytest.mark.parametrize("ready_first", [False, True])
async def test_one_that_hangs_is_not_waited_for_where_another_is_ready(
    monkeypatch: pytest.MonkeyPatch, hangs: str, ready: str, ready_first: bool
) -> None:
    """However long it would be given: here, an hour."""
    monkeypatch.setattr(readiness, "_ANSWER_S", FOR_EVER_S)
    workers = [ready, hangs, hangs] if ready_first else [hangs, hangs, ready]
    async with asyncio.timeout(WAIT_S):
        assert await any_ready(workers)


async def test_where_all_hang_none_is_ready_and_a_probe_is_told_within_its_second(
    hangs: str,
) -> None:
    assert readiness._ANSWER_S < 1.0
    async with asyncio.timeout(WAIT_S):
        assert not await any_ready([hangs, hangs])
