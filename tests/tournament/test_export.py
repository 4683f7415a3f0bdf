"""What an event publishes, as a folder and as archives, and what it keeps to itself."""

from __future__ import annotations

import dataclasses
import io
import json
import random
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest
from tests.tournament.events import SEED, make_event

from contree.tournament import bundle
from contree.tournament.audit import audit
from contree.tournament.bot_endings import Ending, note_ending
from contree.tournament.bundle import PUBLISHED, read_files, write_files
from contree.tournament.errors import ResultsError
from contree.tournament.export import export_event
from contree.tournament.folder import EventFolder
from contree.tournament.manifest import MANIFEST
from contree.tournament.progress import Progress
from contree.tournament.running import Running
from contree.tournament.status import status_of
from contree.tournament.tables import Attempt, TableResult

SECRETS = ("seed", "service.json", "lock", "logs/x.log", "store/appendonly.aof")


@pytest.fixture
def event(tmp_path: Path) -> Path:
    folder = tmp_path / "results" / "cup-1"
    make_event(folder)
    for name in SECRETS:
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("secret")
    return folder


def test_all_that_proves_it_and_nothing_else(event: Path) -> None:
    (event / "report.html").write_text("<html></html>")
    made = export_event(event)
    assert made.complete
    records = {f"records/{path.name}" for path in (event / "records").iterdir()}
    assert set(made.files) == records | {
        "event.json", "tables.jsonl", "boards.csv", "standings.json", "standings.csv",
        "conduct.json", "report.html", MANIFEST,
    }  # fmt: skip
    assert not any(b"secret" in data for data in made.files.values())
    assert export_event(event) == made


def test_standings_are_computed_and_not_copied(event: Path) -> None:
    (event / "standings.json").write_text("{}")
    assert audit(export_event(event).files).right


def test_what_the_runner_keeps_for_itself_is_no_part_of_the_event(event: Path) -> None:
    for name in ("boards.csv", "standings.json", "standings.csv", "conduct.json"):
        (event / name).write_bytes(export_event(event).files[name])
    before = read_files(event)
    assert audit(before, sealed=False).right
    folder = EventFolder(event)
    note_ending(folder.endings, Ending("x", "x (north)", "with exit code 3", restarted=True))
    Running(event).write(Progress(1, 2, 0, 1, 1, 1), ())
    folder.cancel("enough")
    # A run that was killed while writing.
    for name in ("run.json.tmp", "event.json.tmp", "records/b0001-x~z-B.bgn.tmp"):
        (event / name).write_text("half")
    assert read_files(event) == before
    for path in vars(folder).values():
        if isinstance(path, Path) and path != event:
            name = path.relative_to(event).parts[0]
            known = name in PUBLISHED
            assert known is (name in {"tables.jsonl", "boards.csv", "records"}), name


def test_what_a_killed_export_left_is_not_published(event: Path, tmp_path: Path) -> None:
    made = export_event(event)
    stale = tmp_path / ".out.tmp" / "records"
    stale.mkdir(parents=True)
    (stale / "stale.bgn").write_text("of another time")
    write_files(made.files, tmp_path / "out", made.event)
    assert read_files(tmp_path / "out") == made.files
    (tmp_path / ".out.zip.tmp").mkdir()
    write_files(made.files, tmp_path / "out.zip", made.event)
    assert read_files(tmp_path / "out.zip") == made.files


@pytest.mark.parametrize("name", ["out", "out.zip", "out.tar", "out.tar.gz", "out.tgz"])
def test_what_is_written_is_read(event: Path, tmp_path: Path, name: str) -> None:
    made = export_event(event)
    write_files(made.files, tmp_path / "to" / name, made.event)
    target = tmp_path / "to" / name
    assert read_files(target) == made.files
    assert [path.name for path in target.parent.iterdir()] == [name]
    with pytest.raises(ResultsError, match="is there already"):
        write_files(made.files, target, made.event)
    if target.is_file():
        again = target.with_name(f"again-{name}")
        write_files(made.files, again, made.event)
        assert again.read_bytes() == target.read_bytes()


def test_an_event_that_is_not_over(event: Path) -> None:
    log = event / "tables.jsonl"
    lines = log.read_text().splitlines(keepends=True)
    # All of board 1, and all but the last table of board 2.
    log.write_text("".join(lines[:-1]))
    (event / "records" / "b0002-y~z-B.bgn").unlink()
    header = (event / "event.json").read_text()
    (event / "event.json").write_text(header.replace(f'"{SEED.hex()}"', "null"))
    with pytest.raises(ResultsError, match=r"11 of 12 tables have a result.*--partial"):
        export_event(event)
    made = export_event(event, partial=True)
    assert not made.complete
    text = b"".join(data for name, data in made.files.items() if name != MANIFEST)
    assert b"b0001-" in text
    assert b"b0002-" not in text, "pairings that have it to play yet could read of board 2"
    found = audit(made.files)
    assert found.right
    assert (found.complete, found.tables, found.records) == (False, 6, 6)


def test_a_seed_that_is_not_revealed(tmp_path: Path) -> None:
    make_event(tmp_path, revealed=False)
    with pytest.raises(ResultsError, match="its seed is not revealed"):
        export_event(tmp_path)
    assert audit(export_event(tmp_path, partial=True).files).right


def test_a_record_that_is_missing(event: Path) -> None:
    (event / "records" / "b0002-y~z-B.bgn").unlink()
    with pytest.raises(ResultsError, match="the record of b0002-y~z-B is missing"):
        export_event(event)


def test_an_api_key_is_not_published(event: Path) -> None:
    token = "contree_abcdefghij12_SecretSecretSecret"
    header = event / "event.json"
    header.write_text(header.read_text().replace('"command": []', f'"command": ["{token}"]', 1))
    with pytest.raises(ResultsError, match=r"event\.json, line \d+, holds an API key"):
        export_event(event)


def test_no_event(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match=r"it has no event\.json"):
        export_event(tmp_path)


def test_a_reason_with_any_character_leaves_the_event_readable(event: Path) -> None:
    """A text of somebody else is in the log: the reason of whoever cancelled a match."""
    log = event / "tables.jsonl"
    lines = log.read_text("utf-8").split("\n")
    result = TableResult.from_dict(json.loads(lines[0]))
    reason = "a\u2028b\u2029c\x85d\x1ce\x0bf\rg"
    attempts = (Attempt("m0", "cancelled", reason),)
    lines[0] = dataclasses.replace(result, attempts=attempts).line().removesuffix("\n")
    log.write_text("\n".join(lines), "utf-8", newline="\n")
    assert status_of(event).tables == 12
    assert audit(export_event(event).files).right


def test_a_damaged_log_is_a_sentence(event: Path) -> None:
    log = event / "tables.jsonl"
    for line in ("[" * 100_000, '{"schema": 1, "decisions": []}', "5", "\x00"):
        log.write_text(f"{line}\n{log.read_text('utf-8')}", "utf-8")
        with pytest.raises(ResultsError, match="cannot be read"):
            export_event(event)


# -- archives of strangers -----------------------------------------------------------------------


def zipped(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "e/../../x", "e\\x", "x"], ids=["root", "up", "backslash", "no folder"]
)
def test_paths_that_lead_out(tmp_path: Path, name: str) -> None:
    path = zipped(tmp_path / "e.zip", {"e/event.json": b"{}"})
    with zipfile.ZipFile(path, "a") as archive:
        info = zipfile.ZipInfo("x")
        info.filename = name
        archive.writestr(info, b"")
    with pytest.raises(ResultsError, match=r"leads out|no exported event"):
        read_files(path)


def test_a_link_in_a_zip(tmp_path: Path) -> None:
    path = zipped(tmp_path / "e.zip", {"e/event.json": b"{}"})
    with zipfile.ZipFile(path, "a") as archive:
        info = zipfile.ZipInfo("e/report.html")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    with pytest.raises(ResultsError, match="no file but a link"):
        read_files(path)


def test_names_that_a_terminal_would_obey(tmp_path: Path) -> None:
    path = zipped(tmp_path / "e.zip", {"e/event.json": b"{}", "e/\x1b[2J\u202e": b""})
    with pytest.raises(ResultsError) as caught:
        read_files(path)
    assert str(caught.value).isprintable()


def test_links_and_too_much(event: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "e.tar"
    with tarfile.open(path, "w") as archive:
        info = tarfile.TarInfo("e/event.json")
        info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(info)
    with pytest.raises(ResultsError, match="no file but a link"):
        read_files(path)
    (event / "records" / "link").symlink_to("/etc/passwd")
    with pytest.raises(ResultsError, match="is a link"):
        read_files(event)
    monkeypatch.setattr(bundle, "MOST_BYTES", 1 << 20)
    big = zipped(tmp_path / "big.zip", {"e/event.json": bytes(2 << 20)})
    with pytest.raises(ResultsError, match="holds more than"):
        read_files(big)
    info = tarfile.TarInfo("e/event.json")
    info.pax_headers = {"comment": "x" * (2 << 20)}
    for name in ("long.tar", "long.tgz"):
        with tarfile.open(tmp_path / name, "w:gz" if name == "long.tgz" else "w") as archive:
            archive.addfile(info)
        with pytest.raises(ResultsError, match="holds more than"):
            read_files(tmp_path / name)


@pytest.mark.parametrize("name", ["e.zip", "e.tgz", "e.tar"])
def test_any_byte_of_an_archive(event: Path, tmp_path: Path, name: str) -> None:
    """What an archive says of times and modes is no part of the event; all else is."""
    made = export_event(event)
    path = tmp_path / name
    write_files(made.files, path, made.event)
    whole, rng = path.read_bytes(), random.Random(name)
    noticed = 0
    for _ in range(40):
        data = bytearray(whole)
        data[rng.randrange(len(data))] ^= rng.randrange(1, 256)
        path.write_bytes(bytes(data))
        try:
            files = read_files(path)
        except ResultsError:
            noticed += 1
            continue
        if files != made.files:
            assert not audit(files).right
            noticed += 1
    assert noticed >= 30


def test_what_is_no_archive(tmp_path: Path) -> None:
    path = tmp_path / "e.zip"
    path.write_bytes(b"PK nothing of the kind")
    with pytest.raises(ResultsError, match="cannot be read as an event"):
        read_files(path)
    with pytest.raises(ResultsError, match="check the path"):
        read_files(tmp_path / "nowhere")
    with pytest.raises(ResultsError, match=r"it has no event\.json"):
        read_files(tmp_path)
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("e/event.json", b"{}" * 100)
    packed = bytearray(data.getvalue())
    packed[50] ^= 0xFF
    path.write_bytes(bytes(packed))
    with pytest.raises(ResultsError, match="cannot be read as an event"):
        read_files(path)
