"""Which master of a cluster holds which hash slot, as redis-py finds it out."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final

from redis import exceptions as redis_errors
from redis.asyncio.cluster import ClusterNode, RedisCluster
from redis.crc import key_slot

from contree.server.store import keys
from contree.server.store.batch import Address
from contree.server.store.settings import StoreSettings

_REFRESH_S: Final = 0.1
"""At least so long between two questions for the slots."""
_AVOIDED: Final = 64
_TRIES: Final = 1 << 16
"""Keys tried to find one for each master: enough for one that holds a single slot."""


class Topology:
    """The slots of a cluster. Errors are those of redis-py."""

    def __init__(self, settings: StoreSettings) -> None:
        self._loop = asyncio.get_running_loop()
        nodes = [ClusterNode(host, port) for host, port in settings.hosts]
        self._nodes = RedisCluster(
            startup_nodes=nodes,
            require_full_coverage=False,  # what is there goes on
            **settings.cluster_options(),
        ).nodes_manager
        self._asked = float("-inf")
        self._asking: asyncio.Task[None] | None = None
        self._masters: list[Address] = []
        self._marks: dict[Address, bytes] = {}
        self._avoided: deque[int] = deque(maxlen=_AVOIDED)
        """Slots that were last seen on their way from one master to another."""

    @property
    def known(self) -> bool:
        """Whether anything is known yet."""
        return bool(self._nodes.slots_cache)

    def master(self, key: bytes) -> Address:
        """The master that holds a key. Raises `SlotNotCoveredError`."""
        found = self._nodes.slots_cache.get(key_slot(key))
        if not found:
            raise redis_errors.SlotNotCoveredError("a hash slot is held by no master")
        return _address(found[0])

    def masters(self) -> list[Address]:
        """All masters that hold slots."""
        if not self._masters:
            # Slots share their lists of nodes, so that there are few of these.
            ranges = {id(nodes): nodes for nodes in self._nodes.slots_cache.values()}.values()
            self._masters = list({_address(nodes[0]): None for nodes in ranges if nodes})
        return self._masters

    async def moved(self, error: redis_errors.MovedError) -> None:
        """Learn from a server where a slot is."""
        found = self._nodes.slots_cache.get(error.slot_id)
        if not found:
            await self.refresh()
        elif _address(found[0]) != (error.host, error.port):
            await self._nodes.move_slot(error)
            self._forget()

    async def refresh(self, failed: Address | None = None) -> None:
        """Ask for the slots, the one that failed last of all; not again if that was just done."""
        if self._asking is None or self._asking.done():
            if self.known and self._loop.time() - self._asked < _REFRESH_S:
                return
            self._asking = asyncio.create_task(self._ask(failed))
            self._asking.add_done_callback(_seen)
        await asyncio.shield(self._asking)

    def mark(self, master: Address) -> bytes | None:
        """A key that this master holds, for a write that concerns nobody; None: it holds none."""
        if master not in self._marks:
            self._marks = self._find_marks()
        return self._marks.get(master)

    def avoid(self, slot: int) -> None:
        """Use no mark in this slot, for now."""
        self._avoided.append(slot)
        self._marks = {}

    async def close(self) -> None:
        """Close the connections used to learn the slots."""
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.gather(self._asking, return_exceptions=True)
        await self._nodes.aclose()
        await self._nodes.aclose("startup_nodes")

    async def _ask(self, failed: Address | None) -> None:
        name = None if failed is None else f"{failed[0]}:{failed[1]}"
        try:
            await self._nodes.initialize(last_failed_node_name=name)
        except IndexError:  # redis-py counts on there being one
            raise redis_errors.SlotNotCoveredError("no master holds a hash slot") from None
        finally:
            self._asked = self._loop.time()
            self._forget()

    def _forget(self) -> None:
        """Let go of what followed from where the slots were."""
        self._masters = []
        self._marks = {}

    def _find_marks(self) -> dict[Address, bytes]:
        """A few tries for each master, for slots are spread; a master with few slots takes more."""
        left = set(self.masters())
        marks: dict[Address, bytes] = {}
        for number in range(_TRIES):
            if not left:
                break
            slot = key_slot(key := keys.probe(number))
            found = self._nodes.slots_cache.get(slot)
            holder = _address(found[0]) if found and slot not in self._avoided else None
            if holder in left:
                left.discard(holder)
                marks[holder] = key
        return marks


def _seen(asking: asyncio.Task[None]) -> None:
    """Whoever asked may be gone; that it failed is nobody's news then."""
    if not asking.cancelled():
        asking.exception()


def _address(node: ClusterNode) -> Address:
    return node.host, int(node.port)
