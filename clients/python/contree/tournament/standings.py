"""From the results of tables to the standings: pure, always computed afresh from all of them.

**Points of a board.** For the pairing X, Y let a be X's marks minus Y's at table A (X holds the
North-South cards) and b the same at table B (X holds the East-West cards). The board is worth
(a + b) / 2 points to X and minus that to Y: what the luck of the deal gave at one table it took at
the other. The points are therefore *per table*; positive is good for the bot in whose row they are.

In an event of races a is +1, 0 or -1 for a race won, drawn or lost, and b likewise.

A board of a pairing counts once both its tables have a result, not before, whoever is ahead; and
results enter in the order of the schedule, not in that in which they came in.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from contree.tournament.schedule import Pairing, Side
from contree.tournament.statistics import Estimate, estimate
from contree.tournament.statistics.exact import ExactChecks, exact_checks
from contree.tournament.statistics.imps import imps
from contree.tournament.statistics.needed import Needed, to_separate
from contree.tournament.statistics.paired import Gain, gain
from contree.tournament.statistics.ratings import Played, Rating, ratings
from contree.tournament.statistics.simultaneous import Simultaneous, simultaneous
from contree.tournament.statistics.times import added
from contree.tournament.tables import FORFEITED, TableResult


class BoardResult(NamedTuple):
    """A closed board of a pairing."""

    board: int
    pairing: Pairing
    table_a: int
    """Marks of the first bot minus those of the second, at table A."""
    table_b: int
    """The same at table B."""

    @property
    def points(self) -> float:
        """What the board is worth to the first bot of the pairing."""
        return (self.table_a + self.table_b) / 2

    @property
    def imps(self) -> int:
        """The same on the scale of ``statistics.imps``."""
        return imps(self.table_a + self.table_b)


class Tally(NamedTuple):
    """Boards won, tied (worth exactly nothing) and lost."""

    won: int = 0
    tied: int = 0
    lost: int = 0

    @property
    def boards(self) -> int:
        """All of them."""
        return self.won + self.tied + self.lost


class Meeting(NamedTuple):
    """How one bot did against another, seen from the first of the two."""

    points: Estimate | None
    """Mean points per board; None while there are fewer than two boards."""
    tally: Tally
    together: Simultaneous | None = None
    """The interval of ``points`` that holds together with those of all other meetings."""
    imps: Estimate | None = None
    """Mean IMPs per board; None in an event of races."""
    checks: ExactChecks | None = None
    """Exact tests of "neither is better"."""
    needed: Needed | None = None
    """Boards after which the interval of ``points`` would leave 0, if it does not yet."""
    gain: Gain | None = None
    """What playing both ways round has gained."""


class Conduct(NamedTuple):
    """What a bot did besides winning and losing."""

    faults: Mapping[str, int]
    """By kind; only those that happened."""
    replaced: int
    """Tables at which the house played on for it."""
    tables: int
    """Tables that it played."""
    seconds_a_decision: float
    """Time charged for a decision, on average."""
    overruns: int = 0
    """Decisions that only the allowance saved from being late."""
    forfeits: int = 0
    """Tables that were not played because it had failed for good."""
    times: tuple[int, ...] = ()
    """How many decisions took about how long, as ``statistics.times`` reads it."""
    slowest: float = 0.0
    """Seconds of the longest decision."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A row of the table."""

    place: int
    """From 1; those with equal points share it."""
    bot: str
    points: Estimate | None
    """Mean points per board over all opponents; None while there are fewer than two boards."""
    tally: Tally
    conduct: Conduct
    imps: Estimate | None = None
    """Mean IMPs per board over all opponents; None in an event of races."""
    rating: Rating | None = None


@dataclass(frozen=True, slots=True)
class Standings:
    """The table, and how each did against each."""

    rows: tuple[Standing, ...]
    """The best first."""
    meetings: Mapping[Pairing, Meeting]
    """Both ways round."""
    races: bool = False
    """Played in races: points are races won less races lost."""
    gain: Gain | None = None
    """What playing both ways round has gained, over all pairings."""


def close_boards(results: Iterable[TableResult]) -> tuple[BoardResult, ...]:
    """The boards of which both tables have a result, in schedule order."""
    tables: dict[tuple[int, Pairing], dict[Side, TableResult]] = defaultdict(dict)
    for result in results:
        tables[result.table.board, result.table.pairing].setdefault(result.table.side, result)
    closed = [
        (sides[Side.A].table.number, BoardResult(board, pairing, *_swings(sides)))
        for (board, pairing), sides in tables.items()
        if len(sides) == len(Side)
    ]
    return tuple(board for _, board in sorted(closed, key=lambda pair: (pair[1].board, pair[0])))


def standings(
    bots: Sequence[str],
    results: Collection[TableResult],
    *,
    quick: bool = False,
    places: Mapping[str, int] | None = None,
) -> Standings:
    """The standings after these results; ``quick`` leaves out what takes long.

    ``places`` are those of a format in which it is not the points that decide.
    """
    boards = close_boards(results)
    races = any(result.race for result in results)
    meetings = _meetings(boards, races, quick)
    rated = {} if quick else ratings(bots, _games(boards))
    given = places or {}
    ranked = sorted(
        ((bot, *_overall(bot, boards, races, quick)) for bot in bots),
        key=lambda row: (given.get(row[0], 0), -row[1].mean if row[1] else float("inf")),
    )
    conduct = _conduct(bots, results)
    rows: list[Standing] = []
    for index, (bot, points, scaled, tally) in enumerate(ranked, start=1):
        before = rows[-1] if rows else None
        same = before is not None and _mean(before.points) == _mean(points)
        place = before.place if before is not None and same else index
        place = given.get(bot, place)
        rows.append(Standing(place, bot, points, tally, conduct[bot], scaled, rated.get(bot)))
    won = None if quick else gain(_tables(boards).values())
    return Standings(tuple(rows), meetings, races, won)


def _swings(sides: Mapping[Side, TableResult]) -> tuple[int, int]:
    return sides[Side.A].worth, sides[Side.B].worth


def _mean(points: Estimate | None) -> float | None:
    return None if points is None else points.mean


def _overall(
    bot: str, boards: Sequence[BoardResult], races: bool, quick: bool
) -> tuple[Estimate | None, Estimate | None, Tally]:
    sums: dict[int, float] = defaultdict(float)
    scaled: dict[int, float] = defaultdict(float)
    counts: Counter[int] = Counter()
    values = []
    for board in boards:
        if bot in board.pairing:
            sign = 1 if board.pairing.first == bot else -1
            sums[board.board] += sign * board.points
            scaled[board.board] += sign * board.imps
            counts[board.board] += 1
            values.append(sign * board.points)
    numbers = sorted(sums)
    played = [counts[number] for number in numbers]
    points = estimate([sums[number] for number in numbers], played, quick=quick)
    in_imps = estimate([scaled[number] for number in numbers], played, quick=quick)
    return points, None if races else in_imps, _tally(values)


def _meetings(boards: Sequence[BoardResult], races: bool, quick: bool) -> dict[Pairing, Meeting]:
    points: dict[Pairing, dict[int, float]] = defaultdict(dict)
    scaled: dict[Pairing, list[float]] = defaultdict(list)
    for board in boards:
        points[board.pairing][board.board] = board.points
        scaled[board.pairing].append(board.imps)
    together = simultaneous(points, quick=quick)
    tables = _tables(boards)
    meetings: dict[Pairing, Meeting] = {}
    for pairing, by_board in points.items():
        values = list(by_board.values())
        mean = estimate(values, quick=quick)
        meeting = Meeting(
            mean,
            _tally(values),
            together.get(pairing),
            None if races else estimate(scaled[pairing], quick=quick),
            None if quick else exact_checks(values),
            to_separate(mean),
            None if quick else gain([tables[pairing]]),
        )
        meetings[pairing] = meeting
        meetings[Pairing(pairing.second, pairing.first)] = _turned(meeting)
    return meetings


def _turned(meeting: Meeting) -> Meeting:
    """The same seen from the other bot."""
    points, tally, together, scaled = meeting[:4]
    return meeting._replace(
        points=points and points.opposite,
        tally=Tally(tally.lost, tally.tied, tally.won),
        together=together and together.opposite,
        imps=scaled and scaled.opposite,
    )


def _tables(boards: Sequence[BoardResult]) -> dict[Pairing, dict[int, tuple[float, float]]]:
    tables: dict[Pairing, dict[int, tuple[float, float]]] = defaultdict(dict)
    for board in boards:
        tables[board.pairing][board.board] = board.table_a, board.table_b
    return tables


def _games(boards: Sequence[BoardResult]) -> list[Played]:
    return [Played(board.board, *board.pairing, board.points) for board in boards]


def _tally(values: Sequence[float]) -> Tally:
    won = sum(value > 0 for value in values)
    lost = sum(value < 0 for value in values)
    return Tally(won, len(values) - won - lost, lost)


def _conduct(bots: Sequence[str], results: Collection[TableResult]) -> dict[str, Conduct]:
    faults: dict[str, Counter[str]] = {bot: Counter() for bot in bots}
    replaced: Counter[str] = Counter()
    forfeits: Counter[str] = Counter()
    tables: Counter[str] = Counter()
    decisions: Counter[str] = Counter()
    seconds: dict[str, float] = defaultdict(float)
    overruns: Counter[str] = Counter()
    times: dict[str, list[tuple[int, ...]]] = defaultdict(list)
    slowest: dict[str, float] = defaultdict(float)
    for result in results:
        forfeits.update(result.forfeited_by)
        for bot in result.table.pairing if result.reason != FORFEITED else ():
            tables[bot] += 1
            decisions[bot] += result.decisions.get(bot, 0)
            seconds[bot] += result.seconds.get(bot, 0.0)
            overruns[bot] += result.overruns.get(bot, 0)
            times[bot].append(result.times.get(bot, ()))
            slowest[bot] = max(slowest[bot], result.slowest.get(bot, 0.0))
        for fault in result.faults:
            if fault.bot in faults:
                faults[fault.bot][fault.kind] += 1
        replaced.update({fault.bot for fault in result.faults if fault.replaced})
    return {
        bot: Conduct(
            dict(sorted(faults[bot].items())),
            replaced[bot],
            tables[bot],
            seconds[bot] / decisions[bot] if decisions[bot] else 0.0,
            overruns[bot],
            forfeits[bot],
            added(times[bot]),
            slowest[bot],
        )
        for bot in bots
    }
