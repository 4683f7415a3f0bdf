"""Clocks: a table of cases, and what holds for all of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contree.server.match import TimeControl
from contree.server.match.clock import Charge, charge, limit, remaining

CONTROL = TimeControl(per_move=1000, bank=0, increment=50, allowance=100)


@pytest.mark.parametrize(
    ("bank", "elapsed", "expected"),
    [
        pytest.param(0, 0, Charge(False, 0, 50), id="at once"),
        pytest.param(0, 1000, Charge(False, 1000, 50), id="all of the move time"),
        pytest.param(0, 1100, Charge(False, 1000, 50), id="within the allowance, not charged"),
        pytest.param(0, 1101, Charge(True, 1000, 0), id="beyond the allowance"),
        pytest.param(500, 1200, Charge(False, 1200, 350), id="out of the bank"),
        pytest.param(500, 1600, Charge(False, 1500, 50), id="all of the bank, and the allowance"),
        pytest.param(500, 1601, Charge(True, 1500, 0), id="beyond the bank"),
        pytest.param(500, -5, Charge(False, 0, 550), id="a clock that went back"),
    ],
)
def test_charge(bank: int, elapsed: int, expected: Charge) -> None:
    assert charge(CONTROL, bank, elapsed) == expected


_ms = st.integers(0, 10_000_000)


@given(_ms, _ms, _ms, _ms, st.integers(-1000, 100_000_000))
def test_no_clock_is_negative(
    per_move: int, bank: int, increment: int, allowance: int, elapsed: int
) -> None:
    control = TimeControl(per_move, bank, increment, allowance)
    cost = charge(control, bank, elapsed)
    assert cost.bank >= 0
    assert 0 <= cost.charged <= per_move + bank
    assert remaining(control, bank, elapsed) >= 0
    assert cost.late == (elapsed > limit(control, bank))
    if not cost.late:
        # What is charged beyond the move time is what the bank lost.
        assert bank + increment - cost.bank == max(0, cost.charged - per_move)
