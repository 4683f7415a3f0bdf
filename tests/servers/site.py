"""A site as it is deployed: servers on one store, and Envoy before them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Final

from tests.certificates import Pair
from tests.chaos.server import Server
from tests.servers.front_door import FrontDoor

SETTINGS: Final = {"CONTREE_DRAIN_S": "10"}


class Site:
    """Servers, each with its name as id, and their front door."""

    def __init__(self, servers: list[Server], door: FrontDoor) -> None:
        self.servers = servers
        self.door = door

    @property
    def address(self) -> str:
        """Where bots and hosts dial in."""
        return self.door.address

    def total(self, name: str) -> float:
        """The sum of a metric over all servers that live; for threads."""
        return sum(one.metric_of(name)() for one in self.servers if one.alive)

    async def restarted(self, server: Server) -> None:
        """Stop a server as an operator does, start it again, and wait until it is in use."""
        await server.stop()
        assert not server.alive
        await server.start()
        await self.door.open(sum(one.alive for one in self.servers))


@asynccontextmanager
async def site(
    folder: Path,
    store: str,
    *,
    servers: int = 2,
    settings: Mapping[str, str] | None = None,
    tls: Pair | None = None,
) -> AsyncIterator[Site]:
    """So many servers on a store, for the time of an ``async with``."""
    async with AsyncExitStack() as stack:
        names = [f"server-{number}" for number in range(1, servers + 1)]
        everybody = [
            stack.enter_context(
                Server(
                    folder,
                    name,
                    redis=store,
                    settings={**SETTINGS, "CONTREE_SERVER_ID": name, **(settings or {})},
                )
            )
            for name in names
        ]
        door = stack.enter_context(FrontDoor(folder, [one.address for one in everybody], tls=tls))
        await asyncio.gather(*(one.start() for one in everybody))
        await door.open(servers)
        yield Site(everybody, door)
