"""Group commit: what all tables have to append in one pass of the loop goes to the store at once.

A group costs a round trip to the store, and a frame to each bot concerned, whatever its size. So
while many tables are in play a group waits for more, for a moment; a single table never does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import NamedTuple

import structlog

from contree.server.host.gathering import Gathering
from contree.server.host.store_watch import StoreWatch
from contree.server.store import (
    Append,
    Appended,
    AppendResult,
    MatchStore,
    StoreError,
    StoreUnavailable,
)
from contree.server.telemetry import Metrics

_log = structlog.get_logger(__name__)
_RETRY_S = 0.1


class Commit(NamedTuple):
    """One table's entries on their way, and whom to tell."""

    append: Append
    done: Callable[[AppendResult | StoreError], None]
    """Not to raise: what it raises is only logged."""


class Committer:
    """Appends groups to the store, one after the other, until it is stopped."""

    def __init__(self, store: MatchStore, metrics: Metrics, watch: StoreWatch) -> None:
        self._store = store
        self._metrics = metrics
        self._watch = watch
        self._pending: list[Commit] = []
        self._under_way = 0
        self._wake = asyncio.Event()
        self._settled = asyncio.Event()
        self._settled.set()

    def add(self, commit: Commit) -> None:
        """Append as soon as may be; ``commit.done`` is called with the result."""
        self._pending.append(commit)
        self._settled.clear()
        self._wake.set()

    @property
    def waiting(self) -> int:
        """How many appends the store has not answered yet."""
        return len(self._pending) + self._under_way

    async def settled(self) -> None:
        """Wait until everything added has been appended."""
        await self._settled.wait()

    async def run(self) -> None:
        """Append until cancelled."""
        gathering = Gathering()
        while True:
            await self._wake.wait()
            self._wake.clear()
            await gathering.more()
            group, self._pending = self._pending, []
            size = self._under_way = len(group)
            while group:
                group = await self._append(group)
                if group:
                    # What came meanwhile goes with it: other masters of the store may take it.
                    group += self._pending
                    self._pending = []
                self._under_way = len(group)
            gathering.done(size)
            if not self._pending:
                self._settled.set()

    async def _append(self, group: list[Commit]) -> list[Commit]:
        """Append a group; what the store did not answer for is returned, to be tried again."""
        loop = asyncio.get_running_loop()
        began = self._watch.asked()
        results = await self._store.append([commit.append for commit in group])
        unanswered = [
            commit
            for commit, result in zip(group, results, strict=True)
            if isinstance(result, StoreUnavailable)
        ]
        if unanswered:
            self._metrics.commit_failures.inc()
            whys = [str(result) for result in results if isinstance(result, StoreUnavailable)]
            self._watch.failed(began, whys[0], write=True)
        else:
            wrote = any(isinstance(result, Appended) for result in results)
            self._watch.answered(began, write=wrote)
            self._metrics.committed(len(group), loop.time() - began)
        for commit, result in zip(group, results, strict=True):
            if isinstance(result, StoreUnavailable):
                continue
            try:
                commit.done(result)
            except Exception:
                # One that cannot be told must not keep the others from their answers.
                _log.exception("commit_not_told", match_id=commit.append.match_id)
        if unanswered:
            await asyncio.sleep(_RETRY_S)
        return unanswered
