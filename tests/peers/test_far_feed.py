"""Events of a seat whose table another server hosts, read from the journal."""

from __future__ import annotations

import asyncio
from typing import cast

from tests.match.matches import spec
from tests.rpc.conftest import WAIT_S

from contree.engine import Seat
from contree.server.host import Session
from contree.server.host.peers.far_feed import FarFeed
from contree.server.host.reading import Reading
from contree.server.host.session import Identity
from contree.server.match import Created, create, encode_entry
from contree.server.store import MatchStore


class Journal:
    """A journal with an entry that only newer servers can read."""

    async def read(self, match_id: str, after: int = 0, *, limit: int = 0) -> list[bytes]:
        entries = [encode_entry(entry) for entry in create(Created(spec()), 1).entries]
        return [*entries, b"\xff\xfe"][after : after + limit]


async def test_a_journal_that_cannot_be_read_ends_the_stream() -> None:
    """Its bot dials again, and is not left without a word for ever."""
    session = Session(Identity("raw", "1", "x", 1, events=True), max_outbox=100, now=0)
    store = cast("MatchStore", Journal())
    feed = FarFeed(store, session, "m", Seat.NORTH, 1, reading=Reading(lambda: False))
    feed.begin(5)
    async with asyncio.timeout(WAIT_S):
        while await session.outbox.batch():
            pass
    assert session.outbox.closed
