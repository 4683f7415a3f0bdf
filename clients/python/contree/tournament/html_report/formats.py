"""What a format adds to a page: rounds of a Swiss event, a bracket, the way of a test. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple

from contree.tournament.formats import Knockout, Sequential, Swiss
from contree.tournament.html_report.drawing import Picture
from contree.tournament.html_report.plots import sequential_plot
from contree.tournament.html_report.source import Source
from contree.tournament.html_report.words import Grid, estimated, minus, signed_words
from contree.tournament.schedule import Pairing
from contree.tournament.statistics import Estimate


class Side(NamedTuple):
    """One of the two of a match."""

    bot: str
    score: str = ""
    won: bool = False


class Match(NamedTuple):
    """Two who meet in a round, or one who has nobody to meet."""

    sides: tuple[Side, ...]
    note: str = ""


class Round(NamedTuple):
    """The matches of a round."""

    name: str
    matches: tuple[Match, ...]


class Progress(NamedTuple):
    """How an event came to its places."""

    title: str
    lines: tuple[str, ...] = ()
    rounds: tuple[Round, ...] = ()
    bracket: bool = False
    plot: Picture | None = None
    caption: str = ""
    table: Grid | None = None
    fold: str = ""
    """What the table is folded away behind; empty: it is in the open."""


def progress(source: Source) -> Progress | None:
    """What there is to show of a format besides points; None for one that is all points."""
    schedule = source.schedule
    if isinstance(schedule, Swiss):
        return _swiss(source, schedule)
    if isinstance(schedule, Knockout):
        return _knockout(source, schedule)
    if isinstance(schedule, Sequential):
        return _sequential(source, schedule)
    return None


def _swiss(source: Source, schedule: Swiss) -> Progress:
    data = source.derived.report.data
    totals = _totals(source)
    rounds = tuple(
        Round(
            f"Round {number}",
            (
                *(_match(source, totals, Pairing(*pair)) for pair in one["pairings"]),
                *([Match((Side(one["bye"], "2", won=True),), "bye")] if one["bye"] else []),
            ),
        )
        for number, one in enumerate(data["rounds"], start=1)
    )
    points, met = data["match_points"], data["buchholz"]
    ranked = [row.bot for row in source.standings.rows]
    table = Grid(
        "Match points",
        "Match points decide, then those of the opponents met, then the boards.",
        ("Bot", "Match points", "Opponents' match points"),
        tuple((bot, str(points[bot]), str(met[bot])) for bot in ranked),
    )
    lines = (
        f"{schedule.rounds} rounds of {schedule.boards} boards: 2 for a round won, 1 for a tie, 2 "
        "for a bye. Beside each name is the total of the boards of that round, which decides it; "
        "below it the mean of a board with its 95% interval.",
    )
    return Progress("Rounds", lines, rounds, table=table)


def _knockout(source: Source, schedule: Knockout) -> Progress:
    totals = _totals(source)
    rounds: dict[int, list[Match]] = defaultdict(list)
    for match in source.derived.report.data["matches"]:
        rounds[match["round"]].append(_knockout_match(source, totals, match))
    lines = (
        f"Who loses a match of {schedule.boards} boards is out. The order of the file is the "
        "seeding. Beside each name is the total of the boards of that match, which decides it; "
        "below it the mean of a board with its 95% interval.",
    )
    shown = tuple(
        Round(schedule.round_name(number), tuple(matches)) for number, matches in rounds.items()
    )
    return Progress("Bracket", lines, shown, bracket=True)


def _knockout_match(
    source: Source, totals: Mapping[Pairing, float], match: Mapping[str, Any]
) -> Match:
    if match["second"] is None:
        return Match((Side(match["first"], won=True),), "no opponent in this round")
    shown = _match(source, totals, Pairing(match["first"], match["second"]))
    sides = tuple(side._replace(won=side.bot == match["winner"]) for side in shown.sides)
    how = match["how"].strip()
    return Match(sides, "; ".join(filter(None, (how, shown.note))))


def _match(source: Source, totals: Mapping[Pairing, float], pairing: Pairing) -> Match:
    """A match of two who meet once in an event."""
    total = totals.get(pairing)
    if total is None:
        return Match((Side(pairing.first), Side(pairing.second)), "to be played")
    met = source.standings.meetings.get(pairing)
    points: Estimate | None = None if met is None else met.points
    better = pairing.second if total < 0 else pairing.first
    mean = estimated(points.opposite if points and total < 0 else points)
    note = f"{mean.mean} {mean.reach} a board to {better}" if points else ""
    return Match(
        (
            Side(pairing.first, _signed(total), total > 0),
            Side(pairing.second, _signed(-total), total < 0),
        ),
        note,
    )


def _signed(total: float) -> str:
    return minus(f"{total:+g}") if total else "0"


def _totals(source: Source) -> dict[Pairing, float]:
    totals: dict[Pairing, float] = defaultdict(float)
    for board in source.closed:
        totals[board.pairing] += board.points
    return totals


def _sequential(source: Source, schedule: Sequential) -> Progress:
    looks = schedule.looks(source.proof.results)
    table = Grid(
        "Looks",
        "Every look that was taken",
        ("Boards", "LLR", "Verdict"),
        tuple((str(look.boards), minus(f"{look.llr:+.3f}"), look.verdict.value) for look in looks),
    )
    return Progress(
        "Sequential test",
        tuple(map(signed_words, source.derived.report.lines)),
        plot=sequential_plot(looks, schedule.design, schedule.boards),
        caption="The logarithm of the likelihood ratio of H1 against H0 at each look; the first "
        "look beyond a broken line decides, for good.",
        table=table if looks else None,
        fold="All looks as a table",
    )
