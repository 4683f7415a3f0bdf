"""`contree record verify` and an event: its seed, its disguises, its seats, its results."""

import dataclasses
import json
from pathlib import Path

import pytest
from tests.cli.conftest import Contree
from tests.cli.running import finish, start
from tests.tournament.events import SEED, make_event, played

from contree.engine import (
    Record,
    commitment,
    format_record,
    format_record_json,
    parse_record,
    preset,
)
from contree.engine.record import RecordedDeal
from contree.tournament.formats import RoundRobin

RULES = preset("ffb-mixte")
TABLES = RoundRobin(("x", "y", "z"), 2).tables_of(2)


@pytest.fixture
def event(tmp_path: Path) -> Path:
    folder = tmp_path / "cup-1"
    make_event(folder)
    return folder


def test_whole_event(contree: Contree, event: Path) -> None:
    ran = contree("record", "verify", str(event))
    assert ran.code == 0
    assert len(ran.out.splitlines()) == 12
    for line in ran.out.splitlines():
        assert ": right: 1 deal, " in line
    assert "the cards are those of board 1, table 1.\n" in ran.out
    assert "the cards are those of board 2, table 6, disguised.\n" in ran.out
    assert ran.err == (
        f"Commitment of the seed: {commitment(SEED)}\nEvent cup-1: 12 of 12 records are right.\n"
    )
    told = contree("record", "verify", str(event), "--json")
    assert [json.loads(line)["right"] for line in told.out.splitlines()] == [True] * 12


def test_record_in_its_folder_and_elsewhere(contree: Contree, event: Path, tmp_path: Path) -> None:
    table = TABLES[3]
    path = event / "records" / f"{table.id}.bgn"
    shown = f"the cards are those of board 2, table {table.number}, disguised."
    assert shown in contree("record", "verify", str(path)).out
    away = tmp_path / path.name
    away.write_text(path.read_text("ascii"), "ascii")
    assert "no seed was given" in contree("record", "verify", str(away)).out
    assert shown in contree("record", "verify", str(away), "--event", str(event)).out
    seeded = contree("record", "verify", str(away), "--seed", SEED.hex(), "--label", "cup")
    assert "board 2 of the seed, disguised as at table " in seeded.out
    other = tmp_path / "other.bgn"
    away.rename(other)
    ran = contree("record", "verify", str(other), "--event", str(event))
    assert (ran.code, ran.err) == (
        2,
        "contree: The event cup-1 has no table other: records bear their names.\n",
    )


def test_seed_not_revealed_yet(contree: Contree, tmp_path: Path) -> None:
    make_event(tmp_path / "e", revealed=False)
    path = tmp_path / "e" / "records" / f"{TABLES[1].id}.bgn"
    ran = contree("record", "verify", str(path))
    assert ran.code == 0
    assert "not computed again: the event has not revealed its seed yet." in ran.out
    # Whoever knows the seed can check already; the label is the event's.
    ran = contree("record", "verify", str(path), "--seed", SEED.hex())
    assert "the cards are those of board 2, table 2, disguised." in ran.out
    ran = contree("record", "verify", str(tmp_path / "e"))
    assert ran.code == 0
    assert ran.err == "Event cup-1: 12 of 12 records are right.\n"


def faulty() -> dict[str, tuple[Record, str, str, str]]:
    """Records that could be, but not at this table: where each is wrong, and why."""
    right = played(TABLES[1], RULES)
    ((dealer, hands, *_),) = right.deals
    (other,) = played(TABLES[0], RULES).deals
    return {
        "board": (dataclasses.replace(right, number=3), "[Mode ", "board", "is of board 2"),
        "seats": (
            dataclasses.replace(right, names=("x", "x", "y", "y")),
            "[Seats ",
            "seats",
            "sit at N E S W of this table",
        ),
        "rules": (
            dataclasses.replace(right, rules=dataclasses.replace(RULES, target=7)),
            "[Rules ",
            "rules",
            "the event is played under ffb-mixte",
        ),
        "dealer": (
            dataclasses.replace(right, deals=(RecordedDeal(dealer.partner, hands),)),
            "[Dealer ",
            "deals[0].dealer",
            f"{dealer} deals, not {dealer.partner}",
        ),
        "cards": (
            dataclasses.replace(right, deals=(RecordedDeal(dealer, other.hands),)),
            "Deal ",
            "deals[0].hands",
            "by the seed the cards of deal 2 are N:",
        ),
    }


@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
@pytest.mark.parametrize("fault", faulty())
def test_what_is_wrong_is_named(contree: Contree, event: Path, fault: str, as_json: bool) -> None:
    record, line, path, problem = faulty()[fault]
    text = format_record(record)
    file = event / "records" / f"{TABLES[1].id}.bgn"
    file.write_text(format_record_json(record) if as_json else text, "ascii")
    number = next(n for n, one in enumerate(text.split("\n"), 1) if one.startswith(line))
    place = path if as_json else f"line {number}"
    ran = contree("record", "verify", str(file))
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith(f"contree: {file}, {place}: ")
    assert problem in ran.err


def test_result_that_does_not_fit_its_record(contree: Contree, event: Path) -> None:
    log = event / "tables.jsonl"
    lines = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    lines[7]["marks"] = [1, 2]
    log.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    ran = contree("record", "verify", str(event))
    assert ran.code == 1
    assert "in the results of the event it counts 1 to x, 2 to the other." in ran.err
    assert "Event cup-1: 11 of 12 records are right." in ran.err


def test_record_that_is_missing(contree: Contree, event: Path) -> None:
    (event / "records" / f"{TABLES[2].id}.bgn").unlink()
    ran = contree("record", "verify", str(event))
    assert ran.code == 1
    assert f"the table {TABLES[2].id} has a result, but no record." in ran.err


def test_seed_that_was_exchanged(contree: Contree, event: Path) -> None:
    header = json.loads((event / "event.json").read_text("utf-8"))
    (event / "event.json").write_text(json.dumps({**header, "seed": "11" * 32}), "utf-8")
    ran = contree("record", "verify", str(event))
    assert (ran.code, ran.out) == (1, "")
    assert "the seed is not the one that its commitment is of" in ran.err


def test_folder_that_is_no_event(contree: Contree, tmp_path: Path) -> None:
    ran = contree("record", "verify", str(tmp_path))
    assert ran.code == 1
    assert ran.err == f"contree: There is no event in {tmp_path}: it has no event.json.\n"


@pytest.mark.slow
def test_event_played_under_rules_of_its_own(contree: Contree, tmp_path: Path) -> None:
    """From the file of the event and that of its rules to records that can be verified."""
    (tmp_path / "club.toml").write_text(
        'base = "coinche-classique"\nname = "club"\nbelote_mode = "announced"\n', "utf-8"
    )
    bots = "".join(
        f'[[bots]]\nname = "{name}"\ncommand = ["python", "-m", "contree.bots.{name}"]\n'
        for name in ("rules", "random")
    )
    (tmp_path / "cup.toml").write_text(
        f'name = "cup"\nrules = "club.toml"\nboard_shuffle = "each"\nboards = 2\n{bots}', "utf-8"
    )
    ran = finish(start("tournament", "run", "cup.toml", cwd=tmp_path))
    assert ran.code == 0, ran.err
    (folder,) = (tmp_path / "results").iterdir()
    verified = contree("record", "verify", str(folder))
    assert verified.code == 0, verified.err
    assert len(verified.out.splitlines()) == 4
    (path, *_) = (folder / "records").iterdir()
    record = parse_record(path.read_text("ascii"))
    assert record.rules.name == "club"
    assert commitment(bytes.fromhex(json.loads((folder / "event.json").read_text())["seed"])) in (
        verified.err
    )
