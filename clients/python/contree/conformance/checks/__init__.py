"""The checks, in the order in which they are made."""

from __future__ import annotations

from typing import Final

from contree.conformance.checks import basics, endings, game, streams, words
from contree.conformance.checks.base import Check

CHECKS: Final[tuple[Check, ...]] = (
    *basics.CHECKS,
    *game.LEGAL,
    *words.BATCH,
    *game.CHECKS,
    *words.CHECKS,
    *streams.CHECKS,
    *endings.CHECKS,
)

__all__ = ["CHECKS", "Check"]
