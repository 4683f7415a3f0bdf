"""What happens after a match changed: hosts that watch its labels are told, an ended match gets its
record.

These writes follow the journal and may be done again after a crash. One task does them, all that is
pending in one round trip, until the store has taken it. Of what is to be told of a match only the
newest is kept, so that no more is pending than there are matches.
"""

from __future__ import annotations

import asyncio

import structlog

from contree.server.host.record import record_of
from contree.server.host.resources import match_to_pb
from contree.server.host.table import Table
from contree.server.match import Match
from contree.server.store import MatchStore, StoreError, StoreUnavailable

_RETRY_S = 0.2
_log = structlog.get_logger(__name__)


class Notices:
    """Writes that must not be lost while this server lives."""

    def __init__(self, store: MatchStore) -> None:
        self._store = store
        self._records: dict[str, bytes] = {}
        self._announcements: dict[tuple[str, str], bytes] = {}
        self._under_way: frozenset[str] = frozenset()
        """Matches whose records are being written."""
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()

    def changed(self, table: Table) -> None:
        """Tell the watchers of a match's labels that its stage is another."""
        north, east, south, west = (attached is not None for attached in table.attached)
        self._announce(table.match, (north, east, south, west), disclosed=False)

    def ended(self, match: Match, *, disclosed: bool) -> None:
        """Write the record of a match, and tell the watchers; ``disclosed`` is told to them."""
        self._records[match.id] = record_of(match).encode()
        self._announce(match, (False, False, False, False), disclosed=disclosed)
        self._pend()

    def finishing(self, match_id: str) -> bool:
        """Whether the record of an ended match is still to be written."""
        return match_id in self._records or match_id in self._under_way

    async def idle(self) -> None:
        """Wait until everything is written."""
        await self._idle.wait()

    async def run(self) -> None:
        """Write until cancelled."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            records, self._records = self._records, {}
            announcements, self._announcements = self._announcements, {}
            self._under_way = frozenset(records)
            told = [(label, payload) for (label, _), payload in announcements.items()]
            await self._until_taken(records, told)
            self._under_way = frozenset()
            if not self._wake.is_set():
                self._idle.set()

    async def _until_taken(self, records: dict[str, bytes], told: list[tuple[str, bytes]]) -> None:
        while True:
            try:
                await self._store.conclude(records, told, retain_s=None)
                return
            except StoreUnavailable:
                await asyncio.sleep(_RETRY_S)
            except StoreError:
                _log.exception("notices_refused", matches=sorted(records))
                return

    def _announce(
        self, match: Match, connected: tuple[bool, bool, bool, bool], *, disclosed: bool
    ) -> None:
        if not match.spec.labels:
            return
        message = match_to_pb(match, connected, disclosed=disclosed).SerializeToString()
        for label in match.spec.labels:
            self._announcements[label, match.id] = message
        self._pend()

    def _pend(self) -> None:
        self._idle.clear()
        self._wake.set()
