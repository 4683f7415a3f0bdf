"""`contree leak-test`: what was compared, and the first leak named."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Contree
from tests.cli.running import finish, start
from tests.engine.test_notation_json import random_record

from contree.engine import Mode, Seat, View, format_record, format_record_json, preset, project
from contree.server.host import frames


@pytest.fixture
def record(tmp_path: Path) -> str:
    path = tmp_path / "r.bgn"
    made = random_record(preset("coinche-classique"), Mode.BOARD, 3)
    path.write_text(format_record(made), "ascii")
    return str(path)


def test_tells_what_was_compared(contree: Contree, record: str) -> None:
    ran = contree("leak-test", record, "--worlds", "1")
    assert (ran.code, ran.err) == (0, "")
    head, moments, exchanges, compared, last = ran.out.splitlines()
    assert head == f"{record}: 1 deal, rules coinche-classique"
    assert moments == "  47 moments, each with the eyes of four seats and a spectator"
    assert exchanges.startswith("  235 exchanges of hidden cards, ")
    assert " pairs of frames compared: " in compared
    assert all(f" {kind}" in compared for kind in ("turn", "act_result", "event", "match", "log"))
    assert last == "  no difference: nobody is shown what is hidden"


def test_json_of_several_records(contree: Contree, record: str, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    made = random_record(preset("ffb-mixte"), Mode.RACE, 5, steps=60)
    other.write_text(format_record_json(made), "ascii")
    ran = contree("leak-test", record, str(other), "--worlds", "1", "--json")
    assert (ran.code, ran.err) == (0, "")
    told = [json.loads(line) for line in ran.out.splitlines()]
    assert [line["record"] for line in told] == [record, str(other)]
    for line in told:
        assert line["leak"] is None
        assert line["frames"] == sum(line["compared"].values()) > 1000


def test_a_leak_is_named(contree: Contree, record: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def leaking(state: Any, seat: Seat) -> View:
        view = project(state, seat)
        return view._replace(scores=(state.deal.dealt[seat.partner] & 0xFFFF, 0))

    monkeypatch.setattr(frames, "project", leaking)
    ran = contree("leak-test", record)
    assert ran.code == 1
    leak = ran.out.splitlines()[-1]
    assert leak.startswith("  LEAK at entry 9 of the journal (deal 1, readied), ")
    assert ": turn: turn.view.table.scores.north_south: " in leak
    ran = contree("leak-test", record, "--json")
    assert ran.code == 1
    assert json.loads(ran.out)["leak"]["path"].startswith("turn.view.table.scores.north_south: ")


def test_what_is_no_record_is_said_to_be_none(contree: Contree, tmp_path: Path) -> None:
    (tmp_path / "no.bgn").write_text("hello", "ascii")
    ran = contree("leak-test", str(tmp_path / "no.bgn"))
    assert (ran.code, ran.out) == (1, "")


def test_from_standard_input(record: str) -> None:
    text = Path(record).read_text("ascii")
    ran = finish(start("leak-test", "-", "--worlds", "1"), stdin=text)
    assert ran.code == 0, ran.err
    assert "no difference" in ran.out
