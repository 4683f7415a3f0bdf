"""A TCP proxy that behaves like a bad network: it delays, stalls and tears what passes."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator
from enum import Enum
from typing import NamedTuple, Self
from urllib.parse import unquote, urlsplit

_CHUNK = 16384


class Fault(Enum):
    """What a network does to a connection."""

    DELAY = "delay"
    """Everything arrives later, for a while."""
    STALL = "stall"
    """Nothing arrives for a while, then all of it."""
    TEAR = "tear"
    """Reset, in the middle of what was being sent; the end of it is lost."""


class Storm(NamedTuple):
    """How bad the faults are, in seconds."""

    delay: float = 0.2
    delayed_for: float = 1.0
    stall: float = 2.0


GALE = Storm()


class _Link:
    """One connection and its other half."""

    def __init__(self, ends: tuple[asyncio.StreamWriter, asyncio.StreamWriter]) -> None:
        self._ends = ends
        self._open = asyncio.Event()
        self._open.set()
        self.delay = 0.0
        self.tear_after: int | None = None

    def stall(self, seconds: float) -> None:
        self._open.clear()
        asyncio.get_running_loop().call_later(seconds, self._open.set)

    def slow(self, delay: float, seconds: float) -> None:
        self.delay = delay
        asyncio.get_running_loop().call_later(seconds, self._quick)

    def _quick(self) -> None:
        self.delay = 0.0

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass one direction on until it ends or is torn."""
        while data := await reader.read(_CHUNK):
            if self.delay:
                await asyncio.sleep(self.delay)
            await self._open.wait()
            if self.tear_after is not None:
                writer.write(data[: self.tear_after])
                with contextlib.suppress(OSError):
                    await writer.drain()
                self.reset()
                return
            writer.write(data)
            await writer.drain()

    def reset(self) -> None:
        self._open.set()
        for end in self._ends:
            end.transport.abort()


class Proxy:
    """Listens at ``address`` and passes everything on to ``target``, HOST:PORT or a redis URL.

    ``target`` may be changed: connections made from then on go to the new one.
    """

    def __init__(self, target: str, choices: random.Random, storm: Storm = GALE) -> None:
        self.target = target
        self.address = ""
        self.done: dict[Fault, int] = dict.fromkeys(Fault, 0)
        self._choices = choices
        self._storm = storm
        self._links: set[_Link] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def connections(self) -> int:
        return len(self._links)

    @contextlib.asynccontextmanager
    async def listening(self) -> AsyncIterator[Self]:
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.address = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        try:
            yield self
        finally:
            server.close()
            self.tear_all()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def fault(self) -> Fault | None:
        """Do something bad to one connection; None when there is none to do it to."""
        if not self._links:
            return None
        link = self._choices.choice(sorted(self._links, key=id))
        kind = self._choices.choice(list(Fault))
        how_bad = self._choices.uniform(0.2, 1.0)
        if kind is Fault.DELAY:
            link.slow(how_bad * self._storm.delay, self._storm.delayed_for)
        elif kind is Fault.STALL:
            link.stall(how_bad * self._storm.stall)
        else:
            link.tear_after = self._choices.randrange(200)
        self.done[kind] += 1
        return kind

    async def storm(self, faults: int, gap: float) -> None:
        """So many faults, ``gap`` seconds apart on average."""
        while sum(self.done.values()) < faults:
            await asyncio.sleep(self._choices.uniform(0, 2 * gap))
            self.fault()

    def stall_all(self, seconds: float) -> None:
        """Nothing passes for a while on the connections that are there."""
        for link in self._links:
            link.stall(seconds)

    def tear_all(self) -> None:
        """Reset every connection now."""
        for link in tuple(self._links):
            link.reset()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            there = await self._dial()
        except OSError:
            writer.transport.abort()
            self._tasks.discard(task)
            return
        link = _Link((writer, there[1]))
        self._links.add(link)
        ways = [
            asyncio.create_task(link.carry(reader, there[1])),
            asyncio.create_task(link.carry(there[0], writer)),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._links.discard(link)
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            for end in (writer, there[1]):
                end.close()
            self._tasks.discard(task)

    async def _dial(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if "://" in self.target:
            return await asyncio.open_unix_connection(unquote(urlsplit(self.target).path))
        host, _, port = self.target.rpartition(":")
        return await asyncio.open_connection(host, int(port))
