"""Messages about matches and events, to and from the values of this package."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from enum import Enum
from typing import Any, Final, TypeVar

from google.protobuf import duration_pb2, timestamp_pb2

from contree.client.events import (
    CardPlayed,
    DealEnded,
    Dealt,
    Event,
    FaultCharged,
    Happening,
    MatchEnded,
    MatchStarted,
    TableUpdate,
    TrickTaken,
)
from contree.client.matches import (
    Board,
    BotSeat,
    ConnectedBot,
    Disclosure,
    EndReason,
    Fault,
    FaultKind,
    FaultPolicy,
    Fixed,
    Match,
    MatchSpec,
    MatchState,
    Race,
    SeatStatus,
    Seeded,
    Standing,
    TimeControl,
    WatchPolicy,
)
from contree.engine import FixedDeal
from contree.v1 import (
    event_pb2,
    match_pb2,
    match_service_pb2,
    play_service_pb2,
    spectate_service_pb2,
)
from contree.wire import (
    WireError,
    card_from_pb,
    contract_from_pb,
    deal_summary_from_pb,
    duration_from_pb,
    duration_to_pb,
    fixed_deal_to_pb,
    hands_from_pb,
    placed_call_from_pb,
    rules_from_pb,
    seat_from_pb,
    seat_to_pb,
    team_from_pb,
    team_score_from_pb,
    trick_from_pb,
)

_TIMES: Final = (
    "per_move",
    "bank",
    "increment",
    "allowance",
    "ready",
    "seat_timeout",
    "disconnect_grace",
)
_E = TypeVar("_E", bound=Enum)


def _numbers(kind: type[_E], wrapper: Any, prefix: str) -> dict[int, _E]:
    return {
        wrapper.Value(prefix + member.name): member for member in kind if member.name != "UNKNOWN"
    }


_STATES: Final = _numbers(MatchState, match_pb2.MatchState, "MATCH_STATE_")
_REASONS: Final = _numbers(EndReason, match_pb2.EndReason, "END_REASON_")
_FAULTS: Final = _numbers(FaultKind, match_pb2.FaultKind, "FAULT_KIND_")
_DISCLOSURES: Final = _numbers(Disclosure, match_pb2.DisclosurePolicy, "DISCLOSURE_POLICY_")
_WATCHING: Final = _numbers(WatchPolicy, match_pb2.WatchPolicy, "WATCH_POLICY_")
_WATCH_TO_PB: Final[dict[WatchPolicy, Any]] = {
    policy: number for number, policy in _WATCHING.items()
}
_DISCLOSURE_TO_PB: Final[dict[Disclosure, Any]] = {
    policy: number for number, policy in _DISCLOSURES.items()
}


def _member(members: dict[int, _E], number: int, field: str) -> _E:
    try:
        return members[number]
    except KeyError:
        raise WireError(field, f"{number} is not known") from None


# --- requests


def spec_to_pb(spec: MatchSpec) -> match_service_pb2.CreateMatchRequest:
    """The request that a specification makes."""
    request = match_service_pb2.CreateMatchRequest(
        request_id=spec.request_id,
        seats=[
            match_pb2.SeatSpec(
                seat=seat_to_pb(seat),
                bot=player.name,
                instance_id=player.instance_id,
                key_id=player.key_id,
            )
            if isinstance(player, BotSeat)
            else match_pb2.SeatSpec(seat=seat_to_pb(seat), house=player.name)
            for seat, player in spec.seats.items()
        ],
        time_control=time_control_to_pb(spec.time_control),
        labels=spec.labels,
        disclosure_group=spec.disclosure_group,
        disclosure_policy=_DISCLOSURE_TO_PB[spec.disclosure],
        watch_policy=_WATCH_TO_PB[spec.watch],
    )
    if isinstance(spec.rules, str):
        request.preset = spec.rules
    else:
        request.rules_toml = spec.rules.to_toml()
    if isinstance(spec.mode, Board):
        request.board.number = spec.mode.number
    else:
        request.race.CopyFrom(match_pb2.RaceMode(target=spec.mode.target, deals=spec.mode.deals))
    if isinstance(spec.deals, Seeded):
        request.deals.seeded.CopyFrom(
            match_pb2.SeededDeals(
                seed=spec.deals.seed, label=spec.deals.label, disguise=spec.deals.disguise
            )
        )
    elif isinstance(spec.deals, Fixed):
        deal = FixedDeal(spec.deals.dealer, spec.deals.hands)
        request.deals.fixed.CopyFrom(fixed_deal_to_pb(deal))
    if spec.fault_policy is not None:
        request.fault_policy.CopyFrom(
            match_pb2.FaultPolicy(
                illegal_strikes=spec.fault_policy.illegal_strikes,
                timeout_strikes=spec.fault_policy.timeout_strikes,
                protocol_strikes=spec.fault_policy.protocol_strikes,
            )
        )
    return request


def time_control_to_pb(control: TimeControl) -> match_pb2.TimeControl:
    """The clock settings; what is None stays absent."""
    message = match_pb2.TimeControl()
    for name in _TIMES:
        seconds: float | None = getattr(control, name)
        if seconds is not None:
            getattr(message, name).CopyFrom(duration_to_pb(round(seconds * 1000)))
    return message


# --- answers


def match_from_pb(message: match_pb2.Match) -> Match:
    """A match."""
    return Match(
        id=message.id,
        state=_member(_STATES, message.state, "match.state"),
        rules=rules_from_pb(message.rules),
        mode=_mode(message),
        labels=tuple(message.labels),
        seats=tuple(_seat_status(status) for status in message.seats),
        scores=team_score_from_pb(message.scores),
        end_reason=_REASONS.get(message.end_reason, EndReason.UNKNOWN)
        if message.end_reason
        else None,
        winner=team_from_pb(message.winner, "match.winner") if message.HasField("winner") else None,
        faults=tuple(_fault(fault) for fault in message.faults),
        results=tuple(deal_summary_from_pb(result) for result in message.results),
        time_control=time_control_from_pb(message.time_control),
        fault_policy=fault_policy_from_pb(message.fault_policy)
        if message.HasField("fault_policy")
        else None,
        disclosure_group=message.disclosure_group,
        disclosure=_DISCLOSURES.get(message.disclosure_policy, Disclosure.AT_MATCH_END),
        disclosed=message.disclosed,
        watch=_WATCHING.get(message.watch_policy, WatchPolicy.AS_DISCLOSED),
        create_time=_time(message.create_time) if message.HasField("create_time") else None,
        end_time=_time(message.end_time) if message.HasField("end_time") else None,
        version=message.version,
        end_detail=message.end_detail,
        standing=_standing(message.standing) if message.HasField("standing") else None,
    )


def _standing(message: match_pb2.Standing) -> Standing:
    return Standing(
        message.server_id,
        tuple(map(seat_from_pb, message.awaited)),
        _seconds(message.unmoved) if message.HasField("unmoved") else None,
    )


def _mode(message: match_pb2.Match) -> Board | Race:
    if message.WhichOneof("mode") == "race":
        return race_from_pb(message.race)
    return Board(message.board.number)


def race_from_pb(message: match_pb2.RaceMode) -> Race:
    """A race."""
    return Race(
        message.target if message.HasField("target") else None,
        message.deals if message.HasField("deals") else None,
    )


def _seat_status(message: match_pb2.SeatStatus) -> SeatStatus:
    return SeatStatus(
        seat_from_pb(message.seat),
        message.bot,
        message.bot_version,
        message.house,
        message.taken,
        message.connected,
        message.decisions,
        _seconds(message.time_used),
        message.replaced,
        message.overruns,
        tuple(message.times),
        _seconds(message.slowest),
    )


def _fault(message: match_pb2.Fault) -> Fault:
    return Fault(
        seat_from_pb(message.seat),
        _FAULTS.get(message.kind, FaultKind.UNKNOWN),
        message.deal_number,
        message.detail,
        message.replaced,
    )


def time_control_from_pb(message: match_pb2.TimeControl) -> TimeControl:
    """The clock settings."""
    return TimeControl(
        **{name: _seconds(getattr(message, name)) for name in _TIMES if message.HasField(name)}
    )


def fault_policy_from_pb(message: match_pb2.FaultPolicy) -> FaultPolicy:
    """What faults cost."""
    return FaultPolicy(
        message.illegal_strikes,
        message.timeout_strikes,
        message.protocol_strikes if message.HasField("protocol_strikes") else None,
    )


def connected_bot_from_pb(message: match_service_pb2.ConnectedBot) -> ConnectedBot:
    """A connected bot."""
    return ConnectedBot(
        message.bot,
        message.bot_version,
        message.instance_id,
        message.capacity,
        message.seats,
        _seconds(message.connected),
    )


# --- events


def event_from_pb(message: event_pb2.Event) -> Event | None:
    """An event; None for a kind that this version does not know."""
    which = message.WhichOneof("event")
    if which is None:
        return None
    return Event(message.seq, _HAPPENINGS[which](getattr(message, which)))


def table_update_from_pb(message: spectate_service_pb2.WatchResponse) -> TableUpdate:
    """What a spectator learns at once."""
    events = (event_from_pb(event) for event in message.events)
    return TableUpdate(
        match_from_pb(message.match) if message.HasField("match") else None,
        tuple(event for event in events if event is not None),
    )


def deal_ended_from_pb(message: event_pb2.DealEnded) -> DealEnded:
    """The end of a deal."""
    return DealEnded(
        message.number, deal_summary_from_pb(message.result), team_score_from_pb(message.scores)
    )


def match_ended_from_pb(message: event_pb2.MatchEnded) -> MatchEnded:
    """The end of a match."""
    return MatchEnded(
        _REASONS.get(message.reason, EndReason.UNKNOWN),
        team_score_from_pb(message.scores),
        team_from_pb(message.winner, "winner") if message.HasField("winner") else None,
    )


def fault_charged_from_pb(message: event_pb2.FaultCharged) -> FaultCharged:
    """A fault."""
    return FaultCharged(
        seat_from_pb(message.seat),
        _FAULTS.get(message.kind, FaultKind.UNKNOWN),
        message.strikes,
        message.replaced,
    )


def _dealt(message: event_pb2.Dealt) -> Dealt:
    return Dealt(
        message.number, seat_from_pb(message.dealer, "dealer"), hands_from_pb(message.hands)
    )


def _card_played(message: event_pb2.CardPlayed) -> CardPlayed:
    return CardPlayed(seat_from_pb(message.seat), card_from_pb(message.card), message.belote)


def _trick_taken(message: Any) -> TrickTaken:
    trick, winner, _ = trick_from_pb(message)
    if winner is None:
        raise WireError("trick_taken.winner", "not given")
    return TrickTaken(trick, winner)


_HAPPENINGS: Final[dict[str, Callable[[Any], Happening]]] = {
    "match_started": lambda _: MatchStarted(),
    "dealt": _dealt,
    "called": placed_call_from_pb,
    "contracted": contract_from_pb,
    "card_played": _card_played,
    "trick_taken": _trick_taken,
    "deal_ended": deal_ended_from_pb,
    "fault": fault_charged_from_pb,
    "match_ended": match_ended_from_pb,
}


def seat_mode_from_pb(message: play_service_pb2.SeatAssigned) -> Board | Race:
    """The mode of a seat's match; the number of a board is not told to players and reads 0."""
    return race_from_pb(message.race) if message.HasField("race") else Board(0)


def _seconds(message: duration_pb2.Duration) -> float:
    return duration_from_pb(message) / 1000


def _time(message: timestamp_pb2.Timestamp) -> datetime:
    return message.ToDatetime(tzinfo=UTC)
