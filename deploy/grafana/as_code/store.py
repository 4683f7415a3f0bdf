"""Store: whether the match store answers, how fast, and what waits for it."""

from __future__ import annotations

from typing import Final

from as_code.panels import Board, Graph, Number, Query, Row
from as_code.promql import SERVERS, increase, mean, quantile, rate, total

STORE: Final = Board(
    "Store",
    "Whether the match store answers, how fast, and what waits for it.",
    ("server",),
    (
        Row(
            "Now",
            5,
            (
                Number(
                    "Does the match store answer?",
                    "Without it nothing moves, and no bot's clock runs: see Redis or Valkey.",
                    "none",
                    f"min(contree_store_up{{{SERVERS}}})",
                    ((None, "red"), (1, "green")),
                    (("0", "no", "red"), ("1", "yes", "green")),
                ),
                Number(
                    "How often was it away in the last hour?",
                    "Each time is in the log as store_away, with the reason.",
                    "none",
                    increase("contree_store_outages_total", "1h"),
                    ((None, "green"), (1, "orange"), (10, "red")),
                ),
                Number(
                    "How long do the slowest commits take?",
                    "99% are faster. A move counts once it is committed.",
                    "s",
                    quantile(0.99, "contree_commit_seconds"),
                    ((None, "green"), (0.025, "yellow"), (0.1, "red")),
                ),
                Number(
                    "How much waits for it?",
                    "Appends that are not answered yet. More than tables in play cannot be.",
                    "none",
                    total("contree_commit_queue_appends"),
                    ((None, "green"), (500, "yellow")),
                ),
            ),
        ),
        Row(
            "Commits",
            9,
            (
                Graph(
                    "How long does a commit take?",
                    "Slow: the store's disk or the way to it.",
                    "s",
                    tuple(
                        Query(quantile(share, "contree_commit_seconds"), name)
                        for share, name in ((0.5, "half"), (0.95, "95%"), (0.99, "99%"))
                    ),
                ),
                Graph(
                    "How many appends are committed, and how many share a commit?",
                    "The group grows under load; near 1 under load, something empties the queue "
                    "too early.",
                    "none",
                    (
                        Query(rate("contree_commit_group_entries_sum"), "appends/s"),
                        Query(rate("contree_commit_seconds_count"), "commits/s"),
                        Query(mean("contree_commit_group_entries"), "appends a commit"),
                    ),
                ),
                Graph(
                    "Do commits fail?",
                    "The store did not confirm in time: they are tried again, tables wait "
                    "meanwhile. Not told: a fault of the service, its table is taken over again.",
                    "ops",
                    (
                        Query(rate("contree_commit_failures_total"), "failed"),
                        Query(rate("contree_telling_failures_total"), "not told"),
                    ),
                ),
            ),
        ),
        Row(
            "Health",
            9,
            (
                Graph(
                    "When was it away, and when did it come back?",
                    "More away than back: it is away now.",
                    "none",
                    (
                        Query(increase("contree_store_outages_total", "10m"), "went away"),
                        Query(increase("contree_store_reconnects_total", "10m"), "came back"),
                    ),
                ),
                Graph(
                    "What waits for the store?",
                    "Appends: moves that nobody has seen yet. Archives: ended matches whose record "
                    "is to be written. Both fall to 0 when there is nothing to do.",
                    "none",
                    (
                        Query(total("contree_commit_queue_appends"), "appends"),
                        Query(total("contree_archives_waiting"), "archives"),
                    ),
                ),
                Graph(
                    "Which server does not reach it?",
                    "One server alone: its network. All of them: the store.",
                    "none",
                    (Query(f"min by (instance) (contree_store_up{{{SERVERS}}})", "{{instance}}"),),
                ),
            ),
        ),
    ),
)
