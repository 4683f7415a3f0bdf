"""What the servers of a store let each other know of tables that stand still, for who asks any of
them: one small key for each server, gone soon after the server is.

An `UnmovedStore` on the connections of a `RedisStore`.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from contree.server.store import keys
from contree.server.store.api import Unmoved
from contree.server.store.commands import command
from contree.server.store.nodes import Nodes

_EXPIRY_S: Final = b"10"


class RedisUnmoved:
    """An `UnmovedStore`. It belongs to a `RedisStore` and lives as long."""

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes

    async def tell(self, server_id: str, tables: Mapping[str, Unmoved]) -> None:
        """See `UnmovedStore.tell`."""
        text = json.dumps({match_id: list(one) for match_id, one in tables.items()})
        key = keys.unmoved(server_id)
        await self._nodes.run(command(b"SET", key, text.encode(), b"EX", _EXPIRY_S))

    async def told(self, server_ids: Collection[str]) -> dict[str, Unmoved]:
        """See `UnmovedStore.told`."""
        texts = await self._nodes.run_each(
            [command(b"GET", keys.unmoved(server_id)) for server_id in server_ids]
        )
        found: dict[str, Unmoved] = {}
        for text in texts:
            if text is not None:
                found |= {m: Unmoved(ms, tuple(on)) for m, (ms, on) in json.loads(text).items()}
        return found

    async def holders(self, match_ids: Sequence[str]) -> list[str]:
        """See `UnmovedStore.holders`."""
        owners = await self._nodes.run_each(
            [command(b"HGET", keys.lease(match_id), b"owner") for match_id in match_ids]
        )
        return ["" if owner is None else owner.decode() for owner in owners]
