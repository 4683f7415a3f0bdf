"""A real cluster: three masters, with a replica each where a test wants to lose some."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

from redis.crc import key_slot
from tests.ports import Port
from tests.stores.servers import StoreServer, eventually

MASTERS: Final = 3
SLOTS: Final = 16384
NODE_TIMEOUT_MS: Final = 2500
"""After which a master counts as gone, and its replica is promoted."""
_SURE: Final = 5
"""So often in turn masters must agree."""


class ClusterServer(StoreServer):
    """A node of a cluster."""

    def __init__(self, folder: Path, name: str, password: str) -> None:
        self._bus = Port()
        self.bus = self._bus.number
        options = {
            "cluster-enabled": "yes",
            "cluster-port": str(self.bus),
            "cluster-node-timeout": str(NODE_TIMEOUT_MS),
            "cluster-require-full-coverage": "no",
            "cluster-replica-validity-factor": "0",
        }
        super().__init__(folder, name, options, password=password)

    async def ask(self, *parts: str | int | bytes) -> bytes:
        """What it answers to a CLUSTER command, unparsed."""
        reply: bytes = await self.raw.execute_command("CLUSTER", *parts, NEVER_DECODE=True)
        return reply

    async def id(self) -> str:
        """What the others call it."""
        return (await self.ask("MYID")).decode()

    async def owner(self, slot: int) -> int:
        """The port of the master that has a slot, as it knows."""
        ranges: Any = await self.ask("SLOTS")
        return next((int(node[1]) for first, last, node, *_ in ranges if first <= slot <= last), 0)

    async def promoted(self) -> None:
        """Wait until it is a master."""

        async def is_master() -> bool:
            return bool((await self.raw.info("replication"))["role"] == "master")

        await eventually(is_master, f"{self.name} is promoted")


class StoreCluster:
    """The nodes: `masters` as they began, and `replicas` in the same order."""

    def __init__(
        self, masters: list[ClusterServer], replicas: list[ClusterServer], password: str
    ) -> None:
        self.masters = masters
        self.replicas = replicas
        self._user = f":{password}@" if password else ""

    @property
    def url(self) -> str:
        """Its address: two nodes are enough, the others are found."""
        addresses = ",".join(node.address for node in self.masters[:2])
        return f"redis+cluster://{self._user}{addresses}"

    @property
    def nodes(self) -> list[ClusterServer]:
        return self.masters + self.replicas

    def holder(self, key: bytes) -> int:
        """Which of the masters was given a key."""
        return key_slot(key) * MASTERS // SLOTS

    async def flush(self) -> None:
        """Empty it."""
        for master in self.masters:
            await master.raw.flushall()

    async def open_slot(self, slot: int, source: ClusterServer, target: ClusterServer) -> None:
        """Begin to move a slot: from now on the source sends on who asks for what it has not."""
        await target.ask("SETSLOT", slot, "IMPORTING", await source.id())
        await source.ask("SETSLOT", slot, "MIGRATING", await target.id())

    async def move_key(self, key: bytes, source: ClusterServer, target: ClusterServer) -> None:
        """Move one key of an open slot."""
        await source.raw.execute_command(
            "MIGRATE", "127.0.0.1", target.port, "", 0, 5000, "KEYS", key
        )

    async def close_slot(self, slot: int, target: ClusterServer) -> None:
        """End the move of a slot."""
        number = await target.id()
        for node in (target, *(one for one in self.masters if one is not target)):
            await node.ask("SETSLOT", slot, "NODE", number)

    async def move_slot(self, slot: int, source: ClusterServer, target: ClusterServer) -> None:
        """Move a slot with all its keys, as an operator's tool does."""
        await self.open_slot(slot, source, target)
        while keys := await source.raw.execute_command("CLUSTER", "GETKEYSINSLOT", slot, 10):
            for key in keys:
                await self.move_key(key, source, target)
        await self.close_slot(slot, target)
        await self.agreed(slot, target)

    async def agreed(self, slot: int, owner: ClusterServer) -> None:
        """Wait until all masters say that a slot is one's.

        A gossip that was on its way can undo the end of a move: then source and target each name
        the other, for ever (redis/redis#2969, #4184). An operator's tool mends that, and so does
        this.
        """
        same = 0
        async with asyncio.timeout(90):
            while same < _SURE:
                owners = {await master.owner(slot) for master in self.masters}
                same = same + 1 if owners == {owner.port} else 0
                if not same:
                    await owner.ask("BUMPEPOCH")
                    await self.close_slot(slot, owner)
                await asyncio.sleep(0.05)


@asynccontextmanager
async def store_cluster(
    folder: Path, *, replicas: bool = False, password: str = ""
) -> AsyncIterator[StoreCluster]:
    """A cluster for the time of an `async with`."""
    async with AsyncExitStack() as stack:

        def node(name: str) -> ClusterServer:
            server = ClusterServer(folder, name, password)
            stack.push_async_callback(server.close)
            server.start()
            return server

        masters = [node(f"master-{n}") for n in range(MASTERS)]
        copies = [node(f"replica-{n}") for n in range(MASTERS if replicas else 0)]
        cluster = StoreCluster(masters, copies, password)
        for server in cluster.nodes:
            await server.answers()
        for number, master in enumerate(masters):
            first, end = (-(-SLOTS * edge // MASTERS) for edge in (number, number + 1))
            await master.ask("SET-CONFIG-EPOCH", number + 1)
            await master.ask("ADDSLOTSRANGE", first, end - 1)
        for server in cluster.nodes[1:]:
            await masters[0].ask("MEET", "127.0.0.1", server.port, server.bus)
        for server in cluster.nodes:
            await eventually(partial(_knows, server, len(cluster.nodes)), "all nodes have met")
        for master, copy in zip(masters, copies, strict=False):
            await copy.ask("REPLICATE", await master.id())
        for server in cluster.nodes:
            await eventually(partial(_is_up, server), "the cluster is up")
        for copy in copies:
            await eventually(partial(_follows, copy), "the replica follows")
        for master in masters if copies else ():
            await eventually(partial(_has_replica, master), "the master has a replica")
        yield cluster


async def _knows(server: ClusterServer, nodes: int) -> bool:
    return f"cluster_known_nodes:{nodes}\r\n".encode() in await server.ask("INFO")


async def _is_up(server: ClusterServer) -> bool:
    return b"cluster_state:ok\r\n" in await server.ask("INFO")


async def _follows(server: ClusterServer) -> bool:
    return bool((await server.raw.info("replication")).get("master_link_status") == "up")


async def _has_replica(server: ClusterServer) -> bool:
    return bool((await server.raw.info("replication")).get("slave0", {}).get("state") == "online")
