"""What happens at a table, as players and spectators are told.

Pairs are (North-South, East-West).
"""

from __future__ import annotations

from typing import NamedTuple

from contree.client.matches import EndReason, FaultKind, Match
from contree.engine import Card, Contract, PlacedCall, Seat, Team, Trick
from contree.wire import DealSummary


class MatchStarted(NamedTuple):
    """All four are ready; the first deal begins."""


class Dealt(NamedTuple):
    """Cards were dealt."""

    number: int
    dealer: Seat
    hands: tuple[tuple[Seat, tuple[Card, ...]], ...]
    """The hands that the reader may see, as (seat, cards)."""


class CardPlayed(NamedTuple):
    """A card was played."""

    seat: Seat
    card: Card
    belote: bool
    """Belote or rebelote was said with it, or counts by itself."""


class TrickTaken(NamedTuple):
    """A trick is complete."""

    trick: Trick
    winner: Seat


class DealEnded(NamedTuple):
    """A deal is over."""

    number: int
    result: DealSummary
    scores: tuple[int, int]
    """Of the match, after the deal."""


class FaultCharged(NamedTuple):
    """A fault was charged to a seat."""

    seat: Seat
    kind: FaultKind
    strikes: int
    replaced: bool
    """From here on the house plays the seat."""


class MatchEnded(NamedTuple):
    """The match is over."""

    reason: EndReason
    scores: tuple[int, int]
    winner: Team | None
    """Of a race."""


Happening = (
    MatchStarted
    | Dealt
    | PlacedCall
    | Contract
    | CardPlayed
    | TrickTaken
    | DealEnded
    | FaultCharged
    | MatchEnded
)
"""What an event says; a ``Contract`` says that the auction ended with it."""


class Event(NamedTuple):
    """Something that happened; ``seq`` is the number of entries visible to this reader so far."""

    seq: int
    what: Happening


class TableUpdate(NamedTuple):
    """What a spectator learns at once: events in order, and the match when its state changed."""

    match: Match | None
    events: tuple[Event, ...]
