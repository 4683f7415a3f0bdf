"""What the board explorer is given."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.tournament.html_report.folders import RULES, make_folder
from tests.tournament.html_report.pages import boards_in

from contree.engine import CARDS, SEATS, SeededDeals
from contree.tournament.html_report import boards as boards_module
from contree.tournament.html_report import boards_of
from contree.tournament.html_report.source import Source
from contree.tournament.schedule import Table
from contree.tournament.tables import TableResult


def boards(folder: Path) -> dict[str, Any]:
    explorer = boards_of(Source.read(folder))
    assert explorer is not None
    return boards_in(explorer.data)


def test_the_same_cards_lie_in_the_same_places(tmp_path: Path) -> None:
    folder = make_folder(tmp_path, boards=4)
    document = boards(folder)
    assert len(document["boards"]) == 4 * 3
    assert len(document["packs"]) == 4, "a deal once for all its tables, disguises undone"
    for board in document["boards"]:
        tables = [document["tables"][place] for place in board[4:6]]
        packs = {table[4][0][0] for table in tables}
        assert len(packs) == 1
        dealt = SeededDeals(bytes(range(32)), "cup").board(board[0], RULES)
        pack = document["packs"][packs.pop()]
        assert int(pack[0]) == dealt.dealer
        assert all(
            int(pack[1 + card]) == seat
            for seat in SEATS
            for card in CARDS
            if dealt.hands[seat] >> card & 1
        )


def test_tables_add_up_to_their_board(tmp_path: Path) -> None:
    document = boards(make_folder(tmp_path, boards=4))
    for _, _, _, points, at_a, at_b, _ in document["boards"]:
        tables = [document["tables"][place] for place in (at_a, at_b)]
        assert sum(table[0] - table[1] for table in tables) / 2 == points
        for side, table in enumerate(tables):
            ((_, calls, cards, winners, contract, made, taken, tricks, marks),) = table[4]
            # The first bot holds North-South at table A and East-West at table B.
            assert table[:2] == (marks if side == 0 else marks[::-1])
            assert len(cards.replace("+", "")) == 4 * len(winners) == (32 if contract else 0)
            assert calls.split(" ")[0][0] in "0123"
            if contract:
                assert sum(map(int, taken)) in {162, 250}  # a capot counts 250
                assert sum(tricks) == 8
                assert made in {True, False}


def test_a_parting_names_what_was_done_at_either_table(tmp_path: Path) -> None:
    document = boards(make_folder(tmp_path, boards=6))
    parted = [board for board in document["boards"] if board[6]]
    assert parted, "bots that act at random do not do the same"
    for board in parted:
        deal, play, index, seat, *done = board[6]
        assert done[0] != done[1]
        if play:
            continue
        for text, place in zip(done, board[4:6], strict=True):
            calls = document["tables"][place][4][deal][1].split(" ")
            if text != "-":
                assert calls[index] == f"{seat}{text}"


def test_records_that_cannot_be_had_are_named(tmp_path: Path) -> None:
    def forfeit(result: TableResult) -> TableResult:
        if result.table.board < 3:
            return result
        return replace(result, reason="forfeited", forfeited_by=("y",))

    folder = make_folder(tmp_path, boards=3, bots=("x", "y"), change=forfeit)
    (folder / "records" / "b0001-x~y-A.bgn").unlink()
    damaged = folder / "records" / "b0001-x~y-B.bgn"
    damaged.write_text(damaged.read_text("ascii").replace("[Dealer", "[Dealers"), "ascii")
    foreign = (folder / "records" / "b0002-x~y-A.bgn").read_text("ascii")
    (folder / "records" / "b0002-x~y-B.bgn").write_text(foreign, "ascii")
    document = boards(folder)
    said = [table[4] for table in document["tables"]]
    assert said[0] == "There is no record of this table."
    assert said[1].startswith("The record of this table cannot be read")
    assert said[4] == "Not played: y had failed for good."
    packs = [table[0][0] for table in said[2:4]]
    assert packs[0] != packs[1], "the wrong cards are seen to be other cards"
    assert [board[6] for board in document["boards"]] == [None, None, None]


def test_a_page_has_a_largest_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boards_module, "MOST_TABLES", 5)
    explorer = boards_of(Source.read(make_folder(tmp_path, boards=2)))
    assert explorer is not None
    assert len(boards_in(explorer.data)["boards"]) == 2
    assert (explorer.tables, explorer.left_out) == (4, 8)


def test_reading_what_is_given() -> None:
    explorer = boards_module.explorer(
        RULES, ("x", "y"), closed=(), results=(), read=_none, worn=_none
    )
    assert boards_in(explorer.data)["boards"] == []
    assert (explorer.tables, explorer.left_out) == (0, 0)


def _none(table: Table) -> Any:
    raise AssertionError(table)
