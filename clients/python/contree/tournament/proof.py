"""An event read back from its folder, to prove its records: pure but for reading the files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from contree.engine import EngineError, RuleSet, Seat, commitment, rules_from_dict
from contree.tournament.errors import ConfigError, ResultsError
from contree.tournament.formats import Format, Sequential, Shape
from contree.tournament.layout import Layout, lay_out, lay_out_race, race_seed
from contree.tournament.results import LOG_NAME
from contree.tournament.schedule import Table
from contree.tournament.tables import FORFEITED, TableResult

UNREADABLE: Final = (
    ArithmeticError,
    AttributeError,
    ConfigError,
    EngineError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What reading an event may raise when its files are not those of one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventProof:
    """What an event says about itself."""

    folder: Path
    id: str
    label: str
    kind: str
    """The name of its format."""
    rules: RuleSet
    schedule: Format
    races: bool
    """Played in races, not by boards."""
    seed: bytes | None = field(repr=False)
    """None as long as it is not revealed."""
    results: Mapping[str, TableResult]
    """The finished tables, by table id."""
    tables: Mapping[str, Table]
    """The tables that the event has after these results, by id."""

    @classmethod
    def read(cls, folder: Path) -> EventProof:
        """The event in a folder; ResultsError when there is none, when it cannot be read, or when
        its seed is not the one that was committed to.
        """
        try:
            header = json.loads((folder / "event.json").read_text(encoding="utf-8"))
            results = _results(folder / LOG_NAME)
            proof = cls.of(header, results, folder)
        except FileNotFoundError:
            raise ResultsError(f"There is no event in {folder}: it has no event.json.") from None
        except (OSError, *UNREADABLE) as error:
            raise ResultsError(f"The event in {folder} cannot be read ({error!r}).") from None
        return proof

    @classmethod
    def of(
        cls, header: Mapping[str, Any], results: Mapping[str, TableResult], folder: Path
    ) -> EventProof:
        """The event of this header with these results. Raises one of
        ``UNREADABLE`` when the header is none.
        """
        names = [str(bot["name"]) for bot in header["bots"]]
        shape = Shape.from_dict(header.get("format", {"kind": "round-robin"}))
        schedule = shape.build(names, int(header["boards"]))
        return cls(
            folder=folder,
            id=str(header["id"]),
            label=str(header["label"]),
            kind=shape.kind.value,
            rules=rules_from_dict(header["rules"]),
            schedule=schedule,
            races=header.get("race") is not None,
            seed=_seed(header),
            results=results,
            tables=_tables(schedule, results),
        )

    def table(self, table_id: str) -> Table | None:
        """The table of this id; None when the event has none."""
        return self.tables.get(table_id)

    def seats(self, table: Table, seed: bytes, label: str) -> Mapping[Seat, str]:
        """Who sits where at a table."""
        return lay_out_race(table) if self.races else self.layout(table, seed, label).seats

    def layout(self, table: Table, seed: bytes, label: str) -> Layout:
        """The cards and seats of a table of a board."""
        return lay_out(table, seed, label, self.rules)

    def race_seed(self, table: Table, seed: bytes) -> bytes:
        """The seed of the packs of a race."""
        return race_seed(seed, table.board)

    def lacks(self, table: Table) -> bool:
        """Whether a record is missing that ought to be there by now."""
        result = self.results.get(table.id)
        played = result is not None and result.reason != FORFEITED
        return played and self.seed is not None and not self.record(table).exists()

    def record(self, table: Table) -> Path:
        """The file with the record of a table."""
        return self.folder / "records" / f"{table.id}.bgn"


def _tables(schedule: Format, results: Mapping[str, TableResult]) -> dict[str, Table]:
    opened = schedule.opened(results)
    every = schedule.every_table() if isinstance(schedule, Sequential) else ()
    return {table.id: table for table in (*every, *opened.tables)}


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
    # Lines of bytes: in a text also some characters end a line that JSON leaves as they are.
    lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
    for line in lines:
        if line.endswith(b"\n"):
            result = TableResult.from_dict(json.loads(line.decode()))
            results.setdefault(result.table.id, result)
    return results
