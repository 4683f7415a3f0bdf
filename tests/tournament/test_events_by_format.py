"""Every format as `contree tournament run` plays it: real service, real bots, verified records."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

from contree.cli.app import app
from contree.tournament import run_event
from contree.tournament.audit import audit
from contree.tournament.export import export_event

pytestmark = [pytest.mark.events, pytest.mark.timeout(180)]

RULES = '["python", "-m", "contree.bots.rules"]'
RANDOM = '["python", "-m", "contree.bots.random"]\nenv = { BOT_SEED = "1" }'
"""At random, and the same each time: who wins is no matter of luck."""


def bots(**commands: str) -> str:
    return "\n".join(
        f'[[bots]]\nname = "{name}"\ncommand = {command}' for name, command in commands.items()
    )


class Played:
    """An event that was played, run again, and verified."""

    def __init__(self, folder: Path, text: str) -> None:
        self.file = folder / "cup.toml"
        self.file.write_text(f'name = "Cup"\ntables = 8\nseed = "formats"\n{text}', "utf-8")
        self.results = folder / "results"
        self.said = ""
        assert self.run() == 0, self.said
        self.folder = next(self.results.iterdir())
        first = (self.folder / "standings.json").read_bytes()
        assert self.run() == 0
        assert "It has been played" in self.said
        assert (self.folder / "standings.json").read_bytes() == first
        verified = CliRunner().invoke(app, ["record", "verify", str(self.folder)])
        assert verified.exit_code == 0, verified.output
        proved = audit(export_event(self.folder).files)
        assert proved.right, proved.findings
        assert proved.complete

    def run(self) -> int:
        out = io.StringIO()
        console = Console(file=out, width=79)
        code = run_event(self.file, results=self.results, console=console)
        self.said = out.getvalue()
        return code

    @property
    def standings(self) -> dict[str, Any]:
        found = json.loads((self.folder / "standings.json").read_text("utf-8"))
        assert isinstance(found, dict)
        return found

    def records(self) -> int:
        return len(list((self.folder / "records").iterdir()))


def test_gauntlet(tmp_path: Path) -> None:
    played = Played(
        tmp_path,
        'boards = 3\nformat = "gauntlet"\n[gauntlet]\nbot = "hero"\n'
        + bots(a=RANDOM, hero=RULES, b=RANDOM),
    )
    assert played.records() == played.standings["of_tables"] == 2 * 3 * 2
    assert {(m["bot"], m["opponent"]) for m in played.standings["meetings"]} == {
        ("hero", "a"),
        ("a", "hero"),
        ("hero", "b"),
        ("b", "hero"),
    }
    assert played.standings["standings"][0]["bot"] == "hero"


def test_swiss(tmp_path: Path) -> None:
    played = Played(
        tmp_path,
        'boards = 2\nformat = "swiss"\n[swiss]\nrounds = 2\n'
        + bots(r1=RANDOM, best=RULES, r2=RANDOM, r3=RANDOM, r4=RANDOM),
    )
    report = played.standings["report"]
    assert len(report["rounds"]) == 2
    assert sum(report["match_points"].values()) == 2 * (2 * 2 + 2)
    assert played.standings["standings"][0]["bot"] == "best"
    assert played.records() == 2 * 2 * 2 * 2
    assert "Round 2: " in played.said


def test_knockout(tmp_path: Path) -> None:
    played = Played(
        tmp_path,
        'boards = 2\nformat = "knockout"\n[knockout]\ntiebreak_boards = 1\ntiebreaks = 1\n'
        + bots(r1=RANDOM, best=RULES, r2=RANDOM),
    )
    assert played.standings["standings"][0]["bot"] == "best"
    assert "Final: " in played.said
    assert played.records() == played.standings["of_tables"] >= 8


def test_sprt(tmp_path: Path) -> None:
    played = Played(
        tmp_path,
        'boards = 60\nformat = "sprt"\n[sprt]\nleast = 10\nevery = 5\n'
        + bots(rules=RULES, random=RANDOM),
    )
    report = played.standings["report"]
    assert report["verdict"] == "H1"
    assert played.standings["tables"] == 2 * report["boards"] < 120
    assert "H1 (t = 0.15) accepted" in played.said
    conduct = json.loads((played.folder / "conduct.json").read_text("utf-8"))
    assert played.records() == played.standings["tables"] + len(conduct["surplus"])


def test_races(tmp_path: Path) -> None:
    played = Played(
        tmp_path, "boards = 2\n[race]\ntarget = 600\n" + bots(rules=RULES, random=RANDOM)
    )
    assert played.standings["unit"] == "races won less races lost"
    best = played.standings["standings"][0]
    # Races are won or lost: whoever is first won at least half; luck may have the other win one.
    assert best["points"]["mean"] in (0.0, 0.5, 1.0)
    assert best["imps"] is None
    lines = (played.folder / "tables.jsonl").read_text("utf-8").splitlines()
    assert {json.loads(line)["reason"] for line in lines} == {"target_reached"}


def test_a_broken_bot_forfeits_and_the_event_goes_on(tmp_path: Path) -> None:
    broken = '["python", "-c", "raise SystemExit(\'no model file\')"]'
    played = Played(
        tmp_path,
        "boards = 2\n[faults]\nforfeit_marks = 160\n"
        + bots(rules=RULES, broken=broken, random=RANDOM),
    )
    rows = {row["bot"]: row for row in played.standings["standings"]}
    assert rows["broken"]["forfeits"] == 8
    assert rows["broken"]["points"]["mean"] == -160.0
    assert len(played.standings["forfeited"]) == 8
    assert played.records() == 4
    assert " broken* " in played.said
    assert "* broken: it forfeited 8 tables; the points include that." in played.said
    header = json.loads((played.folder / "event.json").read_text("utf-8"))
    assert "its opponent marks 160" in header["policy"]["broken bot"]
