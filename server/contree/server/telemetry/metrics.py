"""The metrics of a server, named once, on a registry of their own.

Every label has a closed set of values (`labels`), but that of the bots, which is capped (`bots`).
Children with fixed labels are made at the start, so that counting a move is one call on a ready
object.
"""

from __future__ import annotations

from typing import Final

from prometheus_client import (
    CollectorRegistry,
    GCCollector,
    PlatformCollector,
    ProcessCollector,
)

from contree.server.telemetry.bots import BotMetrics
from contree.server.telemetry.families import Families, children
from contree.server.telemetry.labels import (
    ADOPTIONS,
    CUTS,
    DIRECTIONS,
    END_REASONS,
    FAULTS,
    KINDS,
    LOSSES,
    REFUSALS,
    STATES,
)

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
_LAG_BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5)


class Metrics:
    """Everything a server counts; attributes are ready to use, mappings are keyed by label value.

    Writers are the event loop only. Reading (`metrics_server`) happens in another thread and never
    waits for it.
    """

    def __init__(self, *, version: str = "", server_id: str = "") -> None:
        self.registry: Final = CollectorRegistry(auto_describe=True)
        families = Families(self.registry)
        self._play(families)
        self._matches(families)
        self._streams(families)
        self._store(families)
        self._calls(families)
        self._process(families)
        families.gauge(
            "contree_build_info", "1; its labels name the build.", "version", "server_id"
        ).labels(version, server_id).set(1)

    def _play(self, make: Families) -> None:
        self.moves = children(
            make.counter("contree_moves_total", "Decisions committed, by kind.", "kind"), KINDS
        )
        self.decision_seconds = children(
            make.histogram(
                "contree_decision_seconds",
                "From a turn being sent to its answer, by kind of decision.",
                _DECISION_BUCKETS,
                "kind",
            ),
            KINDS,
        )
        self.faults = children(
            make.counter("contree_faults_total", "Faults charged to bots, by kind.", "kind"), FAULTS
        )
        self.bots = BotMetrics()
        self.registry.register(self.bots)

    def _matches(self, make: Families) -> None:
        self.tables = children(
            make.gauge("contree_tables", "Matches held by this server, by state.", "state"), STATES
        )
        self.longest_overdue_table_seconds = make.gauge(
            "contree_longest_overdue_table_seconds",
            "How long no move has come at the table in play that had to move first: beyond the "
            "clock of a bot, or where the house decides.",
        )
        self.seats_waiting = make.gauge(
            "contree_seats_waiting", "Seats of live matches that no bot has taken yet."
        )
        self.seats_of_guests = make.gauge(
            "contree_seats_of_guests",
            "Seats at this server's tables whose bots are connected to other servers.",
        )
        self.seats_abroad = make.gauge(
            "contree_seats_abroad", "Seats of bots here at tables of other servers."
        )
        self.matches_created = make.counter(
            "contree_matches_created_total", "Matches created by this server."
        )
        self.matches_ended = children(
            make.counter("contree_matches_ended_total", "Matches ended, by reason.", "reason"),
            END_REASONS,
        )
        self.peers = make.gauge("contree_peers", "Other servers of this store that are there.")
        self.peer_entries = make.counter(
            "contree_peer_entries_total", "Entries put into inboxes of other servers."
        )
        self.peer_items = make.counter("contree_peer_items_total", "What was said in them.")
        self.peer_gaps = make.counter(
            "contree_peer_gaps_total", "Entries of the own inbox that were lost, and said again."
        )
        self.leases_held = make.gauge(
            "contree_leases_held", "Matches whose lease this server holds."
        )
        self.matches_adopted = children(
            make.counter(
                "contree_matches_adopted_total",
                "Matches taken over, by reason: their lease ended, or they were handed over.",
                "reason",
            ),
            ADOPTIONS,
        )
        self.matches_lost = children(
            make.counter(
                "contree_matches_lost_total",
                "Matches that could not go on at this server, by reason; another takes them over.",
                "reason",
            ),
            LOSSES,
        )
        self.matches_set_aside = make.gauge(
            "contree_matches_set_aside", "Matches that this server could not read, and left alone."
        )
        self.telling_failures = make.counter(
            "contree_telling_failures_total",
            "Failures to tell what came of a committed step; its table was taken over again.",
        )

    def _streams(self, make: Families) -> None:
        self.streams = make.gauge("contree_streams", "Open play streams.")
        self.bots_connected = make.gauge(
            "contree_bots_connected", "Bot instances that can be given a seat or hold one."
        )
        self.streams_cut = children(
            make.counter(
                "contree_streams_cut_total",
                "Play streams that were cut because their client did not read, by reason.",
                "reason",
            ),
            CUTS,
        )
        self.outbox_messages = make.gauge(
            "contree_outbox_messages", "Messages that wait in the outboxes of all streams."
        )
        self.outbox_longest_messages = make.gauge(
            "contree_outbox_longest_messages", "Messages that wait in the longest outbox."
        )
        self.frames = children(
            make.counter(
                "contree_frames_total", "Frames of play streams, by direction.", "direction"
            ),
            DIRECTIONS,
        )
        self.frame_messages = children(
            make.histogram(
                "contree_frame_messages",
                "Messages batched in one frame, by direction.",
                _SIZE_BUCKETS,
                "direction",
            ),
            DIRECTIONS,
        )

    def _store(self, make: Families) -> None:
        self.store_up = make.gauge(
            "contree_store_up", "1 while the match store answers, 0 while it does not."
        )
        self.store_outages = make.counter(
            "contree_store_outages_total", "Times that the match store stopped answering."
        )
        self.store_reconnects = make.counter(
            "contree_store_reconnects_total", "Times that it answered again."
        )
        self.commit_seconds = make.histogram(
            "contree_commit_seconds", "One group commit to the match store.", _COMMIT_BUCKETS
        )
        self.commit_group_entries = make.histogram(
            "contree_commit_group_entries", "Appends in one group commit.", _SIZE_BUCKETS
        )
        self.commit_queue_appends = make.gauge(
            "contree_commit_queue_appends", "Appends that wait for the store, or are on their way."
        )
        self.commit_failures = make.counter(
            "contree_commit_failures_total", "Group commits that the store did not confirm."
        )
        self.archives_waiting = make.gauge(
            "contree_archives_waiting", "Ended matches that are still to be archived."
        )

    def _calls(self, make: Families) -> None:
        self.rpcs = make.counter(
            "contree_rpcs_total", "Finished calls, by method and status code.", "method", "code"
        )
        self.rpcs_in_flight = make.gauge(
            "contree_rpcs_in_flight", "Calls under way, by method; streams count, too.", "method"
        )
        self.rpc_seconds = make.histogram(
            "contree_rpc_seconds",
            "Duration of unary calls, by method.",
            _RPC_BUCKETS,
            "method",
        )
        self.refusals = children(
            make.counter(
                "contree_refusals_total",
                "Calls refused or ended with an error, by reason.",
                "reason",
            ),
            REFUSALS,
        )

    def _process(self, make: Families) -> None:
        self.ready = make.gauge(
            "contree_ready", "1 while new work is welcome, as /readyz says; 0 while it is not."
        )
        self.tasks = make.gauge(
            "contree_tasks", "Tasks of the event loop: several for each open call, and a few more."
        )
        self.event_loop_lag_seconds = make.histogram(
            "contree_event_loop_lag_seconds",
            "How much later than asked for the event loop woke a task that looks every 0.1 s.",
            _LAG_BUCKETS,
        )
        self.stalled_seconds = make.counter(
            "contree_stalled_seconds_total",
            "Time in which this process did not run, and no bot's clock did.",
        )
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)
        GCCollector(registry=self.registry)

    def refused(self, reason: str) -> None:
        """Count a call that was refused, or ended with an error."""
        self.refusals[reason].inc()

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
