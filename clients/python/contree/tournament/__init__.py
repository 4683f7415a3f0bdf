"""Events between bots: a file in, standings that can be defended out.

    config ─► participants ─► event ─► service, fleet   processes: a local service, the bots
                                │
                                ▼
    schedule ─► runner ─► results ─► standings, intervals ─► progress

``schedule``, ``layout``, ``standings`` and ``intervals`` are pure and do not know each other's
business; the runner is a client of the service and nothing more. What lasts is the event's folder.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from contree.tournament.config import EventConfig, load_event
    from contree.tournament.errors import ConfigError, TournamentError
    from contree.tournament.event import run_event

__all__ = ["ConfigError", "EventConfig", "TournamentError", "load_event", "run_event"]

# Looked up late: who only starts bots as an event does needs none of the statistics.
_HOME: Final = {
    "ConfigError": "errors",
    "EventConfig": "config",
    "TournamentError": "errors",
    "load_event": "config",
    "run_event": "event",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
