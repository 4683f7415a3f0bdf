"""Ratings: golden values, ties, symmetry, and no order that comes from outside."""

from __future__ import annotations

import math
import random

import pytest

from contree.tournament.statistics.ratings import MOST_POINTS, Played, rating_curve, ratings


def test_one_win_is_what_openskill_publishes() -> None:
    # README of openskill: two new players, the first wins.
    found = ratings("ab", [Played(1, "a", "b", 80.0)])
    assert found["a"].mu == pytest.approx(27.63523138347365)
    assert found["b"].mu == pytest.approx(22.36476861652635)
    assert found["a"].sigma == found["b"].sigma == pytest.approx(8.065506316323548)


def test_30_a_tie_between_equals_moves_nobody() -> None:
    found = ratings("ab", [Played(1, "a", "b", 0.0)])
    assert found["a"].mu == found["b"].mu == 25.0
    assert found["a"].sigma == pytest.approx(8.065506316323548)


def test_30_ties_of_three_leave_all_equal() -> None:
    pairs = (("a", "b"), ("a", "c"), ("b", "c"))
    games = [Played(board, *pair, 0.0) for board in (1, 2, 3) for pair in pairs]
    assert {round(one.mu, 9) for one in ratings("abc", games).values()} == {25.0}


def test_a_tie_with_a_stronger_one_helps_the_weaker() -> None:
    games = [Played(n, "a", "b", 80.0) for n in range(1, 9)]
    before = ratings("ab", games)
    after = ratings("ab", [*games, *(Played(n, "a", "b", 0.0) for n in range(9, 19))])
    assert after["b"].mu > before["b"].mu
    assert after["a"].mu < before["a"].mu


def test_30_the_other_side_sees_the_mirror_image() -> None:
    chance = random.Random(3)
    games = [Played(n, "a", "b", chance.choice([-80.0, 0.0, 80.0, 160.0])) for n in range(1, 40)]
    ours = ratings("ab", games)
    theirs = ratings("ab", [game._replace(points=-game.points) for game in games])
    assert ours["a"].mu == pytest.approx(theirs["b"].mu)
    assert ours["a"].mu - 25 == pytest.approx(25 - ours["b"].mu)
    assert ours["a"].sigma == pytest.approx(theirs["b"].sigma)


def test_30_only_boards_and_names_make_an_order() -> None:
    chance = random.Random(4)
    games = [
        Played(n, *pair, chance.choice([-80.0, 0.0, 80.0]))
        for n in range(1, 12)
        for pair in (("x", "y"), ("x", "z"), ("y", "z"))
    ]
    turned = [
        Played(g.board, g.second, g.first, -g.points) if chance.random() < 0.5 else g
        for g in chance.sample(games, len(games))
    ]
    assert ratings("zyx", turned) == ratings("xyz", games)


def test_sigma_falls_and_the_better_one_is_found() -> None:
    chance = random.Random(5)
    games = [Played(n, "a", "b", 1.0 if chance.random() < 0.7 else -1.0) for n in range(1, 301)]
    few, many = ratings("ab", games[:30]), ratings("ab", games)
    assert many["a"].sigma < few["a"].sigma < 25 / 3
    assert many["a"].mu - many["b"].mu > 2 * math.hypot(many["a"].sigma, many["b"].sigma)


def test_30_ratings_move_by_games_alone() -> None:
    """aiarena-web #638, aichallenge #179: ratings drifted, and fell, while nobody played."""
    chance = random.Random(30)
    games = [
        Played(n, *pair, chance.choice([-80.0, 80.0]))
        for n in range(1, 9)
        for pair in (("a", "b"), ("c", "d"))
    ]
    before = ratings("abcd", games)
    assert ratings("abcd", games) == before
    # Long after, with a pause, others play on among themselves.
    after = ratings("abcd", [*games, *(Played(n, "a", "b", 80.0) for n in range(900, 930))])
    assert (after["c"], after["d"]) == (before["c"], before["d"])
    assert after["a"].mu > before["a"].mu


def test_who_has_not_played_has_none() -> None:
    assert set(ratings("abc", [Played(1, "a", "b", 1.0)])) == {"a", "b"}
    assert ratings("abc", []) == {}


def test_a_point_of_the_curve_knows_nothing_of_what_came_later() -> None:
    chance = random.Random(5)
    pairs = (("a", "b"), ("a", "c"), ("b", "c"))
    games = [Played(n, *pair, chance.gauss(10, 50)) for n in range(1, 101) for pair in pairs]
    curve = rating_curve("abc", games[::-1])
    assert [boards for boards, _ in curve] == list(range(4, 101, 4))
    for boards, rated in curve:
        assert rated == ratings("abc", [game for game in games if game.board <= boards])


def test_long_events_have_fewer_points() -> None:
    games = [Played(n, "a", "b", 1.0) for n in range(1, 3001)]
    assert 2 <= len(rating_curve("ab", games)) < MOST_POINTS
    assert rating_curve("ab", []) == []
    assert len(rating_curve("ab", games[:1])) == 1
