"""The records of an event: played again, and compared with its seed and its results. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from contree.engine.notation import RecordError, format_record, read_record
from contree.engine.places import WrongRecord, is_json, line_of
from contree.tournament.checking import check_setting, wrong_result
from contree.tournament.manifest import MANIFEST, Finding
from contree.tournament.proof import EventProof
from contree.tournament.results import LOG_NAME
from contree.tournament.tables import FORFEITED, TableResult


def check_records(proof: EventProof, files: Mapping[str, bytes], found: list[Finding]) -> None:
    """Add to ``found`` what is wrong with each record, and which are missing or too many."""
    played = {
        f"records/{table_id}.bgn": (number, result)
        for number, (table_id, result) in enumerate(proof.results.items(), 1)
        if result.reason != FORFEITED
    }
    for path, (number, result) in played.items():
        if path not in files:
            if proof.seed is not None or MANIFEST in files:
                found.append(Finding(path, 0, "it is missing, though the table has a result"))
        elif finding := _wrong(path, files[path], result, number, proof):
            found.append(finding)
    found += [
        Finding(path, 0, "no table that was played has this record")
        for path in files
        if path.startswith("records/") and path not in played
    ]


def _wrong(
    path: str, data: bytes, result: TableResult, number: int, proof: EventProof
) -> Finding | None:
    text = data.decode("ascii", errors="replace")
    try:
        if is_json(text):
            return Finding(path, 1, "it is not in the text form")
        record = read_record(text)
    except RecordError as error:
        return Finding(path, error.line, error.problem)
    written = format_record(record)
    if written != text:
        pairs = zip(text.split("\n"), written.split("\n"), strict=False)
        line = next((n for n, (one, other) in enumerate(pairs, 1) if one != other), 0)
        return Finding(path, line, "it is not as records are written")
    try:
        check_setting(record, proof, result.table, seed=proof.seed, label=proof.label)
    except WrongRecord as error:
        return Finding(path, line_of(text, error.place), error.problem)
    problem = wrong_result(result, record, record.replay())
    return Finding(LOG_NAME, number, problem) if problem else None
