"""What workers say of themselves at their /readyz."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from typing import Final

from contree.server.setting_kinds import parse_address

_ANSWER_S: Final = 0.8
"""A probe waits for a second, often; a worker that hangs is not ready."""
_UNSPECIFIED: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}
_ASKED: Final = b"GET /readyz HTTP/1.1\r\nHost: worker\r\n\r\n"


async def any_ready(addresses: Sequence[str]) -> bool:
    """Whether one of the workers with their metrics at these addresses (HOST:PORT) takes new
    matches. All are asked at once, and the first that does is enough.
    """
    asked = [asyncio.create_task(_ready(address)) for address in addresses]
    try:
        for answer in asyncio.as_completed(asked):
            if await answer:
                return True
        return False
    finally:
        for task in asked:
            task.cancel()
        await asyncio.gather(*asked, return_exceptions=True)


async def _ready(address: str) -> bool:
    host, port = parse_address(address)
    with contextlib.suppress(OSError, TimeoutError, ValueError):
        async with asyncio.timeout(_ANSWER_S):
            reader, writer = await asyncio.open_connection(_UNSPECIFIED.get(host, host), port)
            try:
                writer.write(_ASKED)
                status = await reader.readline()
            finally:
                writer.close()
            return status.split(b" ")[1:2] == [b"200"]
    return False
