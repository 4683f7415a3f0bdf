"""What an event publishes: all that is needed to check it, and nothing that is not to be known.

The standings are computed again from the results, not copied. Of an event that is not over only the
boards go out that all pairings have played: the results of the others would tell bots that still
have to play them what is in the cards.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from contree.tournament.documents import Derived
from contree.tournament.errors import ResultsError
from contree.tournament.manifest import MANIFEST, seal
from contree.tournament.proof import EventProof
from contree.tournament.results import LOG_NAME
from contree.tournament.schedule import Table
from contree.tournament.tables import FORFEITED, TableResult

REPORT: Final = "report.html"
HEADER: Final = "event.json"
_TOKEN: Final = re.compile(rb"contree_[0-9a-z]{12}_[0-9A-Za-z]+")


class Export(NamedTuple):
    """An event ready to be published."""

    event: str
    files: Mapping[str, bytes]
    """By path, the manifest among them."""
    complete: bool

    @property
    def digest(self) -> str:
        """The SHA-256 of the manifest: what to publish with it."""
        return hashlib.sha256(self.files[MANIFEST]).hexdigest()


def export_event(folder: Path, *, partial: bool = False) -> Export:
    """The files of the event in a runner's folder. Raises ResultsError when there is none, when it
    is not over and no ``partial`` one is asked for, or when an API key stands in one of its files.
    """
    proof = EventProof.read(folder)
    derived = Derived.of(proof.schedule, proof.results, quick=True)
    missing = [table.id for table in proof.tables.values() if proof.lacks(table)]
    complete = derived.complete and proof.seed is not None and not missing
    if not complete and not partial:
        raise ResultsError(_unfinished(folder, derived, missing))
    kept = dict(proof.results) if complete else _disclosed(proof, derived)
    files = {HEADER: _read(folder / HEADER)}
    files[LOG_NAME] = "".join(map(TableResult.line, kept.values())).encode()
    for name, text in Derived.of(proof.schedule, kept).documents(proof.id, proof.kind).items():
        files[name] = text.encode()
    for result in kept.values():
        if result.reason != FORFEITED:
            path = proof.record(result.table)
            files[f"records/{path.name}"] = _read(path)
    if complete and (folder / REPORT).is_file():
        files[REPORT] = _read(folder / REPORT)
    _refuse_tokens(files)
    return Export(proof.id, files | {MANIFEST: seal(proof.id, files)}, complete)


def _disclosed(proof: EventProof, derived: Derived) -> dict[str, TableResult]:
    """The results of the boards that all pairings have played and whose records may be shown."""
    boards: dict[int, list[Table]] = defaultdict(list)
    for table in derived.opened.tables:
        boards[table.board].append(table)

    def shown(table: Table) -> bool:
        result = proof.results.get(table.id)
        return result is not None and (result.reason == FORFEITED or proof.record(table).is_file())

    open_boards = {board for board, tables in boards.items() if all(map(shown, tables))}
    return {
        table: result
        for table, result in proof.results.items()
        if result.table.board in open_boards and table in proof.tables
    }


def _unfinished(folder: Path, derived: Derived, missing: list[str]) -> str:
    of = derived.opened.of_tables
    why = f"{len(derived.results)} of {of} tables have a result"
    if derived.complete:
        why = f"the record of {missing[0]} is missing" if missing else "its seed is not revealed"
    return (
        f"The event in {folder} is not finished: {why}. Run it to its end, or export what is "
        "disclosed with --partial."
    )


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ResultsError(f"{path} cannot be read: {error.strerror}.") from None


def _refuse_tokens(files: Mapping[str, bytes]) -> None:
    for name, data in files.items():
        if found := _TOKEN.search(data):
            line = data.count(b"\n", 0, found.start()) + 1
            raise ResultsError(
                f"{name}, line {line}, holds an API key: it is not exported. Revoke the key, and "
                "keep keys out of commands."
            )
