"""What decisions cost, in the board explorer."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.tournament.events import SEED
from tests.tournament.html_report.analysed import COSTS, PAR, WORST, write_analysis
from tests.tournament.html_report.folders import make_folder
from tests.tournament.html_report.pages import Page

from contree.policy import rules_player
from contree.tournament.errors import ResultsError
from contree.tournament.html_report import report_text
from contree.tournament.layout import worn_at
from contree.tournament.schedule import Pairing, Side, Table

PLAYERS = {"x": rules_player, "y": rules_player}


@pytest.fixture
def event(tmp_path: Path) -> Path:
    return make_folder(tmp_path / "event", bots=("x", "y"), boards=2, players=PLAYERS)


def shown(folder: Path, analysis: Path | None) -> tuple[Page, dict[str, Any]]:
    page = Page(report_text(folder, analysis))
    return page, page.boards()


def test_costs_stand_at_their_cards_with_the_disguise_undone(event: Path, tmp_path: Path) -> None:
    page, document = shown(event, write_analysis(event, tmp_path / "a.jsonl"))
    assert "marks the worst card of a table" in page.text
    assert "tables were analysed" not in page.text, "all of them were"
    turned = 0
    for number, _, _, _, at_a, at_b, _ in document["boards"]:
        for side, place in zip(Side, (at_a, at_b), strict=True):
            table = document["tables"][place]
            worn = worn_at(Table(number, Pairing("x", "y"), side, 1 + (side is Side.B)), SEED)
            back = worn.inverse
            assert table[5] == [0, WORST, 50.0]
            (deal,) = table[4]
            cards, (par, marks, reached, calls, costs) = deal[2].replace("+", ""), deal[9]
            sign = -1 if back.rotation & 1 else 1
            assert par == f"110{back.strain(PAR.strain)}{back.seat(PAR.taker)}"
            assert (marks, reached) == (-110 * sign, 60 * sign)
            turned += sign < 0
            said = deal[1].split(" ")[0]
            assert calls == [[0, int(said[0]), said[1:], 30, "P"]]
            assert [cost[:4] for cost in costs] == [
                [at, seen, 2 * error, open_]
                for at, (seen, error, open_) in COSTS.items()
                if seen or open_
            ]
            for at, *_, better in costs:
                rank, suit = "789JQKTA".index(better[0]), "SHDC".index(better[1])
                assert int(cards[at - 1], 32) == suit * 8 + rank
    assert turned, "at some table the pairs had changed places"


def test_without_an_analysis_nothing_is_told(event: Path, tmp_path: Path) -> None:
    page, document = shown(event, None)
    assert "worst card" not in page.text
    assert {len(table) for table in document["tables"]} == {5}
    assert {len(deal) for table in document["tables"] for deal in table[4]} == {9}
    one = write_analysis(event, tmp_path / "one.jsonl", lambda name: name.endswith("1-x~y-A"))
    page, document = shown(event, one)
    assert "1 of 4 tables were analysed" in page.text
    assert sorted(len(table) for table in document["tables"]) == [5, 5, 5, 6]


def refused(folder: Path, analysis: Path, said: str) -> None:
    with pytest.raises(ResultsError, match=re.escape(said)):
        report_text(folder, analysis)


def test_what_does_not_belong_to_the_event_is_refused(event: Path, tmp_path: Path) -> None:
    good = write_analysis(event, tmp_path / "a.jsonl")
    other = make_folder(tmp_path / "other", bots=("x", "y"), boards=1)
    refused(other, good, "Nothing in ")
    hidden = make_folder(tmp_path / "hidden", bots=("x", "y"), boards=2, revealed=False)
    refused(hidden, write_analysis(hidden, tmp_path / "h.jsonl"), "once the seed of cup-1 is")
    refused(event, tmp_path / "none.jsonl", "cannot be read")
    text = good.read_text()
    bad = tmp_path / "bad.jsonl"
    bad.write_text(text + "{}\n")
    refused(event, bad, f"{bad}, line 5: this is no line of contree analyse --json.")
    bad.write_text(text.replace('"schema": 1', '"schema": 9', 1))
    refused(event, bad, f"{bad}, line 1: its schema is 9, not 1.")


@pytest.mark.parametrize(
    ("was", "becomes", "said"),
    [
        ('"marks": 75.0', '"marks": NaN', "it has a number that no analysis has"),
        ('"marks": 75.0', '"marks": Infinity', "it has a number that no analysis has"),
        ('"marks": 75.0', f'"marks": {10**400}', "it has a number that no analysis has"),
        ('"marks": 75.0', f'"marks": {"9" * 5000}', "this is no line of contree analyse --json"),
        ('"marks": 75.0', f'"marks": {"[" * 99_999}', "this is no line of contree analyse --json"),
        ('"place": 10,', '"place": 99,', "in its deal 1 is a card that its record has not"),
        ('"place": 10,', '"place": -1,', "in its deal 1 is a card that its record has not"),
        ('"deals": [', '"deals": [], "more": [', "it has 0 deals, its record 1"),
    ],
    ids=["nan", "infinite", "large", "digits", "nested", "beyond", "before", "no-deals"],
)
def test_what_was_tampered_with_is_refused_with_its_line(
    event: Path, tmp_path: Path, was: str, becomes: str, said: str
) -> None:
    path = write_analysis(event, tmp_path / "a.jsonl")
    first, rest = path.read_text().split("\n", 1)
    assert was in first
    path.write_text(f"{first.replace(was, becomes, 1)}\n{rest}")
    refused(event, path, f"{path}, line 1: {said}.")


def test_a_deal_too_many_is_refused(event: Path, tmp_path: Path) -> None:
    path = write_analysis(event, tmp_path / "a.jsonl")
    document = json.loads(path.read_text().split("\n", 1)[0])
    document["deals"] *= 2
    path.write_text(json.dumps(document))
    refused(event, path, f"{path}, line 1: it has 2 deals, its record 1.")


def test_lines_end_with_a_line_feed_alone(event: Path, tmp_path: Path) -> None:
    """A text may hold what else is taken for the end of a line; blank lines may follow."""
    path = write_analysis(event, tmp_path / "a.jsonl")
    text = path.read_text().replace('"seed": ""', '"seed": "\u2028\x85"')
    path.write_text(text + "\n \n", encoding="utf-8")
    page, _ = shown(event, path)
    assert "tables were analysed" not in page.text, "all of them were"
