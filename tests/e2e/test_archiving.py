"""kill -9 of the server while matches end: each has a journal or an archive, and ends with one."""

from __future__ import annotations

import asyncio
import contextlib
import random
from pathlib import Path
from typing import Any

import grpc
from redis.asyncio import Redis
from tests.e2e.server_process import ServerProcess

from contree.engine import parse_record
from contree.server.store import connect, embedded_store, keys
from contree.v1 import match_pb2, match_service_pb2, match_service_pb2_grpc

ROUNDS = 4
AT_ONCE = 8


def _board(number: int) -> match_service_pb2.CreateMatchRequest:
    seats = [match_pb2.SeatSpec(seat=seat, house="random") for seat in (1, 2, 3, 4)]  # type: ignore[arg-type]
    return match_service_pb2.CreateMatchRequest(
        request_id=f"r-{number}",
        board=match_pb2.BoardMode(number=number),
        seats=seats,
        labels=["archiving"],
    )


async def test_2_a_killed_server_leaves_a_journal_or_an_archive_of_each_match(
    tmp_path: Path,
) -> None:
    """faults-others-met #2: results and matches out of step after an interrupt."""
    rng = random.Random(11)
    created: dict[int, str] = {}
    both = 0
    async with embedded_store(tmp_path / "store", "everysec") as embedded:
        server = ServerProcess(tmp_path, redis=embedded.url)
        async with Redis.from_url(embedded.url) as raw:
            # Also where none of the first kills came in between.
            for round_ in range(10 * ROUNDS):
                await asyncio.to_thread(server.start)
                await _until_killed(server, created, round_, rng.uniform(0.05, 0.5))
                both += await _look(raw, created)
                if both and round_ >= ROUNDS - 1:
                    break
            await asyncio.to_thread(server.start)
            async with grpc.aio.insecure_channel(server.address) as channel:
                await _all_end(channel, raw, created)
            assert await asyncio.to_thread(server.stop) == 0
        await _sweep(embedded.url, created)
    assert both, "no kill came between the end of a match and its archive"


async def _until_killed(
    server: ServerProcess, created: dict[int, str], round_: int, seconds: float
) -> None:
    """Create matches that play themselves, until the server is killed."""

    async def create(worker: int, stub: Any) -> None:
        for number in range(1000):
            board = _board(1 + worker + AT_ONCE * (number + 1000 * round_))
            created[board.board.number] = (await stub.CreateMatch(board)).match.id

    async with grpc.aio.insecure_channel(server.address) as channel:
        stub = match_service_pb2_grpc.MatchServiceStub(channel)
        workers = [asyncio.create_task(create(worker, stub)) for worker in range(AT_ONCE)]
        before = len(created)
        async with asyncio.timeout(60):
            while len(created) == before:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        await asyncio.sleep(seconds)
        await asyncio.to_thread(server.kill)
        with contextlib.suppress(grpc.aio.AioRpcError):
            await asyncio.gather(*workers)
        await asyncio.gather(*workers, return_exceptions=True)


async def _look(raw: Redis, created: dict[int, str]) -> int:
    """How many matches still have a journal; each has that or an archive."""
    journals = 0
    for match_id in created.values():
        # In one command: a match is archived at any moment.
        assert await raw.exists(keys.journal(match_id), keys.archive(match_id)) == 1, match_id
        journals += await raw.exists(keys.journal(match_id))
    return journals


async def _all_end(channel: grpc.aio.Channel, raw: Redis, created: dict[int, str]) -> None:
    stub: Any = match_service_pb2_grpc.MatchServiceStub(channel)
    async with asyncio.timeout(120):
        while await _look(raw, created):
            await raw.wait(1, 100)  # a tenth of a second: there is no replica
    for number, match_id in created.items():
        request = match_service_pb2.GetRecordRequest(match_id=match_id)
        record = parse_record((await stub.GetRecord(request)).record)
        assert record.number == number
        assert record.replay().outcome is not None
        # The host that asks again finds the match that there is.
        assert (await stub.CreateMatch(_board(number))).match.id == match_id


async def _sweep(url: str, created: dict[int, str]) -> None:
    """Nothing is left over that a sweep does not take, and it takes nothing else."""
    store = await connect(url)
    cursor = ""
    while True:
        swept = await store.sweep(cursor, limit=100, feed_s=None)
        cursor = swept.cursor
        if not cursor:
            break
    assert await store.live() == []
    assert set(created.values()) <= set(await store.matches("archiving", limit=100_000))
    await store.close()
