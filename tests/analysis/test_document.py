"""Analyses as JSON, without a solver."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import pytest
from tests.analysis.samples import analysis, call, card, deal

from contree.analysis import analysis_from_dict, analysis_to_dict, check
from contree.engine import (
    PASS,
    Card,
    Mode,
    PlacedCall,
    Record,
    RecordedDeal,
    Seat,
    preset,
)
from contree.engine.cards import ALL_CARDS
from contree.engine.record import PlacedCard

CARDS = card(0, marks=12.5), card(6, worlds=False), card(9, error=None)
WHOLE = analysis(
    deal(*CARDS, calls=(call(Seat.WEST, 20),)),
    deal(broken=True, number=2),
    house=((), (1, 2), (), ()),
    board=False,
)


def test_it_comes_back_as_it_was() -> None:
    document = json.loads(json.dumps(analysis_to_dict(WHOLE)))
    assert analysis_from_dict(document) == WHOLE
    assert document["house"] == {"E": [1, 2]}
    assert document["deals"][0]["contract"] == "90HEx"


def spoiled(**values: Any) -> dict[str, Any]:
    return {**json.loads(json.dumps(analysis_to_dict(WHOLE))), **values}


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (spoiled(schema=2), "its schema is 2, not 1"),
        (spoiled(deals=[{"number": 1}]), "it has no 'marks'"),
        (spoiled(deals=None), "it is no analysis"),
        (spoiled(seats={"N": "a"}), "it has no 'E'"),
        (spoiled(house={"E": 2}), "it is no analysis"),
        (spoiled(house=[]), "it is no analysis"),
        (spoiled(worlds="40"), "something else where a whole number should be"),
        (spoiled(worlds=True), "something else where a whole number should be"),
        (spoiled(worlds=10**400), "a number that no analysis has"),
        ({}, "it has no 'schema'"),
        ([], "it is no analysis"),
    ],
)
def test_what_is_none_is_refused_with_a_sentence(document: Any, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        analysis_from_dict(document)


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan, 1e10, 10**400, "7", None, True])
@pytest.mark.parametrize(
    "field", ["open/points", "open/marks", "seen/points", "seen/marks", "place", "choices"]
)
def test_a_card_costs_a_number_that_can_be_shown(field: str, value: Any) -> None:
    document = spoiled()
    within = document["deals"][0]["cards"][0]
    *folder, name = field.split("/")
    for key in folder:
        within = within[key]
    within[name] = value
    with pytest.raises(ValueError, match=r"^it has (a number that|something else where)"):
        analysis_from_dict(json.loads(json.dumps(document)))


def test_a_call_is_no_card() -> None:
    document = spoiled()
    document["deals"][0]["cards"][0]["open"]["best"] = "P"
    with pytest.raises(ValueError, match=r"^P is no card$"):
        analysis_from_dict(document)


def test_it_is_held_against_its_record() -> None:
    played = RecordedDeal(
        Seat.NORTH,
        (ALL_CARDS, 0, 0, 0),
        calls=(PlacedCall(Seat.NORTH, PASS),),
        cards=(PlacedCard(Seat.NORTH, Card.parse("AS")),) * 8,
    )
    record = Record(rules=preset("ffb-mixte"), mode=Mode.BOARD, names=("a",) * 4, deals=(played,))
    check(analysis(deal(card(7), calls=(call(Seat.WEST, 20)._replace(place=1),))), record)
    for wrong, said in (
        (analysis(), "it has 0 deals, its record 1"),
        (analysis(deal(), deal()), "it has 2 deals, its record 1"),
        (analysis(deal(card(8))), "in its deal 1 is a card that its record has not"),
        (analysis(deal(card(-1))), "in its deal 1 is a card that its record has not"),
        (analysis(deal(calls=(call(Seat.WEST, 2)._replace(place=2),))), "in its deal 1 is a call"),
    ):
        with pytest.raises(ValueError, match=said):
            check(wrong, record)
