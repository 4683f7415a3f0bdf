"""Who may read what of a match: the one place where a Match is cut for its reader."""

from __future__ import annotations

from enum import Enum

from contree.server.host.resources import END_TO_PB
from contree.server.match import EndReason
from contree.v1 import match_pb2

_NO_RESULTS = frozenset(END_TO_PB[reason] for reason in EndReason if not reason.is_result)


class Audience(Enum):
    """Who a caller is to a match."""

    HOST = "host"
    """Its host, or an operator of the service."""
    PLAYER = "player"
    """One who sits, or sat, at its table."""
    PUBLIC = "public"
    """Anybody else: a spectator, or a player who has these cards at another table."""


def may_watch(message: match_pb2.Match, *, released: bool) -> bool:
    """Whether spectators may follow a match now; ``released`` is said of its disclosure group."""
    held_back = (
        message.disclosure_policy == match_pb2.DISCLOSURE_POLICY_WHEN_GROUP_RELEASED
        and message.watch_policy != match_pb2.WATCH_POLICY_LIVE
    )
    return released or not held_back


def shown_to(audience: Audience, message: match_pb2.Match, *, released: bool) -> match_pb2.Match:
    """What somebody may read of a match, given all of it; ``released`` is said of its group.

    Before the cards are disclosed only the host is told what the match has in common with others:
    its board, labels and group. Of a match that may not be watched the public learns who plays and
    whether it is over, not how it goes: no scores, results and counts, nor how it came to a result.
    """
    if audience is Audience.HOST:
        return message
    shown = match_pb2.Match()
    shown.CopyFrom(message)
    shown.ClearField("standing")
    for seat in shown.seats:
        seat.ClearField("key_id")
    over = message.state == match_pb2.MATCH_STATE_ENDED
    shown.disclosed = message.disclosed or (over and released)
    if shown.disclosed:
        return shown
    shown.ClearField("labels")
    shown.ClearField("disclosure_group")
    if shown.HasField("board"):
        shown.board.ClearField("number")
    if audience is Audience.PLAYER or may_watch(message, released=released):
        return shown
    shown.ClearField("scores")
    shown.ClearField("results")
    shown.ClearField("winner")
    shown.ClearField("version")
    if shown.end_reason not in _NO_RESULTS:
        shown.ClearField("end_reason")
    for seat in shown.seats:
        seat.ClearField("decisions")
        seat.ClearField("time_used")
        seat.ClearField("overruns")
        seat.ClearField("times")
        seat.ClearField("slowest")
    for fault in shown.faults:
        fault.ClearField("deal_number")
    return shown
