"""The address that a bot dials: a TCP door that can be shut, and break what passes through it."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from typing import Final, Self

_CHUNK: Final = 65536


class Door:
    """Passes connections made at ``address`` on to ``target``, both HOST:PORT."""

    def __init__(self, target: str) -> None:
        self.address = ""
        self._target = target
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    @contextlib.asynccontextmanager
    async def listening(self, address: str) -> AsyncIterator[Self]:
        """Listen for the time of an ``async with``; port 0 takes a free one. Raises OSError."""
        host, _, port = address.rpartition(":")
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        # Bound, and never listening: nobody else is given the port while the door is shut, and who
        # dials it then is refused.
        with socket.socket(family) as holder:
            holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            holder.bind((host.strip("[]"), int(port)))
            self.address = f"{host}:{holder.getsockname()[1]}"
            await self.open()
            try:
                yield self
            finally:
                await self.shut()
                if self._tasks:
                    await asyncio.wait(self._tasks)

    async def open(self) -> None:
        """Take connections, at the same address as before."""
        host, _, port = self.address.rpartition(":")
        self._server = await asyncio.start_server(self._accept, host.strip("[]"), int(port))

    async def shut(self) -> None:
        """Refuse connections, and reset those that there are."""
        if self._server is not None:
            self._server.close()
            self.reset()
            await self._server.wait_closed()
            self._server = None

    def reset(self) -> None:
        """Reset every connection now; what was on its way is lost."""
        for writer in tuple(self._writers):
            writer.transport.abort()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self._writers.add(writer)
        there: asyncio.StreamWriter | None = None
        try:
            host, _, port = self._target.rpartition(":")
            back, there = await asyncio.open_connection(host, int(port))
            ways = [
                asyncio.create_task(_carry(reader, there)),
                asyncio.create_task(_carry(back, writer)),
            ]
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            for way in ways:
                way.cancel()
            await asyncio.wait(ways)
        except OSError:
            pass
        finally:
            self._writers.discard(writer)
            self._tasks.discard(task)
            for end in (writer, there):
                if end is not None:
                    end.transport.abort()


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(_CHUNK):
            writer.write(data)
            await writer.drain()
