"""Competition: how far an event is, who leads whom and how surely, what goes wrong in it.

What is shown is what the runner itself counts (`contree tournament run --metrics-port`).
"""

from __future__ import annotations

from typing import Final

from as_code.panels import Bars, Board, Graph, Number, Query, Row, Word
from as_code.promql import EVENTS, increase, total

_PAIR: Final = "event, first, second"
_OVER: Final = "{{first}} over {{second}}"


def _now(metric: str, by: str) -> str:
    return f"max by ({by}) ({metric}{{{EVENTS}}})"


COMPETITION: Final = Board(
    "Competition",
    "How far an event is, who leads whom and how surely, and what goes wrong in it.",
    ("event",),
    (
        Row(
            "Now",
            5,
            (
                Word(
                    "Where does the event stand?",
                    "running, finished or stopped. Stopped: run the same command again.",
                    Query(
                        f"max by (event, state) (contree_event_end{{{EVENTS}}}) > 0",
                        "{{event}} {{state}}",
                    ),
                ),
                Number(
                    "How much of it is played?",
                    "Boards that are closed, of those planned. A stop rule may end it earlier.",
                    "percentunit",
                    f"{total('contree_event_boards_closed', only=EVENTS)} / "
                    f"{total('contree_event_boards_planned', only=EVENTS)}",
                    ((None, "blue"), (1, "green")),
                ),
                Number(
                    "How long will it still take?",
                    "At the speed so far. One that grows: see whether tables are played.",
                    "s",
                    f"max(contree_event_remaining_seconds{{{EVENTS}}})",
                    ((None, "blue"),),
                ),
                Number(
                    "How many tables are being played?",
                    "None while the event runs: contree matches list --event E shows what it waits "
                    "for.",
                    "none",
                    total("contree_event_tables", only=f'state="running", {EVENTS}'),
                    ((None, "orange"), (1, "blue")),
                ),
                Number(
                    "How many tables had to be played again in the last hour?",
                    "Infrastructure failed under them: see the dashboard Service.",
                    "none",
                    increase(
                        "contree_event_attempts_total", "1h", only=f'outcome="replayed", {EVENTS}'
                    ),
                    ((None, "green"), (1, "orange")),
                ),
            ),
        ),
        Row(
            "Progress",
            8,
            (
                Graph(
                    "Does the event go on?",
                    "Boards closed, and planned. A flat line: the event stalls.",
                    "none",
                    (
                        Query(_now("contree_event_boards_closed", "event"), "{{event}} closed"),
                        Query(_now("contree_event_boards_planned", "event"), "{{event}} planned"),
                    ),
                ),
                Graph(
                    "What state are its tables in?",
                    "failed: forfeited, for a bot did not come or was too often at fault.",
                    "none",
                    (
                        Query(
                            total("contree_event_tables", "event, state", EVENTS),
                            "{{event}} {{state}}",
                        ),
                    ),
                    stacked=True,
                ),
                Graph(
                    "How many attempts are finished, and how many are played again?",
                    "replayed: a fault of the infrastructure, which is nobody's result.",
                    "none",
                    (
                        Query(
                            increase(
                                "contree_event_attempts_total", "10m", "event, outcome", EVENTS
                            ),
                            "{{event}} {{outcome}}",
                        ),
                    ),
                    stacked=True,
                ),
            ),
        ),
        Row(
            "Who leads",
            10,
            (
                Graph(
                    "Who leads whom, and is it sure?",
                    "Mean points a board, and its interval: where that holds 0, nobody leads yet.",
                    "none",
                    (
                        Query(_now("contree_event_pairing_points", _PAIR), _OVER),
                        Query(_now("contree_event_pairing_low", _PAIR), f"{_OVER}, at least"),
                        Query(_now("contree_event_pairing_high", _PAIR), f"{_OVER}, at most"),
                    ),
                    below_zero=True,
                ),
                Graph(
                    "How many boards does each pairing still need?",
                    "Needed: for the decision that the event asks for, as far as can be told now.",
                    "none",
                    (
                        Query(_now("contree_event_pairing_boards", _PAIR), f"{_OVER}, played"),
                        Query(
                            _now("contree_event_pairing_boards_needed", _PAIR), f"{_OVER}, needed"
                        ),
                    ),
                ),
                Bars(
                    "Who is first?",
                    "Mean points a board against all others. The next panel says how sure that is.",
                    "none",
                    Query(_now("contree_event_bot_points", "event, bot"), "{{event}} {{bot}}"),
                ),
                Graph(
                    "How sure is each bot's place?",
                    "Its interval: two bots whose intervals share a part are not told apart.",
                    "none",
                    (
                        Query(_now("contree_event_bot_low", "event, bot"), "{{bot}}, at least"),
                        Query(_now("contree_event_bot_high", "event, bot"), "{{bot}}, at most"),
                    ),
                    below_zero=True,
                ),
            ),
        ),
        Row(
            "Trouble",
            8,
            (
                Graph(
                    "Which bot is at fault?",
                    "timeout, illegal_action, disconnected: its author wants to know. "
                    "contree matches list --event E shows the matches.",
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
                    "Which bot was started again?",
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
                Graph(
                    "Which event file runs?",
                    "The digest is that of the event as it was published.",
                    "none",
                    (
                        Query(
                            f"max by (event, digest) (contree_event_info{{{EVENTS}}})",
                            "{{event}} {{digest}}",
                        ),
                    ),
                ),
            ),
        ),
    ),
)
