"""An event read back from its folder, to prove its records: pure but for reading the files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from contree.engine import EngineError, RuleSet, commitment, rules_from_dict
from contree.tournament.errors import ResultsError
from contree.tournament.layout import Layout, lay_out
from contree.tournament.results import LOG_NAME
from contree.tournament.schedule import RoundRobin, Table
from contree.tournament.tables import TableResult


@dataclass(frozen=True, slots=True, kw_only=True)
class EventProof:
    """What an event says about itself."""

    folder: Path
    id: str
    label: str
    rules: RuleSet
    schedule: RoundRobin
    seed: bytes | None = field(repr=False)
    """None as long as it is not revealed."""
    results: Mapping[str, TableResult]
    """The finished tables, by table id."""

    @classmethod
    def read(cls, folder: Path) -> EventProof:
        """The event in a folder; ResultsError when there is none, when it cannot be read, or when
        its seed is not the one that was committed to.
        """
        try:
            header = json.loads((folder / "event.json").read_text(encoding="utf-8"))
            proof = cls(
                folder=folder,
                id=str(header["id"]),
                label=str(header["label"]),
                rules=rules_from_dict(header["rules"]),
                schedule=RoundRobin(
                    tuple(str(bot["name"]) for bot in header["bots"]), int(header["boards"])
                ),
                seed=_seed(header),
                results=_results(folder / LOG_NAME),
            )
        except FileNotFoundError:
            raise ResultsError(f"There is no event in {folder}: it has no event.json.") from None
        except (OSError, ValueError, KeyError, TypeError, EngineError) as error:
            raise ResultsError(f"The event in {folder} cannot be read ({error!r}).") from None
        return proof

    def table(self, table_id: str) -> Table | None:
        """The table of this id; None when the event has none."""
        number = table_id[1:].partition("-")[0]
        board = int(number) if number.isascii() and number.isdigit() else 0
        tables = self.schedule.tables_of(board)
        return next((table for table in tables if table.id == table_id), None)

    def layout(self, table: Table, seed: bytes, label: str) -> Layout:
        """The cards and seats of a table."""
        return lay_out(table, seed, label, self.rules)

    def record(self, table: Table) -> Path:
        """The file with the record of a table."""
        return self.folder / "records" / f"{table.id}.bgn"


def _seed(header: Mapping[str, Any]) -> bytes | None:
    if header["seed"] is None:
        return None
    seed = bytes.fromhex(header["seed"])
    if commitment(seed) != header["seed_commitment"]:
        raise ValueError("the seed is not the one that its commitment is of")
    return seed


def _results(path: Path) -> dict[str, TableResult]:
    """The results on file; a last line that was not finished is passed over."""
    results: dict[str, TableResult] = {}
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else []
    for line in lines:
        if line.endswith("\n"):
            result = TableResult.from_dict(json.loads(line))
            results.setdefault(result.table.id, result)
    return results
