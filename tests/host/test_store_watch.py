"""One master of several is away: the clock stands for all, until all masters are back."""

from __future__ import annotations

import asyncio

import pytest

from contree.server.host.service_clock import ServiceClock
from contree.server.host.store_watch import StoreWatch
from contree.server.store import StoreUnavailable
from contree.server.telemetry import Metrics


class Told:
    """A watch at a time that the test sets, and what it told."""

    def __init__(self, *, parts: bool) -> None:
        self.at = 100.0
        self.clock = ServiceClock(self.at)
        self.proofs = 0
        self.refusals = 0
        self.watch = StoreWatch(
            self.clock,
            Metrics(version="0", server_id="test"),
            lambda: self.at,
            self._prove,
            self._refuse,
            parts=parts,
        )

    def _prove(self) -> None:
        self.proofs += 1

    def _refuse(self) -> None:
        self.refusals += 1

    def passes(self, seconds: float) -> None:
        """The process runs for a while."""
        for _ in range(round(seconds / 0.1)):
            self.at += 0.1
            self.clock.now(self.at)

    def answered(self, *, write: bool = False, everywhere: bool = False) -> None:
        asked = self.watch.asked(everywhere=everywhere)
        self.watch.answered(asked, write=write, everywhere=everywhere)

    def away(self) -> bool:
        return self.watch.away

    def failed(self) -> None:
        self.watch.failed(self.watch.asked(), "down", write=True)


def test_what_one_master_says_tells_nothing_of_the_others() -> None:
    told = Told(parts=True)
    told.answered(write=True)
    assert (told.proofs, told.clock.proved) == (0, 100.0)
    told.passes(1)
    told.answered(everywhere=True)
    assert told.proofs == 1
    assert told.clock.proved == pytest.approx(101.0)
    assert told.clock.now(told.at) == pytest.approx(101.0)


def test_one_master_away_stops_the_clock_and_only_all_of_them_start_it() -> None:
    told = Told(parts=True)
    told.answered(everywhere=True)
    told.passes(0.2)
    told.failed()
    assert told.away()
    assert told.refusals == 1
    told.passes(10)
    told.answered(write=True)  # another master writes on
    told.answered(everywhere=True)  # all of them answer, and whether all write is not known
    assert told.away()
    assert told.clock.now(told.at) == 100.0
    told.answered(write=True, everywhere=True)
    assert not told.away()
    assert told.clock.now(told.at) == pytest.approx(100.0)
    told.passes(1)
    assert told.clock.now(told.at) == pytest.approx(101.0)


def test_where_there_is_one_master_its_word_is_enough() -> None:
    told = Told(parts=False)
    told.failed()
    assert told.away()
    told.answered(write=True)
    assert not told.away()
    assert told.proofs == 1


async def test_an_exchange_with_a_part_that_is_given_up_leaves_nothing_open() -> None:
    told = Told(parts=True)

    async def down() -> None:
        raise StoreUnavailable("here", "down")

    exchange = asyncio.create_task(told.watch.ask(asyncio.sleep(60), write=True))
    await asyncio.sleep(0)
    exchange.cancel()
    with pytest.raises(asyncio.CancelledError):
        await exchange
    told.passes(5)
    assert not told.away()
    with pytest.raises(StoreUnavailable):
        await told.watch.ask(down(), write=True)
    assert told.away()
