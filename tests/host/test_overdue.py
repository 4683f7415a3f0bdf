"""How long a table is overdue: beyond the clock of whose turn it is, not while somebody thinks."""

from __future__ import annotations

from dataclasses import replace

from tests.host.conftest import a_match, arrive, play, ready

from contree.engine import SEATS, Seat
from contree.server.host import Host
from contree.server.host.gauges import gauge
from contree.server.host.table import Table
from contree.server.match import FaultKind, GiveUp, TimeControl

CLOCK_S = 600.0


async def in_play(host: Host, per_move: int = int(CLOCK_S * 1000)) -> Table:
    """A table at which a bot thinks, and no timer wakes: as after a fault of the service."""
    if not host.sessions():
        arrive(host)
    time = TimeControl(per_move=per_move, ready=600_000, seat_timeout=600_000)
    match = await host.matches.create(replace(a_match(), time=time))
    await ready(host, match.id)
    table = host.tables.get(match.id)
    assert table is not None
    host.tables.deadlines.disarm(table)
    return table


def overdue(host: Host) -> float:
    gauge(host)
    found = host.metrics.registry.get_sample_value("contree_longest_overdue_table_seconds")
    assert found is not None
    return found


def ago(table: Table, seconds: float) -> None:
    """Let the table have come on so long ago, and whose turn it is have been asked then."""
    table.moved_at -= seconds
    started = table.turn_started
    table.turn_started = [None if one is None else one - seconds for one in started]


def thinking(table: Table) -> Seat:
    return next(seat for seat in SEATS if table.match.owed_since[seat])


async def test_who_thinks_within_the_clock_makes_no_table_overdue(host: Host) -> None:
    table = await in_play(host)
    ago(table, CLOCK_S / 2)
    assert overdue(host) == 0
    practice = await in_play(host, per_move=24 * 3600 * 1000)  # a person who plays
    ago(practice, 20 * 3600)
    assert overdue(host) == 0


async def test_it_is_counted_from_the_end_of_the_clock(host: Host) -> None:
    table = await in_play(host)
    ago(table, CLOCK_S + 400)
    assert 390 < overdue(host) < 450
    await play(host, table.match.id, moves=1)
    assert overdue(host) == 0


async def test_the_longest_is_told(host: Host) -> None:
    for seconds in (500, 900, 700):
        ago(await in_play(host), CLOCK_S + seconds)
    assert 890 < overdue(host) < 950


async def test_a_server_that_does_not_say_how_long_its_bot_has_thought(host: Host) -> None:
    table = await in_play(host)
    ago(table, CLOCK_S + 400)
    table.asked[thinking(table)] = host.tables.deadlines.now() - 300
    assert 290 < overdue(host) < 350


async def test_the_house_has_no_clock(host: Host) -> None:
    table = await in_play(host)
    host.tables.go_on = lambda table: None  # type: ignore[method-assign]
    for seat in SEATS:
        await host.tables.ask(table, GiveUp(seat, FaultKind.DISCONNECTED, "a test"))
    assert table.match.house_owes is not None
    assert overdue(host) == 0
    ago(table, 400)
    assert 390 < overdue(host) < 450


async def test_what_has_not_begun_or_is_over_is_not_overdue(host: Host) -> None:
    match = await host.matches.create(a_match())
    table = host.tables.get(match.id)
    assert table is not None
    ago(table, 10 * CLOCK_S)
    assert overdue(host) == 0
