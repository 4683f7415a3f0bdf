"""What happens after a match changed: hosts that watch its labels are told, an ended match is
archived.

These writes follow the journal and may be done again after a crash. One task does them, all that is
pending in few round trips, until the store has taken it. Of what is to be told of a match only the
newest is kept, so that no more is pending than there are matches.

The watchers are told of an end before the match is archived. A server that dies between the two
leaves a match with its journal and without an owner: who takes it over finds it ended, and does
both again. The other way round the end could be lost to those who watch.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final, NamedTuple

import structlog

from contree.server.host.folding import pages
from contree.server.host.owners import EVERY_OWNER, of_owner
from contree.server.host.record import record_of
from contree.server.host.summary import pack, summary_of
from contree.server.host.table import Table
from contree.server.match import Match
from contree.server.store import (
    Archived,
    Finish,
    MatchStore,
    StoreError,
    StoreUnavailable,
)

_RETRY_S: Final = 0.2
_AT_ONCE: Final = 32
"""Matches archived in one round trip."""
_LONG: Final = 100
"""Deals whose record takes too long to write while others wait."""
_log = structlog.get_logger(__name__)


class Unarchived(NamedTuple):
    """A match that is over and not archived yet."""

    match: Match
    fence: int
    journal: Sequence[bytes] | None
    """Its entries, where this server has them all."""
    over: asyncio.Event
    """Nothing more is done for it."""


class Notices:
    """Writes that must not be lost while this server lives."""

    def __init__(
        self, store: MatchStore, *, retain_s: int | None = None, release_s: int | None = None
    ) -> None:
        """``retain_s`` is how long archives are kept, None for ever; ``release_s`` how long from
        the end of a match on the release of its disclosure group is.
        """
        self._store = store
        self._retain_s = retain_s
        self._release_s = release_s
        self._endings: dict[str, Unarchived] = {}
        self._announcements: dict[tuple[str, str], bytes] = {}
        self._under_way: dict[str, Unarchived] = {}
        """Matches that are being archived."""
        self._writing = asyncio.Lock()
        """Held while a record is written: one at a time."""
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()

    def changed(self, table: Table) -> None:
        """Tell the watchers of a match's labels that its stage is another."""
        north, east, south, west = (attached is not None for attached in table.attached)
        self._announce(table.match, (north, east, south, west), disclosed=False)

    def ended(
        self, match: Match, fence: int, journal: Sequence[bytes] | None, *, disclosed: bool
    ) -> None:
        """Archive a match held under ``fence``, and tell the watchers; ``disclosed`` is told them.

        ``journal`` is None where the entries have to be read.
        """
        earlier = self._endings.get(match.id)
        over = asyncio.Event() if earlier is None else earlier.over
        self._endings[match.id] = Unarchived(match, fence, journal, over)
        self._announce(match, (False, False, False, False), disclosed=disclosed)
        self._pend()

    def ending(self, match_id: str) -> Match | None:
        """A match that ended here and is still to be archived."""
        ending = self._endings.get(match_id) or self._under_way.get(match_id)
        return ending.match if ending is not None else None

    @property
    def archives_waiting(self) -> int:
        """How many matches that ended here are still to be archived."""
        return len(self._endings) + len(self._under_way)

    def finishing(self, match_id: str) -> bool:
        """Whether an ended match is still to be archived."""
        return match_id in self._endings or match_id in self._under_way

    async def finished(self, match_id: str) -> None:
        """Wait until a match that ended here is archived, or cannot be."""
        while ending := self._endings.get(match_id) or self._under_way.get(match_id):
            await ending.over.wait()

    async def idle(self) -> None:
        """Wait until everything is written."""
        await self._idle.wait()

    async def run(self) -> None:
        """Write until cancelled."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            self._under_way, self._endings = self._endings, {}
            announcements, self._announcements = self._announcements, {}
            told = [(label, payload) for (label, _), payload in announcements.items()]
            if told:
                await self._tell(told)
            while self._under_way:
                batch = list(self._under_way.values())[:_AT_ONCE]
                await self._archive(batch)
                for ending in batch:
                    del self._under_way[ending.match.id]
                    ending.over.set()
            if not self._wake.is_set():
                self._idle.set()

    async def _tell(self, told: list[tuple[str, bytes]]) -> None:
        while True:
            try:
                await self._store.feeds.announce(told)
                return
            except StoreUnavailable:
                await asyncio.sleep(_RETRY_S)
            except StoreError:
                _log.exception("notices_refused", count=len(told))
                return

    async def _archive(self, batch: list[Unarchived]) -> None:
        """Archive matches; those that the store did not answer for are tried again."""
        pending = batch
        while pending:
            made = [(ending, await self._made(ending)) for ending in pending]
            group = [finish for _, finish in made if isinstance(finish, Finish)]
            results = await self._store.finish(group, retain_s=self._retain_s) if group else []
            answers = dict(zip([finish.match_id for finish in group], results, strict=True))
            pending = []
            for ending, finish in made:
                match_id = ending.match.id
                result = answers[match_id] if isinstance(finish, Finish) else finish
                if isinstance(result, StoreUnavailable):
                    pending.append(ending)
                elif not isinstance(result, Archived):
                    # Most likely another server has taken the match over, and archives it.
                    _log.warning("match_not_archived", match_id=match_id, result=repr(result))
            if pending:
                await asyncio.sleep(_RETRY_S)
        await self._keep_releases(batch)

    async def _keep_releases(self, batch: list[Unarchived]) -> None:
        """Let the releases of groups outlive the matches."""
        groups = {
            of_owner(owner, ending.match.spec.group)
            for ending in batch
            for owner in (ending.match.spec.owner, EVERY_OWNER)
            if ending.match.spec.group
        }
        if self._release_s is None or not groups:
            return
        try:
            await self._store.registry.keep_disclosed(sorted(groups), self._release_s)
        except StoreError as error:
            _log.warning("releases_not_prolonged", groups=len(groups), error=str(error))

    async def _made(self, ending: Unarchived) -> Finish | StoreError:
        """What is to be kept of a match; the error when its journal cannot be read."""
        match = ending.match
        entries = ending.journal
        if entries is None or len(entries) != match.version:
            try:
                entries = [data async for page in pages(self._store, match.id) for data in page]
            except StoreError as error:
                return error
        record = await self._record(match)
        return Finish(match.id, ending.fence, entries, _summary(match), record)

    async def _record(self, match: Match) -> bytes:
        """The record; empty where it cannot be made, for the journal is kept anyway."""
        try:
            return (await self.record(match)).encode()
        except Exception:
            _log.exception("record_failed", match_id=match.id)
            return b""

    async def record(self, match: Match) -> str:
        """The record of a match; those that take long are written one at a time, in a thread."""
        async with self._writing:
            if len(match.game.finished) > _LONG:
                return await asyncio.to_thread(record_of, match)
            await asyncio.sleep(0)  # writing one takes its time: others have their turn
            return record_of(match)

    def _announce(
        self, match: Match, connected: tuple[bool, bool, bool, bool], *, disclosed: bool
    ) -> None:
        if not match.spec.labels:
            return
        message = pack(summary_of(match, connected, disclosed=disclosed))
        for label in match.spec.labels:
            self._announcements[label, match.id] = message
        self._pend()

    def _pend(self) -> None:
        self._idle.clear()
        self._wake.set()


def _summary(match: Match) -> bytes:
    """The summary; empty where it cannot be made: the others must have theirs all the same."""
    try:
        return pack(summary_of(match))
    except Exception:
        _log.exception("summary_failed", match_id=match.id)
        return b""
