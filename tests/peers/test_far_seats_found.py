"""Seats at tables elsewhere are found by all that their bots and their homes call them."""

from __future__ import annotations

import random

import pytest
from tests.host.test_lobby import session

from contree.engine import SEATS
from contree.server.host.peers.far_seat import FarSeat
from contree.server.host.peers.far_seats import FarSeats

HOMES = ("left", "right")


def check(seats: FarSeats, those: list[FarSeat]) -> None:
    """It says what a look at each of them says."""
    assert list(seats) == those
    assert len(seats) == len(those)
    for one in {far.session for far in those}:
        assert seats.session(one.nonce) is one
        assert dict(seats.of(one)) == {far.ref: far for far in those if far.session is one}
    for far in those:
        assert seats.find(far.session, far.match_id, far.seat) is far
        if far.home is not None:
            assert seats.at(far.home, far.line) is far
    for home in HOMES:
        assert set(seats.at_home(home)) == {far for far in those if far.home == home}
    assert set(seats.homes) == {far.home for far in those} - {None}


@pytest.mark.parametrize("seed", range(5))
def test_whatever_becomes_of_them(seed: int) -> None:
    rng = random.Random(seed)
    seats = FarSeats()
    those: list[FarSeat] = []
    sessions = [session("bot", f"i{number}") for number in range(3)]
    for number in range(300):
        step = rng.random()
        if step < 0.3:
            far = FarSeat(rng.choice(sessions), f"m{number // 4}", SEATS[number % 4], number)
            seats.add(far)
            those.append(far)
        elif those:
            far = rng.choice(those)
            if step < 0.6:
                seats.house(far, rng.choice(HOMES), number)
            elif step < 0.8:
                seats.unhouse(far)
                assert far.home is None
            else:
                seats.remove(far)
                those.remove(far)
                assert seats.find(far.session, far.match_id, far.seat) is None
                assert seats.at(HOMES[0], far.line) is not far
                assert far.ref not in seats.of(far.session)
        check(seats, those)
    for far in those:
        seats.remove(far)
    check(seats, [])
    assert [seats.session(one.nonce) for one in sessions] == [None] * 3
