"""Sweeping the store's indexes: one server at a time, a little at a time."""

from __future__ import annotations

import asyncio
from typing import Final

import structlog

from contree.server.store import MatchStore, StoreError, StoreUnavailable

_BATCH: Final = 500
"""Members of indexes looked at in one step: a few milliseconds of the store's time."""
_PAUSE_S: Final = 1.0
"""Between two steps."""
_REST_S: Final = 60.0
"""Between two passes over all indexes."""
_LEASE_MS: Final = 90_000
"""More than a rest: so the same server goes on as long as it lives."""
_log = structlog.get_logger(__name__)


class Sweeper:
    """Takes out of the indexes what names matches that are gone."""

    def __init__(
        self,
        store: MatchStore,
        server_id: str,
        *,
        feed_s: int | None,
        pause_s: float = _PAUSE_S,
        rest_s: float = _REST_S,
    ) -> None:
        """``feed_s`` is the age at which updates of a label are trimmed, None for never."""
        self._store = store
        self._server_id = server_id
        self._feed_s = feed_s
        self._pause_s = pause_s
        self._rest_s = rest_s

    async def run(self) -> None:
        """Sweep until cancelled."""
        cursor, removed = "", 0
        wait_s = self._pause_s
        while True:
            await asyncio.sleep(wait_s)
            wait_s = self._rest_s
            try:
                if not await self._store.may_sweep(self._server_id, _LEASE_MS):
                    cursor = ""
                    continue
                swept = await self._store.sweep(cursor, limit=_BATCH, feed_s=self._feed_s)
            except StoreUnavailable:
                wait_s = self._pause_s
                continue
            except StoreError:
                _log.exception("sweep_refused")
                cursor = ""
                continue
            cursor, removed = swept.cursor, removed + swept.removed
            if cursor:
                wait_s = self._pause_s
            elif removed:
                _log.info("swept", removed=removed)
                removed = 0
