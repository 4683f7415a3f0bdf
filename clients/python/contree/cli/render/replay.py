"""A record on the screen, one step of it."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from contree.cli.render.table import TableScreen, table_screen

_HELP = "n p action   t T trick   d D deal   g G ends   q quit"


def step_screen(screen: TableScreen, at: int, count: int) -> RenderableType:
    """The table after step ``at`` (from 0) of ``count``, and the keys."""
    where = Text(f" step {at + 1} of {count}", "bold").append(f"   {_HELP}", "dim")
    return Group(table_screen(screen), where)
