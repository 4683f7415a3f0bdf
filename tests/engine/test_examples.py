"""The worked examples of the documents: every case of examples.json and legal.json."""

import json
from pathlib import Path
from typing import Any

import pytest

from contree.engine.actions import Level, Slam
from contree.engine.cards import Card, Strain
from contree.engine.contract import Doubling
from contree.engine.presets import PRESET_NAMES, preset
from contree.engine.scoring import Tally, score
from contree.engine.trick import legal_plays

DATA = Path(__file__).parent.parent / "data"
MARKS: list[dict[str, Any]] = json.loads((DATA / "examples.json").read_text("utf-8"))["cases"]
PLAYS: list[dict[str, Any]] = json.loads((DATA / "legal.json").read_text("utf-8"))["cases"]


def level_of(value: int | str) -> Level:
    return value if isinstance(value, int) else Slam(value)


def tally_of(case: dict[str, Any], *, guess_tricks: bool = False) -> Tally:
    return Tally(
        case["taker_points"],
        case["defence_points"],
        None if guess_tricks else case["taker_tricks"],
        case.get("bidder_tricks"),
        taker_belotes=int(case["belote"] == "taker"),
        defence_belotes=int(case["belote"] == "defence"),
    )


@pytest.mark.parametrize("case", MARKS, ids=lambda case: case["id"])
def test_mark(case: dict[str, Any]) -> None:
    marked = score(
        preset(case["preset"]),
        level_of(case["contract"]),
        Strain.parse(case["strain"]),
        Doubling(case["multiplier_level"]),
        tally_of(case),
    )
    assert {"taker": marked.taker, "defence": marked.defence} == case["expected"]


@pytest.mark.parametrize(
    "case",
    [case for case in MARKS if case["taker_tricks"] is not None],
    ids=lambda case: case["id"],
)
def test_mark_without_a_count_of_tricks(case: dict[str, Any]) -> None:
    """The capot is then inferred from the points."""
    marked = score(
        preset(case["preset"]),
        level_of(case["contract"]),
        Strain.parse(case["strain"]),
        Doubling(case["multiplier_level"]),
        tally_of(case, guess_tricks=True),
    )
    assert {"taker": marked.taker, "defence": marked.defence} == case["expected"]


# The methods of the FFB differ in their marks only, so what holds for one holds for all four.
FFB = [name for name in PRESET_NAMES if name.startswith("ffb-")]
PLAYS_BY_PRESET = [
    pytest.param(name, case, id=f"{case['id']}-{name}")
    for case in PLAYS
    for listed in case["presets"]
    for name in (FFB if listed == "ffb-mixte" else [listed])
]


@pytest.mark.parametrize(("name", "case"), PLAYS_BY_PRESET)
def test_legal_cards(name: str, case: dict[str, Any]) -> None:
    legal = legal_plays(
        preset(name),
        Strain.parse(case["trump"]),
        [Card.parse(card) for _, card in case["trick"]],
        [Card.parse(card) for card in case["hand"]],
    )
    assert {str(card) for card in legal} == set(case["legal"]), case["why"]


def test_every_preset_has_examples() -> None:
    assert {case["preset"] for case in MARKS} == set(PRESET_NAMES)
    assert {parameter.values[0] for parameter in PLAYS_BY_PRESET} == set(PRESET_NAMES)
