"""What a forger may try who makes a new manifest: each is found, by file and line."""

from __future__ import annotations

import dataclasses
import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.tournament.events import SEED, make_event, played

from contree.engine import commitment, format_record, preset, read_record
from contree.tournament.audit import audit
from contree.tournament.bundle import read_files
from contree.tournament.export import export_event
from contree.tournament.manifest import MANIFEST, Finding, broken_seal, seal
from contree.tournament.policy import policy_digest
from contree.tournament.tables import TableFault, TableResult

RULES = preset("ffb-mixte")
Files = dict[str, bytes]
Forgery = Callable[[Files], tuple[str, int]]
MUTATIONS = 2000 if os.environ.get("FULL") else 150


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Files:
    folder = tmp_path_factory.mktemp("event")
    make_event(folder)
    (folder / "report.html").write_text("<html>\n<body>fine</body>\n</html>\n")
    return dict(export_event(folder).files)


def resealed(files: Files) -> Files:
    rest = {name: data for name, data in files.items() if name != MANIFEST}
    return rest | {MANIFEST: seal("cup-1", rest)}


def of(files: Files, index: int) -> TableResult:
    return TableResult.from_dict(json.loads(files["tables.jsonl"].splitlines()[index]))


def put(files: Files, index: int, result: TableResult) -> None:
    lines = files["tables.jsonl"].splitlines(keepends=True)
    lines[index] = result.line().encode()
    files["tables.jsonl"] = b"".join(lines)


def test_an_event_as_it_was_played_is_right(exported: Files) -> None:
    found = audit(exported)
    assert found.findings == ()
    assert (found.event, found.tables, found.records) == ("cup-1", 12, 12)
    assert found.complete
    assert found.commitment == commitment(SEED)
    assert found.unproved == ("report.html",)
    assert resealed(exported) == exported


def test_the_order_in_which_tables_ended_is_free(exported: Files) -> None:
    lines = exported["tables.jsonl"].splitlines(keepends=True)
    random.Random(1).shuffle(lines)
    assert audit(resealed(exported | {"tables.jsonl": b"".join(lines)})).right


def changed_result(**changes: Any) -> Forgery:
    def forge(files: Files) -> tuple[str, int]:
        put(files, 4, dataclasses.replace(of(files, 4), **changes))
        return "tables.jsonl", 5

    return forge


def swapped_marks(files: Files) -> tuple[str, int]:
    result = of(files, 3)
    put(files, 3, dataclasses.replace(result, marks=(result.marks[0] + 10, result.marks[1])))
    return "tables.jsonl", 4


def swapped_seats(files: Files) -> tuple[str, int]:
    result = of(files, 6)
    first, second = result.table.pairing
    other = {first: second, second: first}
    seats = {seat: other[bot] for seat, bot in result.seats.items()}
    put(files, 6, dataclasses.replace(result, seats=seats))
    return "tables.jsonl", 7


def fault(files: Files) -> tuple[str, int]:
    values = json.loads(files["tables.jsonl"].splitlines()[1])
    values["faults"] = [
        {"bot": "x", "seat": "N", "kind": "timeout", "replaced": False, "detail": ""}
    ]
    put(files, 1, TableResult.from_dict(values))
    return "tables.jsonl", 2


def a_key_more(files: Files) -> tuple[str, int]:
    files["tables.jsonl"] = files["tables.jsonl"].replace(b'"schema":1', b'"x":0,"schema":1', 1)
    return "tables.jsonl", 1


def forfeit(files: Files) -> tuple[str, int]:
    values = json.loads(files["tables.jsonl"].splitlines()[2])
    values |= {"reason": "forfeited", "forfeited_by": [values["first"]], "marks": [0, 900]}
    put(files, 2, TableResult.from_dict(values))
    return "tables.jsonl", 3


def line_twice(files: Files) -> tuple[str, int]:
    files["tables.jsonl"] += files["tables.jsonl"].splitlines(keepends=True)[0]
    return "tables.jsonl", 13


def line_left_out(files: Files) -> tuple[str, int]:
    files["tables.jsonl"] = b"".join(files["tables.jsonl"].splitlines(keepends=True)[:-1])
    return "tables.jsonl", 0


def table_made_up(files: Files) -> tuple[str, int]:
    result = of(files, 0)
    made_up = dataclasses.replace(result, table=result.table._replace(board=3))
    files["tables.jsonl"] += made_up.line().encode()
    return "tables.jsonl", 13


def wrong_number(files: Files) -> tuple[str, int]:
    result = of(files, 0)
    put(files, 0, dataclasses.replace(result, table=result.table._replace(number=2)))
    return "tables.jsonl", 1


def other_cards(files: Files) -> tuple[str, int]:
    """A whole record, well formed and with its digest, that was dealt from another seed."""
    table = of(files, 4).table
    text = format_record(played(table, RULES, seed=bytes(31) + b"1"))
    files[f"records/{table.id}.bgn"] = text.encode()
    return f"records/{table.id}.bgn", 0


def row_of(text: str, start: str) -> str:
    return next(row for row in text.split("\n") if row.startswith(start))


def exchanged_records(files: Files) -> tuple[str, int]:
    one, other = (f"records/b000{n}-x~y-A.bgn" for n in (1, 2))
    files[one], files[other] = files[other], files[one]
    text = files[one].decode().split("\n")
    return one, 1 + text.index(row_of(files[one].decode(), "[Mode "))


def one_card(files: Files) -> tuple[str, int]:
    """An illegal card, with a new digest."""
    name = "records/b0001-x~z-B.bgn"
    text = files[name].decode()
    play = row_of(text, "Play ")
    words = play.split()
    words[2], words[3] = words[3], words[2]
    body = text.replace(play, " ".join(words))
    files[name] = body.encode()
    return name, 1 + text.split("\n").index(play)


def record_missing(files: Files) -> tuple[str, int]:
    del files["records/b0001-x~z-B.bgn"]
    return "records/b0001-x~z-B.bgn", 0


def record_too_many(files: Files) -> tuple[str, int]:
    files["records/b0003-x~z-B.bgn"] = files["records/b0001-x~z-B.bgn"]
    return "records/b0003-x~z-B.bgn", 0


def file_too_many(files: Files) -> tuple[str, int]:
    files["notes.txt"] = b"hello\n"
    return "notes.txt", 0


def a_board(files: Files) -> tuple[str, int]:
    rows = files["boards.csv"].split(b"\n")
    rows[2] = rows[2] + b"0"
    files["boards.csv"] = b"\n".join(rows)
    return "boards.csv", 3


def a_board_left_out(files: Files) -> tuple[str, int]:
    rows = files["boards.csv"].split(b"\n")
    files["boards.csv"] = b"\n".join(rows[:-2] + rows[-1:])
    return "boards.csv", 7


def standings_file(name: str) -> Forgery:
    def forge(files: Files) -> tuple[str, int]:
        rows = files[name].split(b"\n")
        files[name] = b"\n".join([*rows[:2], rows[2] + b" ", *rows[3:]])
        return name, 3

    return forge


def derived_missing(files: Files) -> tuple[str, int]:
    del files["standings.csv"]
    return "standings.csv", 0


def raw_result(key: str, value: object) -> Forgery:
    """A line with a value of another kind."""

    def forge(files: Files) -> tuple[str, int]:
        lines = files["tables.jsonl"].splitlines(keepends=True)
        values = json.loads(lines[4])
        if isinstance(value, dict):  # of a bot that was there, or it would be found for that
            values[key] |= dict.fromkeys([values["first"]], *value.values())
        else:
            values[key] = value
        text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
        lines[4] = text.encode() + b"\n"
        files["tables.jsonl"] = b"".join(lines)
        return "tables.jsonl", 5

    return forge


def nested(files: Files) -> tuple[str, int]:
    lines = files["tables.jsonl"].splitlines(keepends=True)
    lines[4] = b"[" * 100_000 + b"\n"
    files["tables.jsonl"] = b"".join(lines)
    return "tables.jsonl", 5


def fault_of_the_other(files: Files) -> tuple[str, int]:
    """A fault that there was, entered for whom it was not."""
    result = of(files, 4)
    seat, bot = next(iter(result.seats.items()))
    (other,) = set(result.table.pairing) - {bot}
    name = f"records/{result.table.id}.bgn"
    record = read_record(files[name].decode())
    noted = dataclasses.replace(record, notes=(*record.notes, f"fault: {seat} timeout in deal 1"))
    files[name] = format_record(noted).encode()
    faults = (TableFault(other, seat, "timeout", False, ""),)
    put(files, 4, dataclasses.replace(result, faults=faults))
    return "tables.jsonl", 5


def hashed(key: str, value: object) -> Forgery:
    """Another header with the digest of its policy made again."""

    def forge(files: Files) -> tuple[str, int]:
        header(key, value)(files)
        digest = policy_digest(json.loads(files["event.json"]))
        header("policy_sha256", digest)(files)
        return header(key, value)(files)

    return forge


def header(key: str, value: object, blamed: str = "") -> Forgery:
    def forge(files: Files) -> tuple[str, int]:
        values = json.loads(files["event.json"])
        values[key] = value
        files["event.json"] = (json.dumps(values, indent=2, ensure_ascii=False) + "\n").encode()
        rows = files["event.json"].decode().split("\n")
        start = f'  "{blamed or key}":'
        return "event.json", next((n for n, row in enumerate(rows, 1) if row.startswith(start)), 0)

    return forge


def key_twice(files: Files) -> tuple[str, int]:
    files["event.json"] = files["event.json"].replace(b"{\n", b'{\n  "boards": 1,\n', 1)
    return "event.json", 0


FORGERIES: dict[str, Forgery] = {
    "marks": swapped_marks,
    "contract": changed_result(contract="160S"),
    "match": changed_result(match_id="m-other"),
    "reason": changed_result(reason="target_reached"),
    "race": changed_result(race=True),
    "stranger": changed_result(decisions={"w": 3}),
    "time": changed_result(seconds={"x": -1.0}),
    "seats": swapped_seats,
    "fault": fault,
    "key more": a_key_more,
    "forfeit": forfeit,
    "twice": line_twice,
    "left out": line_left_out,
    "made up": table_made_up,
    "number": wrong_number,
    "cards": other_cards,
    "exchanged": exchanged_records,
    "illegal": one_card,
    "record missing": record_missing,
    "record more": record_too_many,
    "file more": file_too_many,
    "board": a_board,
    "board left out": a_board_left_out,
    "standings": standings_file("standings.json"),
    "csv": standings_file("standings.csv"),
    "conduct": standings_file("conduct.json"),
    "derived missing": derived_missing,
    "policy": header("broken", {"stops": False, "marks": 999}, "policy_sha256"),
    "strikes": header("time", {"per_move": 9.0}, "policy_sha256"),
    "seed": header("seed", "11" * 32),
    "tables": header("tables", 14),
    "label": header("label", "other"),
    "schema": header("schema", 2),
    "key twice": key_twice,
    # Of kinds that nobody expects: a finding, never a traceback.
    **{f"broken {kind}": hashed("broken", kind()) for kind in (list, dict, int, str)},
    "broken null": hashed("broken", None),
    "stops": hashed("broken", {"stops": 0, "marks": 250}),
    "broken marks": hashed("broken", {"stops": False, "marks": "250"}),
    "times in a list": hashed("time", [5]),
    "boards": header("boards", 10**12),
    "too many boards": header("boards", 1_000_000),
    "half a board": header("boards", 2.5),
    "boards as text": header("boards", "2"),
    "boards true": header("boards", True),
    "no bots": header("bots", None),
    "bots by name": header("bots", ["x", "y", "z"]),
    "bots without a name": header("bots", [{"name": None}] * 3),
    "a bot twice": header("bots", [{"name": "x"}, {"name": "x"}, {"name": "z"}]),
    "format": header("format", "round-robin"),
    "kind": header("format", {"kind": ["round-robin"]}),
    "looks": header("format", {"kind": "sprt", "design": {"every": 0}}),
    "odds": header("format", {"kind": "sprt", "design": {"alpha": 10**400}}),
    "tables as text": header("tables", "12"),
    "no commitment": header("seed_commitment", None),
    "seed as number": header("seed", 5),
    "no decisions": raw_result("decisions", {"x": None}),
    "many decisions": raw_result("decisions", {"x": 10**400}),
    "decisions in a list": raw_result("decisions", ["x"]),
    "seconds": raw_result("seconds", {"x": "1"}),
    "for ever": raw_result("seconds", {"x": float("inf")}),
    "overruns": raw_result("overruns", {"x": []}),
    "times": raw_result("times", {"x": [1, -1]}),
    "slowest": raw_result("slowest", {"x": "long"}),
    "high marks": raw_result("marks", [10**400, 0]),
    "no fault": raw_result("faults", [{"bot": 1}]),
    "no attempt": raw_result("attempts", [None]),
    "a list for a bot": raw_result("first", ["x"]),
    "a number for a match": raw_result("match_id", 5),
    "seats in a list": raw_result("seats", ["x"]),
    "blamed on the other": fault_of_the_other,
    "nested": nested,
    "board without end": raw_result("board", float("inf")),
    "nobody forfeits": raw_result("forfeited_by", [["x"]]),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forgery_with_a_manifest_of_its_own(exported: Files, forgery: str) -> None:
    files = dict(exported)
    file, line = FORGERIES[forgery](files)
    assert files != exported
    found = audit(resealed(files)).findings
    assert found
    assert found[0].file == file, found[0]
    assert line in {0, found[0].line}, found[0]


def test_another_seed_with_its_own_commitment(exported: Files) -> None:
    files = dict(exported)
    seed = "11" * 32
    header("seed", seed)(files)
    header("seed_commitment", commitment(bytes.fromhex(seed)))(files)
    found = audit(resealed(files))
    assert found.findings[0].file == "tables.jsonl"
    assert "by the seed" in found.findings[0].problem


def test_any_byte_of_what_is_computed_again(exported: Files) -> None:
    """Even with a new manifest there is no byte of these that could be otherwise."""
    rng = random.Random(5)
    names = [n for n in exported if n.split("/")[0] in {"records", "boards.csv", "conduct.json"}]
    names += ["standings.json", "standings.csv"]
    for _ in range(MUTATIONS // 10):
        name = rng.choice(names)
        data = bytearray(exported[name])
        data[rng.randrange(len(data))] ^= rng.randrange(1, 256)
        found = audit(resealed(exported | {name: bytes(data)})).findings
        # Which match a table was, its record and its result say; neither can be computed.
        assert found, name
        assert {finding.file for finding in found} <= {name, "tables.jsonl"}


def test_any_byte_is_named_by_file_and_line(exported: Files) -> None:
    rng = random.Random(7)
    for _ in range(MUTATIONS):
        name = rng.choice(sorted(exported))
        data = bytearray(exported[name])
        place = rng.randrange(len(data))
        line = data.count(b"\n", 0, place) + 1
        data[place] ^= rng.randrange(1, 256)
        found = broken_seal(exported | {name: bytes(data)})
        assert [(one.file, one.line) for one in found] == [(name, line)], (name, place)


def test_lines_put_in_and_taken_out(exported: Files) -> None:
    name = "tables.jsonl"
    rows = exported[name].split(b"\n")
    for at in (0, 3, 11):
        more = b"\n".join([*rows[:at], b"{}", *rows[at:]])
        fewer = b"\n".join(rows[:at] + rows[at + 1 :])
        for data in (more, fewer):
            (found,) = broken_seal(exported | {name: data})
            assert (found.file, found.line) == (name, at + 1)
    (found,) = broken_seal(exported | {name: exported[name] + b"{}"})
    assert found.line == 13
    (found,) = broken_seal(exported | {name: exported[name][:-1]})
    assert found.line == 12


def test_files_missing_and_too_many(exported: Files) -> None:
    fewer = {name: data for name, data in exported.items() if name != "boards.csv"}
    (found,) = broken_seal(fewer)
    assert found == Finding("boards.csv", 0, "it is missing, though the manifest has it")
    (found,) = broken_seal(exported | {"a/b": b""})
    assert (found.file, found.line) == ("a/b", 0)
    without = {name: data for name, data in exported.items() if name != MANIFEST}
    assert broken_seal(without) == [Finding(MANIFEST, 0, "it is missing")]
    assert audit(without, sealed=False).right


@pytest.mark.parametrize("data", [b"", b"\n", b"{}\n", b"\xff\n\n"], ids=["0", "1", "2", "3"])
def test_a_manifest_that_is_none(exported: Files, data: bytes) -> None:
    (found,) = broken_seal(exported | {MANIFEST: data})
    assert (found.file, found.line) == (MANIFEST, 1)


def test_a_line_of_the_manifest_that_is_gone(exported: Files) -> None:
    rows = exported[MANIFEST].split(b"\n")
    (found,) = broken_seal(exported | {MANIFEST: b"\n".join(rows[:3] + rows[4:])})
    assert (found.file, found.line) == (MANIFEST, len(rows) - 2)


def test_what_is_read_is_what_was_exported(exported: Files, tmp_path: Path) -> None:
    for name, data in exported.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    assert read_files(tmp_path) == exported
