"""What is counted of the live tables: moves, faults, and how many tables are in which stage."""

from __future__ import annotations

from typing import Final

from contree.server.host.table import Table
from contree.server.match import Acted, Entry, Faulted, Match, Stage
from contree.server.telemetry import Metrics

_COUNTED: Final = (Stage.WAITING, Stage.READYING, Stage.PLAYING)


class Tally:
    """Counts for the metrics."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self.in_play = 0
        """Tables in play."""

    def count(self, table: Table, before: Match, entry: Entry, after: Match) -> None:
        """Count what was done; what is done in a contre window, when the window has closed."""
        if after.sealed is not None:
            table.uncounted.append((before, entry))
            return
        for match, done in table.uncounted:
            self._count_one(match, done)
        table.uncounted.clear()
        self._count_one(before, entry)

    def _count_one(self, match: Match, entry: Entry) -> None:
        if isinstance(entry, Acted):
            kind = match.game.decision_kind(entry.seat)
            if kind is not None:
                self._metrics.moved(kind.value, None if entry.by_house else entry.charged / 1000)
        elif isinstance(entry, Faulted):
            self._metrics.faults[entry.kind.value].inc()

    def restaged(self, before: Stage | None, after: Stage | None) -> None:
        """A table went from one stage to another; None where it was, or is, not here."""
        if before in _COUNTED:
            self._metrics.tables[before.value].dec()
        if after in _COUNTED:
            self._metrics.tables[after.value].inc()
        self.in_play += (after is Stage.PLAYING) - (before is Stage.PLAYING)
