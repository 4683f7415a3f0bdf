"""The committed dashboards, and the series that servers, supervisors and events expose."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from prometheus_client import CollectorRegistry
from tests.tournament.samples import board

from contree.server.telemetry import Metrics
from contree.server.workers.metrics import WorkerMetrics
from contree.tournament.formats import RoundRobin
from contree.tournament.metrics import EventCollector, Snapshot
from contree.tournament.progress import Progress
from contree.tournament.standings import standings

ROOT: Final = Path(__file__).parent.parent.parent
FOLDER: Final = ROOT / "deploy" / "grafana" / "dashboards"
BOARDS: Final[Mapping[str, dict[str, Any]]] = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in sorted(FOLDER.glob("*.json"))
}
OF_PROMETHEUS: Final = {"up": frozenset({"job", "instance"})}
"""What Prometheus itself knows of whatever it scrapes."""
EVERYWHERE: Final = frozenset({"instance", "job", "le"})
"""Labels that a scrape adds, and that a histogram has."""


class Asked(NamedTuple):
    """A query of a panel."""

    board: str
    title: str
    expression: str
    legend: str

    def __str__(self) -> str:
        """Its name in a test: no two are alike."""
        return f"{self.board}: {self.title} {self.legend}".rstrip()


def panels(name: str) -> list[dict[str, Any]]:
    """The panels of a dashboard, without the headings of its rows."""
    return [panel for panel in BOARDS[name]["panels"] if panel["type"] != "row"]


def queries() -> Iterator[Asked]:
    """Every query of every dashboard."""
    for name in BOARDS:
        for panel in panels(name):
            for target in panel["targets"]:
                yield Asked(name, panel["title"], target["expr"], target.get("legendFormat", ""))


def registries() -> Mapping[str, CollectorRegistry]:
    """What each kind of process exposes, with something in it."""
    metrics = Metrics(version="x", server_id="x")
    metrics.rpcs.labels("/m", "OK")
    metrics.rpc_seconds.labels("/m")
    metrics.rpcs_in_flight.labels("/m")
    metrics.bots.of("x", "key").decided(1.0)
    event = CollectorRegistry()
    event.register(EventCollector("cup-1", "abc", ("x", "y"), _snapshot()))
    return {"server": metrics.registry, "workers": WorkerMetrics().registry, "event": event}


def _snapshot() -> Snapshot:
    schedule = RoundRobin(("x", "y"), 12)
    results = [
        one
        for number in range(1, 13)
        for one in board(schedule, number, ("x", "y"), (162, 0), (0, 100 * (number % 3)))
    ]
    table = standings(("x", "y"), results, quick=True)
    return Snapshot(Progress(24, 24, 12, 12, 0, 24), table, seconds_left=0.0)


@cache
def series() -> Mapping[str, frozenset[str]]:
    """The names of all samples that there are, each with its labels."""
    known: dict[str, frozenset[str]] = dict(OF_PROMETHEUS)
    for registry in registries().values():
        for family in registry.collect():
            for sample in family.samples:
                known[sample.name] = known.get(sample.name, frozenset()) | set(sample.labels)
    return known
