"""TLS in front of a server that was built without: whoever dials the port is passed on."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.certificates import Pair


@asynccontextmanager
async def tls_front(port: int, behind: int, pair: Pair) -> AsyncIterator[None]:
    """Listen with TLS on a port, and pass everything on to another."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(pair.certificate, pair.key)
    links: set[asyncio.Task[None]] = set()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        links.add(task)
        try:
            back_reader, back_writer = await asyncio.open_connection("127.0.0.1", behind)
            await asyncio.gather(_pass_on(reader, back_writer), _pass_on(back_reader, writer))
        finally:
            links.discard(task)

    server = await asyncio.start_server(accept, "127.0.0.1", port, ssl=context, reuse_address=True)
    try:
        yield
    finally:
        server.close()
        for link in links:
            link.cancel()
        await asyncio.gather(*links, return_exceptions=True)


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        try:
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        finally:
            writer.close()
