"""Sentinels: they know which of the servers they watch is the master, and redis-py asks them."""

from __future__ import annotations

import asyncio

from redis import exceptions as redis_errors
from redis.asyncio.connection import Connection
from redis.asyncio.sentinel import MasterNotFoundError, Sentinel

from contree.server.store.settings import StoreSettings


class Masters:
    """Dials the master of the moment.

    Sentinels are asked for every new connection, not once: connections are kept, so that this is
    seldom, and after a failover every one of them is new.
    """

    def __init__(self, settings: StoreSettings) -> None:
        self._settings = settings
        self._asking = asyncio.Lock()
        """One at a time: redis-py loses a Sentinel of its list when two find one silent at once."""
        self._sentinel = Sentinel(  # type: ignore[no-untyped-call]
            settings.hosts, sentinel_kwargs=settings.sentinel_options()
        )

    async def dial(self) -> Connection:
        """A connection, not yet open, to the master. Raises `ConnectionError` of redis-py."""
        name = self._settings.master
        try:
            async with self._asking:
                host, port = await self._sentinel.discover_master(name)
        except MasterNotFoundError:
            raise await self._why(name) from None
        return self._settings.connection(host, int(port))

    async def _why(self, name: str) -> Exception:
        """Why there is no master. redis-py would list the objects that it asked."""
        pings = (sentinel.ping() for sentinel in self._sentinel.sentinels)
        answers = await asyncio.gather(*pings, return_exceptions=True)
        for answer in answers:
            if isinstance(answer, redis_errors.AuthenticationError):
                return answer
        if all(isinstance(answer, Exception) for answer in answers):
            return redis_errors.ConnectionError("none of the Sentinels answers")
        return redis_errors.ConnectionError(
            f"none of the Sentinels knows a master {name!r} that is up"
        )

    async def close(self) -> None:
        """Close the connections to the Sentinels."""
        await self._sentinel.aclose()
