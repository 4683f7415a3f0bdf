"""Matches read for hosts and spectators: held here, ended, or held by another server.

A match held here is in memory. An ended one is read from its summary, without its journal. One held
elsewhere is the fold of its journal. All of it is in the budget of reads, so that it stops nobody's
moves (see `reading`).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final, NamedTuple

import structlog

from contree.server.host.errors import HostError, MatchNotEnded, MatchUnreadable, NotDisclosed
from contree.server.host.folding import PAGE, folded_on, pages
from contree.server.host.notices import Notices
from contree.server.host.reading import Reading
from contree.server.host.releases import Releases
from contree.server.host.summary import NOBODY, Summary, is_current, summary_of, unpack
from contree.server.host.tables import Tables
from contree.server.match import Match, Stage
from contree.server.store import Look, MatchNotFound, MatchStore, StoreError

_AT_ONCE: Final = 100
"""Matches looked up in one round trip."""
_REMEMBERED: Final = 256
"""Matches held elsewhere of which only what is new is read the next time."""
There = tuple[bool, bool, bool, bool]
"""Which seats' bots are there."""
Connected = Callable[[Sequence[str]], Awaitable[Mapping[str, There]]]
_log = structlog.get_logger(__name__)


class Listed(NamedTuple):
    """A page of matches."""

    ids: list[str]
    """All ids of the page, of matches that are left out, too."""
    matches: list[Summary]
    unreadable: list[str]
    """Ids of those that cannot be read."""


class Queries:
    """Reads matches wherever they are; nothing in here changes one."""

    def __init__(
        self,
        store: MatchStore,
        tables: Tables,
        notices: Notices,
        reading: Reading,
        releases: Releases,
        *,
        connected: Connected,
    ) -> None:
        """``connected`` asks the other servers which seats' bots are there."""
        self._store = store
        self._tables = tables
        self._notices = notices
        self._reading = reading
        self._releases = releases
        self._connected = connected
        self._elsewhere: OrderedDict[str, Match] = OrderedDict()
        self._unreadable: OrderedDict[str, None] = OrderedDict()
        """Matches that could not be read, of which the log has been told."""

    async def one(self, match_id: str) -> Summary:
        """One match. Raises MatchNotFound, MatchUnreadable, TooManyReads."""
        (found,) = await self._all([match_id])
        if isinstance(found, MatchUnreadable):
            raise found
        if found is None:
            raise MatchNotFound(match_id)
        return found

    async def many(self, match_ids: Sequence[str]) -> list[Summary | None]:
        """Matches in the order asked for; None for one that is not there or cannot be read.

        Raises TooManyReads.
        """
        found = await self._all(match_ids)
        return [None if isinstance(one, MatchUnreadable) else one for one in found]

    async def _listed(self, match_ids: Sequence[str]) -> Listed:
        listed = Listed(list(match_ids), [], [])
        for match_id, one in zip(match_ids, await self._all(match_ids), strict=True):
            if isinstance(one, MatchUnreadable):
                listed.unreadable.append(match_id)
            elif one is not None:
                listed.matches.append(one)
        return listed

    async def of_label(
        self,
        label: str,
        after: str,
        limit: int,
        admit: Callable[[int], None] = lambda count: None,
    ) -> Listed:
        """The next matches of a label after an id, in the order created.

        Before they are read, ``admit`` is told how many there are, and what it raises goes to the
        caller.
        """
        ids = await self._store.matches(label, after=after, limit=limit)
        admit(len(ids))
        return await self._listed(ids)

    async def unfinished(
        self,
        label: str,
        after: str,
        limit: int,
        admit: Callable[[int], None] = lambda count: None,
    ) -> Listed:
        """As ``of_label``, of the matches that are not over, in order of their ids; ``label`` empty
        for those of all labels. What cannot be read has none.
        """
        ids = await self._store.live(after=after, limit=limit)
        admit(len(ids))
        listed = await self._listed(ids)
        live = [one for one in listed.matches if not one.ended]
        if not label:
            return listed._replace(matches=live)
        of_it = [one for one in live if label in one.message.labels]
        return Listed(listed.ids, of_it, [])

    async def record(self, match_id: str) -> str:
        """The record of an ended match. Raises MatchNotFound, MatchNotEnded, NotDisclosed,
        TooManyReads.
        """
        match = await self.one(match_id)
        if not match.ended:
            raise MatchNotEnded(match_id)
        if not await self._releases.disclosed(match):
            raise NotDisclosed(match_id)
        with self._reading.read():
            # It is being written already: a second time would only take others' time.
            await self._notices.finished(match_id)
            kept = await self._store.kept(match_id)
            if kept is not None and kept.record:
                return kept.record.decode()
            return await self._notices.record(await self.match(match_id))

    async def _all(self, match_ids: Sequence[str]) -> list[Summary | MatchUnreadable | None]:
        with self._reading.read():
            return await self._each(match_ids)

    async def _each(self, match_ids: Sequence[str]) -> list[Summary | MatchUnreadable | None]:
        found: list[Summary | MatchUnreadable | None] = []
        for start in range(0, len(match_ids), _AT_ONCE):
            page = match_ids[start : start + _AT_ONCE]
            looks = await self._look([one for one in page if self._here(one) is None])
            hosted = [one for one, look in looks.items() if look.summary is None and look.version]
            there = await self._connected(hosted) if hosted else {}
            for match_id in page:
                here = self._here(match_id)
                if here is not None:
                    found.append(await self._shown(here, self._tables.connected(match_id)))
                else:
                    # One that went from here since is looked for again.
                    look = looks.get(match_id) or (await self._look([match_id]))[match_id]
                    connected = there.get(match_id, NOBODY)
                    found.append(await self._readable(match_id, look, connected))
        return found

    async def match(self, match_id: str) -> Match:
        """A match as committed, all of it, however it is kept.

        Raises MatchNotFound, MatchUnreadable, TooManyReads.
        """
        with self._reading.read():
            try:
                return await self._match(match_id)
            except (StoreError, HostError):
                raise
            except Exception:
                raise self._cannot_read(match_id) from None

    async def _match(self, match_id: str) -> Match:
        here = self._here(match_id)
        if here is not None:
            return here
        so_far = self._elsewhere.get(match_id)
        return await self._folded(match_id, so_far, ())

    def _here(self, match_id: str) -> Match | None:
        """A match held here, or ended here and not archived yet."""
        table = self._tables.get(match_id)
        return table.match if table is not None else self._notices.ending(match_id)

    async def _look(self, match_ids: Sequence[str]) -> dict[str, Look]:
        known = {one: self._elsewhere[one].version for one in match_ids if one in self._elsewhere}
        looks = await self._store.look(match_ids, after=known, limit=PAGE) if match_ids else []
        return dict(zip(match_ids, looks, strict=True))

    async def _readable(
        self, match_id: str, look: Look, connected: There
    ) -> Summary | MatchUnreadable | None:
        """A match as ``_summary``: one that cannot be read must not take a whole list with it."""
        try:
            return await self._summary(match_id, look, connected)
        except (StoreError, HostError):
            raise
        except Exception:
            return self._cannot_read(match_id)

    def _cannot_read(self, match_id: str) -> MatchUnreadable:
        """The error for the one that is being handled; the log is told once of a match."""
        self._elsewhere.pop(match_id, None)
        if match_id not in self._unreadable:
            _log.exception("match_unreadable", match_id=match_id)
            self._unreadable[match_id] = None
            if len(self._unreadable) > _REMEMBERED:
                self._unreadable.popitem(last=False)
        return MatchUnreadable(match_id)

    async def _summary(self, match_id: str, look: Look, connected: There) -> Summary | None:
        if look.summary is not None:
            self._elsewhere.pop(match_id, None)
            if is_current(look.summary):
                async with self._reading.slice():
                    return unpack(look.summary)
            return await self._shown(await self._match(match_id))
        if not look.version:
            self._elsewhere.pop(match_id, None)
            return None
        so_far = self._elsewhere.get(match_id)
        if (so_far.version if so_far is not None else 0) != look.after:
            # Another call has read on meanwhile.
            return await self._shown(await self._match(match_id), connected)
        match = await self._folded(match_id, so_far, look.entries, look.version)
        return await self._shown(match, connected)

    async def _shown(self, match: Match, connected: There = NOBODY) -> Summary:
        async with self._reading.slice():
            return summary_of(match, connected)

    async def _folded(
        self, match_id: str, match: Match | None, entries: Sequence[bytes], version: int = 0
    ) -> Match:
        """A match folded on from ``entries``, the next ones after it, and what the journal has
        besides; up to ``version`` at least.
        """
        if entries:
            match = await self._folded_on(match, entries)
        if match is None or not version or match.version < version:
            async for page in pages(self._store, match_id, match.version if match else 0):
                match = await self._folded_on(match, page)
        if match is None:
            raise MatchNotFound(match_id)
        self._remember(match)
        return match

    async def _folded_on(self, match: Match | None, page: Sequence[bytes]) -> Match | None:
        async with self._reading.slice() as mine:
            return await folded_on(match, page, mine.breathe)

    def _remember(self, match: Match) -> None:
        if match.stage is Stage.ENDED:
            self._elsewhere.pop(match.id, None)
            return
        self._elsewhere[match.id] = match
        self._elsewhere.move_to_end(match.id)
        if len(self._elsewhere) > _REMEMBERED:
            self._elsewhere.popitem(last=False)
