"""What a player may do: calls in the auction (bid, pass, contre, surcontre, decline) and cards.

Texts: ``P``, ``80S``, ``120TA``, ``capotH``, ``generaleH``, ``X`` (contre), ``XX`` (surcontre),
``-`` (decline), ``AS``, ``KH+`` (king of hearts with "belote" announced).
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Final, NamedTuple

from contree.engine.cards import Card, Strain
from contree.engine.errors import NotationError


class Slam(Enum):
    """A contract named by tricks: capot (the pair takes all) or générale (the bidder does)."""

    CAPOT = "capot"
    GENERALE = "generale"

    __hash__ = object.__hash__  # that of Enum is written in Python, and bids are looked up a lot

    def __str__(self) -> str:
        return self.value


Level = int | Slam
"""What a bid promises: points (80, 90 ...) or a slam. Which exist, and in which order they outbid
each other, is the rule set's ladder (``RuleSet.ladder``)."""


class Bid(NamedTuple):
    """A contract offered in the auction."""

    level: Level
    strain: Strain

    def __str__(self) -> str:
        return f"{self.level}{self.strain}"


class Say(Enum):
    """A call that is no bid. ``DECLINE`` answers an owed contre or surcontre decision with no."""

    PASS = "P"
    CONTRE = "X"
    SURCONTRE = "XX"
    DECLINE = "-"

    def __str__(self) -> str:
        return self.value


class Announced(NamedTuple):
    """A king or queen of trump played with "belote" or "rebelote" said aloud (announced mode)."""

    card: Card

    def __str__(self) -> str:
        return f"{self.card}+"


Call = Bid | Say
Action = Bid | Say | Card | Announced

PASS: Final = Say.PASS
CONTRE: Final = Say.CONTRE
SURCONTRE: Final = Say.SURCONTRE
DECLINE: Final = Say.DECLINE

_BID: Final = re.compile(r"(\d{2,3}|capot|generale)(SA|TA|[SHDC])")


def parse_bid(text: str) -> Bid:
    """Read a bid such as ``90H``, ``100TA`` or ``capotS``; NotationError when it is none."""
    found = _BID.fullmatch(text)
    if found is None:
        raise NotationError(
            "bid", text, "points, capot or generale, then S H D C SA or TA, e.g. 90H or capotS"
        )
    level, strain = found.groups()
    return Bid(int(level) if level.isdigit() else Slam(level), Strain.parse(strain))


def parse_action(text: str) -> Action:
    """Read any action in the notation's text; NotationError when it is none."""
    for say in Say:
        if text == say.value:
            return say
    if _BID.fullmatch(text):
        return parse_bid(text)
    if text.endswith("+"):
        return Announced(Card.parse(text[:-1]))
    try:
        return Card.parse(text)
    except NotationError:
        raise NotationError(
            "action", text, "a card (AS), a bid (90H), P, X, XX, - or a card with + for belote"
        ) from None
