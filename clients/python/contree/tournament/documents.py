"""What an event comes to, as the texts of its files: pure, and the same for the same results.

The standings hold nothing that depends on how fast anybody was, on what was interrupted or on when
it was played: two runs of an event in which the same cards were played come to the same bytes.
All that may differ (time, attempts, tables beyond the end) is in ``conduct.json``.

Figures have nine digits: the last ones of a sum differ from one processor to the next.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from contree.tournament.formats import Format, Opened, Report
from contree.tournament.formats.base import Results
from contree.tournament.results import json_text
from contree.tournament.schedule import Pairing
from contree.tournament.standings import (
    BoardResult,
    Conduct,
    Meeting,
    Standings,
    close_boards,
    standings,
)
from contree.tournament.statistics import LEVEL, Estimate
from contree.tournament.statistics.ratings import Rating
from contree.tournament.statistics.times import quantile
from contree.tournament.tables import FORFEITED, TableResult

BOARDS: Final = "boards.csv"
STANDINGS: Final = "standings.json"
STANDINGS_CSV: Final = "standings.csv"
CONDUCT: Final = "conduct.json"


class Derived(NamedTuple):
    """An event computed from its results."""

    opened: Opened
    report: Report
    results: tuple[TableResult, ...]
    """Those that count, in the order of the schedule."""
    standings: Standings
    complete: bool

    @classmethod
    def of(cls, schedule: Format, done: Results, *, quick: bool = False) -> Derived:
        """The event with these results; ``quick`` leaves out what takes long."""
        opened, report = schedule.opened(done), schedule.report(done)
        results = opened.counted(done)
        table = standings(schedule.bots, results, quick=quick, places=report.places)
        return cls(opened, report, results, table, opened.over(done))

    def documents(self, event: str, kind: str) -> dict[str, str]:
        """The files of the event of this id and format, by name."""
        about = {
            "event": event,
            "format": kind,
            "complete": self.complete,
            "tables": len(self.results),
            "of_tables": self.opened.of_tables,
            **({"report": self.report.data} if self.report.data else {}),
            "forfeited": [r.table.id for r in self.results if r.reason == FORFEITED],
        }
        return {
            BOARDS: boards_text(close_boards(self.results)),
            STANDINGS: standings_text(self.standings, about),
            STANDINGS_CSV: standings_csv(self.standings),
            CONDUCT: self._conduct(event),
        }

    def _conduct(self, event: str) -> str:
        decisions: Counter[str] = Counter()
        for result in self.results:
            decisions.update(result.decisions)
        document = {
            "event": event,
            "bots": [
                {
                    "bot": row.bot,
                    "decisions": decisions[row.bot],
                    "seconds_a_decision": row.conduct.seconds_a_decision,
                    "overruns": row.conduct.overruns,
                    **_times(row.conduct),
                }
                for row in self.standings.rows
            ],
            "replayed": [
                {"table": result.table.id, **attempt._asdict()}
                for result in self.results
                for attempt in result.attempts
            ],
            "surplus": [table.id for table in self.opened.surplus],
        }
        return json_text(_rounded(document))


def _times(conduct: Conduct) -> dict[str, Any]:
    """The times of single decisions, of results that have them."""
    if not conduct.times:
        return {}
    parts = {"median": 0.5, "p90": 0.9, "p99": 0.99}
    found = {name: quantile(conduct.times, part, conduct.slowest) for name, part in parts.items()}
    return {"decision_seconds": {**found, "slowest": conduct.slowest}}


def boards_text(boards: Iterable[BoardResult]) -> str:
    """The closed boards as CSV, in schedule order; all numbers are those of ``first``."""
    rows = (
        (b.board, b.pairing.first, b.pairing.second, b.table_a, b.table_b, f"{b.points:g}")
        for b in boards
    )
    return _csv(("board", "first", "second", "table_a", "table_b", "points"), rows)


def standings_text(table: Standings, about: Mapping[str, Any]) -> str:
    """The standings as JSON; ``about`` comes first."""
    document = {
        **about,
        "level": LEVEL,
        "unit": "races won less races lost" if table.races else "marks a table",
        "pairing_gain": _plain(table.gain),
        "standings": [
            {
                "place": row.place,
                "bot": row.bot,
                "points": _plain(row.points),
                "imps": _plain(row.imps),
                "rating": _rating(row.rating),
                **row.tally._asdict(),
                "tables": row.conduct.tables,
                "faults": row.conduct.faults,
                "replaced": row.conduct.replaced,
                "forfeits": row.conduct.forfeits,
            }
            for row in table.rows
        ],
        "meetings": [_meeting(pairing, met) for pairing, met in table.meetings.items()],
    }
    return json_text(_rounded(document))


def standings_csv(table: Standings) -> str:
    """The same without the meetings, as CSV."""
    header = (
        "place", "bot", "points", "low", "high", "boards", "won", "tied", "lost",
        "tables", "faults", "replaced", "forfeits",
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
            row.conduct.forfeits,
            *_numbers(row.imps),
            *_rated(row.rating),
        )
        for row in table.rows
    )
    return _csv(header, rows)


def _meeting(pairing: Pairing, met: Meeting) -> dict[str, Any]:
    return {
        "bot": pairing.first,
        "opponent": pairing.second,
        "points": _plain(met.points),
        "together": _plain(met.together),
        "imps": _plain(met.imps),
        "checks": _plain(met.checks),
        "boards_needed": _plain(met.needed),
        "pairing_gain": _plain(met.gain),
        **met.tally._asdict(),
    }


def _plain(value: Any) -> dict[str, Any] | None:
    """A named tuple of figures, by their names."""
    return None if value is None else dict(value._asdict())


def _rating(rating: Rating | None) -> dict[str, Any] | None:
    if rating is None:
        return None
    return {"mu": rating.mu, "sigma": rating.sigma, "low": rating.low, "high": rating.high}


def _rounded(value: Any) -> Any:
    """The same with floats of nine digits."""
    if isinstance(value, float):
        return float(f"{value:.9g}") + 0.0  # there is no -0.0
    if isinstance(value, Mapping):
        return {key: _rounded(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(one) for one in value]
    return value


def _numbers(points: Estimate | None) -> tuple[str, str, str]:
    if points is None:
        return "", "", ""
    return f"{points.mean:.3f}", f"{points.low:.3f}", f"{points.high:.3f}"


def _rated(rating: Rating | None) -> tuple[str, str, str]:
    if rating is None:
        return "", "", ""
    return f"{rating.mu:.3f}", f"{rating.low:.3f}", f"{rating.high:.3f}"


def _csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()
