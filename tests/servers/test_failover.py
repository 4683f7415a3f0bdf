"""The master of the store is lost in the middle: every acknowledged move is in its record, once."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

import pytest
from tests.chaos.event import Event
from tests.chaos.scale import choices, pick
from tests.servers.events import running, same
from tests.servers.floor import playing
from tests.servers.site import site
from tests.stores.sentinel import sentinel_set

from contree.client import TimeControl

pytestmark = [pytest.mark.servers, pytest.mark.timeout(pick(900, 1800))]

# Of two replicas one could be promoted that has not acknowledged: see docs/operations.md.
CONFIRMED: Final = {"CONTREE_STORE_REPLICAS": "1"}
CLOCK: Final = TimeControl(per_move=5.0, bank=0.0, allowance=0.5, disconnect_grace=10.0)


async def test_every_acknowledged_move_survives_a_sentinel_failover(tmp_path: Path) -> None:
    when = choices("failover")
    async with (
        sentinel_set(tmp_path, replicas=1) as store,
        site(tmp_path, store.url, settings=CONFIRMED) as place,
        playing(place.address, tmp_path, tables=24, clock=CLOCK) as books,
    ):
        await asyncio.sleep(when.uniform(2.0, 3.0))  # the moment is what is drawn
        acknowledged = books.ledger.acknowledged
        assert acknowledged > 0
        await store.fail_over()
        await books.grow(acknowledged)
    print(f"failover after {acknowledged} acknowledged actions: {books}")


async def test_an_event_does_not_notice_a_sentinel_failover(quiet: Event, tmp_path: Path) -> None:
    async with (
        sentinel_set(tmp_path, replicas=1) as store,
        site(tmp_path, store.url, settings=CONFIRMED) as place,
    ):
        event = Event(tmp_path, boards=quiet.boards, server=place.address)
        event.slow.touch()
        async with running(event):
            await event.plays(quiet.boards)
            await store.fail_over()
            await event.plays(event.played() + 6)
            event.slow.unlink()
        same(event, quiet)
