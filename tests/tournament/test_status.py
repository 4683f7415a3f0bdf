"""How an event stands, from its folder alone; and its end before its end."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path

import pytest
from tests.tournament.events import make_event

from contree.tournament.bot_endings import Ending, note_ending
from contree.tournament.documents import Derived
from contree.tournament.ending import cancel_event
from contree.tournament.errors import ResultsError
from contree.tournament.folder import EventFolder
from contree.tournament.progress import Progress
from contree.tournament.proof import EventProof
from contree.tournament.results import ResultLog
from contree.tournament.running import Running
from contree.tournament.schedule import Pairing
from contree.tournament.status import status_of
from contree.tournament.tables import Attempt, TableFault, TableResult, forfeited


@pytest.fixture
def event(tmp_path: Path) -> Path:
    """An event of which two tables are missing, one was forfeited, one played again."""
    make_event(tmp_path, revealed=False)
    log = tmp_path / "tables.jsonl"
    results = [
        TableResult.from_dict(json.loads(line)) for line in log.read_text().splitlines()[:-2]
    ]
    results[0] = forfeited(results[0].table, {"x"}, 250, race=False, attempts=())
    results[1] = dataclasses.replace(
        results[1],
        attempts=(Attempt("m0", "not_started"), Attempt("m1", "infrastructure")),
        faults=(TableFault("y", "E", "timeout", False, ""),),
    )
    log.write_text("".join(map(TableResult.line, results)))
    return tmp_path


def test_an_event_that_nobody_runs(event: Path) -> None:
    status = status_of(event)
    assert (status.state, status.process) == ("interrupted", None)
    assert (status.tables, status.of_tables, status.boards, status.of_boards) == (10, 12, 5, 6)
    assert status.forfeited == ("b0001-x~y-A",)
    assert status.replayed == {"b0001-x~y-B": ("not_started", "infrastructure")}
    assert status.faults == {"y": 1}
    assert (status.playing, status.seconds_left) == ((), None)
    assert status.lines() == [
        "Event cup-1, round-robin: interrupted: run the same command again to go on.",
        "5/6 boards closed, 10/12 tables, 0 in play",
        "Forfeited: b0001-x~y-A",
        "Played again: b0001-x~y-B (not_started, infrastructure)",
        "Faults: y 1",
    ]


def test_restarts_and_boards_still_needed(tmp_path: Path) -> None:
    make_event(tmp_path, bots=("x", "y"), boards=12, revealed=False)
    standings = Derived.of(EventProof.read(tmp_path).schedule, EventProof.read(tmp_path).results)
    met = standings.standings.meetings[Pairing("x", "y")]
    assert met.needed is not None, "at random none is better"
    for process in ("north", "south"):
        ending = Ending("y", process, "with exit code 1", restarted=process == "north")
        note_ending(EventFolder(tmp_path).endings, ending)
    status = status_of(tmp_path)
    assert status.restarts == {"y": 1}
    assert status.boards_needed == {"x~y": met.needed._asdict()}
    lines = status.lines()
    assert lines[-2] == "Started again: y 1"
    assert lines[-1].startswith("Boards to tell apart, if it goes on like this: x and y about ")


def test_an_event_that_is_run(event: Path) -> None:
    with EventFolder.opened(event):
        running = Running(event)
        running.begin()
        running.write(Progress(10, 12, 5, 6, 2, 4), ["b0002-y~z-B", "b0002-y~z-A"])
        status = status_of(event)
        assert (status.state, status.process) == ("running", os.getpid())
        assert status.playing == ("b0002-y~z-A", "b0002-y~z-B")
        assert status.tables_a_second > 0
        assert status.seconds_left is not None
        assert "In play: b0002-y~z-A, b0002-y~z-B" in status.lines()
        assert "left" in status.lines()[1]
    status = status_of(event)
    assert (status.state, status.playing) == ("interrupted", ()), "what it said is of the past"


def test_looking_does_not_keep_a_runner_out(event: Path) -> None:
    assert EventFolder.runner_of(event) is None
    with EventFolder.opened(event):
        assert EventFolder.runner_of(event) == os.getpid()


def test_cancelled(event: Path) -> None:
    assert cancel_event(event, "the hall is on fire") is False
    status = status_of(event)
    assert status.state == "cancelled"
    assert status.lines()[0].endswith(": the hall is on fire.")
    EventFolder(event).reopen()
    assert status_of(event).state == "interrupted"
    with ResultLog(event / "tables.jsonl") as log:
        assert len(log.done) == 10


def test_an_event_that_is_over_is_not_cancelled(tmp_path: Path) -> None:
    make_event(tmp_path)
    assert status_of(tmp_path).state == "complete"
    with pytest.raises(ResultsError, match="is over: there is nothing to cancel"):
        cancel_event(tmp_path)


@pytest.mark.parametrize("text", ["", "[]", "{"], ids=["empty", "list", "half"])
def test_what_a_run_said_of_itself_is_not_trusted(event: Path, text: str) -> None:
    (event / "run.json").write_text(text)
    with EventFolder.opened(event):
        assert status_of(event).playing == ()
