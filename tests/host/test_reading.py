"""The budget of reads: one at a time, in slices, and play has the most of the loop's time."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest
from tests.host.conftest import WAIT_S, a_match, arrive, ready
from tests.host.test_hosts import long_match
from tests.host.virtual import at, stop_process, virtually

from contree.server.host import Host, notices, reading, record
from contree.server.host.errors import TooManyReads
from contree.server.host.follow import caught_up, read_page, read_page_in_turn
from contree.server.host.readers import Reader
from contree.server.host.reading import SLICE_S, Reading, reading_for
from contree.server.match import SeatPlan, decode_entry, fold

HOUSE = (SeatPlan(house="random"),) * 4
PIECE_S = SLICE_S / 3.9


async def work(reads: Reading, pieces: int, log: list[str], name: str = "a") -> None:
    """A read of so many pieces, each of which takes its time."""
    with reads.read():
        async with reads.slice() as mine:
            for _ in range(pieces):
                stop_process(PIECE_S)
                log.append(name)
                await mine.breathe()


@virtually
async def test_play_has_four_fifths_of_the_time() -> None:
    reads = Reading(lambda: True)
    began, log = at(), list[str]()
    await asyncio.gather(*(work(reads, 100, log, name) for name in "abcd"))
    worked = 400 * PIECE_S
    assert at() - began >= 5 * (worked - SLICE_S)


@virtually
async def test_many_small_reads_have_no_more() -> None:
    reads = Reading(lambda: True)
    began, log = at(), list[str]()
    for _ in range(400):
        await work(reads, 1, log)
    assert at() - began >= 5 * (400 * PIECE_S - SLICE_S)


@virtually
async def test_where_nothing_is_in_play_no_time_is_left() -> None:
    reads = Reading(lambda: False)
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    watching = asyncio.create_task(others())
    began, log = at(), list[str]()
    await work(reads, 100, log)
    watching.cancel()
    assert at() - began == pytest.approx(100 * PIECE_S)
    assert turns >= 20


@virtually
async def test_reads_take_turns() -> None:
    """A long read lets a short one pass: after the slice that it is in, and the next."""
    reads, log = Reading(lambda: True), list[str]()
    await asyncio.gather(work(reads, 100, log, "long"), work(reads, 4, log, "short"))
    assert log.index("short") <= 8
    assert "long" in log[log.index("short") + 4 :]


@virtually
async def test_what_waits_is_bounded() -> None:
    reads, log = Reading(lambda: True, limit=3), list[str]()
    under_way = []
    for name in "abc":
        reading_for.set(name)
        under_way.append(asyncio.create_task(work(reads, 8, log)))
    await asyncio.sleep(0)
    reading_for.set("d")
    with pytest.raises(TooManyReads, match="3 calls"):
        await work(reads, 1, log)
    under_way[1].cancel()  # whoever hangs up leaves its place
    await asyncio.wait(under_way)
    await work(reads, 1, log, "last")
    assert log[-1] == "last"


@virtually
async def test_one_caller_leaves_places_to_others() -> None:
    reads, log = Reading(lambda: True, limit=16), list[str]()
    reading_for.set("greedy")
    greedy = [asyncio.create_task(work(reads, 8, log)) for _ in range(4)]
    await asyncio.sleep(0)
    with pytest.raises(TooManyReads, match="4 calls"):
        await work(reads, 1, log)
    reading_for.set("modest")
    await work(reads, 1, log, "modest")
    assert "modest" in log
    await asyncio.gather(*greedy)


@virtually
async def test_who_breaks_off_keeps_nobody_from_a_turn() -> None:
    reads = Reading(lambda: True)
    for passes in range(1, 12):
        log = list[str]()
        first, second = (asyncio.create_task(work(reads, 16, log, name)) for name in "ab")
        for _ in range(passes):
            await asyncio.sleep(0)
        first.cancel()
        await second
        assert log.count("b") == 16
        assert log.count("a") < 16


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slices of one piece, however quick the machine."""
    monkeypatch.setattr(reading, "SLICE_S", 0.0)


async def test_lists_of_matches_are_read_in_slices(host: Host, short: None) -> None:
    ids = [(await host.matches.create(a_match(HOUSE, labels=("event",)))).id for _ in range(10)] + [
        (await host.matches.create(a_match(labels=("event",)))).id for _ in range(10)
    ]
    async with asyncio.timeout(WAIT_S):
        await host.notices.idle()
    before = host.reading.slices
    counted: list[int] = []
    _, found, _ = await host.queries.of_label("event", "", 100, counted.append)
    assert sorted(one.id for one in found) == sorted(ids)
    assert host.reading.slices - before >= len(ids)
    assert counted == [len(ids)]


async def test_spectators_read_journals_in_slices(host: Host, short: None) -> None:
    _, data = long_match(300)

    class Journal:
        async def read(self, match_id: str, after: int = 0, *, limit: int = 0) -> list[bytes]:
            return data[after : after + limit]

    reader = Reader(host, None, 1 << 62, lambda events, match: None, has_room=lambda: True)
    before = host.reading.slices
    store = cast(Any, Journal())
    while await read_page_in_turn(store, host.tables, "m", reader, host.reading, disclosed=False):
        pass
    assert reader.version == len(data)
    assert host.reading.slices - before >= len(data)


async def test_the_past_of_a_seat_is_read_in_slices_too(host: Host, short: None) -> None:
    """It is owed, and never refused; but other tables have their turn between."""
    _, data = long_match(300)

    class Journal:
        async def read(self, match_id: str, after: int = 0, *, limit: int = 0) -> list[bytes]:
            return data[after : after + limit]

    refusing = Reading(lambda: False, limit=0)
    reader = Reader(host, None, 0, lambda events, match: None, has_room=lambda: True)
    while await read_page(cast(Any, Journal()), "m", reader, refusing):
        pass
    assert reader.version == len(data)
    assert refusing.slices >= len(data)


async def test_nobody_hears_of_an_entry_before_the_table_knows_it_is_committed(
    host: Host,
) -> None:
    """The store has an entry before it has told so; whoever heard of it then would ask too early
    for the hands of a match that is over.
    """
    _, data = long_match(30)
    known = fold([decode_entry(one) for one in data[:-1]])
    host.tables.add(known, 1)

    class Journal:
        async def read(self, match_id: str, after: int = 0, *, limit: int = 0) -> list[bytes]:
            return data[after : after + limit]

    reader = Reader(host, None, 0, lambda events, match: None, has_room=lambda: True)
    again = Reader(host, None, 0, lambda events, match: None, has_room=lambda: True)
    store = cast(Any, Journal())
    for _ in range(2):
        await read_page_in_turn(store, host.tables, known.id, reader, host.reading, disclosed=False)
        await read_page(store, known.id, again, host.reading, host.tables)
        assert reader.version == again.version == known.version
    assert caught_up(host.tables, known.id, reader)


async def test_tables_in_play_are_counted(host: Host) -> None:
    last = ""
    for number in (1, 2):
        made = await host.matches.create(a_match())
        assert host.tables.in_play == number - 1
        for name in "wxyz":
            arrive(host, f"{name}{number}", capacity=1)
        await ready(host, made.id)
        assert host.tables.in_play == number
        last = made.id
    await host.matches.cancel(last, "for a test")
    assert host.tables.in_play == 1
    (table,) = host.tables.all()
    host.tables.drop(table)
    assert host.tables.in_play == 0


async def test_a_record_is_written_once_however_often_it_is_asked_for(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the end of a match and its archiving too, and never by two at a time."""
    wrote = 0
    finish = host.store.finish

    def counted(match: Any) -> str:
        nonlocal wrote
        wrote += 1
        return record.record_of(match)

    held = asyncio.Event()

    async def late(*arguments: Any, **fields: Any) -> Any:
        await held.wait()
        return await finish(*arguments, **fields)

    monkeypatch.setattr(notices, "record_of", counted)
    monkeypatch.setattr(host.store, "finish", late)
    made = await host.matches.create(a_match(HOUSE))
    assert host.notices.finishing(made.id)
    asking = [asyncio.create_task(host.queries.record(made.id)) for _ in range(5)]
    while not wrote:  # noqa: ASYNC110
        await asyncio.sleep(0)
    held.set()
    async with asyncio.timeout(WAIT_S):
        records = await asyncio.gather(*asking)
    assert len(set(records)) == 1
    assert wrote == 1
