"""Result files: what was written is there, what was half written is not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.tournament.samples import result, table_of

from contree.tournament.errors import ResultsError
from contree.tournament.folder import EventFolder
from contree.tournament.formats import RoundRobin
from contree.tournament.results import ResultLog
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
        times={"x": (0, 1, 0, 1), "y": (2,)},
        slowest={"x": 0.123, "y": 0.0},
    )
    write(tmp_path / "log", [full, *RESULTS[:3]])
    assert read(tmp_path / "log") == [full, *RESULTS[:3]]


def test_a_table_has_one_result(tmp_path: Path) -> None:
    table = RESULTS[0].table
    write(tmp_path / "log", [result(table, (1, 0)), result(table, (2, 0))])
    assert [one.marks for one in read(tmp_path / "log")] == [(1, 0)]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.integers(0, 10**6))
def test_1_cut_off_anywhere_only_the_unfinished_line_is_lost(tmp_path: Path, place: int) -> None:
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


def test_1_a_line_counts_with_its_end_only(tmp_path: Path) -> None:
    """What looks whole may be half of a number, and the next line would be written behind it."""
    path = tmp_path / "log"
    data = write(path, RESULTS[:3])
    path.write_bytes(data[:-1])
    with ResultLog(path) as log:
        assert log.mended
        assert list(log.done.values()) == RESULTS[:2]
        log.append(RESULTS[2])
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
