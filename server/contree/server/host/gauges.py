"""What is measured now and then, not counted when it happens: how much there is of something."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from contree.server.host.host import Host

GAUGED_S: Final = 1.0
"""How often."""
GAUGE_REST: Final = 100.0
"""How much longer than it takes everything else has before the next time, at least."""


def gauge(host: Host) -> None:
    """Measure what a host has at this moment."""
    metrics, tables = host.metrics, host.tables
    metrics.ready.set(host.ready)
    metrics.tasks.set(len(asyncio.all_tasks()))

    sessions = host.sessions()
    waiting = [len(session.outbox) for session in sessions]
    metrics.bots_connected.set(len(sessions))
    metrics.outbox_messages.set(sum(waiting))
    metrics.outbox_longest_messages.set(max(waiting, default=0))

    metrics.longest_overdue_table_seconds.set(tables.longest_overdue())
    metrics.seats_waiting.set(host.seating.lobby.waiting)
    metrics.seats_of_guests.set(host.peers.guests.count)
    metrics.leases_held.set(host.leases.held)
    metrics.matches_set_aside.set(host.leases.set_aside)
    metrics.commit_queue_appends.set(tables.committer.waiting)
    metrics.archives_waiting.set(host.notices.archives_waiting)
