"""The metrics of an event: what a snapshot comes to, within bounds; and a run that serves them."""

from __future__ import annotations

import asyncio
import io
import json
import os
import re
import signal
import socket
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.parser import text_string_to_metric_families
from rich.console import Console
from tests.tournament.samples import board, result, table_of
from tests.tournament.scripted import ScriptedService, serving

from contree.server.match import FaultKind
from contree.tournament import run_event
from contree.tournament.config import load_event
from contree.tournament.errors import ProcessError
from contree.tournament.event import _Event, _until_signal
from contree.tournament.folder import EventFolder
from contree.tournament.formats import RoundRobin
from contree.tournament.metrics import (
    FAULTS,
    MOST_BOTS,
    MOST_PAIRED,
    OTHERS,
    EventCollector,
    Snapshot,
    State,
)
from contree.tournament.policy import event_digest
from contree.tournament.progress import Progress
from contree.tournament.scraping import parse_port
from contree.tournament.standings import Standings, standings
from contree.tournament.tables import TableFault
from contree.v1 import match_pb2

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]
PAGE = (Path(__file__).parents[2] / "docs" / "run-a-tournament.md").read_text("utf-8")
FILE = """
name = "Cup"
boards = 3
tables = 4
metrics_port = 0
isolation = "none"
[[bots]]
name = "x"
[[bots]]
name = "y"
[[bots]]
name = "z"
"""


def collected(
    standings: Standings, bots: tuple[str, ...], progress: Progress | None = None, **rest: Any
) -> CollectorRegistry:
    progress = progress or Progress(0, 0, 0, 0, 0, 0)
    snapshot = Snapshot(progress, standings)._replace(**rest)
    registry = CollectorRegistry()
    registry.register(EventCollector("cup-1", "abc", bots, snapshot))
    return registry


def value(registry: CollectorRegistry, name: str, **labels: str) -> float | None:
    return registry.get_sample_value(f"contree_event_{name}", {"event": "cup-1", **labels})


# -- what a snapshot comes to ------------------------------------------------------------------


def test_tables_are_in_one_state_each() -> None:
    progress = Progress(10, 24, 4, 12, 3, 8, forfeited=2, replayed=5)
    registry = collected(standings(("x", "y"), []), ("x", "y"), progress, seconds_left=7.5)
    states = {s: value(registry, "tables", state=s) for s in ("planned", "running", "done")}
    assert states == {"planned": 11, "running": 3, "done": 8}
    assert value(registry, "tables", state="failed") == 2
    assert value(registry, "boards_closed") == 4
    assert value(registry, "boards_planned") == 12
    assert value(registry, "attempts_total", outcome="finished") == 8
    assert value(registry, "attempts_total", outcome="replayed") == 5
    assert value(registry, "remaining_seconds") == 7.5
    assert value(registry, "info", digest="abc") == 1


def test_an_event_is_in_one_state() -> None:
    registry = collected(standings(("x", "y"), []), ("x", "y"), state=State.STOPPED)
    ends = {state: value(registry, "end", state=state.value) for state in State}
    assert ends == {State.RUNNING: 0, State.FINISHED: 0, State.STOPPED: 1}
    assert value(registry, "remaining_seconds") is None, "what cannot be told is not there"


def test_points_are_those_of_the_standings_with_their_intervals() -> None:
    schedule = RoundRobin(("x", "y"), 12)
    results = [
        one
        for number in range(1, 13)
        for one in board(schedule, number, ("x", "y"), (162, 0), (0, 130 * (number % 3)))
    ]
    table = standings(("x", "y"), results, quick=True)
    meeting = next(met for pair, met in table.meetings.items() if pair == ("x", "y"))
    assert meeting.points is not None
    assert meeting.needed is not None, "or this shows nothing"
    registry = collected(table, ("x", "y"))
    pair = {"first": "x", "second": "y"}
    assert value(registry, "pairing_points", **pair) == meeting.points.mean
    assert value(registry, "pairing_low", **pair) == meeting.points.low
    assert value(registry, "pairing_high", **pair) == meeting.points.high
    assert value(registry, "pairing_boards", **pair) == 12
    assert value(registry, "pairing_boards_needed", **pair) == meeting.needed.boards - 12 > 0
    assert value(registry, "pairing_points", first="y", second="x") is None, "told once"
    assert value(registry, "bot_points", bot="y") == -meeting.points.mean
    assert value(registry, "bot_low", bot="y") == -meeting.points.high
    assert value(registry, "bot_seconds", bot="x") == pytest.approx(0.1)


def test_nothing_more_is_needed_once_it_is_clear() -> None:
    schedule = RoundRobin(("x", "y"), 12)
    results = [
        one
        for number in range(1, 13)
        for one in board(schedule, number, ("x", "y"), (162, number), (162, 0))
    ]
    registry = collected(standings(("x", "y"), results), ("x", "y"))
    assert value(registry, "pairing_boards_needed", first="x", second="y") == 0


def test_one_board_has_no_mean_and_so_no_points() -> None:
    schedule = RoundRobin(("x", "y"), 1)
    table = standings(("x", "y"), board(schedule, 1, ("x", "y"), (162, 0), (162, 0)))
    registry = collected(table, ("x", "y"))
    pair = {"first": "x", "second": "y"}
    assert value(registry, "pairing_boards", **pair) == 1
    assert value(registry, "pairing_points", **pair) is None
    assert value(registry, "pairing_boards_needed", **pair) is None


def test_faults_and_restarts_are_there_from_the_start() -> None:
    assert set(FAULTS) == {kind.value for kind in FaultKind}
    schedule = RoundRobin(("x", "y"), 1)
    fault = TableFault("y", "E", "timeout", False, "")
    results = [result(table_of(schedule, 1, "x", "y", "A"), (0, 0), (fault, fault))]
    registry = collected(standings(("x", "y"), results), ("x", "y"), restarts={"x": 3})
    assert value(registry, "faults_total", bot="y", kind="timeout") == 2
    assert value(registry, "faults_total", bot="x", kind="timeout") == 0
    assert value(registry, "bot_restarts_total", bot="x") == 3
    assert value(registry, "bot_restarts_total", bot="y") == 0


def test_a_large_field_is_bounded() -> None:
    bots = tuple(f"b{number}" for number in range(MOST_BOTS + 44))
    schedule = RoundRobin(bots[-2:], 2)
    fault = TableFault(bots[-1], "E", "timeout", False, "")
    results = [result(table, (100, 0), (fault,)) for n in (1, 2) for table in schedule.tables_of(n)]
    first = RoundRobin(bots[MOST_PAIRED - 1 : MOST_PAIRED + 1], 2)
    results += [result(table, (100, 0)) for n in (1, 2) for table in first.tables_of(n)]
    registry = collected(standings(bots, results, quick=True), bots, restarts={bots[-1]: 2})
    assert value(registry, "faults_total", bot=OTHERS, kind="timeout") == len(results) / 2
    assert value(registry, "faults_total", bot=bots[-1], kind="timeout") is None
    assert value(registry, "bot_restarts_total", bot=OTHERS) == 2
    assert value(registry, "bot_points", bot=bots[MOST_PAIRED]) is not None
    assert value(registry, "bot_points", bot=bots[-1]) is None
    families = {family.name: family for family in registry.collect()}
    assert families["contree_event_pairing_points"].samples == []
    assert len(families["contree_event_faults"].samples) == (MOST_BOTS + 1) * len(FAULTS)


def test_the_page_names_every_metric_and_its_labels() -> None:
    section = PAGE.split("### Metrics of an event\n", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| `(contree_event_\w+)` \| (.*?) \|", section, re.MULTILINE)
    told = {name: set(re.findall(r"`(\w+)`", labels)) - {"event"} for name, labels in rows}
    progress = Progress(1, 24, 4, 12, 3, 8)
    schedule = RoundRobin(("x", "y"), 12)
    results = [
        one
        for number in range(1, 13)
        for one in board(schedule, number, ("x", "y"), (162, 0), (0, 130 * (number % 3)))
    ]
    registry = collected(standings(("x", "y"), results), ("x", "y"), progress, seconds_left=1.0)
    given = {
        sample.name: set(sample.labels) - {"event"}
        for family in registry.collect()
        for sample in family.samples
    }
    assert told == given


# -- a run that serves them --------------------------------------------------------------------


@pytest.fixture
def path(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    path = tmp_path / "cup.toml"
    path.write_text(FILE.replace("isolation", f"{getattr(request, 'param', '')}\nisolation"))
    return path


class Screen(io.StringIO):
    """A screen on which a signal answers a sentence, or each of several."""

    def __init__(self, *sentences: str) -> None:
        super().__init__()
        self._sentences = sentences
        self.scraped: Samples = {}

    def write(self, text: str) -> int:
        written = super().write(text)
        if any(sentence in text for sentence in self._sentences):
            self.scraped = scrape(self.getvalue())
            os.kill(os.getpid(), signal.SIGINT)
        return written


def scrape(said: str) -> Samples:
    """What is served where the screen says so."""
    found = re.search(r"^Metrics: (http://\S+/metrics)$", said, re.MULTILINE)
    assert found
    with urllib.request.urlopen(found[1], timeout=60) as response:
        text = response.read().decode()
    return {
        (sample.name, frozenset(sample.labels.items()) - {("event", sample.labels["event"])}): (
            sample.value
        )
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def at(samples: Samples, name: str, **labels: str) -> float | None:
    return samples.get((f"contree_event_{name}", frozenset(labels.items())))


def event_at(address: str, path: Path, screen: Screen, linger: float) -> _Event:
    return _Event(
        load_event(path),
        Console(file=screen, width=200),
        server=address,
        results=path.parent / "results",
        metrics="off",
        metrics_at=("127.0.0.1", 0),
        linger=linger,
    )


async def test_the_last_scrape_sees_the_result_and_ctrl_c_ends_the_waiting(path: Path) -> None:
    screen = Screen("Metrics are served at")
    failing = {"left": 2}
    service = ScriptedService()
    plays = service.script

    def script(request: object, match: match_pb2.Match) -> None:
        plays(request, match)  # type: ignore[arg-type]
        if failing["left"]:
            failing["left"] -= 1
            match.end_reason = match_pb2.END_REASON_INFRASTRUCTURE

    service.script = script
    async with serving(service) as address:
        assert await _until_signal(event_at(address, path, screen, 3600.0), path) == 0
    (folder,) = (path.parent / "results").iterdir()
    scraped = screen.scraped
    assert at(scraped, "end", state="finished") == 1
    assert at(scraped, "end", state="running") == 0
    assert at(scraped, "tables", state="done") == 18
    assert at(scraped, "boards_closed") == at(scraped, "boards_planned") == 9
    assert at(scraped, "attempts_total", outcome="finished") == 18
    assert at(scraped, "attempts_total", outcome="replayed") == 2
    assert at(scraped, "remaining_seconds") == 0
    header = json.loads((folder / "event.json").read_text())
    assert at(scraped, "info", digest=event_digest(header)) == 1
    for row in json.loads((folder / "standings.json").read_text())["standings"]:
        mean = at(scraped, "bot_points", bot=row["bot"])
        assert mean == pytest.approx(row["points"]["mean"])
    with pytest.raises(OSError, match="refused"):
        scrape(screen.getvalue())


@pytest.mark.parametrize(
    "path",
    [pytest.param("faults.broken = 'stop'\ntime.seat_timeout = '100ms'", id="z does not come")],
    indirect=True,
)
async def test_an_event_that_cannot_go_on_is_stopped(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    screen = Screen("Metrics are served at")
    service = ScriptedService()
    del service.bots["z"]
    async with serving(service) as address:
        assert await _until_signal(event_at(address, path, screen, 3600.0), path) == 1
    assert "z did not connect" in capsys.readouterr().err
    assert at(screen.scraped, "end", state="stopped") == 1
    assert at(screen.scraped, "remaining_seconds") is None


async def test_a_signal_in_the_event_ends_it_at_once(path: Path) -> None:
    screen = Screen("To watch from elsewhere")
    async with serving(ScriptedService()) as address:
        code = await _until_signal(event_at(address, path, screen, 0.0), path)
    assert code == 128 + signal.SIGINT
    assert at(screen.scraped, "end", state="running") == 1
    assert at(screen.scraped, "tables", state="planned") == 18
    assert "Metrics are served at" not in screen.getvalue()


async def test_who_lingers_tells_that_a_signal_has_stopped_the_event(path: Path) -> None:
    """And a second signal ends that."""
    screen = Screen("To watch from elsewhere", "Metrics are served at")
    async with asyncio.timeout(60), serving(ScriptedService()) as address:
        code = await _until_signal(event_at(address, path, screen, 3600.0), path)
    assert code == 128 + signal.SIGINT
    assert "Metrics are served at" in screen.getvalue()
    assert at(screen.scraped, "end", state="stopped") == 1
    assert at(screen.scraped, "end", state="running") == 0
    with pytest.raises(OSError, match="refused"):
        scrape(screen.getvalue())


async def test_nobody_lingers_at_an_event_that_is_cancelled(path: Path) -> None:
    class Cancelling(Screen):
        def write(self, text: str) -> int:
            if "To watch from elsewhere" in text:
                (folder,) = (path.parent / "results").iterdir()
                EventFolder(folder).cancel("enough")
            return super().write(text)

    screen = Cancelling("To watch from elsewhere")
    async with asyncio.timeout(60), serving(ScriptedService()) as address:
        code = await _until_signal(event_at(address, path, screen, 3600.0), path)
    assert code == 128 + signal.SIGINT
    assert "the event is cancelled" in screen.getvalue()
    assert "Metrics are served at" not in screen.getvalue()


def test_a_port_that_is_taken_is_said(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        path.write_text(FILE.replace("metrics_port = 0", f"metrics_port = {port}"))
        assert run_event(path, results=path.parent / "results") == 1
    said = capsys.readouterr().err
    assert said.startswith(f"Metrics cannot be served at 127.0.0.1:{port} (Address already in use)")
    assert ProcessError.__name__ not in said


def test_to_linger_there_must_be_something(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path.write_text(FILE.replace("metrics_port = 0\n", ""))
    assert run_event(path, results=path.parent / "results", linger=5) == 2
    assert capsys.readouterr().err == (
        "--linger: no metrics are served; expected --metrics-port, too.\n"
    )


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [("9465", "127.0.0.1", 9465), ("0.0.0.0:0", "0.0.0.0", 0), ("[::1]:9", "::1", 9)],
    ids=["port", "host", "v6"],
)
def test_ports(text: str, host: str, port: int) -> None:
    assert parse_port(text) == (host, port)


@pytest.mark.parametrize("text", ["", "on", "70000", "::1:9", "a b:1", "-1", "9465 "])
def test_what_is_no_port(text: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
        parse_port(text)
