"""How a person wants to play, and how others are asked to join."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from contree.cli.options import DEFAULT_SERVER
from contree.cli.playing.sitting import Wish

if TYPE_CHECKING:
    from contree.cli.render.faces import Face


class Plan(NamedTuple):
    """How a person wants to play."""

    wish: Wish | None
    """None at somebody else's table."""
    name: str
    code: str
    """Of the table that is made or joined; empty for none."""
    server: str | None
    """None: one is started here."""
    face: Face
    pace: float
    light: bool


def invitation(plan: Plan, server: str) -> str:
    """What a person at a table with others is told about it."""
    if plan.wish is None:
        return f"Table {plan.code} at {server}: waiting for a seat."
    where = "" if server == DEFAULT_SERVER else f" --server {server}"
    return f"Table {plan.code}. Others join with: contree play --join {plan.code}{where}"
