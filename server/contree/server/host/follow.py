"""Following a table's events from the beginning: the past from the journal, then what comes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

import structlog

from contree.engine import Seat
from contree.server.host import frames
from contree.server.host.readers import Reader
from contree.server.host.session import Session
from contree.server.host.table import Table
from contree.server.match import Match, Stage, decode_entry, evolve, fold
from contree.server.store import MatchStore, StoreError
from contree.v1.event_pb2 import Event

_log = structlog.get_logger(__name__)


async def replay(
    store: MatchStore,
    match_id: str,
    reader: Reader,
    *,
    disclosed: bool = False,
    so_far: Match | None = None,
) -> Match:
    """Give the reader every committed entry that it has not looked at; the match after them.

    ``so_far`` is the match as it stood after the entries that the reader has looked at.
    """
    data = await store.read(match_id, reader.version)
    entries = [decode_entry(item) for item in data]
    match = so_far
    reader.catching_up = True
    for entry in entries:
        if match is None:
            match = fold(entries[:1])
            # A match of the house alone begins with its first entry.
            before = replace(match, version=0, seq=0, stage=Stage.WAITING)
            reader.read(before, entry, match, disclosed=disclosed)
            continue
        after = evolve(match, entry)
        reader.read(match, entry, after, disclosed=disclosed)
        match = after
    reader.catching_up = False
    if match is None:
        raise ValueError(f"the journal of match {match_id} is empty")
    return match


async def join(store: MatchStore, table: Table, reader: Reader) -> None:
    """Give the reader the past of a live table, then let it follow."""
    match = await replay(store, table.match.id, reader)
    while reader.version < table.match.version:
        match = await replay(store, table.match.id, reader, so_far=match)
    table.readers.append(reader)


class EventFeeds:
    """The seats that want every event (delivery EVENTS)."""

    def __init__(self, store: MatchStore, *, on_failure: Callable[[Session], None]) -> None:
        self._store = store
        self._on_failure = on_failure
        self._joining: set[asyncio.Task[None]] = set()

    def follow(self, table: Table, seat: Seat, session: Session, ref: int) -> None:
        """Send a seat's events from the first that its client has not seen."""
        seen = session.seen.get((table.match.id, seat), 0)

        def deliver(events: Sequence[Event], match: Match) -> None:
            del match
            for one in events:
                session.send(frames.seat_event(one, ref), past=reader.catching_up)

        reader = Reader(session, seat, seen, deliver)
        task = asyncio.get_running_loop().create_task(self._join(table, reader, session))
        self._joining.add(task)
        task.add_done_callback(self._joining.discard)

    async def _join(self, table: Table, reader: Reader, session: Session) -> None:
        try:
            await join(self._store, table, reader)
            if session.outbox.closed:
                table.readers = [one for one in table.readers if one.owner is not session]
        except StoreError as error:
            _log.warning("events_unavailable", match_id=table.match.id, error=str(error))
            self._on_failure(session)

    async def close(self) -> None:
        """End what is still joining."""
        for task in tuple(self._joining):
            task.cancel()
        await asyncio.gather(*self._joining, return_exceptions=True)
