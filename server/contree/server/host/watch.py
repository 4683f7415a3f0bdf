"""Watching: one match for spectators, all matches of a label for hosts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import NamedTuple

from contree.server.host.follow import join, replay
from contree.server.host.outbox import Outbox
from contree.server.host.readers import Reader
from contree.server.host.tables import Tables
from contree.server.match import Match, Stage
from contree.server.store import MatchStore
from contree.v1.event_pb2 import Event

_POLL_S = 0.5
_FEED_WAIT_MS = 5_000


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

    def __init__(self, store: MatchStore, tables: Tables, *, max_outbox: int) -> None:
        self._store = store
        self._tables = tables
        self._max_outbox = max_outbox

    async def match(
        self, match_id: str, after_seq: int, *, disclosed: bool
    ) -> AsyncIterator[Sight]:
        """The events of a match after a seq, until it ends. Raises MatchNotFound, TooSlow.

        A match that another server holds is looked at in its journal, twice a second.
        """
        outbox: Outbox[Sight] = Outbox(self._max_outbox)

        def deliver(events: Sequence[Event], match: Match) -> None:
            outbox.put(Sight(match, tuple(events)), past=reader.catching_up)

        owner = object()
        reader = Reader(owner, None, after_seq, deliver, outbox.close)
        table = self._tables.get(match_id)
        elsewhere: asyncio.Task[None] | None = None
        if table is not None:
            await join(self._store, table, reader)
            if table.match.stage is Stage.ENDED:
                outbox.close()
        else:
            match = await replay(self._store, match_id, reader, disclosed=disclosed)
            if match.stage is Stage.ENDED:
                outbox.close()
            else:
                elsewhere = asyncio.create_task(self._poll(match, reader, outbox))
        try:
            while batch := await outbox.batch():
                for sight in batch:
                    yield sight
                    if sight.match.stage is Stage.ENDED:
                        return
            if outbox.overflowed:
                raise TooSlow
        finally:
            if table is not None:
                table.readers = [one for one in table.readers if one.owner is not owner]
            if elsewhere is not None:
                elsewhere.cancel()

    async def _poll(self, match: Match, reader: Reader, outbox: Outbox[Sight]) -> None:
        while match.stage is not Stage.ENDED:
            await asyncio.sleep(_POLL_S)
            match = await replay(self._store, match.id, reader, so_far=match)
        outbox.close()

    async def label(self, label: str, after: str) -> AsyncIterator[tuple[str, bytes]]:
        """The feed of a label after an item id: (id, Match message); (id, b"") as a keepalive."""
        while True:
            items = await self._store.follow(label, after, _FEED_WAIT_MS)
            if not items:
                yield after, b""
            for item_id, payload in items:
                after = item_id
                yield item_id, payload
