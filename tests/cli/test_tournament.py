"""`contree tournament run`: bad input; the events themselves are tested with the runner."""

import json
import re
from pathlib import Path

import pytest
from tests.cli.conftest import Contree
from tests.tournament.events import make_event

EVENT = """
name = "small"
boards = 1
[[bots]]
name = "a"
command = ["contree", "bot", "run", "contree.bots:Random"]
[[bots]]
name = "b"
command = ["contree", "bot", "run", "contree.bots:Random"]
"""


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("boards = 1", "boads = 1"), "boa"),
        (("boards = 1", 'boards = "many"'), "boards: "),
        (("boards = 1", "boards ="), "is not TOML"),
        (("boards = 1", 'boards = 1\npreset = "belote"'), "'belote'"),
        (('name = "b"', 'name = "a"'), "bots"),
    ],
    ids=["unknown-key", "type", "no-toml", "preset", "twice"],
)
def test_a_file_that_is_no_event(
    contree: Contree, tmp_path: Path, change: tuple[str, str], sentence: str
) -> None:
    file = tmp_path / "event.toml"
    file.write_text(EVENT.replace(*change), encoding="utf-8")
    ran = contree("tournament", "run", str(file), "--results", str(tmp_path / "results"))
    assert (ran.code, ran.out) == (2, "")
    assert sentence in ran.err
    assert ran.err.count("\n") == 1


def test_no_file(contree: Contree, tmp_path: Path) -> None:
    ran = contree("tournament", "run", str(tmp_path / "nowhere.toml"))
    assert (ran.code, ran.out) == (2, "")
    assert "there is no such file" in ran.err


def test_a_command_that_does_not_exist(contree: Contree, tmp_path: Path) -> None:
    file = tmp_path / "event.toml"
    file.write_text(EVENT.replace('"contree", "bot"', '"not-there-at-all", "bot"'), "utf-8")
    ran = contree("tournament", "run", str(file), "--results", str(tmp_path / "results"))
    assert ran.code in {1, 2}
    assert "not-there-at-all" in ran.err
    assert "Traceback" not in ran.err


def test_boards_needed_from_a_pilot(contree: Contree, tmp_path: Path) -> None:
    make_event(tmp_path / "pilot", bots=("x", "y"), boards=12)
    ran = contree("tournament", "needed", str(tmp_path / "pilot"), "--difference", "100")
    assert ran.code == 0
    assert re.fullmatch(r"x and y: \d+ boards \(between \d+ and \d+\)\n", ran.out)
    ran = contree("tournament", "needed", str(tmp_path / "pilot"), "--difference", "50", "--json")
    assert set(json.loads(ran.out)["x~y"]) == {"boards", "low", "high"}


def test_a_pilot_that_is_too_small(contree: Contree, tmp_path: Path) -> None:
    make_event(tmp_path / "pilot", bots=("x", "y"), boards=3)
    ran = contree("tournament", "needed", str(tmp_path / "pilot"), "--difference", "100")
    assert ran.out == "x and y: fewer than 10 boards, or all alike: that says nothing\n"


def test_a_report_is_made_where_one_asks_for_it(contree: Contree, tmp_path: Path) -> None:
    make_event(tmp_path / "cup", boards=1)
    page = tmp_path / "page.html"
    ran = contree("tournament", "report", str(tmp_path / "cup"), "--output", str(page))
    assert (ran.code, ran.out.strip(), ran.err) == (0, str(page), "")
    assert "<title>cup: results</title>" in page.read_text("utf-8")
    ran = contree("tournament", "report", str(tmp_path / "cup"), "--output", str(page / "x.html"))
    assert (ran.code, ran.out) == (1, "")
    assert "cannot be written" in ran.err
    ran = contree("tournament", "report", str(tmp_path))
    assert (ran.code, ran.out) == (1, "")
    assert "There is no event in" in ran.err


def test_no_pilot(contree: Contree, tmp_path: Path) -> None:
    ran = contree("tournament", "needed", str(tmp_path), "--difference", "100")
    assert (ran.code, ran.out) == (1, "")
    assert "There is no event in" in ran.err
