"""Journals that older servers wrote still come to the same match, and to the same record.

``tests/data/journals/schema-N`` holds, for each match, its journal as the server of that schema
wrote it, what the match came to (as JSON) and its record. They are never made again: a new schema
gets a folder of its own. ``CONTREE_WRITE_JOURNALS=1`` writes what is missing beside a new journal.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.match.digests import holds, outline

from contree.engine import Announced, parse_record
from contree.engine.actions import CONTRE, DECLINE, SURCONTRE
from contree.server.host.record import record_of
from contree.server.match import (
    Acted,
    Created,
    Ended,
    EndReason,
    Entry,
    Faulted,
    FaultKind,
    JournalError,
    Readied,
    Seated,
    decode_entry,
    encode_entry,
    fold,
    journal,
)

FOLDER = Path(__file__).parents[1] / "data" / "journals"
JOURNALS = sorted(FOLDER.glob("schema-*/*.jsonl"))


def _read(path: Path) -> list[Entry]:
    return [decode_entry(line) for line in path.read_bytes().splitlines()]


def _name(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


@pytest.mark.parametrize("path", JOURNALS, ids=_name)
def test_an_old_journal_comes_to_the_match_that_it_was(path: Path) -> None:
    match = fold(_read(path))
    now = json.loads(json.dumps(outline(match)))
    expected = path.with_suffix(".json")
    if os.environ.get("CONTREE_WRITE_JOURNALS") and not expected.exists():
        expected.write_text(json.dumps(now, separators=(",", ":")) + "\n")
    then: dict[str, Any] = json.loads(expected.read_text())
    for part, value in then.items():
        assert holds(now[part], value), part


@pytest.mark.parametrize("path", JOURNALS, ids=_name)
def test_the_record_of_an_old_journal_says_what_it_said(path: Path) -> None:
    match = fold(_read(path))
    record = parse_record(record_of(match))
    expected = path.with_suffix(".bgn")
    if os.environ.get("CONTREE_WRITE_JOURNALS") and not expected.exists():
        expected.write_text(record_of(match))
    then = parse_record(expected.read_text())
    assert (record.rules, record.mode, record.number) == (then.rules, then.mode, then.number)
    assert (record.names, record.deals) == (then.names, then.deals)
    assert set(then.notes) <= set(record.notes)
    assert record.replay().scores == match.game.scores


@pytest.mark.parametrize("path", JOURNALS, ids=_name)
def test_an_old_journal_written_again_is_read_the_same(path: Path) -> None:
    entries = _read(path)
    assert [decode_entry(encode_entry(entry)) for entry in entries] == entries


def test_the_journals_of_schema_1_show_all_that_it_can_say() -> None:
    entries = [entry for path in FOLDER.glob("schema-1/*.jsonl") for entry in _read(path)]
    assert {type(entry) for entry in entries} == {Created, Seated, Readied, Acted, Faulted, Ended}
    assert {one.kind for one in entries if isinstance(one, Faulted)} == set(FaultKind)
    assert {one.replaced for one in entries if isinstance(one, Faulted)} == {True, False}
    ends = {one.reason for one in entries if isinstance(one, Ended)}
    assert ends == set(EndReason)
    acted = [one for one in entries if isinstance(one, Acted)]
    assert {True, False} == {one.by_house for one in acted}
    assert {CONTRE, SURCONTRE, DECLINE} <= {one.action for one in acted}
    assert any(isinstance(one.action, Announced) for one in acted)


def test_a_newer_schema_is_refused_and_says_what_to_do() -> None:
    with pytest.raises(JournalError, match=r"schema 2 is newer .* upgrade it") as refused:
        decode_entry(b'[2,"ready",0]')
    assert refused.value.schema == 2
    for none in (b'[0,"ready",0]', b'["1","ready",0]', b'[null,"ready",0]'):
        with pytest.raises(JournalError, match="is none"):
            decode_entry(none)


def test_entries_of_older_schemas_are_upgraded_step_by_step(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(journal, "SCHEMA", 3)
    monkeypatch.setitem(journal._UPGRADES, 1, lambda fields: [*fields, "added by 2"])
    with pytest.raises(JournalError, match="schema 2 is not known here any more"):
        decode_entry(b'[1,"fault",0,"timeout",0]')
    monkeypatch.setitem(journal._UPGRADES, 2, lambda fields: fields)
    entry = decode_entry(b'[1,"fault",0,"timeout",0]')
    assert isinstance(entry, Faulted)
    assert entry.detail == "added by 2"
    assert decode_entry(encode_entry(entry)) == entry
    monkeypatch.setitem(journal._UPGRADES, 2, lambda fields: [fields[7]])
    with pytest.raises(JournalError, match="broken entry of schema 2"):
        decode_entry(b'[1,"fault",0,"timeout",0]')
