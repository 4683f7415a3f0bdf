"""When calls begin: so many a second while tables are in play, and each caller in its turn."""

from __future__ import annotations

import asyncio

import pytest
from tests.host.virtual import at, virtually

from contree.server.access import Admission, RateLimited

BURST = 60


async def begin(admission: Admission, who: str, log: list[str], weight: float = 1.0) -> None:
    await admission.turn(who, weight)
    log.append(who)


@virtually
async def test_so_many_begin_in_a_second_while_tables_are_in_play() -> None:
    admission, log = Admission(lambda: True, per_second=100), list[str]()
    began = at()
    await asyncio.gather(*(begin(admission, "one", log) for _ in range(BURST + 300)))
    assert at() - began == pytest.approx(3, abs=0.05)


@virtually
async def test_what_weighs_more_begins_less_often() -> None:
    admission, log = Admission(lambda: True, per_second=100), list[str]()
    began = at()
    await asyncio.gather(*(begin(admission, "one", log, 2.0) for _ in range(BURST // 2 + 150)))
    assert at() - began == pytest.approx(3, abs=0.05)


@virtually
async def test_nobody_waits_where_nothing_is_in_play() -> None:
    admission, log = Admission(lambda: False, per_second=100), list[str]()
    began = at()
    await asyncio.gather(*(begin(admission, "one", log) for _ in range(1000)))
    assert at() == began


@virtually
async def test_a_flood_of_one_caller_is_in_nobodys_way() -> None:
    admission, log = Admission(lambda: True, per_second=100), list[str]()
    flood = [asyncio.create_task(begin(admission, "flood", log)) for _ in range(BURST + 500)]
    await asyncio.sleep(0)
    began = at()
    await begin(admission, "honest", log)
    assert at() - began <= 0.03
    await asyncio.gather(*flood)


@virtually
async def test_who_gives_up_takes_no_turn() -> None:
    admission, log = Admission(lambda: True, per_second=100), list[str]()
    flood = [asyncio.create_task(begin(admission, "flood", log)) for _ in range(BURST + 500)]
    last = asyncio.create_task(begin(admission, "flood", log))
    await asyncio.sleep(0)
    for task in flood:
        task.cancel()
    began = at()
    await last
    assert at() - began <= 0.03
    await begin(admission, "flood", log)


@virtually
async def test_what_waits_is_bounded() -> None:
    admission, log = Admission(lambda: True, per_second=100, waiting=10), list[str]()
    flood = [asyncio.create_task(begin(admission, "flood", log)) for _ in range(BURST + 10)]
    await asyncio.sleep(0)
    with pytest.raises(RateLimited):
        await begin(admission, "flood", log)
    await begin(admission, "honest", log)
    await asyncio.gather(*flood)
    await begin(admission, "flood", log)
