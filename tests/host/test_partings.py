"""Matches that ended while a bot was away, and who is told."""

from __future__ import annotations

import asyncio

import pytest
from tests.host.conftest import a_match, arrive, kinds, play, read, ready

from contree.engine import SEATS, Seat
from contree.server.host import Host, Session
from contree.server.host import partings as module
from contree.v1.play_service_pb2 import ServerMessage


async def ended_while_away(host: Host, **fields: object) -> str:
    """A match of one instance, which leaves before its end."""
    session = arrive(host, **fields)  # type: ignore[arg-type]
    match = await host.matches.create(a_match())
    await ready(host, match.id)
    await play(host, match.id, 5)
    host.seating.depart(session)
    await play(host, match.id)
    await host.notices.idle()
    return match.id


async def hear(session: Session, ends: int) -> list[ServerMessage]:
    said: list[ServerMessage] = []
    while kinds(said).count("match_ended") < ends:
        batch = await session.outbox.batch()
        assert batch
        said += read(batch)
    return said


async def test_a_bot_that_was_away_is_told_of_the_end(host: Host) -> None:
    match_id = await ended_while_away(host)
    said = await hear(arrive(host), 4)
    assert kinds(said) == ["seat_assigned", "match_ended"] * 4
    for assigned, ended in zip(said[::2], said[1::2], strict=True):
        assert assigned.seat_assigned.match_id == ended.match_ended.match_id == match_id
        assert assigned.seat_assigned.seat_ref == ended.match_ended.seat_ref
        assert assigned.seat_assigned.resumed
        assert not assigned.seat_assigned.ready_owed
    assert len({assigned.seat_assigned.seat for assigned in said[::2]}) == 4


async def test_it_is_told_once(host: Host) -> None:
    await ended_while_away(host)
    arrive(host)
    assert len(arrive(host).outbox) == 0


@pytest.mark.parametrize("remembered", [True, False])
async def test_nobody_else_is_told(host: Host, remembered: bool) -> None:
    match_id = await ended_while_away(host)
    if not remembered:
        host.seating._partings._partings.clear()
    seen = {(match_id, seat): 0 for seat in SEATS}
    for name, instance in (("raw", "two"), ("other", "one")):
        stranger = arrive(host, instance, bot=name, seen=seen)
        stranger.send(b"")
        while stranger.outbox._sources or stranger.outbox._pulling:
            await stranger.outbox.batch()
            stranger.send(b"")
            await asyncio.sleep(0)
        assert kinds(read(await stranger.outbox.batch())) == ["None"]
    if remembered:
        await hear(arrive(host), 4)


async def test_matches_of_other_bots_are_not_played_again_for_who_names_their_seats(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = await ended_while_away(host)
    host.seating._partings._partings.clear()
    read_journal, read_of = host.store.read, list[str]()

    async def counted(one: str, after: int = 0, *, limit: int = 0) -> list[bytes]:
        read_of.append(one)
        return await read_journal(one, after, limit=limit)

    monkeypatch.setattr(host.store, "read", counted)
    seen = {(match_id, seat): 0 for seat in SEATS}
    stranger = arrive(host, bot="other", seen=seen, events=True)
    stranger.send(b"")
    while stranger.outbox._sources or stranger.outbox._pulling:
        await stranger.outbox.batch()
        stranger.send(b"")
        await asyncio.sleep(0)
    assert not read_of
    await hear(arrive(host, seen=seen, events=True), 4)
    assert read_of


async def test_events_that_were_not_seen_come_before_the_end(host: Host) -> None:
    match_id = await ended_while_away(host)
    seen = {(match_id, seat): 3 for seat in (Seat.NORTH, Seat.SOUTH)}
    said = await hear(arrive(host, events=True, seen=seen), 4)
    seats = {
        m.seat_assigned.seat_ref: m.seat_assigned.seat for m in said if m.HasField("seat_assigned")
    }
    for ref, number in seats.items():
        seqs = [m.event.event.seq for m in said if m.HasField("event") and m.event.seat_ref == ref]
        first = 4 if number in (1, 3) else 1
        assert sorted(set(seqs)) == list(range(first, seqs[-1] + 1))
        hands = [m.event.event.dealt.hands for m in said if m.event.seat_ref == ref]
        assert all(hand.seat == number for dealt in hands for hand in dealt)


async def test_a_seat_named_in_hello_is_looked_up_after_a_restart(host: Host) -> None:
    match_id = await ended_while_away(host)
    host.seating._partings._partings.clear()
    seen = {(match_id, seat): 0 for seat in (Seat.NORTH, Seat.EAST)}
    said = await hear(arrive(host, seen=seen), 2)
    assert kinds(said) == ["seat_assigned", "match_ended"] * 2


async def test_what_is_remembered_is_bounded(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "REMEMBERED", 6)
    await ended_while_away(host, instance="one")
    await ended_while_away(host, instance="two")
    assert len(await hear(arrive(host, "one"), 2)) == 4
    assert len(await hear(arrive(host, "two"), 4)) == 8


async def test_what_is_remembered_for_long_is_forgotten(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    await ended_while_away(host)
    monkeypatch.setattr(module, "REMEMBERED_S", -1.0)
    session = arrive(host)
    assert not session.outbox._messages


async def test_the_bots_of_a_match_that_its_server_could_not_conclude_are_told(host: Host) -> None:
    """It died between the last entry and the record; this server takes the match over."""
    arrive(host)
    match = await host.matches.create(a_match())
    await ready(host, match.id)
    await play(host, match.id)
    ended = await host.queries.match(match.id)
    here = arrive(host)
    host._adopt(ended, 9)
    assert kinds(await hear(here, 4)) == ["seat_assigned", "match_ended"] * 4
