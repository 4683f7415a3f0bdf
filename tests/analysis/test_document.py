"""Analyses as JSON, without a solver."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from tests.analysis.samples import analysis, call, card, deal

from contree.analysis import analysis_from_dict, analysis_to_dict
from contree.engine import Seat

CARDS = card(0, marks=12.5), card(6, worlds=False), card(9, error=None)
WHOLE = analysis(
    deal(*CARDS, calls=(call(Seat.WEST, 20),)),
    deal(broken=True, number=2),
    house=(None, 2, None, None),
    board=False,
)


def test_it_comes_back_as_it_was() -> None:
    document = json.loads(json.dumps(analysis_to_dict(WHOLE)))
    assert analysis_from_dict(document) == WHOLE
    assert document["house"] == {"E": 2}
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
        ({}, "it has no 'schema'"),
        ([], "it is no analysis"),
    ],
)
def test_what_is_none_is_refused_with_a_sentence(document: Any, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        analysis_from_dict(document)
