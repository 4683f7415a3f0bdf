"""The page: all that is shown, put into the template. Pure but for reading the template."""

from __future__ import annotations

import base64
import hashlib
from importlib.metadata import version
from importlib.resources import files
from typing import Any, Final

from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup

from contree.tournament.html_report.boards import Explorer
from contree.tournament.html_report.conduct import (
    endings_grid,
    faults_grid,
    forfeits_grid,
    replayed_grid,
)
from contree.tournament.html_report.facts import facts
from contree.tournament.html_report.formats import progress
from contree.tournament.html_report.plots import ratings_plot, standings_plot, time_plot
from contree.tournament.html_report.sentences import (
    caption,
    lead,
    meeting_lines,
    once,
    verdict,
    warnings,
)
from contree.tournament.html_report.source import Source
from contree.tournament.html_report.timing import time_use, times_grid
from contree.tournament.html_report.words import (
    NONE,
    chance,
    crossed,
    estimated,
    gained,
    minus,
    needed,
    rated,
    reach,
)
from contree.tournament.report import footnotes, named
from contree.tournament.schedule import Pairing
from contree.tournament.statistics.ratings import Played, rating_curve

_DASH: Final = "\N{EN DASH}"
_MANY_MEETINGS: Final = 15
"""More than these are folded away."""


def page(source: Source, explorer: Explorer | None) -> str:
    """The report of an event as one HTML page; ``explorer`` is None while cards are secret.

    The page loads nothing and runs no script but its own: its content security policy names that by
    its hash, and whatever comes from files is escaped.
    """
    style, script, template = map(_part, ("report.css", "explorer.js", "report.html.jinja"))
    environment = Environment(
        loader=DictLoader({"report": template}),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("report").render(
        _shown(source, explorer),
        # These two come with the package. All else is escaped.
        style=Markup(style),
        script=Markup(script),
        style_hash=_digest(style),
        script_hash=_digest(script),
    )


def _part(name: str) -> str:
    folder = files("contree.tournament.html_report") / "templates"
    return (folder / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")


def _shown(source: Source, explorer: Explorer | None) -> dict[str, Any]:
    """All that the template asks for."""
    standings, header = source.standings, source.header
    bots = source.schedule.bots
    limit = float(header.get("time", {}).get("per_move") or 0.0)
    times = time_use(bots, source.derived.results, limit)
    games = [Played(board.board, *board.pairing, board.points) for board in source.closed]
    unit = "Net races" if standings.races else "Points/board"
    cross = _cross(source)
    meetings = _meetings(source, explorer)
    own = progress(source)
    return {
        "title": header["name"],
        "kind": f"contree · {header.get('format', {}).get('kind', 'round-robin')}",
        "lead": lead(source),
        "verdict": verdict(source),
        "warnings": warnings(source),
        "sections": [
            ("standings", "Standings"),
            *([("format", own.title)] if own else []),
            *([("cross", "Cross table")] if cross else []),
            ("meetings", "How sure"),
            ("ratings", "Ratings"),
            ("conduct", "Faults"),
            ("time", "Time"),
            ("boards", "Boards"),
            ("event", "How it was held"),
        ],
        "unit": unit,
        "standings_caption": caption(standings.races),
        "standings": _rows(source),
        "has_imps": any(row.imps for row in standings.rows),
        "footnotes": footnotes(standings),
        "standings_plot": standings_plot(standings.rows, unit),
        "progress": own,
        "cross": cross,
        "meeting_lines": meeting_lines(source),
        "meetings": meetings,
        "meetings_fold": f"All {len(meetings)} meetings" if len(meetings) > _MANY_MEETINGS else "",
        "has_partings": explorer is not None and bool(explorer.partings),
        "ratings_plot": ratings_plot(bots, rating_curve(bots, games)),
        "faults": faults_grid(standings.rows),
        "forfeited": forfeits_grid(source.derived.results),
        "replayed": replayed_grid(source.derived.results),
        "endings": endings_grid(source.endings),
        "times": times_grid(times, limit),
        "time_plot": time_plot(times, limit),
        "limit": limit,
        "explorer": explorer,
        "no_explorer": "Cards and plays are shown here once the event is over and its seed is "
        "revealed; until then bots may still have them to play.",
        "facts": facts(source),
        "version": version("contree"),
    }


def _rows(source: Source) -> list[dict[str, Any]]:
    return [
        {
            "place": str(row.place) if row.points else NONE,
            "bot": named(row),
            "points": estimated(row.points),
            "imps": estimated(row.imps),
            "rating": rated(row.rating),
            "boards": row.tally.boards,
            "won": row.tally.won,
            "tied": row.tally.tied,
            "lost": row.tally.lost,
            "faults": sum(row.conduct.faults.values()),
        }
        for row in source.standings.rows
    ]


def _cross(source: Source) -> dict[str, Any] | None:
    """How each did against each; with two bots the standings say that already."""
    bots = [row.bot for row in source.standings.rows]
    if len(bots) < 3:
        return None
    meetings = source.standings.meetings

    def cell(bot: str, other: str) -> Any:
        met = meetings.get(Pairing(bot, other))
        return None if met is None else crossed(met.points, met.together)

    rows = [{"bot": bot, "cells": [cell(bot, other) for other in bots]} for bot in bots]
    return {"bots": bots, "rows": rows}


def _meetings(source: Source, explorer: Explorer | None) -> list[dict[str, Any]]:
    partings = {} if explorer is None else explorer.partings
    return [
        {
            "first": pairing.first,
            "second": pairing.second,
            "points": estimated(met.points),
            "together": reach(met.together, met.points.mean) if met.points else NONE,
            "imps": estimated(met.imps),
            "tally": _DASH.join(map(str, met.tally)),
            "needed": needed(met.needed, met.points),
            "gain": gained(met.gain),
            "flip": chance(met.checks.flip if met.checks else None),
            "sign": chance(met.checks.sign if met.checks else None),
            "parted": _DASH.join(map(str, partings[pairing]))
            if pairing in partings
            else minus(NONE),
        }
        for pairing, met in once(source).items()
    ]
