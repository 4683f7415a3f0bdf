"""The scale of IMPs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contree.tournament.statistics.imps import MOST, STEPS, imps


@pytest.mark.parametrize(
    ("total", "points"),
    [
        *[(0, 0), (10, 0), (19, 0), (20, 1), (49, 1), (50, 2), (370, 9), (500, 11), (599.5, 11)],
        *[(600, 12), (3999, 23), (4000, 24), (100_000, 24)],
    ],
)
def test_the_table_of_the_laws(total: float, points: int) -> None:
    assert imps(total) == points
    assert imps(-total) == -points


def test_steps_only_rise() -> None:
    assert list(STEPS) == sorted(set(STEPS))
    assert MOST == 24


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_more_is_never_worth_less(one: float, other: float) -> None:
    assert (imps(one) <= imps(other)) or one > other
