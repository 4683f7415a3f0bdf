"""What a match was created with: everything that is fixed before its first card."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from contree.engine import Deals, Mode, RuleSet
from contree.server.match.clock import TimeControl


class EndReason(Enum):
    """Why a match is over; only the first four are results."""

    BOARD_DONE = "board_done"
    PASSED_OUT = "passed_out"
    TARGET_REACHED = "target_reached"
    DEALS_PLAYED = "deals_played"
    NOT_STARTED = "not_started"
    CANCELLED = "cancelled"
    INFRASTRUCTURE = "infrastructure"

    @property
    def is_result(self) -> bool:
        """The match was played to its end."""
        return self not in _NO_RESULT


_NO_RESULT = frozenset({EndReason.NOT_STARTED, EndReason.CANCELLED, EndReason.INFRASTRUCTURE})


class FaultKind(Enum):
    """What a bot did wrong."""

    TIMEOUT = "timeout"
    ILLEGAL_ACTION = "illegal_action"
    DISCONNECTED = "disconnected"
    PROTOCOL_ERROR = "protocol_error"
    RESIGNED = "resigned"


class Disclosure(Enum):
    """When hidden cards and the seed may be shown."""

    AT_MATCH_END = "at_match_end"
    WHEN_GROUP_RELEASED = "when_group_released"


class WatchPolicy(Enum):
    """When spectators may watch."""

    AS_DISCLOSED = "as_disclosed"
    """Live where the cards are disclosed at the end of the match, else after the release."""
    LIVE = "live"


@dataclass(frozen=True, slots=True)
class FaultPolicy:
    """What faults cost: how many are forgiven before the house plays the seat to the end."""

    illegal_strikes: int = 2
    timeout_strikes: int = 2
    protocol_strikes: int = 10
    """Messages against the protocol on the seat's stream."""


@dataclass(frozen=True, slots=True)
class SeatPlan:
    """Who is to play a seat: a connected bot by name, or a player of the house."""

    bot: str = ""
    house: str = ""
    instance_id: str = ""
    """Only this instance, when not empty."""
    key_id: str = ""
    """Only a bot that authenticated with this key, when not empty."""

    @property
    def name(self) -> str:
        """The name shown."""
        return self.bot or f"house:{self.house}"


PRACTICE = "practice"
"""The label of practice matches."""
_DEFAULT_TIME = TimeControl()


@dataclass(frozen=True, slots=True)
class MatchSpec:
    """A match as created. ``secret`` (16 bytes) makes decision ids; never shown."""

    match_id: str
    rules: RuleSet
    mode: Mode
    deals: Deals = field(repr=False)
    seats: tuple[SeatPlan, SeatPlan, SeatPlan, SeatPlan]
    secret: bytes = field(repr=False)
    created_ms: int
    """Milliseconds since the epoch, for display only."""
    board: int = 1
    drawn: bool = False
    """The server drew the seed of ``deals``: nobody asked for these cards."""
    time: TimeControl = _DEFAULT_TIME
    faults: FaultPolicy = FaultPolicy()
    request_id: str = ""
    labels: tuple[str, ...] = ()
    group: str = ""
    """Disclosure group."""
    disclosure: Disclosure = Disclosure.AT_MATCH_END
    watch: WatchPolicy = WatchPolicy.AS_DISCLOSED
    owner: str = ""
    """Id of the API key that created it: its host. Empty when that had none."""

    @property
    def practice(self) -> bool:
        """A bot asked for it with its Hello: only that process plays in it, against the house."""
        played = [seat for seat in self.seats if seat.bot]
        wanted = bool(played) and all(seat.instance_id for seat in played)
        return wanted and self.labels == (PRACTICE,)
