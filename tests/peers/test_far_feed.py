"""Events of a seat whose table another server hosts, read from the journal."""

from __future__ import annotations

import asyncio
from typing import cast

import pytest
from tests.match.matches import seated, spec
from tests.rpc.conftest import WAIT_S

from contree.engine import Seat
from contree.server.host import Session, reading
from contree.server.host.peers.far_feed import FarFeed
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
    feed = FarFeed(store, session, "m", Seat.NORTH, 1, reading=reading.Reading(lambda: False))
    feed.begin(5)
    async with asyncio.timeout(WAIT_S):
        while await session.outbox.batch():
            pass
    assert session.outbox.closed


async def test_the_past_is_read_in_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """And never refused, whatever others read."""
    monkeypatch.setattr(reading, "SLICE_S", 0.0)
    entries = [encode_entry(entry) for entry in seated(spec())[1]]

    class Whole:
        async def read(self, match_id: str, after: int = 0, *, limit: int = 0) -> list[bytes]:
            return entries[after : after + limit]

    reads = reading.Reading(lambda: False, limit=0)
    session = Session(Identity("raw", "1", "x", 1, events=True), max_outbox=100, now=0)
    feed = FarFeed(cast("MatchStore", Whole()), session, "m", Seat.NORTH, 1, reading=reads)
    feed.begin(1)
    async with asyncio.timeout(WAIT_S):
        assert await session.outbox.batch()
    assert feed.seen == 1
    assert feed.reader.version == len(entries)
    assert reads.slices >= len(entries)
