"""All servers are replaced, one after the other, while bots play: nobody is charged for it."""

from __future__ import annotations

import asyncio
import signal
from functools import partial
from pathlib import Path
from typing import Final

import pytest
from tests.chaos.scale import choices, pick
from tests.chaos.waiting import until
from tests.servers.floor import playing
from tests.servers.site import site
from tests.workers.crew import Crew

from contree.client import TimeControl
from contree.server.store import embedded_store

pytestmark = [pytest.mark.servers, pytest.mark.timeout(pick(600, 1800))]

ROUNDS: Final = pick(1, 5)
STRICT: Final = TimeControl(per_move=2.0, bank=0.0, allowance=0.25, disconnect_grace=0.0)
"""The least absence is a fault, and so is a decision that was held up for two seconds."""


async def test_workers_are_replaced_without_a_fault(tmp_path: Path) -> None:
    """Those of `--workers`, without a proxy: bots find another one behind the same address."""
    crew = Crew(tmp_path, "--drain", "10")
    try:
        await crew.serving()
        async with playing(crew.address, tmp_path, tables=24, clock=STRICT) as books:
            for number in range(1, ROUNDS + 1):
                await asyncio.sleep(1)
                before = books.ledger.acknowledged
                crew.signal(signal.SIGHUP)
                done = partial(_said, crew, "rolling_restart_done", number)
                await until(done, 150, "all workers are replaced")
                assert books.ledger.acknowledged > before
    finally:
        crew.close()
    assert len(crew.said("worker_replaced")) == 2 * ROUNDS
    assert not crew.said("worker_ended")
    print(f"{2 * ROUNDS} workers replaced: {books}")


def _said(crew: Crew, event: str, times: int) -> bool:
    return len(crew.said(event)) >= times


@pytest.mark.parametrize(("servers", "tables"), [(2, 24), (4, 48)])
async def test_no_fault_is_charged(servers: int, tables: int, tmp_path: Path) -> None:
    when = choices("restarts")
    async with (
        embedded_store(tmp_path / "store", "everysec") as store,
        site(tmp_path, store.url, servers=servers) as place,
        playing(place.address, tmp_path, tables=tables, clock=STRICT) as books,
    ):
        for _ in range(ROUNDS):
            for server in place.servers:
                await asyncio.sleep(when.uniform(0.5, 1.5))  # the moment is what is drawn
                before = books.ledger.acknowledged
                await place.restarted(server)
                assert books.ledger.acknowledged > before  # they go on meanwhile
    print(f"{ROUNDS * servers} restarts: {books}")
