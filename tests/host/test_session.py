"""Heartbeats of a session: how long the way there and back takes, and when nobody answers; and what
it says of no use.
"""

from __future__ import annotations

import asyncio

from tests.host.virtual import virtually

from contree.engine import Seat
from contree.server.host.session import Identity, Session


def session() -> Session:
    return Session(Identity("bot", "1", "instance", 1), max_outbox=16, now=0.0)


def sent(one: Session, now: float) -> int:
    nonce = one.beat(now)
    assert nonce is not None
    return nonce


def test_the_round_trip_is_from_a_heartbeat_to_its_answer() -> None:
    one = session()
    assert one.round_trip_ms is None
    one.beaten(sent(one, 10.0), 10.0625)
    one.beaten(sent(one, 20.0), 20.25)
    assert one.round_trip_ms == 250


def test_each_answer_is_to_its_own_heartbeat() -> None:
    one = session()
    first, second = sent(one, 10.0), sent(one, 11.0)
    one.beaten(first, 11.5)
    assert one.round_trip_ms == 1_500
    one.beaten(second, 11.75)
    assert one.round_trip_ms == 750


def test_an_answer_to_nothing_tells_nothing() -> None:
    one = session()
    nonce = sent(one, 10.0)
    one.beaten(nonce + 1, 10.5)
    assert one.round_trip_ms is None
    one.beaten(nonce, 10.5)
    one.beaten(nonce, 99.0)
    assert one.round_trip_ms == 500


def test_three_heartbeats_without_an_answer_are_the_last() -> None:
    one = session()
    nonces = [sent(one, float(at)) for at in range(3)]
    assert len(set(nonces)) == 3
    assert one.beat(3.0) is None
    # An answer to the newest answers those before it, too.
    one.beaten(nonces[-1], 3.5)
    assert one.beat(4.0) is not None


# -- waste -----------------------------------------------------------------------------------------


def test_some_waste_is_forgiven_and_forgotten() -> None:
    one = session()
    for _ in range(64):
        one.waste(10.0)
    assert not one.wasteful(10.0)
    one.waste(10.0)
    assert one.wasteful(10.0)
    assert not one.wasteful(11.0)
    for _ in range(1000):
        one.waste(11.0)
    assert one.wasteful(60.0)
    assert not one.wasteful(1000.0)


def test_a_bot_with_seats_may_say_all_its_answers_again() -> None:
    one = session()
    for number in range(100):
        one.holding.seats[f"m{number}", Seat.NORTH] = None
    for _ in range(400):
        one.waste(10.0)
    assert not one.wasteful(10.0)


@virtually
async def test_its_reader_waits_while_its_commands_wait() -> None:
    one = session()
    for _ in range(64):
        one.commanded()
    await one.catch_up()
    one.commanded()
    waiting = asyncio.create_task(one.catch_up())
    await asyncio.sleep(1.0)
    assert not waiting.done()
    one.answered()
    await waiting


@virtually
async def test_an_answer_to_a_reader_that_is_gone_is_harmless() -> None:
    one = session()
    for _ in range(66):
        one.commanded()
    waiting = asyncio.create_task(one.catch_up())
    await asyncio.sleep(1.0)
    waiting.cancel()
    one.answered()
    one.answered()  # in the same pass of the loop, before the reader has come to its end
    await asyncio.wait({waiting})
    assert waiting.cancelled()
    for _ in range(64):
        one.answered()
    await one.catch_up()


@virtually
async def test_a_reader_that_was_cut_off_may_wait_again() -> None:
    one = session()
    for _ in range(65):
        one.commanded()
    first = asyncio.create_task(one.catch_up())
    await asyncio.sleep(1.0)
    first.cancel()
    await asyncio.wait({first})
    second = asyncio.create_task(one.catch_up())
    await asyncio.sleep(1.0)
    assert not second.done()
    one.answered()
    await second
