"""How the metrics are made: families on one registry, their children ready before they count."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeVar

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.metrics import MetricWrapperBase

_Child = TypeVar("_Child", bound=MetricWrapperBase)


class Families:
    """Makes metrics on a registry."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry

    def counter(self, name: str, meaning: str, *labels: str) -> Counter:
        return Counter(name, meaning, labels, registry=self._registry)

    def gauge(self, name: str, meaning: str, *labels: str) -> Gauge:
        return Gauge(name, meaning, labels, registry=self._registry)

    def histogram(
        self, name: str, meaning: str, buckets: tuple[float, ...], *labels: str
    ) -> Histogram:
        return Histogram(name, meaning, labels, registry=self._registry, buckets=buckets)


def children(parent: _Child, values: tuple[str, ...]) -> Mapping[str, _Child]:
    """The children of a metric with one label, by its value; to count is one call on a child."""
    return MappingProxyType({value: parent.labels(value) for value in values})
