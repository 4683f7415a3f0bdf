"""Readers that are slow, or that missed much: nothing is lost to them, and nobody waits."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from tests.host.conftest import WAIT_S, a_match, a_race, arrive, kinds, play, read, ready

from contree.engine import SEATS
from contree.server.host import Host, Session
from contree.server.settings import Settings
from contree.v1.play_service_pb2 import ServerMessage


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return replace(settings, max_outbox=16)


async def drain(session: Session) -> list[ServerMessage]:
    """All that is said up to the end of the match of all four seats; never much of it at once."""
    said: list[ServerMessage] = []
    while kinds(said).count("match_ended") < 4:
        batch = await session.outbox.batch()
        assert batch, "the stream ended"
        assert len(batch) < 1_500
        said += read(batch)
    return said


async def test_thousands_of_seats_are_resumed_at_once(host: Host) -> None:
    session = arrive(host, capacity=4_096)
    match = await host.matches.create(a_match())
    await ready(host, match.id)
    table = host.tables.get(match.id)
    assert table is not None
    again = arrive(host, capacity=4_096)
    for _ in range(1_024):  # the same table over and over: only the session counts them
        for seat in SEATS:
            host.seating._attach(table, seat, again, resumed=True)
    assert session.outbox.closed
    assert not again.outbox.closed
    said = kinds(read(await again.outbox.batch()))
    assert said.count("seat_assigned") == 4_100
    assert said.count("turn") == 1_025


async def test_a_bot_that_does_not_read_is_owed_one_turn_a_seat(host: Host) -> None:
    session = arrive(host)
    match = await host.matches.create(a_match())
    await ready(host, match.id)
    await play(host, match.id, 10)
    said = read(await session.outbox.batch())
    turns = [message.turn for message in said if message.HasField("turn")]
    table = host.tables.get(match.id)
    assert table is not None
    owed = [seat for seat in SEATS if table.match.owed_since[seat]]
    assert len(turns) == len(owed) == 1
    assert turns[0].decision.id == table.match.decision_id(owed[0])


async def test_every_visible_event_comes_without_gaps_though_the_reader_is_slow(
    host: Host,
) -> None:
    """Far more happens than the outbox holds before the first event is read."""
    session = arrive(host, capacity=4, events=True)
    match = await host.matches.create(a_race(3))
    await ready(host, match.id)
    await play(host, match.id)
    assert len(session.outbox) < 100
    said = await drain(session)
    for ref in range(1, 5):
        seqs = [m.event.event.seq for m in said if m.HasField("event") and m.event.seat_ref == ref]
        assert sorted(set(seqs)) == list(range(1, seqs[-1] + 1))
        assert seqs == sorted(seqs)
        assert seqs[-1] > 80
        last = [m for m in said if m.HasField("event") and m.event.seat_ref == ref][-1]
        assert last.event.event.HasField("match_ended")
        ended = [m.match_ended.seat_ref for m in said if m.HasField("match_ended")]
        assert said.index(last) < [m.match_ended.seat_ref == ref for m in said].index(True)
        assert ended.count(ref) == 1


async def test_a_history_is_read_as_it_is_taken_and_live_events_follow_it(host: Host) -> None:
    arrive(host, capacity=4)
    match = await host.matches.create(a_race(30))
    await ready(host, match.id)
    await play(host, match.id, 900)
    again = arrive(host, capacity=4, events=True)
    said = read(await again.outbox.batch())
    assert len(said) < 1_000
    await play(host, match.id)
    said += await drain(again)
    by_ref: dict[int, list[int]] = {}
    for message in said:
        if message.HasField("event"):
            by_ref.setdefault(message.event.seat_ref, []).append(message.event.event.seq)
    assert len(by_ref) == 4
    for seqs in by_ref.values():
        assert sorted(set(seqs)) == list(range(1, seqs[-1] + 1))
        assert seqs == sorted(seqs)


async def test_a_seat_that_has_seen_all_is_sent_nothing_again(host: Host) -> None:
    arrive(host)
    match = await host.matches.create(a_match())
    await ready(host, match.id)
    await play(host, match.id, 6)
    table = host.tables.get(match.id)
    assert table is not None
    seq = table.match.seq
    again = arrive(host, events=True, seen={(match.id, seat): seq for seat in SEATS})
    assert set(kinds(read(await again.outbox.batch()))) == {"seat_assigned", "turn"}
    await play(host, match.id, 1)
    said = read(await again.outbox.batch())
    told = {(m.event.seat_ref, m.event.event.seq) for m in said if m.HasField("event")}
    assert told == {(ref, seq + 1) for ref in host.tables.seats.of(again)}


@pytest.mark.parametrize("takes_first", [True, False])
async def test_a_slow_spectator_gets_the_rest_from_the_journal(
    host: Host, takes_first: bool
) -> None:
    arrive(host)
    match = await host.matches.create(a_race(20))
    await ready(host, match.id)
    sights = host.watching.match(match.id, 0, disclosed=False)
    seqs: list[int] = []
    if takes_first:
        sight = await anext(sights)
        seqs += [event.seq for event in sight.events]
    await play(host, match.id)
    async for sight in sights:
        seqs += [event.seq for event in sight.events]
    assert len(seqs) > 700
    assert seqs == sorted(seqs)
    assert sorted(set(seqs)) == list(range(1, seqs[-1] + 1))
    assert host.tables.get(match.id) is None


async def test_a_spectator_follows_the_live_table(host: Host) -> None:
    arrive(host)
    match = await host.matches.create(a_match())
    await ready(host, match.id)
    seqs: list[int] = []
    async for sight in host.watching.match(match.id, 0, disclosed=False):
        seqs += [event.seq for event in sight.events]
        await play(host, match.id, 1)
    assert sorted(set(seqs)) == list(range(1, seqs[-1] + 1))


async def test_a_match_that_ends_while_a_page_is_read_keeps_its_last_events(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrive(host)
    match = await host.matches.create(a_match())
    await ready(host, match.id)
    await play(host, match.id, 5)
    session = arrive(host, events=True)
    asked, over = asyncio.Event(), asyncio.Event()
    at_once = host.store.read

    async def late(*arguments: Any, **options: Any) -> Any:
        data = await at_once(*arguments, **options)
        asked.set()
        await over.wait()
        return data

    monkeypatch.setattr(host.store, "read", late)
    said = read(await session.outbox.batch())
    draining = asyncio.ensure_future(drain(session))
    await asyncio.wait_for(asked.wait(), WAIT_S)
    await play(host, match.id)
    assert host.tables.get(match.id) is None
    over.set()
    said += await asyncio.wait_for(draining, WAIT_S)
    for ref in range(1, 5):
        told = [m.event.event for m in said if m.HasField("event") and m.event.seat_ref == ref]
        assert told[-1].HasField("match_ended")
        assert sorted({event.seq for event in told}) == list(range(1, told[-1].seq + 1))


async def test_a_spectator_follows_a_match_that_was_lost_and_is_back(host: Host) -> None:
    arrive(host)
    match = await host.matches.create(a_match())
    await ready(host, match.id)
    seqs: list[int] = []

    async def watch() -> None:
        async for sight in host.watching.match(match.id, 0, disclosed=False):
            seqs.extend(event.seq for event in sight.events)

    watching = asyncio.ensure_future(watch())
    table = host.tables.get(match.id)
    assert table is not None
    while not table.readers:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    host._lost(table, "lease")
    host._adopt(table.match, table.fence)
    await play(host, match.id)
    await asyncio.wait_for(watching, WAIT_S)
    assert sorted(set(seqs)) == list(range(1, seqs[-1] + 1))
