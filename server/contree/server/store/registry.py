"""What the servers of a store let each other know: which request made which match, which session of
an instance is the newest, which disclosure groups are released.

A `RegistryStore` on the connections of a `RedisStore`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from contree.server.store import keys
from contree.server.store.commands import command
from contree.server.store.nodes import Nodes


class RedisRegistry:
    """A `RegistryStore`. It belongs to a `RedisStore` and lives as long."""

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes

    async def remember(self, request_id: str, match_id: str, ttl_s: int | None) -> str:
        """See `RegistryStore.remember`."""
        bound: bytes | None = await self._nodes.run(
            command(
                b"SET",
                keys.request(request_id),
                match_id.encode(),
                *(b"NX", b"GET", *_expiry(ttl_s)),
            ),
            lasting=True,
        )
        return match_id if bound is None else bound.decode()

    async def enter_sessions(self, nonces: Mapping[str, str], ttl_s: int) -> None:
        """See `RegistryStore.enter_sessions`."""
        await self._nodes.run_each(
            [
                command(b"SET", keys.session(name), nonce.encode(), b"EX", b"%d" % ttl_s)
                for name, nonce in nonces.items()
            ]
        )

    async def keep_sessions(self, nonces: Mapping[str, str], ttl_s: int) -> list[str]:
        """See `RegistryStore.keep_sessions`."""
        ttl = b"%d" % ttl_s
        found = await self._nodes.run_each(
            [command(b"GETEX", keys.session(name), b"EX", ttl) for name in nonces]
        )
        gone = [name for name, nonce in zip(nonces, found, strict=True) if nonce is None]
        await self._nodes.run_each(
            [
                command(b"SET", keys.session(name), nonces[name].encode(), b"NX", b"EX", ttl)
                for name in gone
            ]
        )
        return [
            name
            for name, nonce in zip(nonces, found, strict=True)
            if nonce is not None and nonce.decode() != nonces[name]
        ]

    async def disclose(self, group: str, ttl_s: int | None = None) -> None:
        """See `RegistryStore.disclose`."""
        release = command(b"SET", keys.disclosed(group), b"1", *_expiry(ttl_s))
        await self._nodes.run(release, lasting=True)

    async def disclosed(self, group: str) -> bool:
        """See `RegistryStore.disclosed`."""
        return bool(await self._nodes.run(command(b"EXISTS", keys.disclosed(group))))

    async def keep_disclosed(self, groups: Sequence[str], ttl_s: int) -> None:
        """See `RegistryStore.keep_disclosed`."""
        # GT leaves a release that is kept for ever, or for longer, as it is.
        await self._nodes.run_each(
            [command(b"EXPIRE", keys.disclosed(group), b"%d" % ttl_s, b"GT") for group in groups]
        )


def _expiry(ttl_s: int | None) -> tuple[bytes, ...]:
    return () if ttl_s is None else (b"EX", b"%d" % ttl_s)
