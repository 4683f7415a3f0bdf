"""What the server says to a bot and to spectators: messages made from a match."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from contree.engine import (
    SEATS,
    Contract,
    Mode,
    PlacedCall,
    Seat,
    cards_in,
    project,
)
from contree.server.host.resources import (
    END_TO_PB,
    FAULT_TO_PB,
    TEAM_TO_PB,
    fault_policy_to_pb,
    race_to_pb,
    time_control_to_pb,
)
from contree.server.match import Act, Match, Stage, Step, Verdict, feed
from contree.server.match import clock as clocks
from contree.v1 import event_pb2, play_service_pb2
from contree.v1.play_service_pb2 import ServerMessage
from contree.wire import (
    Clock,
    act_result_to_bytes,
    contract_to_pb,
    deal_result_to_pb,
    decision_to_pb,
    duration_to_pb,
    hand_to_pb,
    heartbeat_to_bytes,
    placed_call_to_pb,
    rules_to_pb,
    team_score_to_pb,
    trick_to_pb,
    turn_to_bytes,
)
from contree.wire.cards import CARD_TO_PB, SEAT_TO_PB

__all__ = [
    "Outgoing",
    "ServerMessage",
    "seat_assigned",
    "turn",
    "act_result",
    "verdict",
    "answered",
    "illegal",
    "deal_ended",
    "match_ended",
    "fault",
    "seat_event",
    "heartbeat",
    "go_away",
    "superseded",
    "refused",
    "event",
]

Outgoing = ServerMessage | bytes
"""A message for a play stream; what is said most often is made as bytes at once."""

VERDICT_TO_PB: Final = {
    Verdict.ACCEPTED: play_service_pb2.ACT_STATUS_ACCEPTED,
    Verdict.DUPLICATE: play_service_pb2.ACT_STATUS_DUPLICATE,
    Verdict.CONFLICT: play_service_pb2.ACT_STATUS_CONFLICT,
    Verdict.STALE: play_service_pb2.ACT_STATUS_STALE,
    Verdict.ILLEGAL: play_service_pb2.ACT_STATUS_ILLEGAL,
    Verdict.LATE: play_service_pb2.ACT_STATUS_LATE,
}


def seat_assigned(match: Match, seat: Seat, ref: int, *, resumed: bool) -> ServerMessage:
    """A seat is this client's."""
    spec = match.spec
    message = play_service_pb2.SeatAssigned(
        seat_ref=ref,
        match_id=match.id,
        seat=SEAT_TO_PB[seat],
        rules=rules_to_pb(spec.rules),
        time_control=time_control_to_pb(spec.time),
        fault_policy=fault_policy_to_pb(spec.faults),
        ready_owed=match.stage in (Stage.WAITING, Stage.READYING) and not match.seats[seat].ready,
        resumed=resumed,
    )
    if spec.mode is Mode.BOARD:
        message.single_deal.SetInParent()
    else:
        message.race.CopyFrom(race_to_pb(match))
    return ServerMessage(seat_assigned=message)


def turn(
    match: Match, seat: Seat, ref: int, *, elapsed: int, round_trip: int | None, again: bool
) -> bytes:
    """The decision that a seat owes, ``elapsed`` milliseconds after its clock began."""
    return turn_to_bytes(
        ref,
        match.seq,
        project(match.game, seat),
        match.decision_id(seat),
        _clock(match, seat, elapsed, round_trip),
        again=again,
    )


def act_result(
    ref: int,
    decision_id: bytes,
    status: play_service_pb2.ActStatus.ValueType,
    reason: str = "",
) -> Outgoing:
    """What became of an answer."""
    if not reason:
        return act_result_to_bytes(ref, decision_id, status)
    return ServerMessage(
        act_result=play_service_pb2.ActResult(
            seat_ref=ref, decision_id=decision_id, status=status, reason=reason
        )
    )


def verdict(ref: int, decision_id: bytes, verdict: Verdict, reason: str) -> Outgoing:
    """What became of an answer to a seat of this client."""
    return act_result(ref, decision_id, VERDICT_TO_PB[verdict], reason)


def answered(
    match: Match, command: Act, ref: int, step: Step, *, elapsed: int, round_trip: int | None
) -> Outgoing:
    """What became of an answer to a seat of this client; ``match`` is as it stands now."""
    seat = command.seat
    still_owed = match.owed_since[seat] and not match.seats[seat].house
    if step.verdict is Verdict.ILLEGAL and still_owed:
        return illegal(match, seat, ref, step.reason, elapsed=elapsed, round_trip=round_trip)
    return verdict(ref, command.decision, step.verdict, step.reason)


def illegal(
    match: Match, seat: Seat, ref: int, reason: str, *, elapsed: int, round_trip: int | None
) -> ServerMessage:
    """An answer was against the rules, and the seat owes another."""
    view = project(match.game, seat)
    if view.kind is None:
        raise ValueError(f"{seat} owes nothing")
    decision_id = match.decision_id(seat)
    clock = _clock(match, seat, elapsed, round_trip)
    return ServerMessage(
        act_result=play_service_pb2.ActResult(
            seat_ref=ref,
            decision_id=decision_id,
            status=play_service_pb2.ACT_STATUS_ILLEGAL,
            reason=reason,
            decision=decision_to_pb(view.kind, view.legal, decision_id, clock),
        )
    )


def _clock(match: Match, seat: Seat, elapsed: int, round_trip: int | None) -> Clock:
    state, control = match.seats[seat], match.spec.time
    return Clock(
        remaining=clocks.remaining(control, state.bank, elapsed),
        bank=state.bank,
        allowance=control.allowance,
        charged=state.charged,
        round_trip=round_trip,
    )


def deal_ended(match: Match, index: int, ref: int) -> ServerMessage:
    """Deal number ``index`` (from 1) of a match is over; ``match`` is as it was then."""
    over = feed.DealOver(index, match.game.finished[index - 1], match.game.scores)
    return ServerMessage(
        deal_ended=play_service_pb2.SeatDealEnded(seat_ref=ref, deal_ended=_deal_over(over))
    )


def match_ended(match: Match, ref: int) -> ServerMessage:
    """The match is over."""
    over = _match_over(feed.match_over(match))
    return ServerMessage(
        match_ended=play_service_pb2.SeatMatchEnded(
            seat_ref=ref, match_id=match.id, match_ended=over
        )
    )


def fault(shown: feed.FaultShown, ref: int) -> ServerMessage:
    """A fault was charged to a seat of this client."""
    return ServerMessage(
        fault=play_service_pb2.SeatFault(seat_ref=ref, fault=_fault(shown), detail=shown.detail)
    )


def seat_event(message: event_pb2.Event, ref: int) -> ServerMessage:
    """Something happened at a seat's table."""
    return ServerMessage(event=play_service_pb2.SeatEvent(seat_ref=ref, event=message))


def heartbeat(nonce: int, seats: Iterable[tuple[int, int]]) -> bytes:
    """Proof of life; ``seats`` are (seat_ref, seq)."""
    return heartbeat_to_bytes(nonce, seats)


def go_away(drain_ms: int) -> ServerMessage:
    """The server will stop."""
    return ServerMessage(go_away=play_service_pb2.GoAway(drain=duration_to_pb(drain_ms)))


def superseded() -> ServerMessage:
    """A newer stream of the same instance took over."""
    return ServerMessage(superseded=play_service_pb2.Superseded())


def refused(reason: str) -> ServerMessage:
    """A message was not understood."""
    return ServerMessage(refused=play_service_pb2.Refused(reason=reason))


def event(happened: feed.Event, seq: int, seat: Seat | None, disclosed: bool) -> event_pb2.Event:
    """An event as one reader may see it: a seat its own cards, the public none, unless disclosed.

    The only place where dealt cards are cut for readers of events.
    """
    message = event_pb2.Event(seq=seq)
    match happened:
        case feed.Started():
            message.match_started.SetInParent()
        case feed.Dealt():
            message.dealt.number = happened.number
            message.dealt.dealer = SEAT_TO_PB[happened.dealer]
            shown = [one for one in SEATS if disclosed or one == seat]
            message.dealt.hands.extend(
                hand_to_pb(one, cards_in(happened.hands[one])) for one in shown
            )
        case PlacedCall():
            message.called.CopyFrom(placed_call_to_pb(happened))
        case Contract():
            message.contracted.CopyFrom(contract_to_pb(happened))
        case feed.CardPlayed():
            message.card_played.seat = SEAT_TO_PB[happened.seat]
            message.card_played.card = CARD_TO_PB[happened.card]
            message.card_played.belote = happened.belote
        case feed.TrickTaken():
            message.trick_taken.CopyFrom(trick_to_pb(happened.trick, happened.winner))
        case feed.DealOver():
            message.deal_ended.CopyFrom(_deal_over(happened))
        case feed.FaultShown():
            message.fault.CopyFrom(_fault(happened))
        case feed.MatchOver():
            message.match_ended.CopyFrom(_match_over(happened))
    return message


def _deal_over(over: feed.DealOver) -> event_pb2.DealEnded:
    result = over.deal.result
    if result is None:
        raise ValueError(f"deal {over.number} is not over")
    return event_pb2.DealEnded(
        number=over.number, result=deal_result_to_pb(result), scores=team_score_to_pb(over.scores)
    )


def _match_over(over: feed.MatchOver) -> event_pb2.MatchEnded:
    message = event_pb2.MatchEnded(
        reason=END_TO_PB[over.reason], scores=team_score_to_pb(over.scores)
    )
    if over.winner is not None:
        message.winner = TEAM_TO_PB[over.winner]
    return message


def _fault(shown: feed.FaultShown) -> event_pb2.FaultCharged:
    return event_pb2.FaultCharged(
        seat=SEAT_TO_PB[shown.seat],
        kind=FAULT_TO_PB[shown.kind],
        strikes=shown.strikes,
        replaced=shown.replaced,
    )
