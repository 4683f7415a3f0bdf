"""The servers of a store, and their inboxes: an `InboxStore` beside a `RedisStore`.

A server has an address that no other ever has, and under it one stream that the others write to
and only it reads. The stream lasts as long as its server: nobody who writes to one that is gone
makes it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from contree.server.store import keys
from contree.server.store.api import Listed
from contree.server.store.commands import PRESENT, Command, command
from contree.server.store.errors import StoreError
from contree.server.store.nodes import Nodes

_FORGOTTEN_MS: Final = 600_000
_KEPT_S: Final = b"60"
_AT_ONCE: Final = b"500"
_START: Final = "0"


class RedisInboxes:
    """An `InboxStore`. It belongs to a `RedisStore` and lives as long."""

    def __init__(self, nodes: Nodes, reading: Nodes) -> None:
        """``reading`` is used for the inbox alone: whoever else waits in the store, it is read."""
        self._nodes = nodes
        self._reading = reading

    async def announce(
        self, address: str, about: bytes, ttl_ms: int, read_to: str
    ) -> dict[str, Listed]:
        """See `InboxStore.announce`."""
        inbox = keys.inbox(address)
        commands = [
            _present(address, about, ttl_ms),
            command(b"EXPIRE", inbox, _KEPT_S),
        ]
        if read_to != _START:
            commands.append(command(b"XTRIM", inbox, b"MINID", b"~", read_to.encode()))
        found, there, *_ = await self._nodes.run_each(commands)
        if not there:
            # It is new, or was lost. An empty entry makes it.
            await self._nodes.run_each(
                [
                    command(b"XADD", inbox, b"*", b"e", b""),
                    command(b"EXPIRE", inbox, _KEPT_S),
                ]
            )
        return {
            name.decode(): Listed(int(left), bytes(told))
            for name, left, told in zip(found[::3], found[1::3], found[2::3], strict=True)
        }

    async def leave(self, address: str) -> None:
        """See `InboxStore.leave`."""
        await self._nodes.run_each(
            [
                command(b"HDEL", keys.SERVERS, address.encode()),
                command(b"DEL", keys.inbox(address)),
            ]
        )

    async def put(self, entries: Sequence[tuple[str, bytes]]) -> list[bool | StoreError]:
        """See `InboxStore.put`."""
        replies = await self._nodes.run_all([_put(address, data) for address, data in entries])
        return [reply if isinstance(reply, StoreError) else reply is not None for reply in replies]

    async def read(self, address: str, after: str, wait_ms: int) -> list[tuple[str, bytes]]:
        """See `InboxStore.read`."""
        inbox = keys.inbox(address)
        reply = await self._reading.run(
            Command.of(
                inbox,
                *(b"XREAD", b"COUNT", _AT_ONCE, b"BLOCK", b"%d" % max(1, wait_ms)),
                *(b"STREAMS", inbox, after.encode()),
            ),
            wait_s=wait_ms / 1000,
        )
        return [
            (entry_id.decode(), fields[1]) for _, items in reply or () for entry_id, fields in items
        ]

    async def close(self) -> None:
        """Close the connections of its own."""
        await self._reading.close()


def _present(address: str, about: bytes, ttl_ms: int) -> Command:
    forgotten = b"%d" % _FORGOTTEN_MS
    return PRESENT.call((keys.SERVERS,), address.encode(), b"%d" % ttl_ms, about, forgotten)


def _put(address: str, data: bytes) -> Command:
    cap = (b"MAXLEN", b"~", b"%d" % keys.INBOX_LENGTH)
    return command(b"XADD", keys.inbox(address), b"NOMKSTREAM", *cap, b"*", b"e", data)
