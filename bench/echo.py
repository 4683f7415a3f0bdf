"""The yardstick of the service bench: a raw grpc.aio bidi echo, one message per turn.

``python bench/echo.py serve`` answers every message of every stream with itself and prints its
port; ``python bench/echo.py dial PORT STREAMS SECONDS`` keeps one message in flight on each stream
and prints round trips per second.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator
from typing import Any

import grpc

_METHOD = "/echo.Echo/Turn"
_TURN = bytes(266)
"""As long as the mean turn of the service."""
_ANSWER = bytes(40)


async def _turns(requests: AsyncIterator[bytes], context: Any) -> AsyncIterator[bytes]:
    async for _ in requests:
        yield _TURN


async def serve() -> None:
    """Serve until killed."""
    handlers: dict[str, Any] = {"Turn": grpc.stream_stream_rpc_method_handler(_turns)}
    server = grpc.aio.server()
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("echo.Echo", handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(port, flush=True)
    await server.wait_for_termination()


async def dial(port: int, streams: int, seconds: float) -> float:
    """Round trips per second over all streams, after a tenth of the time to warm up."""
    count = 0
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:

        async def one() -> None:
            nonlocal count
            call: Any = channel.stream_stream(_METHOD)()
            while True:
                await call.write(_ANSWER)
                await call.read()
                count += 1

        tasks = [asyncio.create_task(one()) for _ in range(streams)]
        await asyncio.sleep(seconds / 10)
        before, began = count, time.perf_counter()
        await asyncio.sleep(seconds)
        rate = (count - before) / (time.perf_counter() - began)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return rate


def main(arguments: list[str]) -> None:
    """Run one side."""
    if arguments == ["serve"]:
        asyncio.run(serve())
    else:
        port, streams, seconds = arguments[1:]
        print(f"{asyncio.run(dial(int(port), int(streams), float(seconds))):.1f}")


if __name__ == "__main__":
    main(sys.argv[1:])
