"""The service clock, as arithmetic: what an outage or a stall may cost, whatever comes when."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contree.server.host.service_clock import PATIENCE_S, PULSE_S, STALL_S, ServiceClock

EPSILON = 1e-6


def running(clock: ServiceClock, at: float, seconds: float) -> float:
    """The process runs for a while, as the pulse sees it."""
    end = at + seconds
    while at + PULSE_S < end:
        at += PULSE_S
        clock.now(at)
    clock.now(end)
    return end


def exchange(
    clock: ServiceClock, at: float, seconds: float = 0.001, *, write: bool = False
) -> float:
    """The store is asked and answers."""
    clock.asked(at)
    end = running(clock, at, seconds)
    clock.answered(end, at, write=write)
    return end


def test_time_passes_while_all_is_well() -> None:
    clock = ServiceClock(100.0)
    at = running(clock, 100.0, 7.5)
    assert clock.now(at) == 107.5
    assert clock.proved == 100.0
    exchange(clock, at)
    assert clock.proved == 107.5
    assert clock.comes(110.0, at + 0.001) == pytest.approx(110.0)


def test_a_proof_counts_from_when_it_was_asked_for() -> None:
    clock = ServiceClock(0.0)
    exchange(clock, 0.0, 0.4)
    assert (clock.proved, clock.now(0.4)) == (0.0, 0.4)


def test_an_outage_is_taken_off_from_the_last_proof_of_life() -> None:
    clock = ServiceClock(0.0)
    at = exchange(clock, 0.0)
    at = running(clock, at, 3.0)
    assert clock.now(at) == pytest.approx(3.001)
    clock.asked(at)
    clock.failed(at)
    assert clock.stands(at)
    assert clock.now(at) == clock.proved == 0.0
    at = running(clock, at, 60.0)
    at = exchange(clock, at)
    assert not clock.stands(at)
    assert clock.now(at) == 0.0
    assert clock.now(at + 0.2) == pytest.approx(0.2)


def test_after_a_write_that_failed_only_a_write_is_a_proof_of_life() -> None:
    clock = ServiceClock(0.0)
    at = exchange(clock, 0.0)
    at = running(clock, at, 3.0)
    clock.asked(at)
    clock.failed(at, write=True)
    for _ in range(50):
        at = exchange(clock, running(clock, at, 0.2))  # it answers whoever reads
        assert clock.refusing
        assert clock.stands(at)
        assert clock.now(at) == clock.proved == 0.0
    clock.asked(at)
    clock.failed(at)
    clock.asked(at)
    clock.answered(at + 0.001, at, write=True)
    assert not clock.refusing
    assert not clock.stands(at + 0.001)
    assert clock.now(at + 0.001) == 0.0
    assert clock.now(at + 0.201) == pytest.approx(0.2)


def test_a_store_that_hangs_counts_as_away_before_it_is_given_up() -> None:
    clock = ServiceClock(0.0)
    at = running(clock, 0.0, 2.0)
    clock.asked(at)
    asked, at = at, running(clock, at, PATIENCE_S + 0.1)
    assert clock.now(at) == 0.0
    at = running(clock, at, 1.0)
    clock.answered(at, asked)
    assert clock.now(at) == 0.0


def test_time_in_which_the_process_did_not_run_is_taken_off() -> None:
    clock = ServiceClock(0.0)
    at = running(clock, 0.0, 1.0)
    assert clock.now(at + 30.0) == 1.0
    assert clock.stalled == 30.0
    assert clock.now(at + 30.1) == pytest.approx(1.1)


def test_a_stall_does_not_make_the_store_slow() -> None:
    clock = ServiceClock(0.0)
    at = running(clock, 0.0, 1.0)
    clock.asked(at)
    clock.answered(at + 30.0, at)
    assert clock.now(at + 30.0) == 1.0


def test_it_can_be_stopped_for_good() -> None:
    clock = ServiceClock(0.0)
    at = running(clock, 0.0, 1.0)
    clock.stop(at)
    exchange(clock, running(clock, at, 9.0))
    assert clock.now(at + 9.1) == 1.0
    assert clock.stands(at + 9.1)


class Calm(NamedTuple):
    """The store is asked now and then, and answers."""

    seconds: float
    asked_every: float
    takes: float


class Stall(NamedTuple):
    seconds: float


class Outage(NamedTuple):
    """The store is away. It is asked after a while, and fails (sometimes at once) or hangs."""

    unnoticed: float
    hangs: float
    fails: bool
    others: int
    """Exchanges under way with it at once."""
    stall: float
    """The process is stopped meanwhile, too."""
    reads: bool
    """What fails are writes, and it answers whoever reads."""


_seconds = st.floats(0.01, 20.0)
_segments = st.lists(
    st.one_of(
        st.builds(Calm, _seconds, st.floats(0.05, 3.0), st.floats(0.0001, PATIENCE_S / 2)),
        st.builds(Stall, st.floats(STALL_S * 1.01, 100.0)),
        st.builds(
            Outage,
            _seconds,
            st.floats(PATIENCE_S + 2 * PULSE_S, 20.0),
            st.booleans(),
            st.integers(1, 3),
            st.just(0.0) | st.floats(STALL_S * 1.01, 30.0),
            st.booleans(),
        ),
    ),
    max_size=12,
)


@given(_segments)
def test_no_interleaving_charges_an_outage_or_a_stall(
    segments: list[Calm | Stall | Outage],
) -> None:
    clock = ServiceClock(0.0)
    at = exchange(clock, 0.0)
    lived = at
    """How long the service could take answers, in truth."""
    proved = 0.0
    for segment in segments:
        if isinstance(segment, Calm):
            end = at + segment.seconds
            while at < end:
                before = at
                at = running(clock, at, segment.asked_every)
                at = exchange(clock, at, segment.takes)
                lived += at - before
        elif isinstance(segment, Stall):
            at += segment.seconds
        else:
            at = _out(clock, at, segment)
        # Never more than there was, never negative, and proofs never taken back.
        assert proved <= clock.proved <= clock.now(at) <= lived + EPSILON
        proved = clock.proved


def _out(clock: ServiceClock, at: float, outage: Outage) -> float:
    before = clock.proved
    at = running(clock, at, outage.unnoticed)
    # Not known yet: it seems to pass, but nothing is proved.
    assert clock.proved == before
    asked = at
    for _ in range(outage.others):
        clock.asked(at)
    at += outage.stall
    if not outage.fails:
        at = running(clock, at, outage.hangs)
        assert clock.now(at) == clock.proved == before
        for _ in range(outage.others):
            clock.answered(at, asked)
        return at
    for _ in range(outage.others):
        clock.failed(at, write=outage.reads)
    if outage.reads:
        end = at + outage.hangs
        while at < end:
            at = exchange(clock, running(clock, at, 0.3))
            assert clock.now(at) == clock.proved == before
    at = running(clock, at, outage.hangs)
    assert clock.now(at) == clock.proved == before
    return exchange(clock, at, write=outage.reads)


@given(st.lists(st.floats(0.001, PATIENCE_S / 2), min_size=1, max_size=50))
def test_under_load_it_is_the_time_of_the_loop(takes: list[float]) -> None:
    """Group commits one after the other, each with the next already waiting."""
    clock = ServiceClock(0.0)
    at = 0.0
    for seconds in takes:
        at = exchange(clock, at, seconds)
        assert clock.now(at) == pytest.approx(at)
        assert clock.proved == pytest.approx(at - seconds)


@given(st.lists(st.floats(-1.0, 1.0), max_size=50))
def test_it_does_not_go_back_with_the_loops_clock(jumps: list[float]) -> None:
    clock, at, last = ServiceClock(0.0), 0.0, 0.0
    for jump in jumps:
        at += jump
        now = clock.now(at)
        assert now >= last - EPSILON
        last = now
