"""Events on several servers behind Envoy and on a Redis Cluster: the same bytes as on one server,
also when one of them is killed.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.chaos.event import Event
from tests.chaos.scale import choices, pick
from tests.chaos.waiting import until
from tests.servers.events import running, same
from tests.servers.site import site
from tests.stores.cluster import store_cluster

pytestmark = [pytest.mark.servers, pytest.mark.timeout(pick(900, 1800))]


@pytest.mark.parametrize("servers", [2, 4])
async def test_a_killed_server_changes_no_byte_of_the_standings(
    servers: int, quiet: Event, tmp_path: Path
) -> None:
    when = choices(f"event on {servers}")
    async with (
        store_cluster(tmp_path) as store,
        site(tmp_path, store.url, servers=servers) as place,
    ):
        event = Event(tmp_path, boards=quiet.boards, server=place.address)
        event.slow.touch()
        async with running(event):
            await event.plays(quiet.boards)
            await asyncio.sleep(when.uniform(0.0, 1.0))  # the moment is what is drawn
            assert not event.over, event.last_words()
            await until(
                lambda: place.total("contree_seats_of_guests") > 0,
                90,
                "bots play at tables of other servers than theirs",
            )
            victim = when.choice(place.servers)
            await victim.kill()
            killed_at = event.played()
            await event.plays(killed_at + 6)
            event.slow.unlink()
        same(event, quiet)
        left = "no seat is held of matches that are over"
        await until(lambda: place.total("contree_seats_of_guests") == 0, 90, left)
        print(f"{victim.name} of {servers} killed after {killed_at} of {event.played()} tables")
