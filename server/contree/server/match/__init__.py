"""The match: two pure functions and the values they speak of. No I/O, no clock, no gRPC.

    command ──► machine.decide(match, command) ──► entries ──► the journal
                                                      │
    match'  ◄── machine.evolve(match, entry) ◄────────┘

The journal is the truth; a match is the fold of its entries. Time comes in as durations that the
caller measured, so that a replay never depends on a clock.
"""

from __future__ import annotations

from contree.server.match.clock import TimeControl
from contree.server.match.commands import (
    Abandon,
    Act,
    Command,
    GiveUp,
    GoOn,
    Rejected,
    RunOut,
    SayReady,
    Step,
    TakeSeat,
    Verdict,
)
from contree.server.match.entries import (
    Acted,
    Created,
    Ended,
    Entry,
    Faulted,
    Readied,
    Seated,
)
from contree.server.match.feed import Event, events_of, fault_shown
from contree.server.match.house import HOUSE_PLAYERS
from contree.server.match.journal import JournalError, decode_entry, encode_entry
from contree.server.match.machine import create, decide, evolve, fold
from contree.server.match.spec import (
    PRACTICE,
    Disclosure,
    EndReason,
    FaultKind,
    FaultPolicy,
    MatchSpec,
    SeatPlan,
    WatchPolicy,
)
from contree.server.match.state import Fault, Match, SeatState, Stage, not_started

__all__ = [
    "MatchSpec",
    "SeatPlan",
    "TimeControl",
    "FaultPolicy",
    "FaultKind",
    "Disclosure",
    "WatchPolicy",
    "EndReason",
    "Match",
    "SeatState",
    "Stage",
    "Fault",
    "Entry",
    "Created",
    "Seated",
    "Readied",
    "Acted",
    "Faulted",
    "Ended",
    "Command",
    "TakeSeat",
    "SayReady",
    "Act",
    "RunOut",
    "GiveUp",
    "GoOn",
    "Abandon",
    "Step",
    "Verdict",
    "Rejected",
    "HOUSE_PLAYERS",
    "PRACTICE",
    "create",
    "decide",
    "evolve",
    "fold",
    "encode_entry",
    "decode_entry",
    "JournalError",
    "Event",
    "events_of",
    "not_started",
    "fault_shown",
]
