"""Screens: pure functions from values to rich renderables. They read no clock and write nothing.

Suits are drawn as symbols; `output.stdout` writes letters where the terminal has no symbols.
"""

from contree.cli.render.cards import action_text, hand_text
from contree.cli.render.match import DealRow, deal_line, match_screen, reason_text
from contree.cli.render.record import deal_rows, printable, record_screen, verdict_line
from contree.cli.render.replay import step_screen
from contree.cli.render.rules import (
    differences_screen,
    legal_screen,
    presets_screen,
    rule_file_screen,
    score_screen,
)
from contree.cli.render.table import TableScreen, calls_text, table_screen, trick_text

__all__ = [
    "legal_screen",
    "score_screen",
    "presets_screen",
    "differences_screen",
    "rule_file_screen",
    "TableScreen",
    "table_screen",
    "calls_text",
    "trick_text",
    "DealRow",
    "deal_line",
    "deal_rows",
    "match_screen",
    "reason_text",
    "action_text",
    "hand_text",
    "printable",
    "record_screen",
    "verdict_line",
    "step_screen",
]
