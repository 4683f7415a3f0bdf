"""The tables and sentences at the end of an event: pure, and no wider than there is room."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.measure import Measurement
from rich.table import Table

from contree.tournament.schedule import Pairing
from contree.tournament.standings import Conduct, Meeting, Standing, Standings
from contree.tournament.statistics import Estimate
from contree.tournament.statistics.paired import Gain
from contree.tournament.statistics.ratings import Rating
from contree.tournament.statistics.simultaneous import Simultaneous

_MOST_PAIRINGS: Final = 6
"""Pairings that have their own figures below the table, at most."""


def interval(points: Estimate | Simultaneous | None, mean: float | None = None) -> str:
    """A mean with its interval; a dash when there is none, for then the mean is not shown."""
    if points is None:
        return "-"
    reach = max(-points.low, points.high)
    digits = 2 if reach < 10 else 1 if reach < 1000 else 0
    middle = points.mean if isinstance(points, Estimate) else mean
    rounded = (round(value or 0.0, digits) for value in (middle, points.low, points.high))
    shown = (f"{value + 0.0:+.{digits}f}" for value in rounded)  # there is no -0.00
    mean_text, low, high = shown
    return f"{mean_text} [{low}, {high}]"


def standings_table(standings: Standings) -> Table:
    """The standings as one table."""
    return _joined(_names(standings), _columns(standings))


def report_tables(standings: Standings, width: int) -> list[Table]:
    """The standings, and second opinions on them; in pieces where they would not fit."""
    names = _names(standings)
    tables = _packed(names, _columns(standings), width)
    second = [("IMPs/board [95%]", [interval(row.imps) for row in standings.rows])]
    second.append(("rating (2 sigma)", [_rating(row.rating) for row in standings.rows]))
    shown = [column for column in second if set(column[1]) != {"-"}]
    return tables + _packed(names[1:], shown, width)


_Column = tuple[str, list[str]]


def _names(standings: Standings) -> list[_Column]:
    places = [str(row.place) if row.points else "-" for row in standings.rows]
    return [("", places), ("bot", [named(row) for row in standings.rows])]


def _columns(standings: Standings) -> list[_Column]:
    rows = standings.rows
    points = "net races [95%]" if standings.races else "points/board [95%]"
    return [
        (points, [interval(row.points) for row in rows]),
        ("boards", [str(row.tally.boards) for row in rows]),
        ("won-tied-lost", ["-".join(map(str, row.tally)) for row in rows]),
        ("faults", [str(sum(row.conduct.faults.values())) for row in rows]),
        ("ms/move", [f"{row.conduct.seconds_a_decision * 1000:.1f}" for row in rows]),
    ]


def _rating(rating: Rating | None) -> str:
    return "-" if rating is None else f"{rating.mu:.1f} ±{2 * rating.sigma:.1f}"


def _packed(
    names: Sequence[_Column], columns: Sequence[_Column], width: int, title: str = ""
) -> list[Table]:
    """The columns behind the names, in as few tables as the width lets them."""
    tables = []
    left = list(columns)
    while left:
        count = 1
        while count < len(left) and _width(_joined(names, left[: count + 1])) <= width:
            count += 1
        tables.append(_joined(names, left[:count], title))
        left = left[count:]
    return tables


def _joined(names: Sequence[_Column], columns: Sequence[_Column], title: str = "") -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.title, table.title_justify = title or None, "left"
    whole = [*names, *columns]
    for name, _ in whole:
        left = name == "bot"
        table.add_column(escape(name), justify="left" if left else "right", no_wrap=True)
    for cells in zip(*(cells for _, cells in whole), strict=True):
        table.add_row(*map(escape, cells))
    return table


def named(row: Standing) -> str:
    """The name of a bot, with a star when the house has played or scored for it."""
    helped = row.conduct.replaced or row.conduct.forfeits
    return f"{row.bot}*" if helped else row.bot


def footnotes(standings: Standings) -> list[str]:
    """What a star stands for, and what each bot did wrong."""
    lines = []
    for row in standings.rows:
        parts = []
        if row.conduct.replaced:
            parts.append(
                f"the house played on for it at {_tables_told(row.conduct.replaced)} of "
                f"{row.conduct.tables}"
            )
        if row.conduct.forfeits:
            parts.append(f"it forfeited {_tables_told(row.conduct.forfeits)}")
        if parts:
            lines.append(f"* {row.bot}: {', '.join(parts)}; the points include that.")
    lines.extend(
        f"Faults of {row.bot}: {faults_line(row.conduct)}."
        for row in standings.rows
        if row.conduct.faults or row.conduct.replaced
    )
    for row in standings.rows:
        if row.conduct.overruns:
            count = row.conduct.overruns
            decisions = "1 decision" if count == 1 else f"{count} decisions"
            lines.append(f"The allowance saved {decisions} of {row.bot} from being late.")
    return lines


def closing_lines(standings: Standings) -> list[str]:
    """What the figures are, and what they come to."""
    if standings.races:
        lines = ["Net races and 95% interval: races won less races lost, of each race."]
    else:
        lines = [
            "Points per board and 95% interval: the bot's marks minus its opponents', mean of the "
            "two tables of a board."
        ]
    if len(standings.rows) > 2:
        lines.append("The intervals of the cross table hold all together, with 95%.")
    met = [(pair, one) for pair, one in standings.meetings.items() if pair.first < pair.second]
    if len(met) == 1:
        lines += _two(*met[0])
    lines += needed_lines(standings)
    lines += gain_lines(standings)
    return lines


def needed_lines(standings: Standings) -> list[str]:
    """For the meetings that are not clear yet: how many boards they need, the nearest first."""
    unclear = sorted(
        (met.needed, pair)
        for pair, met in standings.meetings.items()
        if pair.first < pair.second and met.needed is not None
    )
    told = [
        f"{pair.first} and {pair.second} about {about(needed.boards)} "
        f"(at least {about(needed.low)})"
        for needed, pair in unclear[:_MOST_PAIRINGS]
    ]
    if len(unclear) > len(told):
        told.append(f"and {len(unclear) - len(told)} more meetings")
    return [f"Boards to tell apart, if it goes on like this: {'; '.join(told)}."] if told else []


def about(number: int) -> str:
    """A number of which only the first two digits mean something."""
    unit = 10 ** max(0, len(str(number)) - 2)
    return f"{number if number < 1000 else round(number / unit) * unit:,}"


def _two(pairing: Pairing, met: Meeting) -> list[str]:
    if met.checks is None:
        return []
    how = "exact" if met.checks.flip_is_exact else "9,999 draws"
    return [
        f"Check, were {pairing.first} and {pairing.second} alike: sign-flip test p = "
        f"{met.checks.flip:.2g} ({how}), sign test p = {met.checks.sign:.2g}."
    ]


def gain_lines(standings: Standings) -> list[str]:
    """What playing both ways round has gained, all told and by pairing."""
    if standings.gain is None:
        return []
    told = (
        "Both ways round: variance of the estimate, as part of that of as many tables dealt each "
        f"afresh: {ratio(standings.gain)}"
    )
    own = sorted(
        (met.gain, pair)
        for pair, met in standings.meetings.items()
        if pair.first < pair.second and met.gain is not None
    )
    if len(own) > 1:
        shown = own if len(own) <= _MOST_PAIRINGS else [own[0], own[-1]]
        parts = "; ".join(f"{pair.first} and {pair.second} {ratio(gain)}" for gain, pair in shown)
        told += f" over all; {'' if shown is own else 'from the least to the most: '}{parts}"
    return [f"{told}."]


def ratio(gain: Gain) -> str:
    """A ratio of variances with its interval."""
    return f"{gain.ratio:.2f} [{gain.low:.2f}, {gain.high:.2f}]"


def faults_line(conduct: Conduct) -> str:
    """What a bot did wrong, in words."""
    parts = [
        f"{count} {kind.replace('_', ' ')}{'s' if count > 1 else ''}"
        for kind, count in conduct.faults.items()
    ]
    if conduct.replaced:
        parts.append(f"the house played on for it at {_tables_told(conduct.replaced)}")
    return ", ".join(parts)


def cross_tables(standings: Standings, width: int) -> list[Table]:
    """How each did against each, seen from the row; in pieces that fit the width."""
    bots = [row.bot for row in standings.rows]
    if len(bots) < 3:
        return []
    columns = [(other, [_met(standings, bot, other) for bot in bots]) for other in bots]
    return _packed([("bot", bots)], columns, width, "row against column")


def _met(standings: Standings, bot: str, other: str) -> str:
    met = standings.meetings.get(Pairing(bot, other))
    if met is None or met.points is None:
        return ""
    return interval(met.together, met.points.mean)


def width_of(console: Console, table: Table) -> int:
    """How wide a table would like to be."""
    unbounded = console.options.update(width=10_000)
    return Measurement.get(console, unbounded, table).maximum


def _width(table: Table) -> int:
    return width_of(Console(width=10_000), table)


def _tables_told(count: int) -> str:
    return "1 table" if count == 1 else f"{count} tables"
