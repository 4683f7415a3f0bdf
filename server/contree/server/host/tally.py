"""What is counted of the live tables: moves, faults, and how many tables are in which stage."""

from __future__ import annotations

from typing import Final

from contree.engine import Seat
from contree.server.host.table import Table
from contree.server.match import Acted, Entry, Faulted, Match, Stage
from contree.server.telemetry import BotCounts, Metrics

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
            self._count_one(table, match, done)
        table.uncounted.clear()
        self._count_one(table, before, entry)

    def _count_one(self, table: Table, match: Match, entry: Entry) -> None:
        if isinstance(entry, Acted):
            kind = match.game.decision_kind(entry.seat)
            if kind is None:
                return
            if entry.by_house:
                self._metrics.moved(kind.value, None)
            else:
                seconds = entry.charged / 1000
                self._metrics.moved(kind.value, seconds)
                self._counts(table, match, entry.seat).decided(seconds)
        elif isinstance(entry, Faulted):
            self._metrics.faults[entry.kind.value].inc()
            self._counts(table, match, entry.seat).faults[entry.kind.value] += 1

    def _counts(self, table: Table, match: Match, seat: Seat) -> BotCounts:
        """Where the bot in a seat is counted; looked for once for each seat of a table."""
        counts = table.counts[seat]
        if counts is None:
            bot, key_id = match.spec.seats[seat].name, match.seats[seat].key_id
            counts = table.counts[seat] = self._metrics.bots.of(bot, key_id)
        return counts

    def restaged(self, before: Stage | None, after: Stage | None) -> None:
        """A table went from one stage to another; None where it was, or is, not here."""
        if before in _COUNTED:
            self._metrics.tables[before.value].dec()
        if after in _COUNTED:
            self._metrics.tables[after.value].inc()
        self.in_play += (after is Stage.PLAYING) - (before is Stage.PLAYING)
