"""Result files: what was written is there, what was half written is not."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.tournament.samples import board, result, table_of

from contree.tournament.errors import ResultsError
from contree.tournament.folder import EventFolder
from contree.tournament.formats import RoundRobin
from contree.tournament.results import ResultLog, write_boards, write_standings
from contree.tournament.standings import close_boards, standings
from contree.tournament.tables import Attempt, TableFault, TableResult

TWO = RoundRobin(("x", "y"), 20)
RESULTS = [result(table, (10 * table.board, 0)) for table in TWO]


def write(path: Path, results: list[TableResult]) -> bytes:
    with ResultLog(path) as log:
        for one in results:
            log.append(one)
    return path.read_bytes()


def read(path: Path) -> list[TableResult]:
    with ResultLog(path) as log:
        return list(log.done.values())


def test_what_was_written_is_read(tmp_path: Path) -> None:
    table = table_of(TWO, 3, "x", "y", "B")
    full = TableResult(
        table=table,
        match_id="m1",
        reason="passed_out",
        seats={"N": "x", "E": "y", "S": "x", "W": "y"},
        marks=(0, 0),
        faults=(TableFault("y", "E", "timeout", True, "no answer — in time"),),
        attempts=(Attempt("m0", "infrastructure"),),
        decisions={"x": 2, "y": 2},
        seconds={"x": 0.125, "y": 1.0},
    )
    write(tmp_path / "log", [full, *RESULTS[:3]])
    assert read(tmp_path / "log") == [full, *RESULTS[:3]]


def test_a_table_has_one_result(tmp_path: Path) -> None:
    table = RESULTS[0].table
    write(tmp_path / "log", [result(table, (1, 0)), result(table, (2, 0))])
    assert [one.marks for one in read(tmp_path / "log")] == [(1, 0)]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.integers(0, 10**6))
def test_cut_off_anywhere_only_the_unfinished_line_is_lost(tmp_path: Path, place: int) -> None:
    path = tmp_path / "log"
    path.unlink(missing_ok=True)
    data = write(path, RESULTS[:6])
    cut = place % (len(data) + 1)
    path.write_bytes(data[:cut])
    whole = data[:cut].count(b"\n")
    with ResultLog(path) as log:
        assert list(log.done.values()) == RESULTS[:whole]
        assert log.mended == (not data[:cut].endswith(b"\n") and cut > 0)
        for one in RESULTS[:6]:  # going on writes what is missing, and nothing twice
            log.append(one)
    assert path.read_bytes() == data


def test_a_last_line_of_rubbish_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "log"
    data = write(path, RESULTS[:2])
    path.write_bytes(data + b"\0" * 64 + b"\n")
    with ResultLog(path) as log:
        assert log.mended
        assert list(log.done.values()) == RESULTS[:2]
    assert path.read_bytes() == data


@pytest.mark.parametrize("damage", [b"{", b"\0\0", b'{"schema": 99}', b"[]", b'"text"'])
def test_damage_in_the_middle_is_not_passed_over(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "log"
    first, second = write(path, RESULTS[:2]).splitlines(keepends=True)
    path.write_bytes(first + damage + b"\n" + second)
    with pytest.raises(ResultsError, match="line 2"):
        ResultLog(path)


def test_boards_are_written_in_schedule_order(tmp_path: Path) -> None:
    results = board(TWO, 2, ("x", "y"), (160, 0), (0, 100)) + board(
        TWO, 1, ("x", "y"), (0, 0), (0, 1)
    )
    write_boards(tmp_path / "boards.csv", close_boards(results))
    assert (tmp_path / "boards.csv").read_text() == (
        "board,first,second,table_a,table_b,points\n1,x,y,0,-1,-0.5\n2,x,y,160,-100,30\n"
    )


def test_standings_files(tmp_path: Path) -> None:
    results = [r for n in (1, 2, 3) for r in board(TWO, n, ("x", "y"), (40 * n, 0), (0, 0))]
    write_standings(tmp_path, standings(TWO.bots, results), {"event": "e-1", "complete": True})
    document = json.loads((tmp_path / "standings.json").read_text())
    assert document["event"] == "e-1"
    first = document["standings"][0]
    assert (first["bot"], first["place"], first["won"]) == ("x", 1, 3)
    assert first["points"]["mean"] == 40.0
    assert first["points"]["low"] < 40.0 < first["points"]["high"]
    rows = list(csv.DictReader((tmp_path / "standings.csv").read_text().splitlines()))
    assert [row["bot"] for row in rows] == ["x", "y"]
    assert float(rows[0]["points"]) == 40.0
    assert document["meetings"][0]["bot"] == "x"


def test_a_number_without_error_is_not_written(tmp_path: Path) -> None:
    results = board(TWO, 1, ("x", "y"), (40, 0), (0, 0))
    write_standings(tmp_path, standings(TWO.bots, results), {})
    document = json.loads((tmp_path / "standings.json").read_text())
    assert [row["points"] for row in document["standings"]] == [None, None]
    rows = list(csv.DictReader((tmp_path / "standings.csv").read_text().splitlines()))
    assert rows[0]["points"] == rows[0]["low"] == ""


def test_one_runner_at_a_time(tmp_path: Path) -> None:
    with (
        EventFolder.opened(tmp_path / "e"),
        pytest.raises(ResultsError, match=f"process {os.getpid()}"),
        EventFolder.opened(tmp_path / "e"),
    ):
        pass
    with EventFolder.opened(tmp_path / "e"):
        pass


def test_a_folder_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(ResultsError, match="name another folder"),
        EventFolder.opened(tmp_path / "file" / "e"),
    ):
        pass


def test_a_drawn_seed_is_kept_and_private(tmp_path: Path) -> None:
    with EventFolder.opened(tmp_path / "e") as folder:
        drawn = folder.seed(None)
        assert len(drawn) == 32
        assert (tmp_path / "e" / "seed").stat().st_mode & 0o777 == 0o600
    with EventFolder.opened(tmp_path / "e") as folder:
        assert folder.seed(None) == drawn
        assert folder.seed(b"x" * 32) == b"x" * 32


def test_a_damaged_seed_is_not_replaced(tmp_path: Path) -> None:
    with EventFolder.opened(tmp_path / "e") as folder:
        (tmp_path / "e" / "seed").write_text("abc\n")
        with pytest.raises(ResultsError, match="is no seed"):
            folder.seed(None)
