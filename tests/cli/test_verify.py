"""`contree tournament standings`, `export`, and `contree verify`."""

import json
import os
import random
import re
from pathlib import Path

import pytest
from tests.cli.conftest import Contree
from tests.tournament.events import SEED, make_event

from contree.engine import commitment
from contree.tournament.policy import event_digest

MUTATIONS = 1000 if os.environ.get("FULL") else 100

CRASHING = """
name = "crash"
boards = 2
seed = "crash"
isolation = "none"
[[bots]]
name = "a"
command = ["python", "-m", "contree.bots.random"]
[[bots]]
name = "b"
command = ["python", "crash.py"]
"""
CRASH = """
import os
from pathlib import Path
from contree.client import Bot, run_bot

class Crash(Bot):
    def decide(self, turn):
        if not Path("crashed").exists():
            Path("crashed").touch()
            os._exit(3)
        return turn.view.legal[0]

run_bot(Crash())
"""


@pytest.fixture
def event(tmp_path: Path) -> Path:
    folder = tmp_path / "cup-1"
    make_event(folder)
    (folder / "report.html").write_text("<html>\n<body>fine</body>\n</html>\n")
    return folder


def test_exported_and_verified(
    contree: Contree, event: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = contree("tournament", "export", str(event))
    assert ran.code == 0, ran.err
    (digest,) = re.findall(r"published with it: ([0-9a-f]{64})\n", ran.out)
    assert ran.out.startswith("cup-1.zip: 20 files\n")
    laid_down = event_digest(json.loads((event / "event.json").read_text()))
    checks = ("--manifest", digest.upper(), "--commitment", commitment(SEED), "--event", laid_down)
    ran = contree("verify", "cup-1.zip", *checks)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        "Event cup-1: right. 12 tables; 12 records played again; boards and standings computed "
        f"again, byte for byte.\nCommitment of the seed: {commitment(SEED)}\n"
        f"SHA-256 of the event as it was laid down: {laid_down}\n"
        f"SHA-256 of the manifest: {digest}\nreport.html is vouched for by the manifest alone.\n"
    )
    told = json.loads(contree("verify", "cup-1.zip", "--json").out)
    assert (told["right"], told["findings"], told["manifest"]) == (True, [], digest)
    again = contree("tournament", "export", str(event))
    assert (again.code, again.out) == (1, "")
    assert "cup-1.zip is there already" in again.err
    for option, text, code in (
        ("--manifest", "00" * 32, 1),
        ("--commitment", "00" * 32, 1),
        ("--event", "00" * 32, 1),
        ("--manifest", "many", 2),
    ):
        ran = contree("verify", "cup-1.zip", option, text)
        assert (ran.code, ran.out) == (code, ""), "nothing is called right before it is compared"
        ran = contree("verify", "cup-1.zip", option, text, "--json")
        assert (ran.code, ran.out) == (code, "")


def test_an_event_with_less_in_it_is_not_the_one_that_was_laid_down(
    contree: Contree, tmp_path: Path
) -> None:
    """Such a one is sound in itself: only what was published before tells them apart."""
    before = event_digest(make_event(tmp_path / "cup-1").header())
    make_event(tmp_path / "less" / "cup-1", boards=1)
    out = tmp_path / "out.zip"
    assert (
        contree("tournament", "export", str(tmp_path / "less" / "cup-1"), "--to", str(out)).code
        == 0
    )
    assert contree("verify", str(out), "--commitment", commitment(SEED)).code == 0
    ran = contree("verify", str(out), "--commitment", commitment(SEED), "--event", before)
    assert (ran.code, ran.out) == (1, "")
    assert "The SHA-256 of what was laid down of this event is " in ran.err
    make_event(tmp_path / "same" / "cup-1", revealed=False)
    header = json.loads((tmp_path / "same" / "cup-1" / "event.json").read_text())
    assert event_digest(header | {"contree": "later"}) == before, "before and after it is revealed"


def test_what_cannot_be_proved_yet_is_said_and_has_its_own_exit_code(
    contree: Contree, tmp_path: Path
) -> None:
    folder, out = tmp_path / "cup-1", tmp_path / "out"
    make_event(folder, revealed=False)
    assert contree("tournament", "export", str(folder), "--partial", "--to", str(out)).code == 0
    ran = contree("verify", str(out))
    assert (ran.code, ran.err) == (3, "")
    assert ran.out.startswith("Event cup-1: nothing is wrong, but not all is proved. 12 tables;")
    assert "Not proved: that the cards and seats are those of the seed" in ran.out
    ran = contree("verify", str(out), "--partial")
    assert ran.code == 0
    assert "Not proved" in ran.out
    ran = contree("verify", str(out), "--json")
    told = json.loads(ran.out)
    assert (ran.code, told["right"], told["proved"]) == (3, True, False)


@pytest.mark.slow
def test_the_folder_of_an_event_in_which_a_bot_was_started_again(
    contree: Contree, tmp_path: Path
) -> None:
    (tmp_path / "e.toml").write_text(CRASHING)
    (tmp_path / "crash.py").write_text(CRASH)
    ran = contree("tournament", "run", str(tmp_path / "e.toml"), "--results", str(tmp_path / "r"))
    assert ran.code == 0, ran.err
    (event,) = (tmp_path / "r").iterdir()
    assert (event / "endings.jsonl").read_text().count("\n") == 1, "it ended, once"
    ran = contree("verify", str(event))
    assert (ran.code, ran.out[: ran.out.index(":")]) == (0, f"Event {event.name}")


def test_any_byte_changed(contree: Contree, event: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    assert contree("tournament", "export", str(event), "--to", str(folder)).code == 0
    rng = random.Random(11)
    names = sorted(path for path in folder.rglob("*") if path.is_file())
    for _ in range(MUTATIONS):
        path = rng.choice(names)
        before = path.read_bytes()
        place = rng.randrange(len(before))
        line = before.count(b"\n", 0, place) + 1
        after = bytearray(before)
        after[place] ^= rng.randrange(1, 256)
        path.write_bytes(bytes(after))
        ran = contree("verify", str(folder))
        assert (ran.code, ran.out) == (1, "")
        name = path.relative_to(folder).as_posix()
        assert ran.err.startswith(f"contree: {folder}: {name}, line {line}: "), (name, place)
        assert ran.err.count("\n") == 1
        path.write_bytes(before)
    assert contree("verify", str(folder)).code == 0


def test_the_folder_of_the_runner(contree: Contree, event: Path) -> None:
    ran = contree("verify", str(event))
    assert ran.code == 1
    assert "boards.csv: it is missing" in ran.err
    assert "contree tournament export makes a manifest" in ran.err


def test_standings(contree: Contree, event: Path) -> None:
    ran = contree("tournament", "standings", str(event))
    assert ran.code == 0
    assert ran.out.startswith("Event cup-1: 12 of 12 tables, complete.\n")
    assert "points/board [95%]" in ran.out
    told = contree("tournament", "standings", str(event), "--json")
    assert [row["place"] for row in json.loads(told.out)["standings"]] == [1, 2, 3]
    assert contree("tournament", "export", str(event), "--to", str(event / "x")).code == 0
    assert (event / "x" / "standings.json").read_text() == told.out
    (event / "tables.jsonl").unlink()
    ran = contree("tournament", "standings", str(event))
    assert ran.out == "Event cup-1: no table has a result yet.\n"


@pytest.mark.parametrize(
    "command", [("verify",), ("tournament", "export"), ("tournament", "standings")], ids=str
)
def test_no_event(contree: Contree, tmp_path: Path, command: tuple[str, ...]) -> None:
    ran = contree(*command, str(tmp_path))
    assert (ran.code, ran.out) == (1, "")
    assert "it has no event.json" in ran.err
    assert ran.err.count("\n") == 1
