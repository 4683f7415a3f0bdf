"""An event read from its folder and counted afresh: all that a page is made of."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from contree.engine import EngineError, Record, read_record
from contree.tournament.bot_endings import ENDINGS_NAME, Ending, read_endings
from contree.tournament.documents import Derived
from contree.tournament.errors import ResultsError
from contree.tournament.formats import Format
from contree.tournament.proof import EventProof
from contree.tournament.schedule import Table
from contree.tournament.standings import BoardResult, Standings, close_boards


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """An event and what it came to."""

    proof: EventProof
    header: Mapping[str, Any]
    """``event.json``."""
    derived: Derived
    closed: tuple[BoardResult, ...]
    """The boards of pairings of which both tables count."""
    endings: tuple[Ending, ...] = ()
    """How processes of bots ended that the runner did not end; in the runner's folder only."""

    @property
    def schedule(self) -> Format:
        """The format."""
        return self.proof.schedule

    @property
    def standings(self) -> Standings:
        """The table, and how each did against each."""
        return self.derived.standings

    @classmethod
    def read(cls, folder: Path) -> Source:
        """The event in a folder. ResultsError when there is none, or it cannot be read."""
        proof = EventProof.read(folder)
        try:
            header = json.loads((folder / "event.json").read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ResultsError(f"The event in {folder} cannot be read ({error!r}).") from None
        return replace(cls.of(proof, header), endings=read_endings(folder / ENDINGS_NAME))

    @classmethod
    def of(cls, proof: EventProof, header: Mapping[str, Any]) -> Source:
        """The event with its statistics."""
        derived = Derived.of(proof.schedule, proof.results)
        return cls(
            proof=proof,
            header=header,
            derived=derived,
            closed=close_boards(derived.results),
        )

    def record(self, table: Table) -> Record:
        """The record of a table; LookupError, with a sentence, when there is none to be had."""
        try:
            return read_record(self.proof.record(table).read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise LookupError("There is no record of this table.") from None
        except (OSError, ValueError, EngineError) as error:
            raise LookupError(f"The record of this table cannot be read: {error}.") from None
