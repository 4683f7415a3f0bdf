"""The files of an event: computed from its results, and from nothing that time has a part in."""

from __future__ import annotations

import csv
import dataclasses
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tournament.samples import board, result

from contree.tournament.documents import CONDUCT, Derived, boards_text
from contree.tournament.formats import RoundRobin
from contree.tournament.standings import close_boards
from contree.tournament.tables import Attempt, TableResult

TWO = RoundRobin(("x", "y"), 3)
THREE = RoundRobin(("x", "y", "z"), 12)


def files(schedule: RoundRobin, results: list[TableResult]) -> dict[str, str]:
    done = {one.table.id: one for one in results}
    return Derived.of(schedule, done).documents("e-1", "round-robin")


def test_boards_are_written_in_schedule_order() -> None:
    results = board(TWO, 2, ("x", "y"), (160, 0), (0, 100)) + board(
        TWO, 1, ("x", "y"), (0, 0), (0, 1)
    )
    assert boards_text(close_boards(results)) == (
        "board,first,second,table_a,table_b,points\n1,x,y,0,-1,-0.5\n2,x,y,160,-100,30\n"
    )


def test_standings() -> None:
    results = [r for n in (1, 2, 3) for r in board(TWO, n, ("x", "y"), (40 * n, 0), (0, 0))]
    texts = files(TWO, results)
    document = json.loads(texts["standings.json"])
    assert (document["event"], document["complete"]) == ("e-1", True)
    first = document["standings"][0]
    assert (first["bot"], first["place"], first["won"]) == ("x", 1, 3)
    assert first["points"]["mean"] == 40.0
    assert first["points"]["low"] < 40.0 < first["points"]["high"]
    rows = list(csv.DictReader(texts["standings.csv"].splitlines()))
    assert [row["bot"] for row in rows] == ["x", "y"]
    assert float(rows[0]["points"]) == 40.0
    assert document["meetings"][0]["bot"] == "x"


def test_a_number_without_error_is_not_written() -> None:
    texts = files(TWO, list(board(TWO, 1, ("x", "y"), (40, 0), (0, 0))))
    document = json.loads(texts["standings.json"])
    assert [row["points"] for row in document["standings"]] == [None, None]
    assert not document["complete"]
    rows = list(csv.DictReader(texts["standings.csv"].splitlines()))
    assert rows[0]["points"] == rows[0]["low"] == ""


@settings(max_examples=5, deadline=None)
@given(st.randoms(use_true_random=False))
def test_time_attempts_and_order_change_nothing_but_the_conduct(rng: Any) -> None:
    calm = [result(table, (rng.randrange(0, 500, 10), 0)) for table in THREE]
    hurried = [
        dataclasses.replace(
            one,
            match_id=f"other-{number}",
            decisions={"x": 5},
            seconds={"x": rng.random()},
            overruns={"x": rng.randrange(3)},
            times={"x": (rng.randrange(9), 3)},
            slowest={"x": rng.random()},
            attempts=(Attempt("m0", "infrastructure"),) * rng.randrange(2),
        )
        for number, one in enumerate(calm)
    ]
    rng.shuffle(hurried)
    before, after = files(THREE, calm), files(THREE, hurried)
    assert before.pop(CONDUCT) != after.pop(CONDUCT)
    assert before == after


def test_the_conduct_tells_how_long_single_decisions_took() -> None:
    results = [
        dataclasses.replace(
            one, times={"x": (0, 0, 0, 0, 0, 99, 1), "y": ()}, slowest={"x": 0.0065}
        )
        for one in board(TWO, 1, ("x", "y"), (1, 0), (0, 0))
    ]
    bots = {row["bot"]: row for row in json.loads(files(TWO, results)[CONDUCT])["bots"]}
    told = bots["x"]["decision_seconds"]
    assert 0.004 <= told["median"] <= told["p90"] <= told["p99"] <= told["slowest"] == 0.0065
    assert "decision_seconds" not in bots["y"]


def test_figures_have_nine_digits() -> None:
    results = [r for table in (1, 2, 3) for r in board(TWO, table, ("x", "y"), (table, 0), (0, 0))]
    text = files(TWO, results)["standings.json"]
    for number in text.replace(",", " ").split():
        digits = number.lstrip("-").partition("e")[0].replace(".", "").lstrip("0")
        if digits.isdigit():
            assert len(digits) <= 9, number
