"""`contree analyse` as people and scripts call it."""

from __future__ import annotations

import io
import json
import multiprocessing
import os
import re
import signal
import sys
import time
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from tests.cli.conftest import Contree
from tests.cli.running import finish, processes_with, start
from tests.tournament.html_report.folders import make_folder

from contree.analysis import analysis_from_dict, digest_of
from contree.cli.analysing import How, analysed, records_in
from contree.cli.errors import Failure
from contree.engine import format_record_json, read_record
from contree.engine.notation import format_record
from contree.policy import CardStyle, rules_player, styled_player
from contree.tournament.bundle import write_files
from contree.tournament.export import export_event

OTHER = styled_player(cards=CardStyle(ruff=30.0, defence_trump=30.0))


@pytest.fixture(scope="module")
def event(tmp_path_factory: pytest.TempPathFactory) -> Path:
    players = {"x": rules_player, "y": OTHER}
    folder = tmp_path_factory.mktemp("event")
    return make_folder(folder, bots=("x", "y"), boards=3, players=players)


def records(event: Path) -> list[Path]:
    return sorted((event / "records").iterdir())


def test_a_record_to_read(contree: Contree, event: Path) -> None:
    ran = contree("analyse", str(records(event)[1]), "--worlds", "5", "--worst", "3")
    assert ran.code == 0, ran.err
    assert max(map(len, ran.out.splitlines())) <= 80
    lines = [line.strip() for line in ran.out.splitlines()]
    assert {line.split()[0] for line in lines[3:5]} == {"x", "y"}
    assert "on average over 5 worlds that the seat could not tell apart" in ran.out
    assert "fewer than 10 boards are too few for means and errors" in ran.out
    assert "costliest cards" in ran.out
    assert "par" in ran.out
    assert ran.err == ""


def test_open_cards_only(contree: Contree, event: Path) -> None:
    ran = contree("analyse", str(records(event)[0]), "--worlds", "0", "--worst", "0")
    assert ran.code == 0, ran.err
    assert "worlds" not in ran.out
    assert "seen" not in ran.out
    assert "costliest" not in ran.out


def test_json_of_an_event_and_of_its_records(
    contree: Contree, event: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ("--worlds", "2", "--json")
    whole = contree("analyse", str(event), *options, "--workers", "2")
    assert whole.code == 0, whole.err
    found = [analysis_from_dict(json.loads(line)) for line in whole.out.splitlines()]
    paths = records(event)
    assert [one.record for one in found] == [path.stem for path in paths]
    assert [one.sha256 for one in found] == [
        digest_of(read_record(path.read_text())) for path in paths
    ]
    assert {name for one in found for name in one.names} == {"x", "y"}
    assert {one.event for one in found} == {"cup-1"}, "whatever its folder is called"

    exported = export_event(event, partial=True)
    archive = tmp_path / "event.zip"
    write_files(exported.files, archive, exported.event)
    assert zipfile.is_zipfile(archive)
    assert contree("analyse", str(archive), *options, "--workers", "1").out == whole.out, (
        "the same anywhere"
    )

    as_json = format_record_json(read_record(paths[0].read_text()))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(as_json.encode())))
    one = contree("analyse", "-", str(paths[1]), *options)
    first, second = (analysis_from_dict(json.loads(line)) for line in one.out.splitlines())
    assert (first.record, second.record) == ("-", str(paths[1]))
    assert [first.deals, second.deals] == [found[0].deals, found[1].deals]


def test_the_totals_of_an_event_name_records(contree: Contree, event: Path) -> None:
    ran = contree("analyse", str(event), "--worlds", "2", "--worst", "4", "--workers", "1")
    assert ran.code == 0, ran.err
    assert max(map(len, ran.out.splitlines())) <= 80
    assert "b0001-" in ran.out or "b0002-" in ran.out or "b0003-" in ran.out
    assert "with open cards  played" not in ran.out, "deals are told of a single record"


@pytest.mark.parametrize("workers", ["1", "2"])
def test_what_is_no_record_is_named_with_its_line(
    contree: Contree, event: Path, tmp_path: Path, workers: str
) -> None:
    good, bad = records(event)[0], tmp_path / "bad.bgn"
    lines = good.read_text().splitlines(keepends=True)
    place = next(n for n, line in enumerate(lines) if line.startswith("Play"))
    bad.write_text(
        "".join([*lines[:place], lines[place].replace("Play ", "Play Q"), *lines[place + 1 :]])
    )
    ran = contree("analyse", str(good), str(bad), "--worlds", "0", "--json", "--workers", workers)
    assert ran.code == 1
    assert len(ran.out.splitlines()) == 1, "what was before it"
    said, last = ran.err.splitlines()[-2:]
    assert said == "1 of 2 records were analysed."
    assert last.startswith(f"contree: {bad}, line {place + 1}: ")


@pytest.fixture
def long_work(event: Path, tmp_path: Path) -> list[Path]:
    """A record that is done at once, one that is none, and some that take an hour each with
    ``FOR_AN_HOUR``.
    """
    whole = records(event)
    record = read_record(whole[0].read_text())
    (deal,) = record.deals
    short, bad = tmp_path / "short.bgn", tmp_path / "bad.bgn"
    begun = deal._replace(calls=deal.calls[:1], cards=())
    short.write_text(format_record(replace(record, deals=(begun,))))
    bad.write_text("nothing\n")
    return [short, bad, *whole[:3]]


FOR_AN_HOUR = 100_000


def test_a_bad_record_ends_it_however_long_the_others_take(long_work: list[Path]) -> None:
    options = ("--worlds", str(FOR_AN_HOUR), "--json", "--workers", "2")
    ran = finish(start("analyse", *map(str, long_work), *options))
    assert ran.code == 1, ran.err
    assert len(ran.out.splitlines()) == 1
    count, last = ran.err.splitlines()
    assert count == "1 of 5 records were analysed."
    assert last.startswith(f"contree: {long_work[1]}, line 1: ")


def test_no_process_works_on_after_a_bad_record(long_work: list[Path]) -> None:
    found = analysed(How(FOR_AN_HOUR, ""), records_in(long_work), 2)
    assert next(found).record == str(long_work[0])
    with pytest.raises(Failure) as raised:
        next(found)
    # What was raised holds on to all that was under way: it ended by itself.
    assert raised.traceback
    assert multiprocessing.active_children() == []


def test_what_is_not_there(contree: Contree, tmp_path: Path) -> None:
    for path, said in (
        (tmp_path / "no.bgn", "There is no record"),
        (tmp_path, "There is no event in"),
        (tmp_path / "no.zip", "There is no event"),
        (make_folder(tmp_path / "early", bots=("x", "y"), boards=0), "The event"),
    ):
        ran = contree("analyse", str(path))
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith(f"contree: {said}")
        assert len(ran.err.splitlines()) == 1


def test_ctrl_c_leaves_no_process(event: Path, tmp_path: Path) -> None:
    link = tmp_path / "an-event-by-another-name"
    link.symlink_to(event)
    process = start("analyse", str(link), "--worlds", "100", "--json", "--workers", "2")
    assert process.stdout is not None
    try:
        assert json.loads(process.stdout.readline())["record"] == "b0001-x~y-A"
        deadline = time.monotonic() + 60
        while len(workers := working_for(process.pid)) < 2:
            assert process.poll() is None
            assert time.monotonic() < deadline, "nobody works"
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
    finally:
        ran = finish(process)
    assert ran.code == 130, ran.err
    *_, count, last = ran.err.splitlines()
    assert re.fullmatch(r"[1-5] of 6 records were analysed\.", count)
    assert last == "Interrupted."
    for worker in workers:
        with pytest.raises(ProcessLookupError):
            os.kill(worker, 0)
    assert processes_with(str(link)) == []


def working_for(first: int) -> list[int]:
    children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
    return [
        int(pid) for pid in children if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]
