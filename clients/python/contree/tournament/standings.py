"""From the results of tables to the standings: pure, always computed afresh from all of them.

**Points of a board.** For the pairing X, Y let a be X's marks minus Y's at table A (X holds the
North-South cards) and b the same at table B (X holds the East-West cards). The board is worth
(a + b) / 2 points to X and minus that to Y: what the luck of the deal gave at one table it took at
the other. The points are therefore *per table*; positive is good for the bot in whose row they are.

A board of a pairing counts once both its tables have a result, not before, whoever is ahead; and
results enter in the order of the schedule, not in that in which they came in.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from contree.tournament.intervals import Estimate, estimate
from contree.tournament.schedule import Pairing, Side
from contree.tournament.tables import TableResult


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


@dataclass(frozen=True, slots=True)
class Standings:
    """The table, and how each did against each."""

    rows: tuple[Standing, ...]
    """The best first."""
    meetings: Mapping[Pairing, Meeting]
    """Both ways round."""


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
    bots: Sequence[str], results: Collection[TableResult], *, quick: bool = False
) -> Standings:
    """The standings after these results; ``quick`` as for ``intervals.estimate``."""
    boards = close_boards(results)
    ranked = sorted(
        ((bot, *_overall(bot, boards, quick)) for bot in bots),
        key=lambda row: -row[1].mean if row[1] else float("inf"),
    )
    conduct = _conduct(bots, results)
    rows: list[Standing] = []
    for index, (bot, points, tally) in enumerate(ranked, start=1):
        before = rows[-1] if rows else None
        same = before is not None and _mean(before.points) == _mean(points)
        place = before.place if before is not None and same else index
        rows.append(Standing(place, bot, points, tally, conduct[bot]))
    return Standings(tuple(rows), _meetings(boards, quick))


def _swings(sides: Mapping[Side, TableResult]) -> tuple[int, int]:
    return sides[Side.A].swing, sides[Side.B].swing


def _mean(points: Estimate | None) -> float | None:
    return None if points is None else points.mean


def _overall(bot: str, boards: Sequence[BoardResult], quick: bool) -> tuple[Estimate | None, Tally]:
    sums: dict[int, float] = defaultdict(float)
    counts: Counter[int] = Counter()
    values = []
    for board in boards:
        if bot in board.pairing:
            value = board.points if board.pairing.first == bot else -board.points
            sums[board.board] += value
            counts[board.board] += 1
            values.append(value)
    numbers = sorted(sums)
    points = estimate([sums[n] for n in numbers], [counts[n] for n in numbers], quick=quick)
    return points, _tally(values)


def _meetings(boards: Sequence[BoardResult], quick: bool) -> dict[Pairing, Meeting]:
    points: dict[Pairing, list[float]] = defaultdict(list)
    for board in boards:
        points[board.pairing].append(board.points)
    meetings: dict[Pairing, Meeting] = {}
    for pairing, values in points.items():
        mean, tally = estimate(values, quick=quick), _tally(values)
        meetings[pairing] = Meeting(mean, tally)
        meetings[Pairing(pairing.second, pairing.first)] = Meeting(
            mean and mean.opposite, Tally(tally.lost, tally.tied, tally.won)
        )
    return meetings


def _tally(values: Sequence[float]) -> Tally:
    won = sum(value > 0 for value in values)
    lost = sum(value < 0 for value in values)
    return Tally(won, len(values) - won - lost, lost)


def _conduct(bots: Sequence[str], results: Collection[TableResult]) -> dict[str, Conduct]:
    faults: dict[str, Counter[str]] = {bot: Counter() for bot in bots}
    replaced: Counter[str] = Counter()
    tables: Counter[str] = Counter()
    decisions: Counter[str] = Counter()
    seconds: dict[str, float] = defaultdict(float)
    overruns: Counter[str] = Counter()
    for result in results:
        for bot in result.table.pairing:
            tables[bot] += 1
            decisions[bot] += result.decisions.get(bot, 0)
            seconds[bot] += result.seconds.get(bot, 0.0)
            overruns[bot] += result.overruns.get(bot, 0)
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
        )
        for bot in bots
    }
