"""Screens: pure functions from values to rich renderables. They read no clock and write nothing.

Suits are drawn as symbols; `output.stdout` writes letters where the terminal has no symbols.
"""

from contree.cli.render.match import DealRow, deal_line, match_screen
from contree.cli.render.rules import legal_screen, presets_screen, score_screen
from contree.cli.render.table import TableScreen, table_screen

__all__ = [
    "legal_screen",
    "score_screen",
    "presets_screen",
    "TableScreen",
    "table_screen",
    "DealRow",
    "deal_line",
    "match_screen",
]
