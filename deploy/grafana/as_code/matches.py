"""Matches: whether they are played, how they end, and at which server they are."""

from __future__ import annotations

from typing import Final

from as_code.panels import Board, Graph, Number, Query, Row
from as_code.promql import SERVERS, increase, quantile, rate, total

MATCHES: Final = Board(
    "Matches",
    "Whether matches are played, how they end, and which server has them.",
    ("server",),
    (
        Row(
            "Now",
            5,
            (
                Number(
                    "Is a table stuck?",
                    "How long a move is overdue, beyond the clock of whose turn it is. Something "
                    "is wrong with the server: contree matches list --stuck.",
                    "s",
                    f"max(contree_longest_overdue_table_seconds{{{SERVERS}}})",
                    ((None, "green"), (5, "yellow"), (30, "red")),
                ),
                Number(
                    "How many tables are being played?",
                    "More than waiting ones: the event runs. None while many wait: bots are "
                    "missing.",
                    "none",
                    total("contree_tables", only=f'state="playing", {SERVERS}'),
                    ((None, "blue"),),
                ),
                Number(
                    "How many seats wait for a bot?",
                    "They should not for long: the bots of that name are not here, or are full.",
                    "none",
                    total("contree_seats_waiting"),
                    ((None, "green"), (1, "blue"), (100, "orange")),
                ),
                Number(
                    "How many bots are connected?",
                    "Bot instances that hold a seat or can be given one.",
                    "none",
                    total("contree_bots_connected"),
                    ((None, "orange"), (1, "blue")),
                ),
                Number(
                    "How many faults were charged in the last hour?",
                    "Which kinds: see below. Whose: see the dashboard Bots.",
                    "none",
                    increase("contree_faults_total", "1h"),
                    ((None, "green"), (1, "orange"), (100, "red")),
                ),
                Number(
                    "How many matches ended without a result in the last hour?",
                    "not_started: bots did not come. cancelled: their host. infrastructure: the "
                    "service failed.",
                    "none",
                    increase(
                        "contree_matches_ended_total",
                        "1h",
                        only=f'reason=~"not_started|cancelled|infrastructure", {SERVERS}',
                    ),
                    ((None, "green"), (1, "orange"), (100, "red")),
                ),
            ),
        ),
        Row(
            "Matches",
            8,
            (
                Graph(
                    "Are tables waiting for bots?",
                    "Waiting: a seat is not taken. Readying: a bot has not said Ready. Both should "
                    "be short.",
                    "none",
                    (Query(total("contree_tables", "state"), "{{state}}"),),
                    stacked=True,
                ),
                Graph(
                    "How do matches end?",
                    "not_started: bots did not come. infrastructure: the service failed, and the "
                    "board is to be played again.",
                    "ops",
                    (Query(rate("contree_matches_ended_total", "reason"), "{{reason}}"),),
                    stacked=True,
                ),
                Graph(
                    "Are matches created as fast as they end?",
                    "A gap that grows: the host creates more than the bots can play.",
                    "ops",
                    (
                        Query(rate("contree_matches_created_total"), "created"),
                        Query(rate("contree_matches_ended_total"), "ended"),
                    ),
                ),
            ),
        ),
        Row(
            "Play",
            8,
            (
                Graph(
                    "How fast is play?",
                    "Committed decisions per second, by kind.",
                    "ops",
                    (Query(rate("contree_moves_total", "kind"), "{{kind}}"),),
                    stacked=True,
                ),
                Graph(
                    "How long do decisions take?",
                    "From the turn being sent to its answer, network included.",
                    "s",
                    tuple(
                        Query(quantile(share, "contree_decision_seconds"), name)
                        for share, name in ((0.5, "half"), (0.95, "95%"), (0.99, "99%"))
                    ),
                ),
                Graph(
                    "Which faults are charged?",
                    "timeout and disconnected: too slow or away. illegal_action and "
                    "protocol_error: a bug in the bot.",
                    "ops",
                    (Query(rate("contree_faults_total", "kind"), "{{kind}}"),),
                    stacked=True,
                ),
            ),
        ),
        Row(
            "From server to server",
            8,
            (
                Graph(
                    "Which server has how many matches?",
                    "About as many each. A server without any while others are full: bots and "
                    "hosts do not reach it.",
                    "none",
                    (Query(total("contree_leases_held", "instance"), "{{instance}}"),),
                    stacked=True,
                ),
                Graph(
                    "Do matches change hands?",
                    "handed_over: a server was stopped. lease_ended: one died, or did not reach "
                    "the store for a lease.",
                    "ops",
                    (Query(rate("contree_matches_adopted_total", "reason"), "{{reason}}"),),
                ),
                Graph(
                    "Why could matches not go on at a server?",
                    "lease: another server has them, this one hung. refused: the store did not "
                    "take an entry. telling_failed: a fault of the service, to be reported.",
                    "ops",
                    (Query(rate("contree_matches_lost_total", "reason"), "{{reason}}"),),
                    stacked=True,
                ),
                Graph(
                    "Are there matches that cannot be read?",
                    "They are left alone, others go on: match_set_aside in the log names them. "
                    "Upgrade the server, or have their host cancel them.",
                    "none",
                    (Query(total("contree_matches_set_aside", "instance"), "{{instance}}"),),
                ),
            ),
        ),
    ),
)
