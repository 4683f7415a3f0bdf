"""Expressions that many panels share. What is asked is always of the servers or events picked."""

from __future__ import annotations

from typing import Final

SERVERS: Final = 'instance=~"$server"'
EVENTS: Final = 'event=~"$event"'
WINDOW: Final = "$__rate_interval"


def rate(metric: str, by: str = "", only: str = SERVERS) -> str:
    """Per second, added up over the servers, kept apart by labels."""
    return f"{_sum(by)} (rate({metric}{{{only}}}[{WINDOW}]))"


def increase(metric: str, over: str, by: str = "", only: str = SERVERS) -> str:
    """How many more in a time, added up."""
    return f"{_sum(by)} (increase({metric}{{{only}}}[{over}]))"


def total(metric: str, by: str = "", only: str = SERVERS) -> str:
    """A gauge, added up."""
    return f"{_sum(by)} ({metric}{{{only}}})"


def quantile(share: float, metric: str, by: str = "") -> str:
    """The value below which this share of the observations is."""
    labels = f"le, {by}" if by else "le"
    buckets = f"sum by ({labels}) (rate({metric}_bucket{{{SERVERS}}}[{WINDOW}]))"
    return f"histogram_quantile({share}, {buckets})"


def mean(metric: str, by: str = "") -> str:
    """The mean observation."""
    return f"{rate(f'{metric}_sum', by)} / {rate(f'{metric}_count', by)}"


def _sum(by: str) -> str:
    return f"sum by ({by})" if by else "sum"
