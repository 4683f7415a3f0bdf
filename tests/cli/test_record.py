"""`contree record`: shown, converted, verified; and the first line that is wrong is named."""

import dataclasses
import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Contree, Golden
from tests.cli.running import finish, start
from tests.engine.test_notation_json import ANNOUNCED, random_record

from contree.engine import (
    Mode,
    Record,
    commitment,
    disguise,
    format_record,
    format_record_json,
    mix,
    parse_record,
    parse_record_json,
    preset,
)
from contree.engine.record import RecordedDeal
from contree.engine.shuffle import SeededDeals

Write = Callable[..., str]


def played(rules: str, mode: Mode, seed: int) -> Record:
    record = random_record(preset(rules), mode, seed)
    names = ("Nora", "Eve", "Sue", "Walt")
    return dataclasses.replace(
        record, names=names, notes=("match m7", "fault: E timeout in deal 1")
    )


BOARD = played("ffb-mixte", Mode.BOARD, 3)
RACE = played("coinche-classique", Mode.RACE, 5)


def seed_of(number: int) -> str:
    return number.to_bytes(32, "big").hex()


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(record: Record, name: str = "r.bgn", *, as_json: bool = False) -> str:
        path = tmp_path / name
        path.write_text(format_record_json(record) if as_json else format_record(record), "ascii")
        return str(path)

    return write


def resigned(text: str) -> str:
    """A text with the digest that fits it."""
    lines = text.split("\n")[:-2]
    body = "".join(f"{line}\n" for line in lines)
    return f"{body}[Sha256 {hashlib.sha256(body.encode()).hexdigest()}]\n"


# --- show


def test_screens(contree: Contree, golden: Golden, write: Write) -> None:
    golden("record-board", contree("record", "show", write(BOARD)).out)
    golden("record-race", contree("record", "show", write(RACE)).out)
    announced = next(
        record
        for seed in range(1, 99)
        if "+b" in format_record(record := random_record(ANNOUNCED, Mode.BOARD, seed))
    )
    golden("record-announced", contree("record", "show", write(announced)).out)


def test_shows_a_match_that_is_not_over_and_one_passed_out(contree: Contree, write: Write) -> None:
    under_way = random_record(preset("ffb-mixte"), Mode.RACE, 3, steps=20)
    told = contree("record", "show", write(under_way)).out
    assert "The record ends before the match does." in told
    text = format_record(BOARD).split("\n")
    bid = next(n for n, line in enumerate(text) if line.startswith("Bid"))
    text[bid : bid + 3] = ["Bid P P P P", "Score N-S 0 E-W 0 | 0-0"]
    passed = parse_record(resigned("\n".join(text)))
    assert "all four passed" in contree("record", "show", write(passed)).out


@pytest.mark.parametrize(
    ("target", "limit", "told"),
    [
        (1000, None, "a race to 1000\n"),
        (1000, 3, "a race to 1000, 3 deals at most\n"),
        (1_000_000, 3, "3 deals\n"),
    ],
)
def test_shows_how_a_race_ends(
    contree: Contree, write: Write, target: int, limit: int | None, told: str
) -> None:
    rules = dataclasses.replace(preset("ffb-mixte"), target=target, deals_limit=limit)
    record = random_record(rules, Mode.RACE, 1, steps=10)
    lines = contree("record", "show", write(record)).out.splitlines()
    assert f"match  {told}" in [f"{line.rstrip()}\n" for line in lines]


def test_shows_either_form(contree: Contree, write: Write) -> None:
    as_text = contree("record", "show", write(BOARD))
    as_json = contree("record", "show", write(BOARD, "r.json", as_json=True))
    assert (as_text.code, as_text.out) == (as_json.code, as_json.out)
    told = contree("record", "show", write(BOARD), "--json").out
    assert parse_record_json(told) == BOARD


def test_nothing_in_a_record_commands_the_terminal(contree: Contree, write: Write) -> None:
    evil = dataclasses.replace(
        BOARD, names=("\x1b[2J", "a\nb", "\ud800", ""), notes=("\x1b]0;x\x07", "[bold]")
    )
    for command in (("record", "show"), ("replay",)):
        ran = contree(*command, write(evil))
        assert ran.code == 0
        assert "\x1b" not in ran.out
    assert "?[2J" in contree("record", "show", write(evil)).out
    assert "[bold]" in contree("record", "show", write(evil)).out


# --- convert


@pytest.mark.parametrize("record", [BOARD, RACE], ids=["board", "race"])
def test_convert_there_and_back(contree: Contree, write: Write, record: Record) -> None:
    as_json = contree("record", "convert", write(record), "--to", "json")
    assert (as_json.code, as_json.out) == (0, format_record_json(record))
    path = write(record, "r.json", as_json=True)
    assert contree("record", "convert", path, "--to", "text").out == format_record(record)
    assert contree("record", "convert", path, "--to", "json").out == format_record_json(record)


def test_records_from_standard_input() -> None:
    ran = finish(start("record", "convert", "-", "--to", "json"), stdin=format_record(BOARD))
    assert (ran.code, ran.out, ran.err) == (0, format_record_json(BOARD), "")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("convert {} --to yaml", "There is no form 'yaml': write --to json or --to text."),
        ("convert no.bgn --to json", "There is no record no.bgn: check the path."),
        ("show no.bgn", "There is no record no.bgn: check the path."),
        ("verify no.bgn", "There is no record no.bgn: check the path."),
        ("verify {} --seed 12", "A seed is 64 hex digits, not '12'."),
        ("verify {} --seed " + "x" * 64, "A seed is 64 hex digits, not 'xxx"),
        ("verify {} --label a", "--label and --entropy belong to a seed: give --seed too."),
    ],
)
def test_bad_input(contree: Contree, write: Write, arguments: str, sentence: str) -> None:
    ran = contree("record", *arguments.format(write(BOARD)).split())
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"contree: {sentence}")
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize("command", ["show", "convert", "replay"])
def test_what_is_no_record_is_said_with_its_line(
    contree: Contree, tmp_path: Path, command: str
) -> None:
    arguments = {"show": ["record", "show"], "convert": ["record", "convert"], "replay": ["replay"]}
    options = ["--to", "text"] if command == "convert" else []
    path = tmp_path / "x.bgn"
    for text, place in [
        (b"1. e4 e5\n", "line 1: expected [BGN 1]"),
        (b"\xff\xfe\n", "line 1: only printable ASCII"),
        (b"{}", "the record: bgn is missing"),
        (format_record(BOARD).replace("Eve", "Ewe").encode(), "the text above has been changed"),
    ]:
        path.write_bytes(text)
        ran = contree(*arguments[command], str(path), *options)
        assert (ran.code, ran.out) == (1, "")
        assert ran.err.startswith(f"contree: {path}, ")
        assert place in ran.err


@pytest.mark.parametrize(
    "command", ["record verify", "record show", "record convert --to json", "replay", "leak-test"]
)
def test_files_that_cannot_be_read_are_a_sentence(
    contree: Contree, tmp_path: Path, command: str
) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    for path in (str(loop), "/proc/self/mem"):  # reading fails, not opening
        ran = contree(*command.split(), path)
        assert ran.code in (1, 2)
        assert ran.err.startswith(f"contree: {path}: ")
        assert ran.err.count("\n") == 1


# --- verify


@pytest.mark.parametrize("as_json", [False, True])
@pytest.mark.parametrize(
    ("notes", "right"),
    [
        (["seed " + seed_of(1)[:62]], 0),
        (["match m7", "seed x", "seed " + seed_of(1)], 0),
        (["seed " + seed_of(1), "seed " + seed_of(2)], 1),
    ],
    ids=["short", "before", "two"],
)
def test_a_damaged_seed_is_wrong(
    contree: Contree, write: Write, notes: list[str], right: int, as_json: bool
) -> None:
    record = dataclasses.replace(BOARD, notes=tuple(notes))
    path = write(record, as_json=as_json)
    ran = contree("record", "verify", path)
    assert ran.code == 1
    assert "a seed is 64 hex digits, and there is one in a record" in ran.err
    if as_json:
        assert f"notes[{next(i for i, n in enumerate(notes) if 'seed' in n) + right}]" in ran.err
    else:
        lines = format_record(record).split("\n")
        first = next(i for i, line in enumerate(lines, 1) if line.startswith('[Note "seed'))
        assert f"line {first + right}:" in ran.err


def test_right_records(contree: Contree, write: Write) -> None:
    board, race = write(BOARD), write(RACE, "race.json", as_json=True)
    ran = contree("record", "verify", board, race)
    assert (ran.code, ran.err) == (0, "")
    first, second = ran.out.splitlines()
    (deal,) = BOARD.deals
    actions = len(deal.calls) + len(deal.cards)
    assert first == (
        f"{board}: right: 1 deal, {actions} actions, NS 0 EW 1000; "
        "the cards were not computed again: no seed was given."
    )
    assert second.startswith(f"{race}: right: 3 deals, ")
    ran = contree("record", "verify", board, "--seed", seed_of(3))
    assert ran.out.endswith("; the cards are those of board 3 of the seed.\n")
    ran = contree("record", "verify", race, "--seed", seed_of(5), "--label", "")
    assert ran.out.endswith("; the cards are those of deals 1 to 3 of the seed.\n")


def test_unfinished_record_is_right_so_far(contree: Contree, write: Write) -> None:
    record = random_record(preset("ffb-mixte"), Mode.RACE, 3, steps=20)
    ran = contree("record", "verify", write(record), "--seed", seed_of(3))
    assert ran.code == 0
    assert "20 actions, not to its end, NS 0 EW 0; the cards are those of deal 1" in ran.out


def test_for_scripts(contree: Contree, write: Write) -> None:
    right, wrong = write(BOARD), write(RACE, "race.bgn")
    ran = contree("record", "verify", right, wrong, "--seed", seed_of(3), "--json")
    assert (ran.code, ran.err) == (1, "")
    first, second = (json.loads(line) for line in ran.out.splitlines())
    assert first == {
        "file": right,
        "right": True,
        "deals": 1,
        "actions": sum(len(deal.calls) + len(deal.cards) for deal in BOARD.deals),
        "scores": [0, 1000],
        "cards": "those of board 3 of the seed",
    }
    assert (second["file"], second["right"]) == (wrong, False)
    assert second["place"] == "line 6"
    assert json.loads(contree("record", "verify", right, "--json").out)["cards"] is None


def changed(start: str, change: Callable[[str], str], *, sign: bool = True) -> str:
    lines = format_record(BOARD).split("\n")
    number = next(n for n, line in enumerate(lines) if line.startswith(start))
    lines[number] = change(lines[number])
    text = "\n".join(lines)
    return resigned(text) if sign else text


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        (changed("Bid", lambda line: line.replace("90C", "70C")), "Bid", "70 is no bid of these"),
        (changed("Play", lambda line: line.replace("JC", "TD", 1)), "Play", "is not allowed"),
        (changed("Score", lambda line: line.replace("1000", "990", 1)), "Score", "by the rules it"),
        (changed("Deal", lambda line: line.replace("AK", "A", 1)), "Deal", "cards, not 8"),
        (changed("[Dealer", lambda line: "[Dealer E]"), "Play", "turn to play"),
        (changed("[Note", lambda line: '[Note "x"]', sign=False), "[Sha256", "has been changed"),
    ],
    ids=["bid", "card", "score", "hands", "dealer", "note"],
)
def test_first_wrong_line_is_named(
    contree: Contree, tmp_path: Path, text: str, line: str, problem: str
) -> None:
    path = tmp_path / "x.bgn"
    path.write_text(text, "ascii")
    number = next(n for n, one in enumerate(text.split("\n"), 1) if one.startswith(line))
    ran = contree("record", "verify", str(path), "--seed", seed_of(3))
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith(f"contree: {path}, line {number}: ")
    assert problem in ran.err
    told = json.loads(contree("record", "verify", str(path), "--json").out)
    assert (told["right"], told["place"]) == (False, f"line {number}")
    assert problem in told["problem"]


def test_cards_that_are_not_those_of_the_seed(contree: Contree, write: Write) -> None:
    for seed, label in ((seed_of(4), ""), (seed_of(3), "other")):
        options = ["--seed", seed, "--label", label]
        ran = contree("record", "verify", write(BOARD), *options)
        assert (ran.code, ran.out) == (1, "")
        assert ", line 9: by the seed the cards of deal 3 are N:" in ran.err
        told = contree("record", "verify", write(BOARD, "r.json", as_json=True), *options, "--json")
        assert json.loads(told.out)["place"] == "deals[0].hands"
    ran = contree("record", "verify", write(RACE), "--seed", seed_of(6))
    assert ", line 6: by the seed S deals, not E." in ran.err


def test_later_cards_of_a_race_follow_from_the_tricks(contree: Contree, write: Write) -> None:
    first, second, third = RACE.deals
    # Another third deal, as good as any but for where it comes from.
    other = SeededDeals(bytes(32)).deal(1, RACE.rules)
    changed = dataclasses.replace(
        RACE, deals=(first, second, RecordedDeal(third.dealer, other.hands))
    )
    path = write(changed)
    ran = contree("record", "verify", path, "--seed", seed_of(5))
    assert ran.code == 1
    lines = format_record(changed).split("\n")
    third_line = [n for n, line in enumerate(lines, 1) if line.startswith("Deal ")][2]
    assert f"{path}, line {third_line}: by the seed the cards of deal 3 are N:" in ran.err


def test_disguise_is_found(contree: Contree, write: Write) -> None:
    seed = bytes.fromhex(seed_of(8))
    worn = disguise(seed, 11, 2)
    dealt = worn.deal(SeededDeals(seed, "cup").board(11, preset("ffb-mixte")))
    record = dataclasses.replace(
        BOARD, number=11, deals=(RecordedDeal(dealt.dealer, dealt.hands),), notes=()
    )
    ran = contree("record", "verify", write(record), "--seed", seed.hex(), "--label", "cup")
    assert ran.code == 0
    assert "the cards are those of board 11 of the seed, disguised as at table 2." in ran.out


def test_public_entropy_is_mixed_in(contree: Contree, write: Write) -> None:
    seed = bytes.fromhex(seed_of(8))
    used = mix(seed, b"draw of 1 May: 7 12")
    dealt = SeededDeals(used).board(3, preset("ffb-mixte"))
    record = dataclasses.replace(BOARD, deals=(RecordedDeal(dealt.dealer, dealt.hands),))
    path = write(record)
    options = ["--seed", seed.hex(), "--entropy", "draw of 1 May: 7 12"]
    assert contree("record", "verify", path, *options).code == 0
    assert contree("record", "verify", path, *options[:2]).code == 1
    assert commitment(seed) != commitment(used)
