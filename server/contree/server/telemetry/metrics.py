"""The metrics of a server, named once, on a registry of their own.

Every label has a closed set of values: no match, bot or instance is ever one, for a Prometheus
keeps each value it has seen. Children with fixed labels are made at the start, so that counting a
move is one call on a ready object.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, TypeVar

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.metrics import MetricWrapperBase

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

_DECISION_BUCKETS: Final = (
    0.001,
    0.0025,
    0.005,
    0.01,
    0.025,
    0.05,
    0.1,
    0.25,
    0.5,
    1,
    2.5,
    5,
    10,
    30,
    120,
)
_COMMIT_BUCKETS: Final = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5)
_SIZE_BUCKETS: Final = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
_RPC_BUCKETS: Final = (0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10)

_Child = TypeVar("_Child", bound=MetricWrapperBase)


def _children(parent: _Child, values: tuple[str, ...]) -> Mapping[str, _Child]:
    return MappingProxyType({value: parent.labels(value) for value in values})


class Metrics:
    """Everything a server counts; attributes are ready to use, mappings are keyed by label value.

    Writers are the event loop only. Reading (`metrics_server`) happens in another thread and never
    waits for it.
    """

    def __init__(self, *, version: str = "", server_id: str = "") -> None:
        self.registry: Final = CollectorRegistry(auto_describe=True)
        registry = self.registry

        def counter(name: str, meaning: str, *labels: str) -> Counter:
            return Counter(name, meaning, labels, registry=registry)

        def gauge(name: str, meaning: str, *labels: str) -> Gauge:
            return Gauge(name, meaning, labels, registry=registry)

        def histogram(
            name: str, meaning: str, buckets: tuple[float, ...], *labels: str
        ) -> Histogram:
            return Histogram(name, meaning, labels, registry=registry, buckets=buckets)

        # Play
        self.moves = _children(
            counter("contree_moves_total", "Decisions committed, by kind.", "kind"), KINDS
        )
        self.decision_seconds = _children(
            histogram(
                "contree_decision_seconds",
                "From a turn being sent to its answer, by kind of decision.",
                _DECISION_BUCKETS,
                "kind",
            ),
            KINDS,
        )
        self.faults = _children(
            counter("contree_faults_total", "Faults charged to bots, by kind.", "kind"), FAULTS
        )

        # Matches
        self.tables = _children(
            gauge("contree_tables", "Matches held by this server, by state.", "state"), STATES
        )
        self.oldest_unmoved_table_seconds = gauge(
            "contree_oldest_unmoved_table_seconds",
            "How long the table in play that waits longest has been without a move.",
        )
        self.matches_created = counter(
            "contree_matches_created_total", "Matches created by this server."
        )
        self.matches_ended = _children(
            counter("contree_matches_ended_total", "Matches ended, by reason.", "reason"),
            END_REASONS,
        )

        self.telling_failures = counter(
            "contree_telling_failures_total",
            "Failures to tell what came of a committed step; its table was taken over again.",
        )

        # Streams
        self.streams = gauge("contree_streams", "Open play streams.")
        self.bots_connected = gauge(
            "contree_bots_connected", "Bot instances that can be given a seat or hold one."
        )
        self.frames = _children(
            counter("contree_frames_total", "Frames of play streams, by direction.", "direction"),
            DIRECTIONS,
        )
        self.frame_messages = _children(
            histogram(
                "contree_frame_messages",
                "Messages batched in one frame, by direction.",
                _SIZE_BUCKETS,
                "direction",
            ),
            DIRECTIONS,
        )

        # Process
        self.tasks = gauge(
            "contree_tasks", "Tasks of the event loop: several for each open call, and a few more."
        )

        # Store
        self.store_up = gauge(
            "contree_store_up", "1 while the match store answers, 0 while it does not."
        )
        self.commit_seconds = histogram(
            "contree_commit_seconds", "One group commit to the match store.", _COMMIT_BUCKETS
        )
        self.commit_group_entries = histogram(
            "contree_commit_group_entries", "Appends in one group commit.", _SIZE_BUCKETS
        )
        self.commit_failures = counter(
            "contree_commit_failures_total", "Group commits that the store did not confirm."
        )

        # Calls
        self.rpcs = counter(
            "contree_rpcs_total", "Finished calls, by method and status code.", "method", "code"
        )
        self.rpc_seconds = histogram(
            "contree_rpc_seconds",
            "Duration of unary calls, by method.",
            _RPC_BUCKETS,
            "method",
        )

        gauge("contree_build_info", "1; its labels name the build.", "version", "server_id").labels(
            version, server_id
        ).set(1)

    def moved(self, kind: str, seconds: float | None) -> None:
        """Count a committed decision and what a bot was charged for it, None for the house."""
        self.moves[kind].inc()
        if seconds is not None:
            self.decision_seconds[kind].observe(seconds)

    def frame(self, direction: str, messages: int) -> None:
        """Count a frame and its messages."""
        self.frames[direction].inc()
        self.frame_messages[direction].observe(messages)

    def committed(self, entries: int, seconds: float) -> None:
        """Count a group commit that the store confirmed."""
        self.commit_seconds.observe(seconds)
        self.commit_group_entries.observe(entries)
