"""What a supervisor counts, on a registry of its own: the workers' own metrics are theirs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge

REASONS: Final = ("died", "asked")
"""Why a worker was started again."""


class WorkerMetrics:
    """Attributes are ready to use."""

    def __init__(self) -> None:
        self.registry: Final = CollectorRegistry(auto_describe=True)
        self.wanted = Gauge(
            "contree_workers_wanted", "Workers that are to serve.", registry=self.registry
        )
        self.serving = Gauge(
            "contree_workers_serving", "Workers that serve.", registry=self.registry
        )
        starts = Counter(
            "contree_worker_restarts_total",
            "Workers started again, by why: the one before died, or a restart was asked for.",
            ["reason"],
            registry=self.registry,
        )
        self.starts: Final[Mapping[str, Counter]] = {
            reason: starts.labels(reason) for reason in REASONS
        }
