"""What bots did besides winning and losing, as tables of a page: pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from contree.tournament.bot_endings import Ending
from contree.tournament.html_report.words import Grid
from contree.tournament.standings import Standing
from contree.tournament.tables import FORFEITED, TableResult

KINDS: Final = ("timeout", "illegal_action", "disconnected", "protocol_error", "resigned")
"""The kinds of faults that have a column always."""


def faults_grid(rows: Sequence[Standing]) -> Grid:
    """Faults of each bot, by kind."""
    others = {kind for row in rows for kind in row.conduct.faults} - set(KINDS)
    kinds = (*KINDS, *sorted(others))
    heads = ("Bot", "Tables", *(kind.replace("_", " ").capitalize() for kind in kinds))
    return Grid(
        "Faults",
        "Faults by kind. “Replaced” are tables at which the house played on for the bot, "
        "“saved” decisions that only the allowance saved from being late.",
        (*heads, "Replaced", "Saved", "Forfeited"),
        tuple(
            (
                row.bot,
                str(row.conduct.tables),
                *(str(row.conduct.faults.get(kind, 0)) for kind in kinds),
                str(row.conduct.replaced),
                str(row.conduct.overruns),
                str(row.conduct.forfeits),
            )
            for row in rows
        ),
    )


def forfeits_grid(results: Iterable[TableResult]) -> Grid | None:
    """Tables that were not played because a bot had failed for good; None without any."""
    rows = tuple(
        (result.table.id, ", ".join(result.forfeited_by), " to ".join(map(str, result.marks)))
        for result in results
        if result.reason == FORFEITED
    )
    heads = ("Table", "Forfeited by", "Marks")
    return (
        Grid("Forfeited tables", "Tables that were forfeited", heads, rows, words=True)
        if rows
        else None
    )


def replayed_grid(results: Iterable[TableResult]) -> Grid | None:
    """Attempts at tables that were no results; None without any."""
    rows = tuple(
        (result.table.id, attempt.reason.replace("_", " "), attempt.detail, attempt.match_id)
        for result in results
        for attempt in result.attempts
    )
    heads = ("Table", "Why it did not count", "Detail", "Match")
    caption = "Attempts that were no results: these tables were played again from their first card"
    return Grid("Attempts without a result", caption, heads, rows, words=True) if rows else None


def endings_grid(endings: Sequence[Ending]) -> Grid | None:
    """How often processes of bots ended by themselves, and in which way; None when none did."""
    counted = Counter((str(one.bot), str(one.process), str(one.how)) for one in endings)
    again = Counter(
        (str(one.bot), str(one.process), str(one.how)) for one in endings if one.restarted
    )
    rows = tuple(
        (bot, process, how, str(count), str(again[bot, process, how]))
        for (bot, process, how), count in sorted(counted.items())
    )
    heads = ("Bot", "Process", "How it ended", "Times", "Started again")
    caption = "Processes of started bots that ended by themselves, or for what they used"
    return Grid("Processes that ended", caption, heads, rows, words=True) if rows else None
