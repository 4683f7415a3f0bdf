"""The metrics of an event, named once: what a ``Snapshot`` of it comes to for Prometheus.

A scrape sees one snapshot, whole. Every label has a closed set of values: bots and pairings of the
event, kinds of faults, states. Of a very large field the first ``MOST_BOTS`` are named; what is
counted of all others is counted under ``OTHERS``, and their means are left out. No table and no
match is ever a label.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from itertools import combinations
from typing import Final, NamedTuple

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from contree.tournament.progress import Progress
from contree.tournament.schedule import Pairing
from contree.tournament.standings import Meeting, Standings
from contree.tournament.statistics import Estimate

MOST_BOTS: Final = 256
"""Bots of an event that are named, at most: the first of its file."""
MOST_PAIRED: Final = 32
"""Bots whose pairings are named, at most."""
OTHERS: Final = "(others)"
"""Stands for the bots that are not named; no bot can be called so."""
FAULTS: Final = ("timeout", "illegal_action", "disconnected", "protocol_error", "resigned")


class State(Enum):
    """Whether an event goes on."""

    RUNNING = "running"
    FINISHED = "finished"
    """All tables have a result."""
    STOPPED = "stopped"
    """The run is over and the event is not."""


class Snapshot(NamedTuple):
    """An event at a moment."""

    progress: Progress
    standings: Standings
    state: State = State.RUNNING
    seconds_left: float | None = None
    """None while that cannot be told."""
    restarts: Mapping[str, int] = {}
    """Processes started again, by bot."""


class EventCollector(Collector):
    """Gives the families of the present snapshot. Safe to read from another thread."""

    def __init__(self, event: str, digest: str, bots: Sequence[str], snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._event = event
        self._digest = digest
        self._bots = tuple(bots[:MOST_BOTS])
        self._named = frozenset(self._bots)
        self._some_left_out = len(bots) > MOST_BOTS
        self._paired = tuple(bots[:MOST_PAIRED])

    @property
    def unnamed(self) -> bool:
        """Whether the field is too large for all its pairings to be named."""
        return self._some_left_out or len(self._bots) > len(self._paired)

    def collect(self) -> Iterator[Metric]:
        """All families, of one snapshot."""
        now = self.snapshot
        yield from self._event_families(now)
        yield from self._pairings(now.standings)
        yield from self._of_bots(now)

    def _gauge(self, name: str, meaning: str, *labels: str) -> GaugeMetricFamily:
        return GaugeMetricFamily(f"contree_event_{name}", meaning, labels=("event", *labels))

    def _counter(self, name: str, meaning: str, *labels: str) -> CounterMetricFamily:
        return CounterMetricFamily(f"contree_event_{name}", meaning, labels=("event", *labels))

    def _single(self, name: str, meaning: str, value: float) -> GaugeMetricFamily:
        family = self._gauge(name, meaning)
        family.add_metric((self._event,), value)
        return family

    def _event_families(self, now: Snapshot) -> Iterator[Metric]:
        info = self._gauge("info", "1; its labels are the event's id and SHA-256.", "digest")
        info.add_metric((self._event, self._digest), 1)
        yield info
        progress = now.progress
        tables = self._gauge(
            "tables",
            "Tables of the event, by state: not begun, in play, with a result, forfeited.",
            "state",
        )
        by_state = {
            "planned": max(0, progress.of_tables - progress.tables - progress.playing),
            "running": progress.playing,
            "done": progress.tables - progress.forfeited,
            "failed": progress.forfeited,
        }
        for state, count in by_state.items():
            tables.add_metric((self._event, state), count)
        yield tables
        yield self._single(
            "boards_closed", "Boards of pairings with a result at both tables.", progress.boards
        )
        yield self._single(
            "boards_planned", "Boards of pairings that there will be.", progress.of_boards
        )
        attempts = self._counter(
            "attempts", "Attempts at tables: with a result, or played again.", "outcome"
        )
        attempts.add_metric((self._event, "finished"), progress.tables - progress.forfeited)
        attempts.add_metric((self._event, "replayed"), progress.replayed)
        yield attempts
        if now.seconds_left is not None:
            yield self._single(
                "remaining_seconds", "Until the end, if it goes on like this.", now.seconds_left
            )
        end = self._gauge("end", "1 for the state that the event is in, 0 for others.", "state")
        for one in State:
            end.add_metric((self._event, one.value), one is now.state)
        yield end

    def _pairings(self, standings: Standings) -> Iterator[Metric]:
        pair = ("first", "second")
        points, low, high = self._estimates(
            "pairing", "Mean points a board of the first bot over the second", *pair
        )
        boards = self._gauge("pairing_boards", "Boards that the two have closed.", *pair)
        needed = self._gauge(
            "pairing_boards_needed",
            "Boards still needed until it is clear which is better, if it goes on like this; "
            "0 once it is. Absent while that cannot be told.",
            *pair,
        )
        for pairing in map(Pairing._make, combinations(self._paired, 2)):
            meeting = standings.meetings.get(pairing)
            if meeting is None:
                continue
            labels = (self._event, *pairing)
            _add(labels, meeting.points, points, low, high)
            boards.add_metric(labels, meeting.tally.boards)
            if (more := _still_needed(meeting)) is not None:
                needed.add_metric(labels, more)
        yield from (points, low, high, boards, needed)

    def _of_bots(self, now: Snapshot) -> Iterator[Metric]:
        points, low, high = self._estimates(
            "bot", "Mean points a board of the bot over all opponents", "bot"
        )
        seconds = self._gauge("bot_seconds", "Mean time charged for a decision of the bot.", "bot")
        faults: Counter[tuple[str, str]] = Counter()
        for row in now.standings.rows:
            for kind, count in row.conduct.faults.items():
                faults[self._name(row.bot), kind] += count
            if row.bot in self._named:
                _add((self._event, row.bot), row.points, points, low, high)
                if row.conduct.tables:
                    seconds.add_metric((self._event, row.bot), row.conduct.seconds_a_decision)
        yield from (points, low, high, seconds)

        names = (*self._bots, OTHERS) if self._some_left_out else self._bots
        counted = self._counter("faults", "Faults, by bot and kind.", "bot", "kind")
        for name in names:
            for kind in FAULTS:
                counted.add_metric((self._event, name, kind), faults[name, kind])
        yield counted

        restarts: Counter[str] = Counter()
        for bot, count in now.restarts.items():
            restarts[self._name(bot)] += count
        again = self._counter(
            "bot_restarts", "Processes of the bot that were started again.", "bot"
        )
        for name in names:
            again.add_metric((self._event, name), restarts[name])
        yield again

    def _name(self, bot: str) -> str:
        return bot if bot in self._named else OTHERS

    def _estimates(
        self, what: str, meaning: str, *labels: str
    ) -> tuple[GaugeMetricFamily, GaugeMetricFamily, GaugeMetricFamily]:
        return (
            self._gauge(f"{what}_points", f"{meaning}.", *labels),
            self._gauge(f"{what}_low", f"{meaning}: low end of its 95% interval.", *labels),
            self._gauge(f"{what}_high", f"{meaning}: high end of its 95% interval.", *labels),
        )


def _add(
    labels: Sequence[str],
    estimate: Estimate | None,
    mean: GaugeMetricFamily,
    low: GaugeMetricFamily,
    high: GaugeMetricFamily,
) -> None:
    """A mean with its interval, or neither: there is none of fewer than two boards."""
    if estimate is not None:
        mean.add_metric(labels, estimate.mean)
        low.add_metric(labels, estimate.low)
        high.add_metric(labels, estimate.high)


def _still_needed(meeting: Meeting) -> int | None:
    if meeting.needed is not None:
        return meeting.needed.boards - meeting.tally.boards
    points = meeting.points
    return 0 if points is not None and (points.low > 0 or points.high < 0) else None
