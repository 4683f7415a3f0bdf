"""What a server tells its operator: log lines, metrics, and the HTTP server they are read from.

Nothing here is global but what `configure_logging` sets up: each server has its own `Metrics`.
"""

from contree.server.telemetry.bots import BotCounts
from contree.server.telemetry.logs import configure_logging, redact
from contree.server.telemetry.metrics import Metrics
from contree.server.telemetry.probes import AddressUnavailable, metrics_server

__all__ = [
    "configure_logging",
    "redact",
    "Metrics",
    "BotCounts",
    "metrics_server",
    "AddressUnavailable",
]
