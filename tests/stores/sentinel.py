"""A real Sentinel set: a master, replicas, and three Sentinels that watch them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Final

from tests.stores.servers import StoreServer, eventually

NAME: Final = "contree"
SENTINELS: Final = 3
DOWN_MS: Final = 1500
"""After which a master counts as gone: of one that only had no time, no test is to be rid."""


class SentinelServer(StoreServer):
    """A Sentinel. It writes what it learns into a file, with which it begins."""

    def __init__(
        self, folder: Path, name: str, master: StoreServer, password: str, own_password: str
    ) -> None:
        super().__init__(folder, name, {}, password=own_password)
        self._file = self.folder / "sentinel.conf"
        lines = (
            "bind 127.0.0.1",
            f"port {self.port}",
            f"dir {self.folder}",
            f"sentinel monitor {NAME} 127.0.0.1 {master.port} {SENTINELS // 2 + 1}",
            f"sentinel down-after-milliseconds {NAME} {DOWN_MS}",
            f"sentinel failover-timeout {NAME} 4000",
            *((f"sentinel auth-pass {NAME} {password}",) if password else ()),
            *((f"requirepass {own_password}",) if own_password else ()),
        )
        self._file.write_text("\n".join(lines) + "\n")

    def start(self) -> None:
        """Start it."""
        assert not self.alive
        self._launch([str(self._file), "--sentinel"])


class SentinelSet:
    """The servers; `master` is the one that was it first."""

    def __init__(
        self,
        master: StoreServer,
        replicas: list[StoreServer],
        sentinels: list[SentinelServer],
        passwords: tuple[str, str],
    ) -> None:
        self.master = master
        self.replicas = replicas
        self.sentinels = sentinels
        self._passwords = passwords

    @property
    def url(self) -> str:
        """Its address."""
        addresses = ",".join(one.address for one in self.sentinels)
        theirs, own = self._passwords
        user, query = f":{theirs}@" if theirs else "", f"?sentinel_password={own}" if own else ""
        return f"redis+sentinel://{user}{addresses}/{NAME}/0{query}"

    async def master_port(self) -> int:
        """The port of the master of the moment, as a Sentinel knows it."""
        found = await self.sentinels[0].raw.sentinel_get_master_addr_by_name(NAME)
        return int(found[1])

    @property
    def servers(self) -> list[StoreServer]:
        """Those that hold the store."""
        return [self.master, *self.replicas]

    async def failed_over(self, port: int | None = None) -> None:
        """Wait until all Sentinels name another master than one (the first), and it is one."""
        former = self.master.port if port is None else port
        for sentinel in self.sentinels:
            await eventually(partial(self._another, sentinel, former), "another master is named")
        named = await self.master_port()
        (promoted,) = (one for one in self.servers if one.port == named)
        await eventually(partial(_has_role, promoted, "master"), "the replica is promoted")

    async def fail_over(self) -> None:
        """The master of the moment dies, another takes its place, and it comes back as a replica:
        with one replica, nothing is confirmed in between.
        """
        port = await self.master_port()
        (master,) = (one for one in self.servers if one.port == port)
        await asyncio.to_thread(master.kill)
        await self.failed_over(port)
        master.start()
        await master.answers()
        # The Sentinels would see to it, too, but take half a minute.
        await master.raw.replicaof("127.0.0.1", await self.master_port())
        await self.all_follow()

    async def all_follow(self) -> None:
        """Wait until all other servers are replicas of the master of the moment."""
        port = await self.master_port()
        (master,) = (one for one in self.servers if one.port == port)
        await eventually(partial(_replicates, master, len(self.replicas)), "all others follow", 60)

    async def _another(self, sentinel: SentinelServer, former: int) -> bool:
        found = await sentinel.raw.sentinel_get_master_addr_by_name(NAME)
        return int(found[1]) != former


@asynccontextmanager
async def sentinel_set(
    folder: Path, *, replicas: int = 1, password: str = "", sentinel_password: str = ""
) -> AsyncIterator[SentinelSet]:
    """A set for the time of an `async with`."""
    async with AsyncExitStack() as stack:

        async def started(server: StoreServer) -> None:
            stack.push_async_callback(server.close)
            server.start()
            await server.answers()

        master = StoreServer(folder, "master", {}, password=password)
        await started(master)
        copies = [
            StoreServer(
                *(folder, f"replica-{n}", {"replicaof": f"127.0.0.1 {master.port}"}),
                password=password,
            )
            for n in range(replicas)
        ]
        for copy in copies:
            await started(copy)
        await eventually(lambda: _replicates(master, replicas), "the replicas follow")
        sentinels = [
            SentinelServer(folder, f"sentinel-{n}", master, password, sentinel_password)
            for n in range(SENTINELS)
        ]
        for sentinel in sentinels:
            await started(sentinel)
        for sentinel in sentinels:
            await eventually(partial(_sees_all, sentinel, replicas), "the Sentinels have met")
        yield SentinelSet(master, copies, sentinels, (password, sentinel_password))


async def _has_role(server: StoreServer, role: str) -> bool:
    return bool((await server.raw.info("replication"))["role"] == role)


async def _replicates(master: StoreServer, replicas: int) -> bool:
    told = await master.raw.info("replication")
    return all(told.get(f"slave{n}", {}).get("state") == "online" for n in range(replicas))


async def _sees_all(sentinel: SentinelServer, replicas: int) -> bool:
    masters = await sentinel.raw.sentinel_masters()
    seen = masters[NAME]
    return bool(
        seen["num-other-sentinels"] == SENTINELS - 1
        and seen["num-slaves"] == replicas
        and not seen["is_sdown"]
    )
