"""The tables and sentences at the end of an event: pure, and no wider than there is room."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.measure import Measurement
from rich.table import Table

from contree.tournament.schedule import Pairing
from contree.tournament.standings import Conduct, Meeting, Standing, Standings
from contree.tournament.statistics import Estimate
from contree.tournament.statistics.paired import Gain
from contree.tournament.statistics.simultaneous import Simultaneous


def interval(points: Estimate | Simultaneous | None, mean: float | None = None) -> str:
    """A mean with its interval; a dash when there is none, for then the mean is not shown."""
    if points is None:
        return "-"
    reach = max(-points.low, points.high)
    digits = 2 if reach < 10 else 1 if reach < 1000 else 0
    middle = points.mean if isinstance(points, Estimate) else mean
    shown = (f"{value:+.{digits}f}" for value in (middle, points.low, points.high))
    mean_text, low, high = shown
    return f"{mean_text} [{low}, {high}]"


def standings_table(standings: Standings) -> Table:
    """The standings as a table."""
    points = "net races [95%]" if standings.races else "points/board [95%]"
    table = _table("", "bot", points, "boards", "won-tied-lost", "faults", "ms/move")
    for row in standings.rows:
        table.add_row(
            str(row.place) if row.points else "-",
            escape(named(row)),
            interval(row.points),
            str(row.tally.boards),
            "-".join(map(str, row.tally)),
            str(sum(row.conduct.faults.values())),
            f"{row.conduct.seconds_a_decision * 1000:.1f}",
        )
    return table


def report_tables(standings: Standings, width: int) -> list[Table]:
    """The standings, the second opinions below; in narrower pieces where they would not fit."""
    whole = standings_table(standings)
    if width_of(Console(width=10_000), whole) <= width:
        tables = [whole]
    else:
        points, conduct = (
            _table("", "bot", "points [95%]"),
            _table("bot", "won-tied-lost", "faults", "ms/move"),
        )
        for row in standings.rows:
            name = escape(named(row))
            points.add_row(str(row.place) if row.points else "-", name, interval(row.points))
            conduct.add_row(
                name,
                "-".join(map(str, row.tally)),
                str(sum(row.conduct.faults.values())),
                f"{row.conduct.seconds_a_decision * 1000:.1f}",
            )
        tables = [points, conduct]
    if any(row.imps or row.rating for row in standings.rows):
        second = _table("bot", "IMPs/board [95%]", "rating (2 sigma)")
        for row in standings.rows:
            rating = row.rating
            second.add_row(
                escape(named(row)),
                interval(row.imps),
                "-" if rating is None else f"{rating.mu:.1f} ±{2 * rating.sigma:.1f}",
            )
        tables.append(second)
    return tables


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
    unclear = [
        f"{pair.first} and {pair.second} about {one.needed.boards} (at least {one.needed.low})"
        for pair, one in met
        if one.needed is not None
    ]
    if unclear:
        lines.append(f"Boards to tell apart, if it goes on like this: {'; '.join(unclear)}.")
    if standings.gain is not None:
        lines.append(gain_line(standings.gain))
    return lines


def _two(pairing: Pairing, met: Meeting) -> list[str]:
    if met.checks is None:
        return []
    how = "exact" if met.checks.flip_is_exact else "9,999 draws"
    return [
        f"Check, were {pairing.first} and {pairing.second} alike: sign-flip test p = "
        f"{met.checks.flip:.2g} ({how}), sign test p = {met.checks.sign:.2g}."
    ]


def gain_line(gain: Gain) -> str:
    """What playing both ways round has gained, in a sentence."""
    times = f"{gain.tables:.1f} times the tables" if gain.ratio > 0 else "tables without end"
    return (
        f"Both ways round: the variance is {gain.ratio:.2f} [{gain.low:.2f}, {gain.high:.2f}] of "
        f"that of as many tables dealt each afresh, which would need {times}."
    )


def faults_line(conduct: Conduct) -> str:
    """What a bot did wrong, in words."""
    parts = [
        f"{count} {kind.replace('_', ' ')}{'s' if count > 1 else ''}"
        for kind, count in conduct.faults.items()
    ]
    if conduct.replaced:
        tables = "1 table" if conduct.replaced == 1 else f"{conduct.replaced} tables"
        parts.append(f"the house played on for it at {tables}")
    return ", ".join(parts)


def cross_tables(standings: Standings, width: int) -> list[Table]:
    """How each did against each, seen from the row; in pieces that fit the width."""
    bots = [row.bot for row in standings.rows]
    if len(bots) < 3:
        return []
    pieces = []
    start = 0
    while start < len(bots):
        end = start + 1
        while end < len(bots) and _fits(standings, bots[start : end + 1], width):
            end += 1
        pieces.append(_cross(standings, bots[start:end]))
        start = end
    return pieces


def _fits(standings: Standings, columns: Sequence[str], width: int) -> bool:
    return width_of(Console(width=10_000), _cross(standings, columns)) <= width


def _cross(standings: Standings, columns: Sequence[str]) -> Table:
    table = _table("", *columns)
    table.title, table.title_justify = "row against column", "left"
    for row in standings.rows:
        cells = []
        for opponent in columns:
            met = standings.meetings.get(Pairing(row.bot, opponent))
            shown = met is not None and met.points is not None
            cells.append(
                interval(met.together, met.points.mean) if shown and met and met.points else ""
            )
        table.add_row(escape(row.bot), *cells)
    return table


def _table(*columns: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for place, name in enumerate(columns):
        left = name == "bot" or (not place and name == "")
        table.add_column(escape(name), justify="left" if left else "right", no_wrap=True)
    return table


def width_of(console: Console, table: Table) -> int:
    """How wide a table would like to be."""
    unbounded = console.options.update(width=10_000)
    return Measurement.get(console, unbounded, table).maximum


def _tables_told(count: int) -> str:
    return "1 table" if count == 1 else f"{count} tables"
