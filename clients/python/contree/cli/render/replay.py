"""A record on the screen, one step of it."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from contree.cli.render.table import TableScreen, table_screen


def step_screen(screen: TableScreen, at: int, count: int) -> RenderableType:
    """The table after step ``at`` (from 0) of ``count``."""
    where = Text(f" step {at + 1} of {count}", "bold")
    return Group(table_screen(screen), where)
