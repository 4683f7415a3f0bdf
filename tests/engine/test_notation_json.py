"""The JSON form of BGN records: the same match as the text, and refused where anything is wrong."""

import copy
import dataclasses
import json
import os
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contree.engine import (
    PRESET_NAMES,
    Game,
    Mode,
    Record,
    RecordError,
    RuleSet,
    Say,
    SeededDeals,
    format_record,
    format_record_json,
    parse_record,
    parse_record_json,
    preset,
    read_record,
)
from contree.engine.notation import record_from_dict, record_to_dict
from contree.engine.options import BeloteMode

NAMES = ("Nora", 'Eve "the cut"', "Sören\\", "")
ANNOUNCED = dataclasses.replace(
    preset("coinche-annonce"), name="home", belote_mode=BeloteMode.ANNOUNCED, deals_limit=3
)
RULES = [*map(preset, PRESET_NAMES), ANNOUNCED]
SEEDS = range(1, 1112 if os.environ.get("FULL") else 6)


def random_record(rules: RuleSet, mode: Mode, seed: int, *, steps: int = 10_000) -> Record:
    rng = random.Random(seed)
    game = Game.start(rules, SeededDeals(seed.to_bytes(32, "big")), mode, seed)
    while game.owed and steps:
        steps -= 1
        seat = rng.choice(game.owed)
        legal = game.legal_actions(seat)
        game = game.apply(seat, legal[0] if rng.random() < 0.3 else rng.choice(legal))
    return Record.of(game, NAMES, ["East: too late in deal 2", "é"])


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("mode", Mode, ids=lambda mode: mode.value)
@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.name)
def test_both_forms_tell_the_same_match(rules: RuleSet, mode: Mode) -> None:
    for seed in SEEDS:
        record = random_record(rules, mode, seed, steps=10_000 if seed % 3 else 20 * seed)
        as_json, as_text = format_record_json(record), format_record(record)
        assert as_json.isascii()
        assert parse_record_json(as_json) == parse_record(as_text) == record
        assert read_record(as_json) == read_record(as_text) == record
        assert format_record(parse_record_json(as_json)) == as_text
        assert format_record_json(parse_record(as_text)) == as_json
        assert record_from_dict(record_to_dict(record)) == record


def test_match_of_passes_has_neither_tricks_nor_board() -> None:
    rules = dataclasses.replace(preset("ffb-mixte"), deals_limit=2)
    game = Game.start(rules, SeededDeals(bytes(32)))
    while game.owed:
        game = game.apply(game.owed[0], Say.PASS)
    document = record_to_dict(Record.of(game, NAMES))
    assert "board" not in document
    assert [deal["tricks"] for deal in document["deals"]] == [[], []]
    assert [deal["score"] for deal in document["deals"]] == [
        {"marks": [0, 0], "totals": [0, 0]}
    ] * 2
    assert document["options"] == {"deals_limit": 2}
    assert record_from_dict(document) == Record.of(game, NAMES)


def test_deals_under_way_have_no_score() -> None:
    for steps in range(0, 60, 7):
        record = random_record(preset("coinche-classique"), Mode.RACE, 3, steps=steps)
        document = record_to_dict(record)
        assert "score" not in document["deals"][-1]
        assert record_from_dict(document) == record


RECORD = next(
    record
    for seed in range(1, 100)
    if len((record := random_record(ANNOUNCED, Mode.RACE, seed)).deals) == 3
)
GOOD: dict[str, Any] = record_to_dict(RECORD)
BOARD: dict[str, Any] = record_to_dict(random_record(preset("ffb-mixte"), Mode.BOARD, 4))
PLAYED = next(n for n, deal in enumerate(GOOD["deals"]) if deal["tricks"])


def test_layout_has_a_line_for_each_thing() -> None:
    lines = format_record_json(RECORD).splitlines()
    assert lines[:3] == ["{", '  "bgn": 1,', '  "rules": "coinche-annonce",']
    assert sum('"leader": ' in line for line in lines) == sum(
        len(deal["tricks"]) for deal in GOOD["deals"]
    )
    assert json.loads("\n".join(lines)) == GOOD


def test_belote_said_is_written_with_its_card() -> None:
    said = [
        card
        for seed in range(1, 9)
        for deal in record_to_dict(random_record(ANNOUNCED, Mode.RACE, seed))["deals"]
        for trick in deal["tricks"]
        for card in trick["cards"]
        if card.endswith("+b")
    ]
    assert said
    assert {card[0] for card in said} <= {"K", "Q"}


Change = Callable[[dict[str, Any]], None]


def setting(path: str, value: object) -> Change:
    """A change of what stands at a path such as ``deals[0].dealer``."""
    *way, last = path.replace("[", ".").replace("]", "").split(".")

    def change(document: dict[str, Any]) -> None:
        place: Any = document
        for key in way:
            place = place[int(key) if key.isdigit() else key]
        place[int(last) if last.isdigit() else last] = value

    return change


def removing(path: str, key: str) -> Change:
    def change(document: dict[str, Any]) -> None:
        place: Any = document
        for step in path.replace("[", ".").replace("]", "").split(".") if path else []:
            place = place[int(step) if step.isdigit() else step]
        del place[key]

    return change


D = f"deals[{PLAYED}]"
FAULTS: list[tuple[Change, str, str]] = [
    (setting("bgn", 2), "bgn", "the only version known"),
    (setting("bgn", True), "bgn", "the only version known"),
    (setting("bgn", 1.0), "bgn", "the only version known"),
    (setting("rules", 3), "rules", "expected a text"),
    (setting("rules", "tarot"), "rules", "is none"),
    (setting("options", []), "options", "under its name"),
    (setting("options.trumps", 4), "options.trumps", "unknown"),
    (setting("options.a b", 4), "options", "is no name of an option"),
    (setting("options.overtrump", "maybe"), "options.overtrump", "true or false"),
    (setting("target", "many"), "target", "whole number"),
    (setting("target", 1000.5), "target", "whole number"),
    (setting("mode", "rubber"), "mode", "expected race or board"),
    (setting("mode", "board"), "mode", "the number of the board is missing"),
    (setting("board", 4), "board", "a race has no board"),
    (setting("seats", ["a", "b", "c", "d"]), "seats", "expected an object with N E S W"),
    (setting("seats.N", 7), "seats.N", "expected a text"),
    (setting("seats.X", "x"), "seats.X", "unknown key"),
    (removing("seats", "W"), "seats", "W is missing"),
    (setting("direction", "left"), "direction", "expected cw or ccw"),
    (setting("direction", "cw"), "direction", "expected the turn direction ccw"),
    (setting("notes", "late"), "notes", "expected a list"),
    (setting("notes[0]", None), "notes[0]", "expected a text"),
    (setting("deals", []), "deals", "expected a deal at least"),
    (setting("deals[0]", 1), "deals[0]", "expected an object"),
    (removing("", "deals"), "the record", "deals is missing"),
    (setting("extra", 1), "extra", "unknown key"),
    (setting("deals[0].winner", "N"), "deals[0].winner", "unknown key"),
    (setting("deals[0].dealer", "X"), "deals[0].dealer", "one of N E S W"),
    (setting("deals[1].dealer", GOOD["deals"][0]["dealer"]), "deals[1].dealer", "by the rules"),
    (setting("deals[1].dealer", 4), "deals[1].dealer", "expected a text"),
    (setting(f"{D}.hands.N[0]", "1S"), f"{D}.hands.N[0]", "is no card"),
    (setting(f"{D}.hands.N[0]", GOOD["deals"][PLAYED]["hands"]["N"][1]), f"{D}.hands.N", "twice"),
    (setting(f"{D}.hands.N", []), f"{D}.hands", "0 cards, not 8"),
    (setting(f"{D}.calls[0]", "P"), f"{D}.calls[0]", "expected a list of 2"),
    (setting(f"{D}.calls[0][1]", "P P"), f"{D}.calls[0][1]", "is no call"),
    (setting(f"{D}.calls[0][1]", "XX"), f"{D}.calls", "only a contre can be answered"),
    (setting(f"{D}.calls", []), f"{D}.tricks", "play"),
    (setting(f"{D}.tricks[0].leader", "P"), f"{D}.tricks[0].leader", "one of N E S W"),
    (setting(f"{D}.tricks[0].cards", []), f"{D}.tricks", "not a leader and four cards"),
    (setting(f"{D}.tricks[2].cards[0]", "KH+b+b"), f"{D}.tricks[2].cards[0]", "is no card"),
    (setting(f"{D}.score.marks", [1]), f"{D}.score.marks", "expected a list of 2"),
    (setting(f"{D}.score.marks[0]", True), f"{D}.score", "pairs of whole numbers"),
    (setting(f"{D}.score.totals[1]", 12345), f"{D}.score", "by the rules it is"),
    (removing(D, "score"), f"{D}.tricks", "expected Score"),
    (setting("notes[0]", "on time"), "sha256", "has been changed"),
    (setting("seats.E", "Eve"), "sha256", "has been changed"),
    (setting("sha256", "0" * 64), "sha256", "has been changed"),
    (setting("sha256", 1), "sha256", "has been changed"),
]


@pytest.mark.parametrize(
    ("change", "place", "problem"),
    FAULTS,
    ids=[f"{n}-{place}" for n, (_, place, _) in enumerate(FAULTS)],
)
def test_faults_are_refused_with_their_place(change: Change, place: str, problem: str) -> None:
    document = copy.deepcopy(GOOD)
    change(document)
    with pytest.raises(RecordError) as caught:
        parse_record_json(json.dumps(document))
    assert (caught.value.place, caught.value.line) == (place, 0)
    assert problem in caught.value.problem
    assert str(caught.value).startswith(f"{place}: ")


def test_another_board_is_another_record() -> None:
    for board, place in ((0, "board"), ("4", "board"), (5, "sha256")):
        document = {**copy.deepcopy(BOARD), "board": board}
        with pytest.raises(RecordError) as caught:
            record_from_dict(document)
        assert caught.value.place == place


@pytest.mark.parametrize(
    ("text", "place", "problem"),
    [
        ("", "line 1", "no JSON"),
        ('{\n  "bgn": 1,\n  oops', "line 3", "no JSON"),
        ("[]", "the record", "expected an object with bgn"),
        ("null", "the record", "expected an object"),
        ('{"bgn": 1, "bgn": 1}', "the record", "given twice"),
        ('{"bgn": NaN}', "the record", "no JSON number"),
        ('{"bgn": ' + "1" * 5000 + "}", "line 1", "no JSON that can be read"),
        ("[" * 100_000, "line 1", "no JSON"),
    ],
    ids=range(8),
)
def test_texts_that_are_no_record(text: str, place: str, problem: str) -> None:
    with pytest.raises(RecordError) as caught:
        parse_record_json(text)
    assert caught.value.place == place
    assert problem in caught.value.problem


def test_deep_values_of_options_are_refused() -> None:
    deep: object = 1
    for _ in range(400):
        deep = [deep]
    document = copy.deepcopy(GOOD)
    document["options"]["ladder"] = deep
    with pytest.raises(RecordError):
        record_from_dict(document)


def test_values_that_no_json_holds_are_refused_too() -> None:
    with pytest.raises(RecordError) as caught:
        record_from_dict({**copy.deepcopy(GOOD), "rules": object()})
    assert str(caught.value) == "rules: expected a text: '?'"


def test_what_stands_there_is_cut_short_in_the_sentence() -> None:
    document = {**copy.deepcopy(GOOD), "rules": "x" * 1000}
    with pytest.raises(RecordError) as caught:
        record_from_dict(document)
    assert len(str(caught.value).partition(": ")[2]) < 2000
    assert str(caught.value).endswith("...'")


WRITTEN = format_record_json(RECORD)


@given(st.integers(0, len(WRITTEN) - 1), st.characters(codec="utf-8"))
def test_no_changed_character_verifies_as_another_match(place: int, character: str) -> None:
    """A change is refused, or it is none: blanks between values say nothing."""
    try:
        read = read_record(WRITTEN[:place] + character + WRITTEN[place + 1 :])
    except RecordError:
        return
    assert read == RECORD
