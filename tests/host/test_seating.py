"""Who is given which seat, and how many."""

from __future__ import annotations

from tests.host.conftest import a_match, arrive, ready

from contree.engine import Seat
from contree.server.host import Host
from contree.server.match import SeatPlan


def seats_held(host: Host, match_id: str) -> int:
    table = host.tables.get(match_id)
    assert table is not None
    return sum(state.taken for state in table.match.seats)


async def test_a_seat_that_is_offered_is_reserved(host: Host) -> None:
    """Many matches come before the first offer is in the journal."""
    session = arrive(host, capacity=4)
    matches = [await host.matches.create(a_match()) for _ in range(3)]
    await host.tables.committer.settled()
    assert [seats_held(host, match.id) for match in matches] == [4, 0, 0]
    assert len(host.tables.seats.of(session)) == 4


async def test_offers_to_a_superseded_session_count_for_the_next(host: Host) -> None:
    arrive(host, capacity=4)
    # Nothing of this waits for the store, so the offers are still on their way to the journal.
    first = await host.matches.create(a_match())
    assert seats_held(host, first.id) == 0
    newer = arrive(host, capacity=4)
    assert newer.free == 0
    second = await host.matches.create(a_match())
    await host.tables.committer.settled()
    assert [seats_held(host, match.id) for match in (first, second)] == [4, 0]
    assert len(host.tables.seats.of(newer)) == 4


async def test_a_bot_that_is_away_keeps_its_room_taken(host: Host) -> None:
    session = arrive(host, capacity=4)
    first = await host.matches.create(a_match())
    await ready(host, first.id)
    host.seating.depart(session)
    second = await host.matches.create(a_match())
    again = arrive(host, capacity=4)
    await host.tables.committer.settled()
    assert len(host.tables.seats.of(again)) == 4
    assert seats_held(host, second.id) == 0


async def test_a_pinned_seat_waits_for_its_instance(host: Host) -> None:
    arrive(host, "one")
    pinned = SeatPlan(bot="raw", instance_id="two")
    match = await host.matches.create(a_match((pinned,) * 4))
    await host.tables.committer.settled()
    assert seats_held(host, match.id) == 0
    other = arrive(host, "two")
    await host.tables.committer.settled()
    assert [seat for _, seat in host.tables.seats.of(other).values()] == list(Seat)


async def test_leave_is_inherited_by_the_session_that_supersedes(host: Host) -> None:
    session = arrive(host, "one")
    await ready(host, (await host.matches.create(a_match())).id)
    session.leaving = True
    again = arrive(host, "one")
    assert len(host.tables.seats.of(again)) == 4
    assert again.free == 0
