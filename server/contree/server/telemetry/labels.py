"""The closed sets of values that the labels of the metrics have.

A Prometheus keeps each value that it has ever seen: so no match, instance or caller is one.
"""

from __future__ import annotations

from typing import Final

from contree.v1.error_reason_pb2 import ErrorReason

KINDS: Final = ("call", "contre", "surcontre", "card")
"""Kinds of decisions, as `DecisionKind` names them in lower case."""

STATES: Final = ("waiting", "readying", "playing")
"""States of a table that is not over, as `MatchState`."""

END_REASONS: Final = (
    "board_done",
    "passed_out",
    "target_reached",
    "deals_played",
    "not_started",
    "cancelled",
    "infrastructure",
)
"""Why a match ended, as `EndReason`."""

FAULTS: Final = ("timeout", "illegal_action", "disconnected", "protocol_error", "resigned")
"""What a bot did wrong, as `FaultKind`."""

DIRECTIONS: Final = ("in", "out")
"""Frames from bots, and to them."""

REFUSALS: Final = tuple(
    name.removeprefix("ERROR_REASON_").lower() for name in ErrorReason.keys()[1:]
)
"""Why a call was refused, as `ErrorReason` names it in lower case."""

CUTS: Final = ("silent", "overflow")
"""Why a play stream was cut: its heartbeats had no answer, or too much waited for it to read."""

ADOPTIONS: Final = ("lease_ended", "handed_over")
"""Why a match was taken over: its server died or hung, or it stopped and gave the match away."""

LOSSES: Final = ("lease", "refused", "telling_failed")
"""Why a match could not go on here: its lease was lost, the store refused its entries, or those
concerned could not be told of a step.
"""
