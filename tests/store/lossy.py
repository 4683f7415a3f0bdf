"""A way to the store on which replies get lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import unquote, urlsplit


class LossyRoute:
    """Listens at `url` and passes everything on to the store, until told not to."""

    def __init__(self, target: str, socket: Path) -> None:
        there = urlsplit(target)
        user = there.netloc.rpartition("@")[0]
        database = there.path.lstrip("/") if there.scheme != "unix" else ""
        self.url = f"unix://{user}@{socket}?db={database or 0}"
        self.lose_in = 0  # cut the connection in place of the reply with this number from now
        self.silent = False  # pass no replies on
        self.lost = 0
        self._target = target
        self._socket = socket
        self._tasks: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[LossyRoute]:
        server = await asyncio.start_unix_server(self._accept, self._socket)
        try:
            yield self
        finally:
            server.close()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        target = urlsplit(self._target)
        if target.scheme == "unix":
            behind = await asyncio.open_unix_connection(unquote(target.path))
        else:
            behind = await asyncio.open_connection(target.hostname, target.port or 6379)
        upward = asyncio.create_task(self._pass_on(reader, behind[1]))
        try:
            while reply := await behind[0].read(65536):
                if self.lose_in:
                    self.lose_in -= 1
                    if not self.lose_in:
                        self.lost += 1
                        break
                if not self.silent:
                    writer.write(reply)
                    await writer.drain()
        except OSError:
            pass
        finally:
            upward.cancel()
            await asyncio.gather(upward, return_exceptions=True)
            for end in (writer, behind[1]):
                end.close()
            self._tasks.discard(task)

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
        writer.close()
