"""The sequential test: published figures, data that break other implementations, error rates."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contree.tournament.statistics.sprt import Design, Verdict, judge, llr, looks

ELO = 800 / math.log(10)
"""Normalised Elo for a t value of one game."""
IMPS = [float(value) for value in range(-24, 25)]


def pentanomial(counts: tuple[int, ...], elo0: float, elo1: float) -> float:
    """As chess testers do: pairs of games, and bounds in normalised Elo of one game."""
    t0, t1 = (elo / ELO * math.sqrt(2) for elo in (elo0, elo1))
    return llr(dict(zip((0.0, 0.25, 0.5, 0.75, 1.0), counts, strict=True)), t0, t1, 0.5)


def trinomial(won: int, lost: int, drawn: int, elo0: float, elo1: float) -> float:
    counts = {0.0: lost, 0.5: drawn, 1.0: won}
    return llr(counts, elo0 / ELO, elo1 / ELO, 0.5)


@pytest.mark.parametrize(
    ("counts", "elo", "published"),
    [
        # github.com/Disservin/fastchess/pull/426: "here are some test cases we can use"
        pytest.param((365, 16618, 36229, 16974, 390), (0, 2), 2.25, id="fastchess 426, case 1"),
        pytest.param(
            (127, 4883, 10712, 5150, 104), (-1.75, 0.25), 3.01, id="fastchess 426, case 2"
        ),
        # github.com/Disservin/fastchess/pull/783: output for a test of fishtest
        pytest.param((379, 10170, 21828, 10640, 343), (0, 2), 2.946, id="fastchess 783"),
        # fastchess app/tests/sprt_test.cpp, "normalized pentanomial 3"
        pytest.param((0, 0, 0, 0, 5550), (0, 5), 111.82, id="all won"),
    ],
)
def test_published_pentanomial_figures(
    counts: tuple[int, ...], elo: tuple[float, float], published: float
) -> None:
    assert pentanomial(counts, *elo) == pytest.approx(published, rel=0.0025)


@pytest.mark.parametrize(
    ("counts", "elo", "published"),
    [
        # fastchess app/tests/sprt_test.cpp, "normalized trinomial 1" and "2"
        ((36433, 36027, 68692), (0, 2), 0.92),
        ((10871, 10650, 20431), (-1.75, 0.25), 2.30),
    ],
    ids=["1", "2"],
)
def test_published_trinomial_figures(
    counts: tuple[int, int, int], elo: tuple[float, float], published: float
) -> None:
    assert trinomial(*counts, *elo) == pytest.approx(published, abs=0.005)


def test_the_best_distribution_is_found_another_way() -> None:
    # The fixed-point iteration of section 4.1 of "Comments on normalized Elo", until it stands.
    values, counts = np.array([-2.0, -1.0, 0.0, 1.0, 2.0]), np.array([11, 31, 60, 40, 20.0])
    share = counts / counts.sum()

    def best(t: float) -> float:
        q = np.full(5, 0.2)
        for _ in range(300):
            mean, spread = q @ values, math.sqrt(q @ values**2 - (q @ values) ** 2)
            g = values - t * spread * (1 + ((mean - values) / spread) ** 2) / 2
            low, high = -1 / g.max(), -1 / g.min()
            for _ in range(200):
                middle = (low + high) / 2
                if (share * g / (1 + middle * g)).sum() > 0:
                    low = middle
                else:
                    high = middle
            q = share / (1 + low * g)
        return float(counts @ np.log(q))

    found = llr(dict(zip(values.tolist(), counts.tolist(), strict=True)), 0.0, 0.15)
    assert found == pytest.approx(best(0.15) - best(0.0), abs=1e-6)


@given(
    st.lists(st.integers(0, 300), min_size=5, max_size=5),
    st.floats(-0.5, 0.5),
    st.floats(0.01, 0.5),
)
@settings(max_examples=60)
def test_always_a_number_and_antisymmetric(counts: list[int], t0: float, more: float) -> None:
    values = (-7.5, -1.0, 0.0, 1.0, 7.5)
    ours = llr(dict(zip(values, counts, strict=True)), t0, t0 + more)
    theirs = llr(dict(zip(values, counts[::-1], strict=True)), -t0, -t0 - more)
    assert math.isfinite(ours)
    assert ours == pytest.approx(theirs, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize(
    ("board", "verdict", "most"),
    [
        (0.0, Verdict.H0, 150),
        (-24.0, Verdict.H0, 60),
        (24.0, Verdict.H1, 60),
        (1.0, Verdict.H1, 140),
        (-0.37, Verdict.H0, 150),
        (3.5, Verdict.H1, 70),
    ],
    ids=["all tied", "all lost", "all won", "all won by one", "no bin below", "no bin"],
)
def test_boards_that_are_all_alike_end_it(board: float, verdict: Verdict, most: int) -> None:
    look = judge(Design(), IMPS, [board] * 400)
    assert look.verdict is verdict
    assert look.boards <= most
    assert math.isfinite(look.llr)


def test_looks_come_every_so_many_boards_from_a_least_number_on() -> None:
    assert list(Design(every=10, least=60).looks(95)) == [60, 70, 80, 90]
    assert list(Design(every=25, least=60).looks(100)) == [75, 100]
    look = judge(Design(), IMPS, [24.0] * 59)
    assert (look.verdict, look.boards) == (Verdict.OPEN, 0)
    assert judge(Design(), IMPS, [24.0] * 64).boards == 60


def test_what_comes_after_the_deciding_look_changes_nothing() -> None:
    won = [5.0, -3.0, 8.0, 2.0] * 20
    decided = judge(Design(), IMPS, won)
    assert decided.verdict is Verdict.H1
    assert judge(Design(), IMPS, [*won, *[-24.0] * 500]) == decided


def test_bounds_are_walds() -> None:
    design = Design(alpha=0.05, beta=0.1)
    assert design.upper == pytest.approx(math.log(0.9 / 0.05))
    assert design.lower == pytest.approx(math.log(0.1 / 0.95))


@pytest.mark.slow
@pytest.mark.parametrize(("t", "right"), [(0.0, Verdict.H0), (0.15, Verdict.H1)], ids=["H0", "H1"])
def test_errors_are_about_what_they_are_said_to_be(t: float, right: Verdict) -> None:
    generator = np.random.default_rng(11)
    runs = 60
    wrong = 0
    for _ in range(runs):
        boards = np.rint(generator.normal(t * 5, 5, 2000))
        wrong += judge(Design(every=20), IMPS, boards.tolist()).verdict is not right
    assert wrong <= 8  # 3 expected; more has a chance of 1 in 300 if so


def test_all_looks_lead_to_the_last() -> None:
    design = Design(every=10, least=20)
    values = [3.0, -1.0, 2.0] * 100
    taken = list(looks(design, IMPS, values))
    assert [look.boards for look in taken] == list(range(20, taken[-1].boards + 1, 10))
    assert {look.verdict for look in taken[:-1]} == {Verdict.OPEN}
    assert taken[-1] == judge(design, IMPS, values)
    assert taken[-1].verdict is Verdict.H1
