"""`contree simulate`: the boards of an event without a server, in parts or as a whole."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest
from tests.cli.conftest import Contree
from tests.cli.running import HANGS_S, finish, processes_with, start
from tests.tournament.waiting import alive

from contree.cli.simulate import make_player
from contree.engine import Deal, SeededDeals, drive, preset
from contree.testing.pool import WorkerLost
from contree.testing.simulation import PlayerFailed, Simulation, simulate
from contree.tournament.config import seed_of
from contree.tournament.formats import RoundRobin
from contree.tournament.layout import lay_out

RULES = preset("ffb-mixte")
BOTS = """
import os, signal, time
from pathlib import Path
from contree.client import Bot
from contree.engine import PASS

class First(Bot):
    def call(self, view):
        return view.legal[0]
    def play(self, view):
        return view.legal[0]

class Counting(First):
    made = 0
    def __init__(self):
        Counting.made += 1
        self.asked = 0
    def play(self, view):
        self.asked += 1
        assert self.asked <= 8, "the bot of another table"
        return view.legal[0]

class Fails(First):
    def play(self, view):
        raise ZeroDivisionError("no idea")

class Cheats(First):
    def play(self, view):
        return PASS

class Dies(First):
    def play(self, view):
        os.kill(os.getpid(), signal.SIGKILL)

class Slow(First):
    def play(self, view):
        Path(f"slow-{os.getpid()}").touch()
        time.sleep(600)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "my.py").write_text(BOTS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def by_chance(players: tuple[str, ...], label: str = "Cup") -> Simulation:
    return Simulation(players, RULES, seed_of("a seed"), label, make_player)


def test_the_tables_are_those_of_a_round_robin() -> None:
    names = ("a", "b", "c")
    schedule = RoundRobin(names, 9)
    for number in (1, 2, 9):
        assert tuple(by_chance(names).tables(number)) == schedule.tables_of(number)


def test_cards_seats_and_points_are_those_of_an_event() -> None:
    """Played by hand, from what the runner of an event lays out."""
    seed, players = seed_of("a seed"), {"rules": make_player("rules", ""), "first": _lowest}
    simulation = Simulation(("rules", "first"), RULES, seed, "Cup", lambda name, key: players[name])
    disguised = 0
    for number in range(1, 9):
        (played,) = simulation.board(number)
        swings = []
        for table in RoundRobin(("rules", "first"), number).tables_of(number):
            laid = lay_out(table, seed, "Cup", RULES)
            disguised += laid.deal != SeededDeals(seed, "Cup").board(number, RULES)
            seats = {seat: players[name] for seat, name in laid.seats.items()}
            deal = drive(seats, Deal.start(RULES, laid.deal.dealer, laid.deal.hands))
            assert deal.result is not None
            marks = deal.result.marks
            swings.append(marks[laid.first_team] - marks[laid.first_team.other])
        assert (played.table_a.marks, played.table_b.marks) == tuple(swings)
        assert played.points == sum(swings) / 2
    assert disguised >= 7, "the second tables"


def _lowest(view):  # type: ignore[no-untyped-def]
    return view.legal[0]


def test_other_names_and_seeds_are_other_boards() -> None:
    lines = {
        "".join(one.line() for one in by_chance(("rules", "random"), label).board(1))
        for label in ("Cup", "Other")
    }
    assert len(lines) == 2


def test_a_file_that_is_there_is_overwritten_only_when_asked(
    contree: Contree, folder: Path
) -> None:
    Path("out").write_text("precious")
    play = ("simulate", "--deals", "1-2", "--workers", "1", "--out", "out")
    ran = contree(*play)
    assert (ran.code, ran.out) == (2, "")
    assert "--out out is there already" in ran.err
    assert Path("out").read_text() == "precious"
    assert contree(*play, "--force").code == 0
    assert len(Path("out").read_text().splitlines()) == 2


def test_parts_are_read_as_the_whole(contree: Contree, folder: Path) -> None:
    options = ("--policies", "random,rules,my:First", "--workers", "1")
    whole = contree("simulate", "--deals", "1-9", *options)
    for name, deals in (("a", "1-4"), ("b", "5-9")):
        contree("simulate", "--deals", deals, "--out", name, *options)
    read = contree("simulate", "--read", "a", "--read", "b")
    assert read.code == 0
    assert read.out.splitlines() == whole.out.splitlines()[:-1]
    Path("all").write_bytes(Path("a").read_bytes() + Path("b").read_bytes())
    assert contree("simulate", "--read", "all").out == read.out
    rows = json.loads(contree("simulate", "--read", "all", "--json").out)["pairings"]
    assert [row["boards"] for row in rows] == [9, 9, 9]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"board":1}\n', "line 1, is no line of"),
        ("", "There is no board to read."),
        (
            2 * '{"board":7,"first":"a","second":"b","points":1}\n',
            "board 7 of a and b is there twice",
        ),
    ],
    ids=["other", "empty", "twice"],
)
def test_what_cannot_be_read_as_a_whole(
    contree: Contree, folder: Path, text: str, said: str
) -> None:
    Path("all").write_text(text)
    ran = contree("simulate", "--read", "all")
    assert ran.code == 2
    assert said in ran.err


def test_parts_put_together_are_the_whole(contree: Contree, folder: Path) -> None:
    options = ["--policies", "random,my:First,rules", "--rules", "coinche-classique"]
    for name, deals, workers in (
        ("whole", "1-36", "1"),
        ("a", "1-7", "2"),
        ("b", "8-8", "1"),
        ("c", "9-36", "3"),
    ):
        ran = contree(
            *("simulate", "--deals", deals, "--workers", workers, "--out", name), *options
        )
        assert ran.code == 0, ran.err
    whole = Path("whole").read_bytes()
    assert b"".join(Path(name).read_bytes() for name in "abc") == whole
    rows = [json.loads(line) for line in whole.splitlines()]
    assert [row["board"] for row in rows] == [n for n in range(1, 37) for _ in range(3)]
    assert Counter((row["first"], row["second"]) for row in rows) == {
        ("random", "my:First"): 36,
        ("random", "rules"): 36,
        ("my:First", "rules"): 36,
    }
    assert all(
        row["points"] == (row["table_a"]["swing"] + row["table_b"]["swing"]) / 2 for row in rows
    )


def test_what_is_printed(contree: Contree) -> None:
    ran = contree("simulate", "--deals", "1-30", "--workers", "1", "--json")
    told = json.loads(ran.out)
    (pairing,) = told["pairings"]
    assert (pairing["first"], pairing["second"], pairing["boards"]) == ("rules", "random", 30)
    points = pairing["points"]
    assert points["low"] < points["mean"] < points["high"]
    assert points["low"] > 0, "the rules player is better"
    assert told["deals"] == 60
    ran = contree("simulate", "--deals", "1-30", "--workers", "1")
    first, second = ran.out.splitlines()
    assert first == (
        f"rules over random: {points['mean']:+.2f} points a board "
        f"[{points['low']:+.2f}, {points['high']:+.2f}], 30 boards"
    )
    assert second.startswith("60 deals in ")
    assert second.endswith(" deals/s with 1 process")
    ran = contree("simulate", "--deals", "7", "--workers", "8")
    assert ran.out.startswith("rules over random: one board has no interval\n2 deals in ")


def test_it_stops_when_a_sequential_test_has_decided(contree: Contree, folder: Path) -> None:
    options = ["--deals", "1-1000", "--workers", "1", "--sprt"]
    ran = contree("simulate", *options, "--out", "out.jsonl")
    first, verdict, _ = ran.out.splitlines()
    assert verdict.startswith("Sequential test: H1 (t = 0.15) accepted after 60 boards, LLR +")
    boards = len(Path("out.jsonl").read_text().splitlines())
    assert 60 <= boards < 200
    assert first.endswith(f", {boards} boards")
    read = contree("simulate", "--read", "out.jsonl", "--sprt", "--json")
    (row,) = json.loads(read.out)["pairings"]
    assert row["boards"] == boards
    assert (row["sprt"]["verdict"], row["sprt"]["boards"]) == ("H1", 60)


def test_a_sequential_test_that_is_open_says_how_many_boards_it_takes(contree: Contree) -> None:
    few = ["simulate", "--policies", "rules,quiet", "--workers", "1", "--sprt", "--deals"]
    assert (
        "Sequential test: no look yet, the first is after 60 boards." in contree(*few, "1-20").out
    )
    out = contree(*few, "1-60").out
    assert "Sequential test: open after 60 boards, LLR " in out
    assert " within -2.94 to 2.94." in out


def test_a_bot_is_made_for_each_seat_of_each_table(contree: Contree, folder: Path) -> None:
    ran = contree("simulate", "--policies", "my:Counting,random", "--deals", "1-5", "--workers=1")
    assert ran.code == 0, ran.err


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize(
    ("bot", "said"),
    [("Fails", "ZeroDivisionError: no idea"), ("Cheats", "IllegalAction: P is not allowed")],
)
def test_a_bot_at_fault_is_named(
    contree: Contree, folder: Path, bot: str, said: str, workers: str
) -> None:
    options = ["--policies", f"rules,my:{bot}", "--deals", "3-9", "--workers", workers]
    ran = contree("simulate", *options, "--out", "out.jsonl")
    assert ran.code == 1
    *_, last = ran.err.splitlines()
    assert last.startswith("contree: my:" + bot + " failed at table b0003-rules~my:" + bot)
    assert said in last
    assert "Traceback" in ran.err
    assert "0 of 7 boards were played." in ran.err
    assert Path("out.jsonl").read_bytes() == b""


def test_a_process_that_is_killed_ends_it(folder: Path) -> None:
    simulation = by_chance(("rules", "my:Dies"))
    with pytest.raises(WorkerLost, match="it was killed, or ran out of memory"):
        list(simulate(simulation, range(1, 20), workers=2))


def test_a_failure_keeps_what_it_says_from_one_process_to_another() -> None:
    simulation = by_chance(("rules", "no_such:Bot"))
    with pytest.raises(PlayerFailed) as caught:
        list(simulate(simulation, range(1, 3), workers=2))
    assert (caught.value.player, caught.value.table) == ("no_such:Bot", "b0001-rules~no_such:Bot-A")
    assert "BadInput" in caught.value.reason


def test_nothing_outlives_a_first_process_that_is_killed(folder: Path) -> None:
    options = ["--policies", "rules,my:Slow", "--workers", "2", "--out", "out.jsonl"]
    process = start("simulate", "--deals", "5-9", *options, cwd=folder)
    wait_for_two_that_play(process, folder)
    workers = [int(path.name.removeprefix("slow-")) for path in folder.glob("slow-*")]
    process.kill()
    finish(process)
    deadline = time.monotonic() + HANGS_S
    while any(alive(pid) for pid in workers):
        assert time.monotonic() < deadline, "they play on"
        time.sleep(0.02)


def wait_for_two_that_play(process: subprocess.Popen[str], folder: Path) -> None:
    deadline = time.monotonic() + HANGS_S
    while len(list(folder.glob("slow-*"))) < 2:
        assert process.poll() is None
        assert time.monotonic() < deadline, "nobody plays"
        time.sleep(0.02)


def test_ctrl_c_leaves_no_process_and_whole_boards(folder: Path) -> None:
    options = ["--policies", "rules,my:Slow", "--workers", "2", "--out", "out.jsonl"]
    process = start("simulate", "--deals", "5-9", *options, cwd=folder)
    wait_for_two_that_play(process, folder)
    workers = [int(path.name.removeprefix("slow-")) for path in folder.glob("slow-*")]
    process.send_signal(signal.SIGINT)
    ran = finish(process)
    assert ran.code == 130, ran.err
    assert ran.err.splitlines() == ["0 of 5 boards were played.", "Interrupted."]
    for pid in workers:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    assert processes_with(str(folder)) == []
    assert (folder / "out.jsonl").read_bytes() == b""


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--policies rules", "--policies is 'rules': write two players or more"),
        ("--policies rules,rules", "--policies is 'rules,rules': write two players or more"),
        ("--policies rules,nobody", "'nobody' names no bot: write MODULE:CLASS"),
        ("--deals 0-5", "--deals is '0-5': write numbers from 1 on as FROM-TO"),
        ("--deals 9-5", "--deals is '9-5': write"),
        ("--deals some", "--deals is 'some': write"),
        ("--rules nope", "there is no preset 'nope'"),
        ("--seed=", "--seed is empty"),
        ("--policies rules,random,quiet --sprt", "--sprt is between two players"),
    ],
    ids=["one", "twice", "unknown", "zero", "backwards", "words", "rules", "seed", "three"],
)
def test_what_cannot_be_played(contree: Contree, options: str, said: str) -> None:
    ran = contree("simulate", *options.split())
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert ran.err.count("\n") == 1
