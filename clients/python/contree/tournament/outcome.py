"""From a match as the service tells it to the result of a table."""

from __future__ import annotations

from collections import defaultdict

from contree.client import Match, Race
from contree.engine import Team
from contree.tournament.schedule import Table
from contree.tournament.statistics.times import added
from contree.tournament.tables import Attempt, TableFault, TableResult


def result_of(table: Table, match: Match, attempts: tuple[Attempt, ...] = ()) -> TableResult:
    """The result of a table whose match counts.

    Marks are turned from North-South and East-West into first and second bot by where these sat.
    """
    names = {status.seat: status.bot for status in match.seats}
    first_team = next(s.seat.team for s in match.seats if s.bot == table.pairing.first)
    north_south, east_west = match.scores
    turned = first_team is Team.EAST_WEST
    decisions: dict[str, int] = defaultdict(int)
    seconds: dict[str, float] = defaultdict(float)
    overruns: dict[str, int] = defaultdict(int)
    times: dict[str, tuple[int, ...]] = defaultdict(tuple)
    slowest: dict[str, float] = defaultdict(float)
    for status in match.seats:
        decisions[status.bot] += status.decisions
        seconds[status.bot] += status.time_used
        overruns[status.bot] += status.overruns
        times[status.bot] = added((times[status.bot], status.times))
        slowest[status.bot] = max(slowest[status.bot], status.slowest)
    race = isinstance(match.mode, Race)
    deal = match.results[0] if match.results and not race else None
    assert match.end_reason is not None
    return TableResult(
        table=table,
        match_id=match.id,
        reason=match.end_reason.value,
        seats={str(seat): name for seat, name in names.items()},
        marks=(east_west, north_south) if turned else (north_south, east_west),
        contract="" if deal is None or deal.contract is None else str(deal.contract),
        made=None if deal is None or deal.contract is None else deal.made,
        faults=tuple(
            TableFault(names[f.seat], str(f.seat), f.kind.value, f.replaced, f.detail)
            for f in match.faults
        ),
        attempts=attempts,
        decisions=dict(decisions),
        overruns={bot: count for bot, count in overruns.items() if count},
        seconds={bot: round(value, 3) for bot, value in seconds.items()},  # as they are kept
        times={bot: counts for bot, counts in times.items() if counts},
        slowest={bot: round(slowest[bot], 3) for bot, counts in times.items() if counts},
        race=race,
    )
