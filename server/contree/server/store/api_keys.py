"""API keys in the store: a `KeyStore` on the connections of a `RedisStore`.

No script is needed: a key comes into being with one field, and what changes later, its newest token
and its end, has a field of its own, so that no two changes overwrite each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from contree.server.store import keys
from contree.server.store.api import StoredKey
from contree.server.store.commands import Command, command
from contree.server.store.nodes import Nodes

_DIGEST: Final = 32
_FIELDS: Final = (b"key", b"digest", b"revoked")


class RedisKeys:
    """A `KeyStore`. It belongs to a `RedisStore` and lives as long."""

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes

    async def add(self, key: StoredKey) -> bool:
        """See `KeyStore.add`."""
        if not key.key_id or len(key.digest) != _DIGEST:
            raise ValueError(f"an API key has an id, and a digest of {_DIGEST} bytes")
        # The index comes first, so that no crash leaves a key that the list does not show.
        await self._nodes.run(command(b"ZADD", keys.API_KEYS, b"0", key.key_id.encode()))
        name = keys.api_key(key.key_id)
        made = command(b"HSETNX", name, b"key", key.digest + key.details)
        added = await self._nodes.run(made, lasting=True)
        if added and key.revoked_ms is not None:
            await self.revoke(key.key_id, key.revoked_ms)
        return bool(added)

    async def get(self, key_ids: Sequence[str]) -> list[StoredKey | None]:
        """See `KeyStore.get`."""
        replies = await self._nodes.run_each([_get(key_id) for key_id in key_ids])
        return [_read(key_id, reply) for key_id, reply in zip(key_ids, replies, strict=True)]

    async def rotate(self, key_id: str, digest: bytes) -> bool:
        """See `KeyStore.rotate`."""
        if len(digest) != _DIGEST:
            raise ValueError(f"a digest has {_DIGEST} bytes")
        return await self._change(key_id, b"HSET", b"digest", digest)

    async def revoke(self, key_id: str, now_ms: int) -> bool:
        """See `KeyStore.revoke`."""
        return await self._change(key_id, b"HSETNX", b"revoked", b"%d" % now_ms)

    async def page(self, *, after: str = "", limit: int = 1000) -> list[StoredKey]:
        """See `KeyStore.page`."""
        start = b"(" + after.encode() if after else b"-"
        found: list[StoredKey] = []
        while not found:
            members: list[bytes] = await self._nodes.run(
                command(
                    b"ZRANGE", keys.API_KEYS, start, b"+", b"BYLEX", b"LIMIT", b"0", b"%d" % limit
                )
            )
            if not members:
                break
            start = b"(" + members[-1]
            read = await self.get([member.decode() for member in members])
            found = [key for key in read if key is not None]
        return found

    async def _change(self, key_id: str, how: bytes, field: bytes, value: bytes) -> bool:
        """Change a key that exists; keys are never deleted, so it exists still when it is done."""
        (known,) = await self.get([key_id])
        if known is None:
            return False
        await self._nodes.run(command(how, keys.api_key(key_id), field, value), lasting=True)
        return True


def _get(key_id: str) -> Command:
    return command(b"HMGET", keys.api_key(key_id), *_FIELDS)


def _read(key_id: str, reply: list[Any]) -> StoredKey | None:
    first, newest, revoked = reply
    if first is None:
        return None
    return StoredKey(
        key_id,
        newest or first[:_DIGEST],
        first[_DIGEST:],
        None if revoked is None else int(revoked),
    )
