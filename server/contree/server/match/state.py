"""A match as it stands: the fold of its journal."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from hashlib import blake2b
from typing import NamedTuple

from contree.engine import SEATS, Game, Seat
from contree.server.match.spec import EndReason, FaultKind, MatchSpec
from contree.server.match.timing import counted


class Stage(Enum):
    """Where a match stands."""

    WAITING = "waiting"
    """Some seats are not taken."""
    READYING = "readying"
    """Some bots have not said Ready."""
    PLAYING = "playing"
    ENDED = "ended"


class SeatState(NamedTuple):
    """A seat as it stands."""

    taken: bool
    ready: bool
    bank: int
    """Milliseconds."""
    house: str = ""
    """The player of the house that plays the seat; empty while a bot does."""
    instance_id: str = ""
    bot_version: str = ""
    illegal: int = 0
    """Illegal actions so far."""
    timeouts: int = 0
    decisions: int = 0
    charged: int = 0
    """Milliseconds charged for the last decision."""
    used: int = 0
    """Milliseconds charged in all."""
    overruns: int = 0
    """Decisions that took all of the clock and were saved by the allowance."""
    key_id: str = ""
    """The API key of the bot that took it; empty without one."""
    times: tuple[int, ...] = ()
    """Decisions by what was charged for them, as ``timing`` counts; those that a clock ran for."""
    slowest: int = 0
    """The most milliseconds charged for one."""

    def acted(self, charged: int, bank: int, *, overran: bool, timed: bool) -> SeatState:
        """The seat after one more decision; written out, for ``_replace`` costs as much as the
        whole rest of a move.
        """
        return SeatState(
            self.taken,
            self.ready,
            bank,
            self.house,
            self.instance_id,
            self.bot_version,
            self.illegal,
            self.timeouts,
            self.decisions + 1,
            charged,
            self.used + charged,
            self.overruns + overran,
            self.key_id,
            counted(self.times, charged) if timed else self.times,
            charged if charged > self.slowest else self.slowest,
        )


class Fault(NamedTuple):
    """A fault that was charged."""

    seat: Seat
    kind: FaultKind
    deal_number: int
    replaced: bool
    detail: str


@dataclass(frozen=True, slots=True)
class Match:
    """A match. ``owed_since[seat]`` is the version at which the decision that the seat owes arose,
    0 when it owes none; a decision keeps it however often it is sent again.
    """

    spec: MatchSpec
    version: int
    """Number of entries in the journal."""
    stage: Stage
    game: Game
    seats: tuple[SeatState, SeatState, SeatState, SeatState]
    owed_since: tuple[int, int, int, int] = (0, 0, 0, 0)
    seq: int = 0
    """Number of entries that something visible came of: what every seat and spectator counts."""
    last_answer: tuple[Answer | None, Answer | None, Answer | None, Answer | None] = (
        None,
        None,
        None,
        None,
    )
    """Each seat's last answer, to tell a repeated one from a late one."""
    faults: tuple[Fault, ...] = ()
    end: EndReason | None = None
    ended_ms: int = 0
    end_detail: str = ""
    """One sentence on why it ended, where that is no result."""
    sealed: Match | None = None
    """While a contre window is open and something has happened in it: the match as it was before.
    Nobody but the seat concerned may notice what happens in a window before it closes."""

    @property
    def public(self) -> Match:
        """The match as everybody may know it: in an open window, as it was when that opened."""
        return self.sealed or self

    @property
    def awaited(self) -> tuple[Seat, ...]:
        """The seats that something is awaited from: a bot to take them, its Ready, a decision."""
        return tuple(
            seat
            for seat in SEATS
            if (self.stage is Stage.WAITING and not self.seats[seat].taken)
            or (self.stage is Stage.READYING and not self.seats[seat].ready)
            or (self.stage is Stage.PLAYING and self.owed_since[seat])
        )

    @property
    def id(self) -> str:
        """The match id."""
        return self.spec.match_id

    @property
    def house_owes(self) -> Seat | None:
        """The first seat whose decision a player of the house owes."""
        for seat in SEATS:
            if self.owed_since[seat] and self.seats[seat].house:
                return seat
        return None

    @property
    def deserted(self) -> bool:
        """The house plays all seats: no bot waits for what it does."""
        return all(seat.house for seat in self.seats)

    def decision_id(self, seat: Seat) -> bytes:
        """The name of the decision that this seat owes; ValueError when it owes none."""
        since = self.owed_since[seat]
        if not since:
            raise ValueError(f"{seat} owes nothing")
        return decision_id(self.spec.secret, seat, since)


class Answer(NamedTuple):
    """An answer that was taken."""

    since: int
    action: object
    by_house: bool


def decision_id(secret: bytes, seat: Seat, since: int) -> bytes:
    """12 bytes: unguessable without the match's secret, the same for each server that asks.

    Keyed BLAKE2 is a MAC by itself, and so quick that nobody has to keep what it made.
    """
    message = bytes((seat,)) + since.to_bytes(8, "big")
    return blake2b(message, key=secret, digest_size=12).digest()


def not_started(match: Match) -> str:
    """One sentence on who kept a match from starting in time."""

    def named(missing: list[Seat]) -> str:
        return ", ".join(f"{seat.name.title()} ({match.spec.seats[seat].name})" for seat in missing)

    absent = [seat for seat in SEATS if not match.seats[seat].taken]
    if absent:
        return f"Not taken in time: {named(absent)}."
    silent = [seat for seat in SEATS if not (match.seats[seat].ready or match.seats[seat].house)]
    return f"Not ready in time: {named(silent)}."
