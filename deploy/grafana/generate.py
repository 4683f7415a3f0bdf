"""The dashboard "Matches" as code: `python deploy/grafana/generate.py` writes its JSON.

Each panel's title is the question it answers, its description what to do about the answer. With
--check nothing is written and the exit code says whether the committed file is what this makes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from grafana_foundation_sdk.builders import common, dashboard, prometheus, stat, timeseries
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.common import (
    BigValueColorMode,
    BigValueGraphMode,
    LegendDisplayMode,
    LegendPlacement,
    StackingMode,
    TooltipDisplayMode,
)
from grafana_foundation_sdk.models.dashboard import (
    DashboardCursorSync,
    DataSourceRef,
    Threshold,
    ThresholdsMode,
    ValueMap,
    ValueMappingResult,
    VariableRefresh,
)

TARGET: Final = Path(__file__).parent / "dashboards" / "matches.json"
SOURCE: Final = DataSourceRef(type_val="prometheus", uid="${source}")
SERVERS: Final = 'instance=~"$server"'
WINDOW: Final = "$__rate_interval"
_FULL_WIDTH: Final = 24


class Query(NamedTuple):
    """One line of a panel, or several told apart by labels."""

    expression: str
    legend: str


class Graph(NamedTuple):
    """A panel with lines over time."""

    question: str
    advice: str
    unit: str
    queries: Sequence[Query]
    stacked: bool = False


class Number(NamedTuple):
    """A panel with one number and what its size means: (from, colour), ascending."""

    question: str
    advice: str
    unit: str
    query: str
    steps: Sequence[tuple[float | None, str]]
    words: Sequence[tuple[str, str, str]] = ()
    """(value, word, colour) for numbers that stand for words."""


class Row(NamedTuple):
    """Panels side by side below a heading."""

    heading: str
    height: int
    panels: Sequence[Graph | Number]


def rate(metric: str, by: str = "") -> str:
    """Per second, added up over the servers, kept apart by a label."""
    grouped = f"sum by ({by})" if by else "sum"
    return f"{grouped} (rate({metric}{{{SERVERS}}}[{WINDOW}]))"


def quantile(share: float, metric: str, by: str = "") -> str:
    """The value below which this share of the observations is."""
    labels = f"le, {by}" if by else "le"
    buckets = f"sum by ({labels}) (rate({metric}_bucket{{{SERVERS}}}[{WINDOW}]))"
    return f"histogram_quantile({share}, {buckets})"


def mean(metric: str, by: str = "") -> str:
    """The mean observation."""
    return f"{rate(f'{metric}_sum', by)} / {rate(f'{metric}_count', by)}"


ROWS: Final = (
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
                "Does the match store answer?",
                "Without it nothing moves, and no bot's clock runs: see Redis or Valkey.",
                "none",
                f"min(contree_store_up{{{SERVERS}}})",
                ((None, "red"), (1, "green")),
                (("0", "no", "red"), ("1", "yes", "green")),
            ),
            Number(
                "Is a table stuck?",
                "The longest wait for a move. Above the time a bot has for a decision, something "
                "is wrong with the server, not with the bot.",
                "s",
                f"max(contree_oldest_unmoved_table_seconds{{{SERVERS}}})",
                ((None, "green"), (15, "yellow"), (60, "red")),
            ),
            Number(
                "How many tables are being played?",
                "More than waiting ones: the event runs. None while many wait: bots are missing.",
                "none",
                f'sum(contree_tables{{state="playing", {SERVERS}}})',
                ((None, "blue"),),
            ),
            Number(
                "How many bots are connected?",
                "Bot instances that hold a seat or can be given one.",
                "none",
                f"sum(contree_bots_connected{{{SERVERS}}})",
                ((None, "orange"), (1, "blue")),
            ),
            Number(
                "How many faults were charged in the last hour?",
                "Which kinds: see below. Whose: see the match or the results of the event.",
                "none",
                f"sum(increase(contree_faults_total{{{SERVERS}}}[1h]))",
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
                "Waiting: a seat is not taken. Readying: a bot has not said Ready. Both should be "
                "short.",
                "none",
                (Query(f"sum by (state) (contree_tables{{{SERVERS}}})", "{{state}}"),),
                stacked=True,
            ),
            Graph(
                "How do matches end?",
                "not_started: bots did not come. infrastructure: the service failed, and the board "
                "is to be played again.",
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
        "Bots",
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
                "How long do bots take to decide?",
                "From the turn being sent to its answer, network included.",
                "s",
                tuple(
                    Query(quantile(share, "contree_decision_seconds"), name)
                    for share, name in ((0.5, "half"), (0.95, "95%"), (0.99, "99%"))
                ),
            ),
            Graph(
                "Is a bot timing out, or at fault otherwise?",
                "timeout and disconnected: too slow or away. illegal_action and protocol_error: a "
                "bug in the bot.",
                "ops",
                (Query(rate("contree_faults_total", "kind"), "{{kind}}"),),
                stacked=True,
            ),
        ),
    ),
    Row(
        "Store",
        8,
        (
            Graph(
                "How long does a commit take?",
                "A move counts once it is committed. Slow: the store's disk or the way to it.",
                "s",
                tuple(
                    Query(quantile(share, "contree_commit_seconds"), name)
                    for share, name in ((0.5, "half"), (0.99, "99%"))
                ),
            ),
            Graph(
                "How many moves share a commit, and how many messages a frame?",
                "Both grow under load; near 1 under load, something empties the queues too early.",
                "none",
                (
                    Query(mean("contree_commit_group_entries"), "moves a commit"),
                    Query(mean("contree_frame_messages", "direction"), "messages {{direction}}"),
                ),
            ),
            Graph(
                "Do commits fail?",
                "The store did not confirm in time: they are tried again, tables wait meanwhile. "
                "Not told: a fault of the service, its table is taken over again.",
                "ops",
                (
                    Query(rate("contree_commit_failures_total"), "failed"),
                    Query(rate("contree_telling_failures_total"), "not told"),
                ),
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
                "How long do calls of hosts take?",
                "95% of the calls are faster. Streams count too: they last as long as they last.",
                "s",
                (Query(quantile(0.95, "contree_rpc_seconds", "method"), "{{method}}"),),
            ),
            Graph(
                "How many streams are open, and how many frames go over them?",
                "Streams that fall to 0 at once: the server or the way to it.",
                "none",
                (
                    Query(f"sum(contree_streams{{{SERVERS}}})", "streams"),
                    Query(f"sum(contree_tasks{{{SERVERS}}})", "tasks of the servers"),
                    Query(rate("contree_frames_total", "direction"), "frames/s {{direction}}"),
                ),
            ),
        ),
    ),
    Row(
        "Servers",
        4,
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
        ),
    ),
)


def build() -> dashboard.Dashboard:
    """The dashboard."""
    board = (
        dashboard.Dashboard("Matches")
        .uid("contree-matches")
        .description("What an operator of contree asks, and where the answer is.")
        .tags(["contree"])
        .readonly()
        .tooltip(DashboardCursorSync.CROSSHAIR)
        .time("now-30m", "now")
        .refresh("5s")
        .with_variable(
            dashboard.DatasourceVariable("source").label("Prometheus").type("prometheus")
        )
        .with_variable(
            dashboard.QueryVariable("server")
            .label("Server")
            .datasource(SOURCE)
            .query("label_values(contree_build_info, instance)")
            .refresh(VariableRefresh.ON_TIME_RANGE_CHANGED)
            .multi(True)
            .include_all(True)
            .all_value(".*")
        )
    )
    number = 0
    for row in ROWS:
        number += 1
        board = board.with_row(dashboard.Row(row.heading).id(number))
        for panel in row.panels:
            number += 1
            made = _graph(panel) if isinstance(panel, Graph) else _number(panel)
            board = board.with_panel(
                made.id(number)
                .title(panel.question)
                .description(panel.advice)
                .unit(panel.unit)
                .datasource(SOURCE)
                .height(row.height)
                .span(_FULL_WIDTH // len(row.panels))
            )
    return board


def _graph(panel: Graph) -> timeseries.Panel:
    made = (
        timeseries.Panel()
        .min(0)
        .fill_opacity(20 if panel.stacked else 0)
        .legend(
            common.VizLegendOptions()
            .display_mode(LegendDisplayMode.LIST)
            .placement(LegendPlacement.BOTTOM)
            .show_legend(True)
        )
        .tooltip(common.VizTooltipOptions().mode(TooltipDisplayMode.MULTI))
    )
    if panel.stacked:
        made = made.stacking(common.StackingConfig().mode(StackingMode.NORMAL))
    for letter, query in zip("ABCDEF", panel.queries, strict=False):
        made = made.with_target(
            prometheus.Dataquery()
            .expr(query.expression)
            .legend_format(query.legend)
            .ref_id(letter)
            .range()
            .datasource(SOURCE)
        )
    return made


def _number(panel: Number) -> stat.Panel:
    steps = [Threshold(value=value, color=colour) for value, colour in panel.steps]
    words = {
        value: ValueMappingResult(text=word, color=colour, index=index)
        for index, (value, word, colour) in enumerate(panel.words)
    }
    made = (
        stat.Panel()
        .graph_mode(BigValueGraphMode.NONE if words else BigValueGraphMode.AREA)
        .color_mode(BigValueColorMode.VALUE)
        .reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]))
        .thresholds(dashboard.ThresholdsConfig().mode(ThresholdsMode.ABSOLUTE).steps(steps))
        .with_target(
            prometheus.Dataquery().expr(panel.query).ref_id("A").range().datasource(SOURCE)
        )
    )
    return made.mappings([ValueMap(options=words)]) if words else made


def text() -> str:
    """The JSON as it is committed."""
    return json.dumps(build().build(), cls=JSONEncoder, indent=2, sort_keys=True) + "\n"


def main() -> int:
    """Write the file, or with --check compare it."""
    if sys.argv[1:] == ["--check"]:
        if TARGET.read_text(encoding="utf-8") == text():
            return 0
        print(f"{TARGET} is stale: run {Path(__file__)}", file=sys.stderr)
        return 1
    TARGET.write_text(text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
