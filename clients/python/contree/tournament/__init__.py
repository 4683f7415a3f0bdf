"""Events between bots: a file in, standings that can be defended out.

    config ─► participants ─► event ─► service, fleet   processes: a local service, the bots
                                │
                                ▼
    schedule ─► runner ─► results ─► standings, intervals ─► progress

``schedule``, ``layout``, ``standings`` and ``intervals`` are pure and do not know each other's
business; the runner is a client of the service and nothing more. What lasts is the event's folder.
"""

from __future__ import annotations

from contree.tournament.config import EventConfig, load_event
from contree.tournament.errors import ConfigError, TournamentError
from contree.tournament.event import run_event

__all__ = ["ConfigError", "EventConfig", "TournamentError", "load_event", "run_event"]
