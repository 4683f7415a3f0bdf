"""The results of an event on disk. ``tables.jsonl`` is the truth: one line for each finished table,
written through to the disk before anything is made of it. All else here is computed from it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from contree.tournament.errors import ResultsError
from contree.tournament.tables import TableResult

LOG_NAME: Final = "tables.jsonl"
UNFINISHED: Final = ".tmp"
"""The end of the name of a file that is being written: a run that was killed may leave one."""


class ResultLog:
    """The finished tables, in the order in which they came in; a table has one result for good.

    A line that the last run did not finish writing (it was killed, the disk was full) is dropped:
    the table has no result then and is played, or asked from the service, again.
    """

    def __init__(self, path: Path) -> None:
        """Read what is there. Raises ResultsError for a file that is damaged before its end."""
        self._path = path
        self._results: dict[str, TableResult] = {}
        data = path.read_bytes() if path.exists() else b""
        whole = _readable(path, data, self._results)
        self.mended = whole < len(data)
        """The last run had left an unfinished line."""
        self._file = path.open("ab")
        if self.mended:
            self._file.truncate(whole)
        os.fsync(self._file.fileno())
        sync_folder(path.parent)

    @property
    def done(self) -> Mapping[str, TableResult]:
        """Results by table id."""
        return self._results

    def append(self, result: TableResult) -> None:
        """Add a result, if its table has none, and see it on the disk before returning."""
        if result.table.id in self._results:
            return
        self._file.write(result.line().encode())
        self._file.flush()
        os.fsync(self._file.fileno())
        self._results[result.table.id] = result

    def close(self) -> None:
        """Append no more."""
        self._file.close()

    def __enter__(self) -> ResultLog:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def _readable(path: Path, data: bytes, results: dict[str, TableResult]) -> int:
    """Read the lines into ``results``; the number of bytes up to the end of the last good one."""
    good = 0
    lines = data.splitlines(keepends=True)
    for number, line in enumerate(lines, start=1):
        try:
            if not line.endswith(b"\n"):
                raise ValueError("the line has no end")
            result = TableResult.from_dict(json.loads(line))
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            if number == len(lines):
                break
            raise ResultsError(
                f"{path}, line {number}, is no result ({error}): repair or delete the line; "
                "its table is then played again."
            ) from None
        results.setdefault(result.table.id, result)
        good += len(line)
    return good


def json_text(document: Mapping[str, Any]) -> str:
    """A document as its file has it."""
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def write_json(path: Path, document: Mapping[str, Any]) -> None:
    """Write a file whole or not at all."""
    write_whole(path, json_text(document))


def write_whole(path: Path, text: str, mode: int = 0o644) -> None:
    """Write a file whole or not at all."""
    # One runner at a time has the folder: what one that was killed left behind is written over.
    temporary = path.with_name(f"{path.name}{UNFINISHED}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def sync_folder(folder: Path) -> None:
    """See the names in a folder on the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
