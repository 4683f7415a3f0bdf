"""What happens after a match changed: hosts that watch its labels are told, an ended match gets its
record.

These writes follow the journal and may be done again after a crash, so each is done until the store
has taken it, in order, by one task.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial

import structlog

from contree.server.host.record import record_of
from contree.server.host.resources import match_to_pb
from contree.server.host.table import Table
from contree.server.match import Match
from contree.server.store import MatchNotFound, MatchStore, StoreError, StoreUnavailable

_RETRY_S = 0.2
_log = structlog.get_logger(__name__)


class Notices:
    """A queue of writes that must not be lost while this server lives."""

    def __init__(self, store: MatchStore, *, retain_s: int | None = None) -> None:
        """Journals and records of ended matches are kept ``retain_s`` seconds, None for ever."""
        self._store = store
        self._retain_s = retain_s
        self._finishing: set[str] = set()
        self._queue: deque[Callable[[], Awaitable[object]]] = deque()
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()

    def changed(self, table: Table) -> None:
        """Tell the watchers of a match's labels that its stage is another."""
        connected = tuple(attached is not None for attached in table.attached)
        self._announce(table.match, connected)  # type: ignore[arg-type]

    def ended(self, table: Table) -> None:
        """Write the record of a match, then tell the watchers."""
        match = table.match
        record = record_of(match).encode()
        self._finishing.add(match.id)
        self._put(partial(self._finish, match.id, record))
        self._announce(match, (False, False, False, False))

    def finishing(self, match_id: str) -> bool:
        """Whether the record of an ended match is still to be written."""
        return match_id in self._finishing

    async def _finish(self, match_id: str, record: bytes) -> None:
        await self._store.finish(match_id, record, retain_s=self._retain_s)
        self._finishing.discard(match_id)

    def released(self, match: Match) -> None:
        """Tell the watchers that the cards of an ended match may be shown."""
        self._announce(match, (False, False, False, False), disclosed=True)

    async def idle(self) -> None:
        """Wait until everything is written."""
        await self._idle.wait()

    async def run(self) -> None:
        """Write until cancelled."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._queue:
                await self._until_taken(self._queue.popleft())
            self._idle.set()

    async def _until_taken(self, write: Callable[[], Awaitable[object]]) -> None:
        while True:
            try:
                await write()
                return
            except StoreUnavailable:
                await asyncio.sleep(_RETRY_S)
            except MatchNotFound as error:
                _log.warning("notice_for_missing_match", match_id=error.match_id)
                return
            except StoreError:
                _log.exception("notice_refused")
                return

    def _announce(
        self, match: Match, connected: tuple[bool, bool, bool, bool], *, disclosed: bool = False
    ) -> None:
        if match.spec.labels:
            message = match_to_pb(match, connected, disclosed=disclosed).SerializeToString()
            for label in match.spec.labels:
                self._put(partial(self._store.announce, label, message))

    def _put(self, write: Callable[[], Awaitable[object]]) -> None:
        self._queue.append(write)
        self._idle.clear()
        self._wake.set()
