"""The results of an event on disk. ``tables.jsonl`` is the truth: one line for each finished table,
written through to the disk before anything is made of it. All else here is computed from it.
"""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from contree.tournament.errors import ResultsError
from contree.tournament.schedule import Pairing
from contree.tournament.standings import BoardResult, Meeting, Standings
from contree.tournament.statistics import LEVEL, Estimate
from contree.tournament.statistics.paired import Gain
from contree.tournament.statistics.ratings import Rating
from contree.tournament.tables import TableResult

LOG_NAME: Final = "tables.jsonl"


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
        line = json.dumps(result.to_dict(), ensure_ascii=False, separators=(",", ":")) + "\n"
        self._file.write(line.encode())
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
        except (ValueError, KeyError, TypeError) as error:
            if number == len(lines):
                break
            raise ResultsError(
                f"{path}, line {number}, is no result ({error}): repair or delete the line; "
                "its table is then played again."
            ) from None
        results.setdefault(result.table.id, result)
        good += len(line)
    return good


def write_boards(path: Path, boards: Iterable[BoardResult]) -> None:
    """The closed boards as CSV, in schedule order; all numbers are those of ``first``."""
    rows = (
        (b.board, b.pairing.first, b.pairing.second, b.table_a, b.table_b, f"{b.points:g}")
        for b in boards
    )
    _write_csv(path, ("board", "first", "second", "table_a", "table_b", "points"), rows)


def write_standings(folder: Path, table: Standings, about: Mapping[str, Any]) -> None:
    """The standings as JSON (``about`` comes first) and as CSV."""
    document = {
        **about,
        "level": LEVEL,
        "unit": "races won less races lost" if table.races else "marks a table",
        "pairing_gain": _gain(table.gain),
        "standings": [
            {
                "place": row.place,
                "bot": row.bot,
                "points": _estimate(row.points),
                "imps": _estimate(row.imps),
                "rating": _rating(row.rating),
                **row.tally._asdict(),
                **row.conduct._asdict(),
            }
            for row in table.rows
        ],
        "meetings": [_meeting(pairing, met) for pairing, met in table.meetings.items()],
    }
    write_json(folder / "standings.json", document)
    header = (
        "place", "bot", "points", "low", "high", "boards", "won", "tied", "lost",
        "tables", "faults", "replaced", "seconds_a_decision", "overruns", "forfeits",
        "imps", "imps_low", "imps_high", "rating", "rating_low", "rating_high",
    )  # fmt: skip
    rows = (
        (
            row.place,
            row.bot,
            *(_numbers(row.points)),
            row.tally.boards,
            *row.tally,
            row.conduct.tables,
            sum(row.conduct.faults.values()),
            row.conduct.replaced,
            f"{row.conduct.seconds_a_decision:.4f}",
            row.conduct.overruns,
            row.conduct.forfeits,
            *_numbers(row.imps),
            *_rated(row.rating),
        )
        for row in table.rows
    )
    _write_csv(folder / "standings.csv", header, rows)


def write_json(path: Path, document: Mapping[str, Any]) -> None:
    """Write a file whole or not at all."""
    write_whole(path, json.dumps(document, indent=2, ensure_ascii=False) + "\n")


def write_whole(path: Path, text: str, mode: int = 0o644) -> None:
    """Write a file whole or not at all."""
    # One runner at a time has the folder: what one that was killed left behind is written over.
    temporary = path.with_name(f"{path.name}.tmp")
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


def _estimate(points: Estimate | None) -> dict[str, Any] | None:
    return None if points is None else points._asdict()


def _gain(gain: Gain | None) -> dict[str, Any] | None:
    """How the variance compares with that of tables that are not paired."""
    return None if gain is None else gain._asdict()


def _rating(rating: Rating | None) -> dict[str, Any] | None:
    if rating is None:
        return None
    return {"mu": rating.mu, "sigma": rating.sigma, "low": rating.low, "high": rating.high}


def _meeting(pairing: Pairing, met: Meeting) -> dict[str, Any]:
    return {
        "bot": pairing.first,
        "opponent": pairing.second,
        "points": _estimate(met.points),
        "together": None if met.together is None else met.together._asdict(),
        "imps": _estimate(met.imps),
        "checks": None if met.checks is None else met.checks._asdict(),
        "boards_needed": None if met.needed is None else met.needed._asdict(),
        "pairing_gain": _gain(met.gain),
        **met.tally._asdict(),
    }


def _numbers(points: Estimate | None) -> tuple[str, str, str]:
    if points is None:
        return "", "", ""
    return f"{points.mean:.3f}", f"{points.low:.3f}", f"{points.high:.3f}"


def _rated(rating: Rating | None) -> tuple[str, str, str]:
    if rating is None:
        return "", "", ""
    return f"{rating.mu:.3f}", f"{rating.low:.3f}", f"{rating.high:.3f}"


def _write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    write_whole(path, text.getvalue())
