"""Every event of a seat at another server's table, for a bot that wants them all.

What happens is told by the home of the match. What happened before, and what a slow reader missed,
is read in the journal, page by page as it is taken, and only as far as the home has told: nobody
hears of an entry before the table knows that it is committed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import structlog

from contree.engine import Seat
from contree.server.host import frames
from contree.server.host.folding import after_entry
from contree.server.host.peers.refs import renamed
from contree.server.host.readers import Reader
from contree.server.host.reading import Reading
from contree.server.host.session import Session
from contree.server.match import Match, Stage, decode_entry
from contree.server.store import MatchStore, StoreError
from contree.v1.event_pb2 import Event

_PAGE: Final = 128
_log = structlog.get_logger(__name__)


class FarFeed:
    """The events of one seat."""

    def __init__(
        self,
        store: MatchStore,
        session: Session,
        match_id: str,
        seat: Seat,
        ref: int,
        *,
        reading: Reading,
    ) -> None:
        self._store = store
        self._reading = reading
        self._session = session
        self._match_id = match_id
        self._ref = ref
        self.seen = session.seen.get((match_id, seat), 0)
        """Highest seq that was delivered."""
        self._told = 0
        """Highest seq that the home has told of."""
        self._ended = False
        self.reader = Reader(
            session,
            seat,
            self.seen,
            self._deliver,
            has_room=lambda: not session.outbox.half_full,
        )
        self._pulling = False

    def begin(self, seq: int) -> None:
        """Its home says where the table stands: what is missing up to there is read."""
        self._told = max(self._told, seq)
        if self._told > self.seen:
            self._read_on()
        else:
            self.reader.behind = False

    def told(self, messages: Sequence[bytes], seq: int) -> None:
        """Its home says what happened, up to a seq."""
        self._told = max(self._told, seq)
        if self.reader.behind or seq <= self.seen:
            return
        if self._session.outbox.half_full:
            self._read_on()
            return
        self.seen = seq
        self.reader.saw(seq)
        for message in messages:
            self._session.send(renamed(message, self._ref))

    def end(self) -> None:
        """The match is over: nothing more is told, and the last word comes after all its events."""
        self._ended = True

    def _read_on(self) -> None:
        self.reader.behind = True
        if not self._pulling:
            self._pulling = True
            self._session.outbox.pull(self._page)

    def _deliver(self, events: Sequence[Event], match: Match) -> None:
        del match
        for one in events:
            self._session.send(frames.seat_event(one, self._ref), past=True)

    async def _page(self) -> bool:
        """Say the next page; False when all that is known of is said."""
        try:
            return await self._read_page()
        except Exception as error:
            # The client dials again and says how far it came.
            known = isinstance(error, StoreError)
            _log.warning(
                "events_unavailable", match_id=self._match_id, exc_info=None if known else error
            )
            self._session.outbox.close()
            return False

    async def _read_page(self) -> bool:
        reader = self.reader
        data = await self._store.read(self._match_id, reader.version, limit=_PAGE)
        async with self._reading.slice() as mine:
            for item in data:
                entry = decode_entry(item)
                after = after_entry(reader.match, entry)
                if after.seq > self._told and not self._ended:
                    break
                before = reader.match or replace(after, version=0, seq=0, stage=Stage.WAITING)
                reader.look(before, entry, after)
                self.seen = max(self.seen, after.seq)
                await mine.breathe()
        over = reader.match is not None and reader.match.stage is Stage.ENDED
        if self.seen < self._told or (self._ended and not over):
            return True
        self._pulling = reader.behind = False
        if reader.last_word is not None:
            self._session.send(reader.last_word, past=True)
        return False
