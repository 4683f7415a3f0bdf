"""Service: whether the servers do their work, and what keeps them from it."""

from __future__ import annotations

from typing import Final

from as_code.panels import Board, Graph, Number, Query, Row
from as_code.promql import SERVERS, WINDOW, increase, mean, quantile, rate, total

SERVICE: Final = Board(
    "Service",
    "Whether the servers of contree do their work, and what keeps them from it.",
    ("server",),
    (
        Row(
            "Now",
            5,
            (
                Number(
                    "Are the servers up?",
                    "Prometheus cannot scrape a server that is down: see its container or log.",
                    "none",
                    f'min(up{{job="contree", {SERVERS}}})',
                    ((None, "red"), (1, "green")),
                    (("0", "one is down", "red"), ("1", "all up", "green")),
                ),
                Number(
                    "Is every server ready for new work?",
                    "As /readyz says: not while it drains, nor while its store is away. One that "
                    "stays unready and has its store does not come to the end of its stop.",
                    "none",
                    f"min(contree_ready{{{SERVERS}}})",
                    ((None, "orange"), (1, "green")),
                    (("0", "one is not", "orange"), ("1", "yes", "green")),
                ),
                Number(
                    "Does the match store answer?",
                    "Without it nothing moves, and no bot's clock runs: see the dashboard Store.",
                    "none",
                    f"min(contree_store_up{{{SERVERS}}})",
                    ((None, "red"), (1, "green")),
                    (("0", "no", "red"), ("1", "yes", "green")),
                ),
                Number(
                    "Do the event loops keep up?",
                    "By how much the slowest of a hundred looks came too late. Above 0.1 s a "
                    "server has too much to do: run another one.",
                    "s",
                    quantile(0.99, "contree_event_loop_lag_seconds"),
                    ((None, "green"), (0.05, "yellow"), (0.25, "red")),
                ),
                Number(
                    "Did the service itself fail in the last hour?",
                    "Calls that ended INTERNAL, and steps that could not be told. Each has a line "
                    "at level error in the log, with its request or match: report it.",
                    "none",
                    increase("contree_refusals_total", "1h", only=f'reason="internal", {SERVERS}')
                    + " + "
                    + increase("contree_telling_failures_total", "1h"),
                    ((None, "green"), (1, "red")),
                ),
            ),
        ),
        Row(
            "Calls",
            8,
            (
                Graph(
                    "Are calls failing?",
                    "UNAVAILABLE and INTERNAL are the service's; the others mostly the caller's.",
                    "ops",
                    (Query(rate("contree_rpcs_total", "code"), "{{code}}"),),
                    stacked=True,
                ),
                Graph(
                    "Why are calls refused?",
                    "unauthenticated: a token that is none or no more. rate_limited: a caller asks "
                    "for more than it may. too_slow: it does not read. internal: the service.",
                    "ops",
                    (Query(rate("contree_refusals_total", "reason"), "{{reason}}"),),
                    stacked=True,
                ),
                Graph(
                    "How long do calls of hosts take?",
                    "95% of the calls are faster. Streams are not among them.",
                    "s",
                    (Query(quantile(0.95, "contree_rpc_seconds", "method"), "{{method}}"),),
                ),
                Graph(
                    "Which calls are under way?",
                    "Play: a bot each. WatchMatches and Watch: hosts and spectators. Others that "
                    "pile up: the store is slow, or the server has too much to do.",
                    "none",
                    (Query(total("contree_rpcs_in_flight", "method"), "{{method}}"),),
                ),
            ),
        ),
        Row(
            "Streams",
            8,
            (
                Graph(
                    "How many streams are open, and how many frames go over them?",
                    "Streams that fall to 0 at once: the server or the way to it.",
                    "none",
                    (
                        Query(total("contree_streams"), "streams"),
                        Query(total("contree_tasks"), "tasks of the servers"),
                        Query(rate("contree_frames_total", "direction"), "frames/s {{direction}}"),
                    ),
                ),
                Graph(
                    "How many messages share a frame?",
                    "It grows under load; near 1 under load, something empties the outboxes too "
                    "early.",
                    "none",
                    (Query(mean("contree_frame_messages", "direction"), "{{direction}}"),),
                ),
                Graph(
                    "Does anything wait to be read?",
                    "Messages in the outboxes, of all and of the fullest. One that grows belongs "
                    "to a client that does not read; at CONTREE_MAX_OUTBOX it is cut.",
                    "none",
                    (
                        Query(total("contree_outbox_messages"), "all"),
                        Query(f"max (contree_outbox_longest_messages{{{SERVERS}}})", "longest"),
                    ),
                ),
                Graph(
                    "Are streams cut?",
                    "silent: three heartbeats without an answer, a bot that hangs or a network "
                    "that is gone. overflow: it does not read what it is told.",
                    "ops",
                    (Query(rate("contree_streams_cut_total", "reason"), "{{reason}}"),),
                    stacked=True,
                ),
            ),
        ),
        Row(
            "Processes",
            8,
            (
                Graph(
                    "Does a server stand still?",
                    "Late: by how much its event loop was. Stalled: the share of time in which it "
                    "did not run at all, which is on no bot's clock; a machine that is full.",
                    "s",
                    (
                        Query(quantile(0.5, "contree_event_loop_lag_seconds"), "late, half"),
                        Query(quantile(0.99, "contree_event_loop_lag_seconds"), "late, 99%"),
                        Query(
                            rate("contree_stalled_seconds_total", "instance"),
                            "stalled {{instance}}",
                        ),
                    ),
                ),
                Graph(
                    "How much of a core does each server use?",
                    "A server is one process and uses one core: above 80% it is full.",
                    "percentunit",
                    (Query(rate("process_cpu_seconds_total", "instance"), "{{instance}}"),),
                ),
                Graph(
                    "How much memory does each server have?",
                    "It follows the number of bots and tables. One that only grows: report it.",
                    "bytes",
                    (Query(total("process_resident_memory_bytes", "instance"), "{{instance}}"),),
                ),
                Graph(
                    "How close is each server to its limit of open files?",
                    "A connection is an open file. Raise the limit (ulimit -n) before it is 1.",
                    "percentunit",
                    (
                        Query(
                            f"sum by (instance) (process_open_fds{{{SERVERS}}}) / "
                            f"sum by (instance) (process_max_fds{{{SERVERS}}})",
                            "{{instance}}",
                        ),
                    ),
                ),
            ),
        ),
        Row(
            "Peers",
            6,
            (
                Graph(
                    "Do the servers know of each other?",
                    "Each should see all others of its store. One that sees fewer for long cannot "
                    "reach the store, or has another one.",
                    "none",
                    (Query(total("contree_peers", "instance"), "{{instance}}"),),
                ),
                Graph(
                    "How many seats sit at another server than their table?",
                    "Each is counted where its bot is and where its table is. They cost two "
                    "entries of the store a move more than others.",
                    "none",
                    (
                        Query(total("contree_seats_abroad"), "where the bots are"),
                        Query(total("contree_seats_of_guests"), "where the tables are"),
                    ),
                ),
                Graph(
                    "What do the servers say to each other, and is it lost?",
                    "Many things should share an entry under load. Lost ones are said again, and "
                    "bots notice nothing; if it is more than a few, inboxes overflow: a server "
                    "has too much to do.",
                    "ops",
                    (
                        Query(rate("contree_peer_entries_total"), "entries"),
                        Query(rate("contree_peer_items_total"), "said in them"),
                        Query(rate("contree_peer_gaps_total"), "lost"),
                    ),
                ),
            ),
        ),
        Row(
            "Workers",
            6,
            (
                Graph(
                    "Do all workers serve?",
                    "Of contree serve --workers: fewer than wanted, and one is being started. "
                    "For long: its lines in the log say why it ends.",
                    "none",
                    (
                        Query(total("contree_workers_wanted", only=""), "wanted"),
                        Query(total("contree_workers_serving", only=""), "serving"),
                    ),
                ),
                Graph(
                    "Are workers started again?",
                    "died: see the log, level error. asked: a rolling restart.",
                    "none",
                    (
                        Query(
                            increase("contree_worker_restarts_total", "10m", "reason", only=""),
                            "{{reason}}",
                        ),
                    ),
                    stacked=True,
                ),
            ),
        ),
        Row(
            "Versions",
            5,
            (
                Graph(
                    "Which version runs where?",
                    "During an upgrade there are two.",
                    "none",
                    (
                        Query(
                            f"max by (instance, version) (contree_build_info{{{SERVERS}}})",
                            "{{instance}} {{version}}",
                        ),
                    ),
                ),
                Graph(
                    "Which Python runs where?",
                    "Of the same image on all servers, unless an upgrade is under way.",
                    "none",
                    (
                        Query(
                            f"max by (instance, version) (python_info{{{SERVERS}}})",
                            "{{instance}} {{version}}",
                        ),
                    ),
                ),
                Graph(
                    "How long has each server been up?",
                    "One that begins at 0 again and again is restarted: see its log's last lines.",
                    "s",
                    (
                        Query(
                            f"time() - max by (instance) (process_start_time_seconds{{{SERVERS}}})",
                            "{{instance}}",
                        ),
                    ),
                ),
                Graph(
                    "How often does Python look for garbage?",
                    "Generation 2 looks through everything: more than once a minute slows play.",
                    "ops",
                    (
                        Query(
                            f"sum by (generation) (rate(python_gc_collections_total"
                            f"{{{SERVERS}}}[{WINDOW}]))",
                            "generation {{generation}}",
                        ),
                    ),
                ),
            ),
        ),
    ),
)
