"""Watching one match, for spectators."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from typing import Final, NamedTuple

from contree.server.host.follow import caught_up, read_page_in_turn
from contree.server.host.readers import Reader
from contree.server.host.reading import Reading
from contree.server.host.tables import Tables
from contree.server.match import Match, Stage
from contree.server.store import MatchStore
from contree.v1.event_pb2 import Event

_POLL_S = 0.5
_LIVE: Final = 256
"""Sights that wait for a spectator; one more, and it is sent back to the journal."""


class Sight(NamedTuple):
    """What a spectator sees next: events, and the match when its stage changed."""

    match: Match
    events: tuple[Event, ...]


class TooSlow(Exception):
    """The reader read too slowly; it may ask again from the last seq it saw."""

    def __init__(self) -> None:
        super().__init__(
            "The messages were read too slowly: dial again, and read each as soon as it comes."
        )


class Watching:
    """Follows matches for readers that hold no seat."""

    def __init__(self, store: MatchStore, tables: Tables, reading: Reading) -> None:
        self._store = store
        self._tables = tables
        self._reading = reading

    async def match(
        self, match_id: str, after_seq: int, *, disclosed: bool
    ) -> AsyncGenerator[Sight, None]:
        """The events of a match after a seq, until it ends. Raises MatchNotFound.

        The past is read as fast as the caller takes it, and a caller that is slower than the table
        gets it from the journal. A match that another server holds is looked at in its journal,
        twice a second.
        """
        spectator = _Spectator(
            self._store, self._tables, self._reading, match_id, after_seq, disclosed=disclosed
        )
        try:
            while await spectator.look():
                for sight in spectator.take():
                    yield sight
                    if sight.match.stage is Stage.ENDED:
                        return
        finally:
            spectator.leave()


class _Spectator:
    """Follows one match; what it has not taken yet waits here, up to a limit."""

    def __init__(
        self,
        store: MatchStore,
        tables: Tables,
        reading: Reading,
        match_id: str,
        after_seq: int,
        *,
        disclosed: bool,
    ) -> None:
        self._store = store
        self._tables = tables
        self._reading = reading
        self._match_id = match_id
        self._disclosed = disclosed
        self._sights: list[Sight] = []
        self._wake = asyncio.Event()
        self._reader = Reader(
            self,
            None,
            after_seq,
            self._deliver,
            has_room=lambda: len(self._sights) < _LIVE,
            fall_behind=self._wake.set,
            close=self._table_gone,
        )

    def take(self) -> list[Sight]:
        """All that waits."""
        taken, self._sights = self._sights, []
        return taken

    async def look(self) -> bool:
        """Wait until there is something to take; False when nothing more will come."""
        reader = self._reader
        while not self._sights:
            if reader.behind:
                if not await self._read():
                    return False
            elif self._tables.get(self._match_id) is None:
                reader.behind = True  # the rest is in the journal, whoever writes it now
            else:
                self._wake.clear()
                await self._wake.wait()
        return True

    def leave(self) -> None:
        """Look no more."""
        table = self._tables.get(self._match_id)
        if table is not None:
            table.readers = [one for one in table.readers if one.owner is not self]

    async def _read(self) -> bool:
        """Read on in the journal; False at its end."""
        reader = self._reader
        more = await read_page_in_turn(
            self._store,
            self._tables,
            self._match_id,
            reader,
            self._reading,
            disclosed=self._disclosed,
        )
        if more or self._sights:
            return True
        if reader.match is not None and reader.match.stage is Stage.ENDED:
            return False  # nothing came after what was seen before
        table = self._tables.get(self._match_id)
        if table is None:
            await asyncio.sleep(_POLL_S)
        elif caught_up(self._tables, self._match_id, reader) and reader not in table.readers:
            table.readers.append(reader)
        return True

    def _table_gone(self) -> None:
        # It may be back before anybody looks, as another table that knows nothing of this reader.
        self._reader.behind = True
        self._wake.set()

    def _deliver(self, events: Sequence[Event], match: Match) -> None:
        self._sights.append(Sight(match, tuple(events)))
        self._wake.set()
