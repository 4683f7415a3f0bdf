"""Group commit: what all tables have to append in one pass of the loop goes to the store at once.

While one group is on its way the next gathers, so that under load groups grow by themselves.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import NamedTuple

import structlog

from contree.server.store import (
    Append,
    AppendResult,
    MatchStore,
    StoreError,
    StoreUnavailable,
)
from contree.server.telemetry import Metrics

_RETRY_S = 0.1
_log = structlog.get_logger(__name__)


class Commit(NamedTuple):
    """One table's entries on their way, and whom to tell."""

    append: Append
    done: Callable[[AppendResult | StoreError], None]


class Committer:
    """Appends groups to the store, one after the other, until it is stopped."""

    def __init__(
        self, store: MatchStore, metrics: Metrics, on_outage: Callable[[float], None]
    ) -> None:
        """``on_outage`` is told how many seconds the store was away, once it is back."""
        self._store = store
        self._metrics = metrics
        self._on_outage = on_outage
        self._pending: list[Commit] = []
        self._wake = asyncio.Event()
        self._settled = asyncio.Event()
        self._settled.set()
        self.away_since: float | None = None
        """Since when the store does not answer; None while it does."""

    def add(self, commit: Commit) -> None:
        """Append as soon as may be; ``commit.done`` is called with the result."""
        self._pending.append(commit)
        self._settled.clear()
        self._wake.set()

    async def settled(self) -> None:
        """Wait until everything added has been appended."""
        await self._settled.wait()

    async def run(self) -> None:
        """Append until cancelled."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            group, self._pending = self._pending, []
            while group:
                group = await self._append(group)
            if not self._pending:
                self._settled.set()

    async def _append(self, group: list[Commit]) -> list[Commit]:
        """Append a group; what the store did not answer for is returned, to be tried again."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        results = await self._store.append([commit.append for commit in group])
        unanswered = [
            commit
            for commit, result in zip(group, results, strict=True)
            if isinstance(result, StoreUnavailable)
        ]
        if unanswered:
            self._lost(began)
        else:
            self._found(loop.time())
            self._metrics.committed(len(group), loop.time() - began)
        for commit, result in zip(group, results, strict=True):
            if not isinstance(result, StoreUnavailable):
                commit.done(result)
        if unanswered:
            await asyncio.sleep(_RETRY_S)
        return unanswered

    def _lost(self, began: float) -> None:
        self._metrics.commit_failures.inc()
        if self.away_since is None:
            self.away_since = began
            self._metrics.store_up.set(0)
            _log.error("store_away")

    def _found(self, now: float) -> None:
        self._metrics.store_up.set(1)
        if self.away_since is not None:
            away = now - self.away_since
            self.away_since = None
            _log.warning("store_back", away_s=round(away, 3))
            self._on_outage(away)
