"""What waits on a stream: no kind of message grows without end."""

from __future__ import annotations

import asyncio

from contree.server.host.outbox import Outbox


async def test_all_that_is_ready_goes_out_together() -> None:
    outbox: Outbox[str] = Outbox(10)
    reading = asyncio.ensure_future(outbox.batch())
    await asyncio.sleep(0)
    outbox.put("a")
    outbox.keep(1, "turn")
    outbox.put("b")
    assert await reading == ["a", "turn", "b"]


async def test_the_newest_of_a_key_replaces_the_older_and_goes_out_last() -> None:
    outbox: Outbox[str] = Outbox(10)
    outbox.keep(1, "old turn")
    outbox.put("result")
    outbox.keep(2, "other seat")
    outbox.keep(1, "new turn")
    assert await outbox.batch() == ["result", "other seat", "new turn"]


async def test_what_is_withdrawn_is_not_said() -> None:
    outbox: Outbox[str] = Outbox(10)
    outbox.keep(1, "turn")
    outbox.put("result")
    outbox.withdraw(1)
    outbox.withdraw(7)
    assert await outbox.batch() == ["result"]


async def test_only_what_has_no_key_counts() -> None:
    outbox: Outbox[int] = Outbox(3)
    for key in range(1, 5_001):
        outbox.keep(key, key)
    for number in range(3):
        outbox.put(-number)
    assert not outbox.closed
    assert len(await outbox.batch()) == 5_003
    for number in range(3):
        outbox.put(number)
    assert not outbox.overflowed
    outbox.put(3)
    assert await outbox.batch() == []


async def test_an_overflow_is_told_once() -> None:
    closed: list[bool] = []
    outbox: Outbox[int] = Outbox(1, lambda: closed.append(outbox.overflowed))
    for number in range(5):
        outbox.put(number)
    outbox.close()
    assert closed == [True]


async def test_a_history_is_pulled_page_by_page_as_the_reader_takes_it() -> None:
    outbox: Outbox[int] = Outbox(4)
    asked = 0

    async def source() -> bool:
        nonlocal asked
        await asyncio.sleep(0)
        for number in range(asked * 100, asked * 100 + 100):
            outbox.put(number, past=True)
        asked += 1
        return asked < 50

    outbox.pull(source)
    taken: list[int] = []
    while len(taken) < 5_000:
        batch = await outbox.batch()
        assert len(batch) <= 200
        taken += batch
        assert asked * 100 <= len(taken) + 200
    assert taken == list(range(5_000))
    assert not outbox.closed


async def test_what_comes_meanwhile_does_not_wait_for_the_history() -> None:
    outbox: Outbox[str] = Outbox(4)
    stuck = asyncio.Event()

    async def source() -> bool:
        await stuck.wait()
        outbox.put("past", past=True)
        return False

    outbox.pull(source)
    reading = asyncio.ensure_future(outbox.batch())
    await asyncio.sleep(0)
    outbox.put("now")
    assert await reading == ["now"]
    stuck.set()
    assert await outbox.batch() == ["past"]


async def test_many_live_messages_do_not_starve_a_history() -> None:
    outbox: Outbox[str] = Outbox(4)

    async def source() -> bool:
        outbox.put("past", past=True)
        return False

    outbox.pull(source)
    taken: list[str] = []
    while "past" not in taken:
        assert len(taken) < 10
        outbox.put("now")
        taken += await outbox.batch()
        await asyncio.sleep(0)


async def test_closing_ends_the_reader_after_what_is_there() -> None:
    outbox: Outbox[str] = Outbox(4)
    outbox.put("last")
    outbox.close()
    outbox.put("too late")
    outbox.keep(1, "too late")
    assert await outbox.batch() == ["last"]
    assert await outbox.batch() == []


async def test_what_can_wait_is_said_after_a_hurry_about_nothing() -> None:
    outbox: Outbox[str] = Outbox(4)
    reading = asyncio.ensure_future(outbox.batch())
    await asyncio.sleep(0)
    outbox.keep(1, "turn")
    outbox.withdraw(1)
    await asyncio.sleep(0.01)
    outbox.put("verdict", hurry=False)
    assert await asyncio.wait_for(reading, 2) == ["verdict"]


async def test_what_can_wait_is_said_after_a_source_that_said_nothing() -> None:
    outbox: Outbox[str] = Outbox(4)

    async def source() -> bool:
        return False

    outbox.pull(source)
    reading = asyncio.ensure_future(outbox.batch())
    await asyncio.sleep(0.01)
    outbox.put("verdict", hurry=False)
    assert await asyncio.wait_for(reading, 2) == ["verdict"]
