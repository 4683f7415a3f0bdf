"""Bots: which are here, how long they think, how far away they are, what they do wrong."""

from __future__ import annotations

from typing import Final

from as_code.panels import Bars, Board, Graph, Number, Query, Row
from as_code.promql import EVENTS, increase, mean, quantile, rate, total

BOTS: Final = Board(
    "Bots",
    "Which bots are connected, how long they think, and what they do wrong. Only bots with an API "
    "key have a name here, and at most 64 of them; all others are counted as other.",
    ("server", "event"),
    (
        Row(
            "Now",
            5,
            (
                Number(
                    "How many bots are connected?",
                    "Bot instances that hold a seat or can be given one.",
                    "none",
                    total("contree_bots_connected"),
                    ((None, "orange"), (1, "blue")),
                ),
                Number(
                    "How long does the slowest bot think?",
                    "The mean of the bot whose decisions take longest. Near its time per move it "
                    "will be charged with timeouts.",
                    "s",
                    f"max({mean('contree_bot_decision_seconds', 'bot')})",
                    ((None, "green"), (2.5, "yellow"), (5, "red")),
                ),
                Number(
                    "How many faults were charged in the last hour?",
                    "Whose and which: see below.",
                    "none",
                    increase("contree_bot_faults_total", "1h"),
                    ((None, "green"), (1, "orange"), (100, "red")),
                ),
                Number(
                    "How many streams of bots were cut in the last hour?",
                    "Bots that did not read or did not answer heartbeats: they are logged as "
                    "bot_stalled.",
                    "none",
                    increase("contree_streams_cut_total", "1h"),
                    ((None, "green"), (1, "orange"), (100, "red")),
                ),
            ),
        ),
        Row(
            "Each bot",
            9,
            (
                Graph(
                    "Which bots are here?",
                    "Their connected instances. If one is missing: its log, contree keys list.",
                    "none",
                    (Query(total("contree_bot_instances", "bot"), "{{bot}}"),),
                ),
                Graph(
                    "How long does each bot think?",
                    "The mean of what it was charged for a decision, network included.",
                    "s",
                    (Query(mean("contree_bot_decision_seconds", "bot"), "{{bot}}"),),
                ),
                Graph(
                    "Which bot comes close to its clock?",
                    "95% of its decisions are faster. Compare with the time per move.",
                    "s",
                    (Query(quantile(0.95, "contree_bot_decision_seconds", "bot"), "{{bot}}"),),
                ),
            ),
        ),
        Row(
            "Trouble",
            9,
            (
                Graph(
                    "Which bot is at fault, and how?",
                    "timeout and disconnected: too slow or away. illegal_action and "
                    "protocol_error: a bug in the bot; its author gets the record of the match.",
                    "ops",
                    (Query(rate("contree_bot_faults_total", "bot, kind"), "{{bot}} {{kind}}"),),
                    stacked=True,
                ),
                Graph(
                    "How far away is each bot?",
                    "The mean round trip of heartbeats. It is part of what a decision costs.",
                    "s",
                    (Query(mean("contree_bot_round_trip_seconds", "bot"), "{{bot}}"),),
                ),
                Graph(
                    "How many decisions does each bot make?",
                    "One that makes none while it is connected has no seat, or hangs.",
                    "ops",
                    (Query(rate("contree_bot_decision_seconds_count", "bot"), "{{bot}}"),),
                    stacked=True,
                ),
            ),
        ),
        Row(
            "In events",
            9,
            (
                Bars(
                    "How long does each bot of an event think?",
                    "Seconds for a decision, as the records of the event have it.",
                    "s",
                    Query(
                        f"max by (event, bot) (contree_event_bot_seconds{{{EVENTS}}})",
                        "{{event}} {{bot}}",
                    ),
                ),
                Graph(
                    "Which bot of an event is at fault?",
                    "contree matches list --event E shows the matches, standings.json the counts.",
                    "none",
                    (
                        Query(
                            increase(
                                "contree_event_faults_total", "10m", "event, bot, kind", EVENTS
                            ),
                            "{{event}} {{bot}} {{kind}}",
                        ),
                    ),
                    stacked=True,
                ),
                Graph(
                    "Which bot of an event was started again?",
                    "Its process ended by itself: its log in the folder of the event has the end.",
                    "none",
                    (
                        Query(
                            increase(
                                "contree_event_bot_restarts_total", "10m", "event, bot", EVENTS
                            ),
                            "{{event}} {{bot}}",
                        ),
                    ),
                    stacked=True,
                ),
            ),
        ),
    ),
)
