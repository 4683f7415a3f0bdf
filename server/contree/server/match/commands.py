"""What may be asked of a match, and what comes back."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from contree.engine import Action, Seat
from contree.server.match.entries import Entry
from contree.server.match.spec import EndReason, FaultKind
from contree.server.match.state import Match


class TakeSeat(NamedTuple):
    """A connected bot takes a free seat."""

    seat: Seat
    bot_version: str
    instance_id: str
    key_id: str = ""
    """Of the API key of its stream; empty without one."""


class SayReady(NamedTuple):
    """The bot in a seat is ready."""

    seat: Seat


class Act(NamedTuple):
    """A seat answers a decision; ``elapsed`` milliseconds after its clock began."""

    seat: Seat
    decision: bytes
    action: Action
    elapsed: int
    illegal: int | None = None
    """Actions against the rules that were charged to the seat when this was said, where it may come
    more than once: it is not charged again where there are more by now.
    """


class RunOut(NamedTuple):
    """The clock of the decision that this seat owes has run out, allowance included."""

    seat: Seat
    since: int
    """``Match.owed_since`` of that decision: nothing happens when it was answered meanwhile."""


class GiveUp(NamedTuple):
    """The bot in a seat is out: resigned, away for too long, or against the protocol."""

    seat: Seat
    kind: FaultKind
    detail: str


class GoOn(NamedTuple):
    """The house owes decisions that an earlier step left to the next one."""


class Abandon(NamedTuple):
    """The match ends without a result."""

    reason: EndReason
    detail: str


Command = TakeSeat | SayReady | Act | RunOut | GiveUp | GoOn | Abandon


class Verdict(Enum):
    """What became of an action."""

    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"
    CONFLICT = "conflict"
    STALE = "stale"
    ILLEGAL = "illegal"
    LATE = "late"


class Step(NamedTuple):
    """What a command comes to: entries for the journal, in order, and the match after them.

    Nobody may be told of the match after them, nor of the verdict of an action that has entries,
    before the entries are in the journal.
    """

    entries: tuple[Entry, ...]
    states: tuple[Match, ...]
    """The match after each of the entries."""
    after: Match
    verdict: Verdict = Verdict.ACCEPTED
    reason: str = ""
    """One sentence for people, when the verdict is not ACCEPTED."""


class Rejected(Exception):
    """A command that makes no sense in the match's stage; ``reason`` is one sentence."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
