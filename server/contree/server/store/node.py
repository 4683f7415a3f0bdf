"""The store on one server: given by its address, or by Sentinels that know which is the master."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from redis import exceptions as redis_errors

from contree.server.store import keys
from contree.server.store.commands import LOAD_ALL, PING, Command, mark
from contree.server.store.connections import Connections
from contree.server.store.masters import Masters
from contree.server.store.nodes import Nodes
from contree.server.store.replies import typed
from contree.server.store.settings import StoreSettings


class Node(Nodes):
    """One server, or whichever of those that Sentinels watch is the master."""

    parts = False

    def __init__(self, settings: StoreSettings) -> None:
        self._settings = settings
        self.replicas = settings.replicas
        self._masters = Masters(settings) if settings.sentinels else None
        dial = self._masters.dial if self._masters else settings.dial
        self._connections = Connections(settings, dial)
        self._mark = mark(keys.PROBE) if settings.replicas else None

    async def run_all(
        self, commands: Sequence[Command], *, wait_s: float = 0.0, lasting: bool = False
    ) -> list[Any]:
        """See `Nodes.run_all`."""
        replies = await self._exchange(commands, wait_s, lasting)
        unknown = [i for i, r in enumerate(replies) if isinstance(r, redis_errors.NoScriptError)]
        if unknown:
            again = await self._exchange(
                [*LOAD_ALL, *(commands[i] for i in unknown)], wait_s, lasting
            )
            for i, reply in zip(unknown, again[len(LOAD_ALL) :], strict=True):
                replies[i] = reply
        for i, reply in enumerate(replies):
            if isinstance(reply, Exception):
                if isinstance(reply, redis_errors.ReadOnlyError):
                    # A master no longer: whoever dials now is told of the new one.
                    await self._connections.drop_idle()
                replies[i] = typed(reply, self._settings.endpoint)
        return replies

    async def run_in_turn(
        self, first: Sequence[Command], then: Sequence[Command], *, lasting: bool = False
    ) -> list[Any]:
        """See `Nodes.run_in_turn`."""
        return await self.run_each([*first, *then], lasting=lasting)

    async def attended(self, command: Command) -> Any:
        """See `Nodes.attended`."""
        return await self.run(command)

    async def ping(self) -> None:
        """See `Nodes.ping`."""
        await self.run(PING)

    async def probe(self) -> None:
        """See `Nodes.probe`."""
        await self.run(mark(keys.PROBE), lasting=True)

    async def close(self) -> None:
        """See `Nodes.close`."""
        await self._connections.close()
        if self._masters:
            await self._masters.close()

    async def _exchange(
        self, commands: Sequence[Command], wait_s: float, lasting: bool
    ) -> list[Any]:
        return await self._connections.exchange(
            commands,
            self._settings.reply_s + wait_s,
            waiting=wait_s > 0,
            mark=self._mark if lasting else None,
        )
