"""Errors of the rules engine: small values below ``ValueError`` whose fields say what was wrong.

    EngineError
    ├── NotationError       a text (card, bid, record ...) that cannot be read
    ├── RulesError          a rule set that cannot be: unknown option, wrong type, contradiction
    ├── DeckError           cards that are no deal: missing, twice, too many
    └── IllegalAction       an action that the rules do not allow here

Each keeps its parts as fields, so that a caller need not read the sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_BRIEF: Final = 100


def brief(text: str) -> str:
    """A text that somebody gave, short enough to be repeated in an error."""
    return text if len(text) <= _BRIEF else f"{text[:_BRIEF]}..."


class EngineError(ValueError):
    """The root of what the engine raises on bad input."""


class NotationError(EngineError):
    """A text that cannot be read; ``text`` is what was given, ``expected`` what would do."""

    def __init__(self, what: str, text: str, expected: str) -> None:
        super().__init__(f"{brief(text)!r} is no {what}: expected {expected}")
        self.what = what
        self.text = text
        self.expected = expected


class RulesError(EngineError):
    """A rule set that cannot be; ``option`` names the faulty option, ``expected`` what it takes."""

    def __init__(self, option: str, problem: str, expected: str) -> None:
        option = brief(option)
        super().__init__(f"rule option {option!r}: {problem}; expected {expected}")
        self.option = option
        self.problem = problem
        self.expected = expected


class DeckError(EngineError):
    """Cards that are no deal; ``cards`` names the missing or repeated ones."""

    def __init__(self, problem: str, cards: Sequence[object] = ()) -> None:
        named = " ".join(str(card) for card in cards)
        super().__init__(f"{problem}: {named}" if named else problem)
        self.problem = problem
        self.cards = tuple(cards)


class IllegalAction(EngineError):
    """An action that the rules do not allow here; ``reason`` is one sentence for people,
    ``legal`` what could have been done instead (empty when the seat owes nothing).
    """

    def __init__(self, action: object, reason: str, legal: Sequence[object] = ()) -> None:
        allowed = " ".join(str(option) for option in legal)
        hint = f"; legal: {allowed}" if allowed else ""
        super().__init__(f"{action} is not allowed: {reason}{hint}")
        self.action = action
        self.reason = reason
        self.legal = tuple(legal)
