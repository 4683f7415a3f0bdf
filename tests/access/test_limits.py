"""Buckets of permits: never more than the rate, and the wait that is told is the right one."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contree.server.access.limits import Bucket, Rate, full, take

rates = st.builds(Rate.per_minute, st.integers(1, 100_000))
gaps = st.lists(st.floats(0, 100, allow_nan=False) | st.just(0.0), max_size=60)


@given(rates, gaps)
def test_in_any_time_there_are_at_most_the_burst_and_what_the_time_brings(
    rate: Rate, gaps: list[float]
) -> None:
    bucket, now, taken = full(rate, 0.0), 0.0, []
    for gap in gaps:
        now += gap
        bucket, wait = take(bucket, rate, now)
        if not wait:
            taken.append(now)
        assert 0.0 <= bucket.level <= rate.burst
    for (i, first), (j, last) in itertools.combinations(enumerate(taken), 2):
        assert j - i + 1 <= rate.burst + (last - first) * rate.per_second + 1e-6


@given(rates, st.floats(0, 1e9))
def test_as_many_at_once_as_the_minute_has(rate: Rate, now: float) -> None:
    rate = rate._replace(burst=min(rate.burst, 300.0))
    bucket = full(rate, now)
    for _ in range(int(rate.burst)):
        bucket, wait = take(bucket, rate, now)
        assert wait == 0.0
    assert take(bucket, rate, now)[1] > 0.0


@given(rates, gaps)
def test_who_waits_as_told_gets_it_and_not_much_earlier(rate: Rate, gaps: list[float]) -> None:
    bucket, now = Bucket(0.0, 0.0), 0.0
    for gap in gaps:
        now += gap
        bucket, wait = take(bucket, rate, now)
        if wait:
            assert take(bucket, rate, now + wait)[1] == 0.0
            if wait > 1e-3:
                assert take(bucket, rate, now + wait * 0.9)[1] > 0.0


@given(rates, st.floats(0, 100), st.floats(0, 100))
def test_a_refusal_costs_nothing_and_a_clock_that_goes_back_gives_nothing(
    rate: Rate, now: float, back: float
) -> None:
    empty = Bucket(0.0, now)
    refused, wait = take(empty, rate, now)
    assert refused == empty
    again, longer = take(refused, rate, now - back)
    assert again == empty
    assert math.isclose(longer, wait)


@pytest.mark.parametrize("rate", [Rate(0.0, 1.0), Rate(5.0, 0.0), Rate.per_minute(0)])
def test_where_there_is_none_one_waits_for_long(rate: Rate) -> None:
    assert take(Bucket(0.0, 0.0), rate, 1e6)[1] == 3600.0
