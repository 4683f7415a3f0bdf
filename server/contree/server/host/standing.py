"""How matches that are not over stand: who is waited for, for how long, and at which server.

Of its own tables a server knows it. What has stood still here for a while it lets the other servers
know, so that whichever is asked can tell it of all. Nothing in here tells what happens in a contre
window that is open.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from heapq import nlargest
from typing import Final

import structlog

from contree.server.host.summary import Summary
from contree.server.host.table import Table
from contree.server.host.tables import Tables
from contree.server.store import MatchStore, StoreError, Unmoved
from contree.wire import duration_to_pb
from contree.wire.cards import SEAT_TO_PB

STILL_S: Final = 5.0
"""What has come on within so many seconds is no other server's business."""
TELL_S: Final = 2.0
"""How often the others are told."""
_MOST: Final = 1000
"""Tables that they are told of, at most: those that stand still longest."""
_log = structlog.get_logger(__name__)


class Standings:
    """Tells how matches stand."""

    def __init__(self, store: MatchStore, tables: Tables, server_id: str) -> None:
        self._store = store
        self._tables = tables
        self._server_id = server_id
        self._loop = asyncio.get_running_loop()
        self._told_any = False

    async def run(self) -> None:
        """Let the other servers know, until cancelled."""
        while True:
            try:
                await self.tell()
            except StoreError:
                _log.info("standings_not_told")  # who asks is told less
            await asyncio.sleep(TELL_S)

    async def tell(self) -> None:
        """Let the other servers know what stands still here."""
        now = self._loop.time()
        still = [table for table in self._tables.all() if now - table.shown_at >= STILL_S]
        longest = nlargest(_MOST, still, key=lambda table: now - table.shown_at)
        if longest or self._told_any:
            await self._store.unmoved.tell(
                self._server_id, {table.match.id: _unmoved(table, now) for table in longest}
            )
        self._told_any = bool(longest)

    async def fill_in(self, matches: Iterable[Summary]) -> None:
        """Write into each of these matches that is not over how it stands."""
        elsewhere = []
        for match in matches:
            if match.ended:
                continue
            standing = match.message.standing
            standing.awaited[:] = [SEAT_TO_PB[seat] for seat in match.awaited]
            table = self._tables.get(match.id)
            if table is None:
                elsewhere.append(match)
            else:
                standing.server_id = self._server_id
                unmoved = _unmoved(table, self._loop.time())
                standing.unmoved.CopyFrom(duration_to_pb(unmoved.milliseconds))
        if elsewhere:
            await self._fill_in_elsewhere(elsewhere)

    async def _fill_in_elsewhere(self, matches: list[Summary]) -> None:
        holders = await self._store.unmoved.holders([match.id for match in matches])
        told = await self._store.unmoved.told({holder for holder in holders if holder})
        for match, holder in zip(matches, holders, strict=True):
            match.message.standing.server_id = holder
            if (unmoved := told.get(match.id)) is None:
                continue
            duration = duration_to_pb(unmoved.milliseconds)
            match.message.standing.unmoved.CopyFrom(duration)
            for seat, connected in zip(match.message.seats, unmoved.connected, strict=True):
                seat.connected = connected or seat.house


def _unmoved(table: Table, now: float) -> Unmoved:
    there = tuple(attached is not None for attached in table.attached)
    return Unmoved(max(0, int((now - table.shown_at) * 1000)), there)
