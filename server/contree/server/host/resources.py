"""The Match resource: what hosts and spectators may read of a match, as a message."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from google.protobuf.timestamp_pb2 import Timestamp

from contree.engine import SEATS, Mode, Seat, Team
from contree.engine.shuffle import commitment
from contree.server.host.record import drawn_seed
from contree.server.match import (
    Disclosure,
    EndReason,
    Fault,
    FaultKind,
    FaultPolicy,
    Match,
    Stage,
    TimeControl,
    WatchPolicy,
)
from contree.v1 import match_pb2, table_pb2
from contree.wire import (
    deal_result_to_pb,
    duration_to_pb,
    rules_to_pb,
    team_score_to_pb,
)
from contree.wire.cards import SEAT_TO_PB

STAGE_TO_PB: Final = {
    Stage.WAITING: match_pb2.MATCH_STATE_WAITING,
    Stage.READYING: match_pb2.MATCH_STATE_READYING,
    Stage.PLAYING: match_pb2.MATCH_STATE_PLAYING,
    Stage.ENDED: match_pb2.MATCH_STATE_ENDED,
}
END_TO_PB: Final = {
    EndReason.BOARD_DONE: match_pb2.END_REASON_BOARD_DONE,
    EndReason.PASSED_OUT: match_pb2.END_REASON_PASSED_OUT,
    EndReason.TARGET_REACHED: match_pb2.END_REASON_TARGET_REACHED,
    EndReason.DEALS_PLAYED: match_pb2.END_REASON_DEALS_PLAYED,
    EndReason.NOT_STARTED: match_pb2.END_REASON_NOT_STARTED,
    EndReason.CANCELLED: match_pb2.END_REASON_CANCELLED,
    EndReason.INFRASTRUCTURE: match_pb2.END_REASON_INFRASTRUCTURE,
}
FAULT_TO_PB: Final = {
    FaultKind.TIMEOUT: match_pb2.FAULT_KIND_TIMEOUT,
    FaultKind.ILLEGAL_ACTION: match_pb2.FAULT_KIND_ILLEGAL_ACTION,
    FaultKind.DISCONNECTED: match_pb2.FAULT_KIND_DISCONNECTED,
    FaultKind.PROTOCOL_ERROR: match_pb2.FAULT_KIND_PROTOCOL_ERROR,
    FaultKind.RESIGNED: match_pb2.FAULT_KIND_RESIGNED,
}
DISCLOSURE_TO_PB: Final = {
    Disclosure.AT_MATCH_END: match_pb2.DISCLOSURE_POLICY_AT_MATCH_END,
    Disclosure.WHEN_GROUP_RELEASED: match_pb2.DISCLOSURE_POLICY_WHEN_GROUP_RELEASED,
}
WATCH_TO_PB: Final = {
    WatchPolicy.AS_DISCLOSED: match_pb2.WATCH_POLICY_AS_DISCLOSED,
    WatchPolicy.LIVE: match_pb2.WATCH_POLICY_LIVE,
}
TEAM_TO_PB: Final = {
    Team.NORTH_SOUTH: table_pb2.TEAM_NORTH_SOUTH,
    Team.EAST_WEST: table_pb2.TEAM_EAST_WEST,
}


def match_to_pb(
    match: Match,
    connected: tuple[bool, bool, bool, bool],
    *,
    disclosed: bool,
    keys: bool = False,
) -> match_pb2.Match:
    """The resource. It holds no card, and nothing that happened in a contre window which is still
    open; ``connected`` tells which seats' bots are there now, ``keys`` whether the ids of their API
    keys are told.
    """
    match = match.public
    spec, outcome = match.spec, match.game.outcome
    message = match_pb2.Match(
        id=match.id,
        state=STAGE_TO_PB[match.stage],
        rules=rules_to_pb(spec.rules),
        labels=spec.labels,
        seats=[_seat(match, seat, connected[seat], keys=keys) for seat in SEATS],
        scores=team_score_to_pb(match.game.scores),
        faults=[_fault(fault) for fault in match.faults],
        results=[deal_result_to_pb(result) for result in match.game.results],
        time_control=time_control_to_pb(spec.time),
        fault_policy=fault_policy_to_pb(spec.faults),
        disclosure_group=spec.group,
        disclosure_policy=DISCLOSURE_TO_PB[spec.disclosure],
        disclosed=disclosed,
        watch_policy=WATCH_TO_PB[spec.watch],
        create_time=_timestamp(spec.created_ms),
        version=match.version,
    )
    seed = drawn_seed(spec)
    if seed is not None:
        message.seed_commitment = commitment(seed)
    if spec.mode is Mode.BOARD:
        message.board.number = spec.board
    else:
        message.race.CopyFrom(race_to_pb(match))
    if match.end is not None:
        message.end_reason = END_TO_PB[match.end]
        message.end_detail = match.end_detail
        message.end_time.CopyFrom(_timestamp(match.ended_ms))
    if outcome is not None and outcome.winner is not None and spec.mode is Mode.RACE:
        message.winner = TEAM_TO_PB[outcome.winner]
    return message


def race_to_pb(match: Match) -> match_pb2.RaceMode:
    """The limits of a race; they are those of its rules."""
    rules = match.spec.rules
    return match_pb2.RaceMode(target=rules.target, deals=rules.deals_limit or 0)


@lru_cache(maxsize=256)
def time_control_to_pb(control: TimeControl) -> match_pb2.TimeControl:
    """The clock settings. The message is shared: do not change it."""
    return match_pb2.TimeControl(
        **{name: duration_to_pb(value) for name, value in control._asdict().items()}
    )


def fault_policy_to_pb(policy: FaultPolicy) -> match_pb2.FaultPolicy:
    """What faults cost."""
    return match_pb2.FaultPolicy(
        illegal_strikes=policy.illegal_strikes,
        timeout_strikes=policy.timeout_strikes,
        protocol_strikes=policy.protocol_strikes,
    )


def _seat(match: Match, seat: Seat, connected: bool, *, keys: bool) -> match_pb2.SeatStatus:
    plan, state = match.spec.seats[seat], match.seats[seat]
    return match_pb2.SeatStatus(
        seat=SEAT_TO_PB[seat],
        bot=plan.bot or plan.house,
        bot_version=state.bot_version,
        house=bool(plan.house),
        taken=state.taken,
        connected=connected or bool(plan.house),
        decisions=state.decisions,
        time_used=duration_to_pb(state.used),
        replaced=bool(state.house) and not plan.house,
        overruns=state.overruns,
        times=state.times,
        slowest=duration_to_pb(state.slowest) if state.times else None,
        key_id=state.key_id if keys else "",
    )


def _fault(fault: Fault) -> match_pb2.Fault:
    return match_pb2.Fault(
        seat=SEAT_TO_PB[fault.seat],
        kind=FAULT_TO_PB[fault.kind],
        deal_number=fault.deal_number,
        detail=fault.detail,
        replaced=fault.replaced,
    )


def _timestamp(milliseconds: int) -> Timestamp:
    seconds, rest = divmod(milliseconds, 1000)
    return Timestamp(seconds=seconds, nanos=rest * 1_000_000)
