"""What decisions took, counted by half octaves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.match.matches import act, owing, random_steps, seated, spec

from contree.engine import SEATS
from contree.server.match import Acted, FaultKind, GiveUp, TimeControl, decide, fold
from contree.server.match.timing import counted
from contree.tournament.statistics.times import added, begins_at, quantile


@pytest.mark.parametrize(
    ("milliseconds", "place"),
    [
        (0, 0),
        (1, 1),
        (2, 3),
        (3, 4),
        (4, 5),
        (5, 5),
        (6, 6),
        (7, 6),
        (8, 7),
        (12, 8),
        (1000, 20),
        (1250, 21),
    ],
)
def test_places(milliseconds: int, place: int) -> None:
    assert counted((), milliseconds) == (0,) * place + (1,)


@given(st.lists(st.integers(0, 86_400_000), min_size=1, max_size=50))
def test_every_decision_is_counted_where_it_belongs(took: list[int]) -> None:
    times: tuple[int, ...] = ()
    for milliseconds in took:
        before, times = times, counted(times, milliseconds)
        assert sum(times) == sum(before) + 1
        place = next(p for p in range(len(times)) if times[p] != (*before, *[0] * 64)[p])
        assert begins_at(place) * 1000 <= milliseconds < begins_at(place + 1 + (place == 1)) * 1000
    slowest = max(took) / 1000
    for part in (0.5, 0.9, 0.99):
        about = quantile(times, part, slowest)
        exact = sorted(took)[max(0, -(-int(part * 100) * len(took) // 100) - 1)] / 1000
        assert about is not None
        assert exact / 1.5 - 0.001 <= about <= exact * 1.5 + 0.001
        assert about <= slowest


def test_of_nothing_there_is_no_quantile() -> None:
    assert quantile((), 0.5, 0.0) is None
    assert quantile((0, 0), 0.5, 0.0) is None


def test_counts_are_put_together() -> None:
    assert added([(1,), (), (0, 2, 3), (4, 0, 1)]) == (5, 2, 4)
    assert added([]) == ()


def test_they_add_up_over_a_match() -> None:
    match, entries = seated(spec(time=TimeControl(100, 0, 0, 900)))
    expected: dict[int, list[int]] = {seat: [] for seat in SEATS}
    for step in random_steps(match, 5):
        entries += step.entries
        for entry in step.entries:
            if isinstance(entry, Acted) and (not entry.by_house or entry.charged):
                expected[entry.seat].append(entry.charged)
        match = step.after
    assert sum(map(len, expected.values())) > 30
    for seat in SEATS:
        state = match.seats[seat]
        assert sum(state.times) == len(expected[seat])
        assert state.slowest == max(expected[seat], default=0)
    assert fold(entries) == match


def test_what_the_house_decides_without_a_clock_is_not_counted() -> None:
    """Late is counted, for the clock ran; what the house plays on afterwards is not."""
    match, _ = seated(spec(time=TimeControl(1000, 0, 0, 100)))
    seat = owing(match)
    late = act(match, seat, match.game.legal_actions(seat)[0], 5000)
    acted = [entry for entry in late.entries if isinstance(entry, Acted) and entry.seat is seat]
    assert [entry.by_house for entry in acted] == [True]
    assert acted[0].charged > 0
    assert sum(late.after.seats[seat].times) == 1
    given_up = decide(match, GiveUp(seat, FaultKind.RESIGNED, "bored"), 0)
    state = given_up.after.seats[seat]
    assert state.decisions > 0
    assert state.times == ()
