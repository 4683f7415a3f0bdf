"""How long matches stand still, and what servers let each other know of that."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from tests.host.conftest import a_match, arrive, play, ready
from tests.host.test_hosts import Hosts

from contree.engine import CONTRE, DECLINE, PASS, SEATS, Action, Seat, preset
from contree.server.host import Host, standing
from contree.server.host.summary import Summary
from contree.server.host.table import Table
from contree.server.match import Act
from contree.server.store import embedded_store

LEASE_MS = 30_000


@pytest.fixture
async def hosts(tmp_path: Path) -> AsyncIterator[Hosts]:
    async with embedded_store() as store, AsyncExitStack() as stack:
        yield Hosts(store.url, tmp_path, stack)


async def stands(host: Host, *match_ids: str) -> list[Summary]:
    found = [one for one in await host.queries.many(match_ids) if one is not None]
    await host.standings.fill_in(found)
    return found


async def in_play(host: Host) -> Table:
    arrive(host)
    match = await host.matches.create(a_match())
    await ready(host, match.id)
    table = host.tables.get(match.id)
    assert table is not None
    return table


def unmoved(match: Summary) -> float | None:
    told = match.message.standing
    return told.unmoved.ToMilliseconds() / 1000 if told.HasField("unmoved") else None


async def test_it_is_counted_from_the_last_step(host: Host) -> None:
    table = await in_play(host)
    table.shown_at -= 90
    (before,) = await stands(host, table.match.id)
    assert 90 <= (unmoved(before) or 0) < 120
    assert len(before.message.standing.awaited) == 1
    await play(host, table.match.id, moves=1)
    (after,) = await stands(host, table.match.id)
    assert 0 <= (unmoved(after) or 0) < 60


async def test_a_server_tells_of_what_stands_still_at_another(hosts: Hosts) -> None:
    ann, bob = await hosts.start("ann", LEASE_MS), await hosts.start("bob", LEASE_MS)
    table = await in_play(ann)
    (match,) = await stands(bob, table.match.id)
    assert match.message.standing.server_id == "ann"
    assert unmoved(match) is None, "it has come on a moment ago"
    table.shown_at -= 90
    await ann.standings.tell()
    (match,) = await stands(bob, table.match.id)
    assert 90 <= (unmoved(match) or 0) < 120
    assert len(match.message.standing.awaited) == 1
    assert all(seat.connected for seat in match.message.seats)
    await play(ann, table.match.id, moves=1)
    await ann.standings.tell()
    (match,) = await stands(bob, table.match.id)
    assert unmoved(match) is None


async def test_an_ended_match_stands_nowhere(hosts: Hosts) -> None:
    ann = await hosts.start("ann", LEASE_MS)
    table = await in_play(ann)
    await ann.matches.cancel(table.match.id, "")
    (match,) = await stands(ann, table.match.id)
    assert not match.message.HasField("standing")


async def test_those_that_stand_still_longest_are_told_of(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(standing, "_MOST", 2)
    tables = [await in_play(host) for _ in range(4)]
    for age, table in enumerate(tables):
        table.shown_at -= 60 * age
    await host.standings.tell()
    told = await host.queries._store.unmoved.told({host.settings.server_id})
    assert set(told) == {table.match.id for table in tables[2:]}


async def test_an_answer_in_a_window_is_no_step_before_it_closes(host: Host) -> None:
    """Both takers are asked for surcontre: nobody is told when the first of them has answered."""
    arrive(host)
    match = await host.matches.create(replace(a_match(), rules=preset("coinche-classique")))
    await ready(host, match.id)
    table = host.tables.get(match.id)
    assert table is not None

    async def say(seat: Seat, action: Action) -> None:
        assert table is not None
        decision = table.match.decision_id(seat)
        await host.tables.ask(table, Act(seat, decision, action, 1))

    def asked() -> list[Seat]:
        assert table is not None
        return [seat for seat in SEATS if table.match.owed_since[seat]]

    (opener,) = asked()
    await say(opener, next(a for a in table.match.game.legal_actions(opener) if a is not PASS))
    await say(asked()[0], CONTRE)
    takers = asked()
    assert len(takers) == 2
    table.shown_at -= 90
    await say(takers[0], DECLINE)
    (told,) = await stands(host, match.id)
    assert (unmoved(told) or 0) >= 90
    assert len(told.message.standing.awaited) == 2
    await say(takers[1], DECLINE)
    (told,) = await stands(host, match.id)
    assert (unmoved(told) or 0) < 60
