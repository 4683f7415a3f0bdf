"""Matches as hosts see them: what is asked for, and what became of it.

Pairs are (North-South, East-West). Durations are seconds; None is the server's default.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import NamedTuple

from contree.engine import DEFAULT_PRESET, RuleSet, Seat, Team
from contree.wire import DealSummary


class MatchState(Enum):
    """Where a match stands."""

    WAITING = "waiting"
    """Some seats are not taken yet."""
    READYING = "readying"
    """Some bots have not said Ready."""
    PLAYING = "playing"
    ENDED = "ended"


class EndReason(Enum):
    """Why a match is over."""

    BOARD_DONE = "board_done"
    PASSED_OUT = "passed_out"
    """Four passes on a board."""
    TARGET_REACHED = "target_reached"
    DEALS_PLAYED = "deals_played"
    NOT_STARTED = "not_started"
    """The seats were not taken, or the bots not ready, in time."""
    CANCELLED = "cancelled"
    INFRASTRUCTURE = "infrastructure"
    """The service could not go on: to be played again."""
    UNKNOWN = "unknown"
    """A reason that this version does not know."""

    @property
    def is_result(self) -> bool:
        """Whether the match was played to its end."""
        return self not in _NO_RESULT


_NO_RESULT = frozenset(
    {
        EndReason.NOT_STARTED,
        EndReason.CANCELLED,
        EndReason.INFRASTRUCTURE,
        EndReason.UNKNOWN,
    }
)


class FaultKind(Enum):
    """What a bot did wrong."""

    TIMEOUT = "timeout"
    ILLEGAL_ACTION = "illegal_action"
    DISCONNECTED = "disconnected"
    PROTOCOL_ERROR = "protocol_error"
    RESIGNED = "resigned"
    UNKNOWN = "unknown"
    """A kind that this version does not know."""


class Disclosure(Enum):
    """When hidden cards and the seed of a match may be shown."""

    AT_MATCH_END = "at_match_end"
    WHEN_GROUP_RELEASED = "when_group_released"


class WatchPolicy(Enum):
    """When a match may be watched by others than its host."""

    AS_DISCLOSED = "as_disclosed"
    """Live where the cards are disclosed at the end, else after the release of the group."""
    LIVE = "live"
    """From the first card: calls and played cards, never a hidden hand."""


# --- what is asked for


@dataclass(frozen=True, slots=True)
class BotSeat:
    """A seat for a connected bot of this name; it waits for one with room when there is none."""

    name: str
    instance_id: str = ""
    """Only this instance, when not empty."""
    key_id: str = ""
    """Only a bot that authenticated with this key, when not empty."""


@dataclass(frozen=True, slots=True)
class HouseSeat:
    """A seat for a player of the house: ``rules`` or ``random``."""

    name: str = "rules"


@dataclass(frozen=True, slots=True)
class Board:
    """Exactly one deal, its deck and dealer given by the board number (from 1)."""

    number: int = 1


@dataclass(frozen=True, slots=True)
class Race:
    """Deal after deal; None is what the rules say, 0 is none."""

    target: int | None = None
    """Marks to reach."""
    deals: int | None = None
    """Ends after that many deals."""


@dataclass(frozen=True, slots=True)
class Seeded:
    """Deals derived from a seed of 32 bytes (docs/fairness.md)."""

    seed: bytes = field(repr=False)
    label: str = ""
    disguise: str = ""
    """Suits permuted and seats rotated by this name."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """A given deal, for a board: the hands as masks of cards by seat."""

    dealer: Seat
    hands: tuple[int, int, int, int] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeControl:
    """The time a seat has, in seconds."""

    per_move: float | None = None
    bank: float | None = None
    """Kept for the match, used when ``per_move`` is exceeded."""
    increment: float | None = None
    """Added to the bank after each decision."""
    allowance: float | None = None
    """Tolerance before a decision counts as late."""
    ready: float | None = None
    """For saying Ready once all seats are taken."""
    seat_timeout: float | None = None
    """For all seats to be taken."""
    disconnect_grace: float | None = None
    """How long a seat may be away, all told, before it is a fault."""


@dataclass(frozen=True, slots=True)
class FaultPolicy:
    """What is forgiven before the house plays a seat to the end."""

    illegal_strikes: int = 0
    timeout_strikes: int = 0
    protocol_strikes: int | None = None
    """Messages against the protocol; None for the server's default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchSpec:
    """What is to be played."""

    request_id: str
    """Chosen by the host; the same id again gives the same match."""
    seats: Mapping[Seat, BotSeat | HouseSeat]
    mode: Board | Race
    rules: str | RuleSet = DEFAULT_PRESET
    """The name of a preset, or a rule set."""
    deals: Seeded | Fixed | None = None
    """None: the server draws a seed."""
    time_control: TimeControl = TimeControl()
    fault_policy: FaultPolicy | None = None
    labels: tuple[str, ...] = ()
    """To find and watch it by."""
    disclosure_group: str = ""
    """Matches of one group are disclosed together."""
    disclosure: Disclosure = Disclosure.AT_MATCH_END
    watch: WatchPolicy = WatchPolicy.AS_DISCLOSED


# --- what became of it


class SeatStatus(NamedTuple):
    """A player in a seat."""

    seat: Seat
    bot: str
    """The name of the bot or of the house player."""
    bot_version: str
    house: bool
    taken: bool
    connected: bool
    decisions: int
    time_used: float
    """Seconds."""
    replaced: bool = False
    """The house plays it from some fault on."""
    overruns: int = 0
    """Decisions that took longer than the clock and were saved by the allowance."""
    times: tuple[int, ...] = ()
    """How many decisions took about how long, by half octaves of milliseconds (match.proto)."""
    slowest: float = 0.0
    """Seconds of the longest of them."""


class Fault(NamedTuple):
    """A fault that was charged."""

    seat: Seat
    kind: FaultKind
    deal_number: int
    """From 1; 0 before the first deal."""
    detail: str
    replaced: bool
    """From there on the house played the seat."""


class Standing(NamedTuple):
    """How a match that is not over stands at the moment."""

    server_id: str
    """The server that holds it; empty while none does."""
    awaited: tuple[Seat, ...]
    """The seats that something is awaited from: a bot to take them, its Ready, a decision."""
    unmoved: float | None
    """Seconds since it last came on; None where that is at most a few, at another server than the
    one that was asked.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A match as it stands: one table.

    Of a match that is not disclosed, others than its host are told less: no labels and group, a
    board numbered 0, and where it may not be watched nothing of how it goes.
    """

    id: str
    state: MatchState
    rules: RuleSet
    mode: Board | Race
    labels: tuple[str, ...] = ()
    seats: tuple[SeatStatus, ...] = ()
    scores: tuple[int, int] = (0, 0)
    end_reason: EndReason | None = None
    winner: Team | None = None
    faults: tuple[Fault, ...] = ()
    results: tuple[DealSummary, ...] = ()
    """Of the finished deals."""
    time_control: TimeControl = TimeControl()
    fault_policy: FaultPolicy | None = None
    disclosure_group: str = ""
    disclosure: Disclosure = Disclosure.AT_MATCH_END
    disclosed: bool = False
    """Hidden hands and seed may be shown."""
    watch: WatchPolicy = WatchPolicy.AS_DISCLOSED
    create_time: datetime | None = None
    end_time: datetime | None = None
    version: int = 0
    """Number of entries in its journal, those of an open contre window not counted yet."""
    standing: Standing | None = None
    """Only of one that is not over, for its host, as read or listed."""
    end_detail: str = ""
    """One sentence on why it ended, where that is no result."""

    @property
    def ended(self) -> bool:
        """Whether the match is over."""
        return self.state is MatchState.ENDED

    @property
    def counts(self) -> bool:
        """Whether it is over with a result."""
        return self.end_reason is not None and self.end_reason.is_result


class MatchUpdate(NamedTuple):
    """A match that changed, and where to go on after it."""

    match: Match
    resume_token: str


class ConnectedBot(NamedTuple):
    """A connected bot instance."""

    bot: str
    bot_version: str
    instance_id: str
    capacity: int
    """Seats it plays at once, at most."""
    seats: int
    """Seats it plays now."""
    connected: float
    """For how many seconds."""
