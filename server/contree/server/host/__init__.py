"""The live part of a server: tables, bots, commits, leases, spectators."""

from __future__ import annotations

from contree.server.host.host import Host
from contree.server.host.session import Identity, Session
from contree.server.host.table import Table

__all__ = ["Host", "Identity", "Session", "Table"]
