"""Following a match's events from the beginning: the past from the journal, then what comes.

The past is read page by page, as fast as the reader takes it. A reader that has read all that the
journal has follows the live table from there on, without a gap: both count the journal's entries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import structlog

from contree.engine import Seat
from contree.server.host import frames
from contree.server.host.errors import MatchUnreadable
from contree.server.host.folding import after_entry
from contree.server.host.readers import Reader
from contree.server.host.reading import Reading
from contree.server.host.session import Session
from contree.server.host.table import Table
from contree.server.host.tables import Tables
from contree.server.match import Match, Stage, decode_entry
from contree.server.store import MatchStore, StoreError
from contree.v1.event_pb2 import Event

PAGE: Final = 128
"""Entries of a journal looked at in one go."""
_log = structlog.get_logger(__name__)


async def read_page(
    store: MatchStore,
    match_id: str,
    reader: Reader,
    reading: Reading,
    tables: Tables | None = None,
) -> bool:
    """Give the reader the next page of a journal; False when there may be no more in it now.

    For one who holds the seat: it takes its turn among all that is read, and is never refused.
    ``tables`` may be left out for a match that has ended.
    """
    data = await store.read(match_id, reader.version, limit=PAGE)
    if data:
        async with reading.slice() as mine:
            for item in _known(tables, match_id, reader, data):
                _look(reader, item, disclosed=False)
                await mine.breathe()
    return len(data) == PAGE


async def read_page_in_turn(
    store: MatchStore,
    tables: Tables,
    match_id: str,
    reader: Reader,
    reading: Reading,
    *,
    disclosed: bool,
) -> bool:
    """The same for one who holds no seat, of whom there are not too many at once. Raises
    TooManyReads, MatchUnreadable.
    """
    with reading.read():
        data = await store.read(match_id, reader.version, limit=PAGE)
        if data:
            async with reading.slice() as mine:
                for item in _known(tables, match_id, reader, data):
                    try:
                        _look(reader, item, disclosed=disclosed)
                    except Exception:
                        _log.info("journal_unreadable", match_id=match_id, after=reader.version)
                        raise MatchUnreadable(match_id) from None
                    await mine.breathe()
    return len(data) == PAGE


def _known(
    tables: Tables | None, match_id: str, reader: Reader, data: Sequence[bytes]
) -> Sequence[bytes]:
    """Those of the next entries that the live table knows to be committed, where there is one.

    The store has an entry a moment before it has told so. Who heard of it by then could ask for
    what follows from it, such as the cards of a match that has ended, and be refused.
    """
    table = None if tables is None else tables.get(match_id)
    return data if table is None else data[: max(0, table.match.version - reader.version)]


def _look(reader: Reader, item: bytes, *, disclosed: bool) -> None:
    entry = decode_entry(item)
    after = after_entry(reader.match, entry)
    # A match of the house alone begins with its first entry.
    before = reader.match or replace(after, version=0, seq=0, stage=Stage.WAITING)
    reader.look(before, entry, after, disclosed=disclosed)


def caught_up(tables: Tables, match_id: str, reader: Reader) -> bool:
    """Let a reader that has read its journal follow the live table, if it is not behind it."""
    table = tables.get(match_id)
    if table is not None and reader.version < table.match.version:
        return False
    reader.behind = False
    return True


class EventFeeds:
    """The seats that want every event (delivery EVENTS)."""

    def __init__(self, store: MatchStore, tables: Tables, reading: Reading) -> None:
        self._store = store
        self._tables = tables
        self._reading = reading

    def follow(self, table: Table, seat: Seat, session: Session, ref: int) -> None:
        """Send a seat's events from the first that its client has not seen."""
        seen = session.seen.get((table.match.id, seat), 0)

        def deliver(events: Sequence[Event], match: Match) -> None:
            del match
            for one in events:
                session.send(frames.seat_event(one, ref), past=reader.behind)

        reader = Reader(
            session,
            seat,
            seen,
            deliver,
            has_room=lambda: not session.outbox.half_full,
            fall_behind=lambda: session.outbox.pull(source),
        )
        source = partial(self._page, session, table.match.id, reader)
        session.readers[ref] = reader
        table.readers.append(reader)
        if table.match.seq <= seen:
            reader.skip_to(table.match)
        else:
            session.outbox.pull(source)

    async def _page(self, session: Session, match_id: str, reader: Reader) -> bool:
        try:
            more = await read_page(self._store, match_id, reader, self._reading, self._tables)
        except Exception as error:
            # The client dials again and says how far it came.
            known = isinstance(error, StoreError)
            _log.warning("events_unavailable", match_id=match_id, exc_info=None if known else error)
            session.outbox.close()
            return False
        if more or _misses_the_end(reader) or not caught_up(self._tables, match_id, reader):
            return True
        if reader.last_word is not None:
            session.send(reader.last_word, past=True)
        return False


def _misses_the_end(reader: Reader) -> bool:
    """The match ended while a page was on its way that was read before."""
    match = reader.match
    return reader.last_word is not None and (match is None or match.stage is not Stage.ENDED)
