"""docs/notation.md: its two examples are the same match, and its commands exist."""

import hashlib
import json
import re
from pathlib import Path

import pytest
from tests.cli.conftest import Contree

from contree.engine import (
    RecordError,
    format_record,
    format_record_json,
    parse_record,
    parse_record_json,
)
from contree.engine.bgn_json_read import _KEYS

PAGE = (Path(__file__).parent.parent.parent / "docs" / "notation.md").read_text("utf-8")
(TEXT,) = re.findall(r"^```\n(\[BGN 1\].*?)```$", PAGE, re.DOTALL | re.MULTILINE)
(JSON,) = re.findall(r"^```json\n(.*?)```$", PAGE, re.DOTALL | re.MULTILINE)


def test_examples_are_one_match() -> None:
    record = parse_record(TEXT)
    assert parse_record_json(JSON) == record
    assert (format_record(record), format_record_json(record)) == (TEXT, JSON)
    assert "+b" in TEXT
    assert " S:X" in TEXT


def test_digest_is_that_of_the_lines_before() -> None:
    body, _, last = TEXT.rstrip("\n").rpartition("\n")
    digest = hashlib.sha256(body.encode() + b"\n").hexdigest()
    assert last == f"[Sha256 {digest}]"


def test_every_line_and_key_is_explained() -> None:
    for word in {line.strip("[").split()[0] for line in TEXT.splitlines()}:
        assert re.search(rf"^\| `\[?{word}\b", PAGE, re.MULTILINE), word
    table = PAGE.partition("| key | |")[2]
    for key in (*_KEYS, "board", "dealer", "hands", "calls", "tricks", "leader", "cards", "score"):
        assert f"`{key}`" in table
    assert set(json.loads(JSON)) == {*_KEYS, "board"}


@pytest.mark.parametrize("form", ["text", "json"])
def test_places_are_named_as_the_page_says(contree: Contree, tmp_path: Path, form: str) -> None:
    text, place = (TEXT, "line 12") if form == "text" else (JSON, "deals[0].tricks")
    changed = text.replace("JS 7S QC", "JS AS QC").replace('"JS", "7S"', '"JS", "7H"')
    path = tmp_path / "table"
    path.write_text(changed, encoding="ascii")
    ran = contree("record", "verify", str(path))
    assert ran.err.startswith(f"contree: {path}, {place}: ")
    assert "is not allowed" in ran.err
    read = parse_record if form == "text" else parse_record_json
    with pytest.raises(RecordError):
        read(changed)


def test_commands_of_the_page_exist(contree: Contree, tmp_path: Path) -> None:
    path = tmp_path / "FILE"
    path.write_text(TEXT, encoding="ascii")
    commands = re.findall(r"^ {4}contree ([a-z ]+)FILE( --to json)?", PAGE, re.MULTILINE)
    assert len(commands) == 4
    for words, options in commands:
        ran = contree(*words.split(), str(path), *options.split())
        assert (ran.code, ran.err) == (0, "")
