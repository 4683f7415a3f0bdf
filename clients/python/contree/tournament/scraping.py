"""Where the runner tells Prometheus how its event goes: ``/metrics`` on a port of its own.

What a scrape is given was made before: counts every second, means and intervals when there are new
results, in a small share of the time. So a scrape costs the event nothing but the writing of text.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Mapping
from typing import Final

from prometheus_client import CollectorRegistry, start_http_server

from contree.tournament.documents import Derived
from contree.tournament.errors import ProcessError
from contree.tournament.metrics import EventCollector, Snapshot, State
from contree.tournament.plan import Plan
from contree.tournament.policy import event_digest
from contree.tournament.progress import Progress
from contree.tournament.results import ResultLog
from contree.tournament.runner import Runner
from contree.tournament.running import Running
from contree.tournament.schedule import Side
from contree.tournament.tables import FORFEITED

_EVERY_S: Final = 1.0
_SHARE: Final = 20
"""Computing the standings takes at most one part in so many of the time."""
LOOPBACK: Final = "127.0.0.1"


def parse_port(text: str) -> tuple[str, int]:
    """Host and port of ``9465``, ``0.0.0.0:9465`` or ``[::1]:9465``; ValueError for others."""
    parts = re.fullmatch(r"(?:(?:\[([0-9a-fA-F:.]+)\]|([^\s:\[\]]+)):)?(\d{1,5})", text, re.ASCII)
    if parts is None or int(parts[3]) > 65535:
        raise ValueError(text)
    return parts[1] or parts[2] or LOOPBACK, int(parts[3])


class EventMetrics:
    """The metrics of one event, served until ``close``."""

    def __init__(
        self, plan: Plan, log: ResultLog, restarts: Mapping[str, int], at: tuple[str, int]
    ) -> None:
        """``restarts`` are those of earlier runs. Raises ProcessError where nothing can listen."""
        self._plan = plan
        self._log = log
        self._earlier = dict(restarts)
        self._seen = len(log.done)
        self._due = 0.0
        digest = event_digest(plan.header(revealed=False))
        self._collector = EventCollector(plan.id, digest, plan.schedule.bots, self._first())
        registry = CollectorRegistry()
        registry.register(self._collector)
        host, port = at
        try:
            self._server, self._thread = start_http_server(port, host, registry)
        except OSError as error:
            raise ProcessError(
                f"Metrics cannot be served at {host}:{port} ({error.strerror}): choose another "
                "--metrics-port; 0 picks a free one."
            ) from None
        shown = f"[{host}]" if ":" in host else host
        self.address: Final = f"{shown}:{self._server.server_port}"

    @property
    def left_out(self) -> bool:
        """Whether there are too many bots for all of them, or their pairings, to be named."""
        return self._collector.unnamed

    def close(self) -> None:
        """Serve no more."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    async def keep(
        self, runner: Runner, running: Running, restarts: Callable[[], Mapping[str, int]]
    ) -> None:
        """Keep them up to date, until cancelled."""
        while True:
            self.refresh(runner, running, restarts())
            await asyncio.sleep(_EVERY_S)

    def refresh(self, runner: Runner, running: Running, restarts: Mapping[str, int]) -> None:
        """Bring them up to date: the counts, and what takes computing if it is due."""
        standings = self._collector.snapshot.standings
        begun = time.monotonic()
        if len(self._log.done) != self._seen and begun >= self._due:
            self._seen = len(self._log.done)
            standings = self._derived().standings
            self._due = begun + (time.monotonic() - begun) * _SHARE
        progress = runner.progress()
        self._collector.snapshot = Snapshot(
            progress,
            standings,
            seconds_left=running.pace(progress).seconds_left,
            restarts=self._restarts(restarts),
        )

    def conclude(self, event: Derived) -> None:
        """The run is over, and this is what the event came to."""
        before = self._collector.snapshot
        self._collector.snapshot = before._replace(
            progress=before.progress._replace(playing=0),
            standings=event.standings,
            state=State.FINISHED if event.complete else State.STOPPED,
            seconds_left=0.0 if event.complete else None,
        )

    def _derived(self) -> Derived:
        return Derived.of(self._plan.schedule, self._log.done, quick=True)

    def _restarts(self, of_this_run: Mapping[str, int]) -> dict[str, int]:
        bots = {*self._earlier, *of_this_run}
        return {bot: self._earlier.get(bot, 0) + of_this_run.get(bot, 0) for bot in bots}

    def _first(self) -> Snapshot:
        """What earlier runs came to."""
        derived, results = self._derived(), self._log.done.values()
        of_tables = derived.opened.of_tables
        closed = sum(met.tally.boards for met in derived.standings.meetings.values()) // 2
        progress = Progress(
            tables=len(results),
            of_tables=of_tables,
            boards=closed,
            of_boards=of_tables // len(Side),
            playing=0,
            played=0,
            forfeited=sum(result.reason == FORFEITED for result in results),
            replayed=sum(len(result.attempts) for result in results),
        )
        return Snapshot(progress, derived.standings, restarts=self._earlier)
