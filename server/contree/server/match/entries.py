"""The entries of a match journal: what happened, and nothing that follows from it."""

from __future__ import annotations

from typing import NamedTuple

from contree.engine import Action, Seat
from contree.server.match.spec import EndReason, FaultKind, MatchSpec


class Created(NamedTuple):
    """The match exists."""

    spec: MatchSpec


class Seated(NamedTuple):
    """A connected bot took a seat."""

    seat: Seat
    version: str
    """What the bot says of itself, for the record."""
    instance_id: str
    key_id: str = ""
    """The API key that it came with: nobody gets the seat back without. Empty for none."""


class Readied(NamedTuple):
    """The bot in a seat said that it is ready."""

    seat: Seat


class Acted(NamedTuple):
    """A seat did something."""

    seat: Seat
    action: Action
    charged: int
    """Milliseconds charged."""
    bank: int
    """The seat's bank afterwards, in milliseconds."""
    by_house: bool
    """A player of the house chose it."""


class Faulted(NamedTuple):
    """A fault was charged to a seat."""

    seat: Seat
    kind: FaultKind
    replaced: bool
    """From here on the house plays the seat."""
    detail: str
    """One sentence for people; never names a card that others may not see."""


class Ended(NamedTuple):
    """The match is over. Written for every match, also where it follows from the last action."""

    reason: EndReason
    ended_ms: int
    """Milliseconds since the epoch, for display only."""
    detail: str = ""


Entry = Created | Seated | Readied | Acted | Faulted | Ended
