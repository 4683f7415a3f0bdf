"""The JSON of a dashboard, as Grafana reads it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from grafana_foundation_sdk.builders import (
    bargauge,
    common,
    dashboard,
    prometheus,
    stat,
    timeseries,
)
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.common import (
    BarGaugeDisplayMode,
    BarGaugeValueMode,
    BigValueColorMode,
    BigValueGraphMode,
    BigValueTextMode,
    LegendDisplayMode,
    LegendPlacement,
    StackingMode,
    TooltipDisplayMode,
    VizOrientation,
)
from grafana_foundation_sdk.models.dashboard import (
    DashboardCursorSync,
    DashboardLinkType,
    DataSourceRef,
    Threshold,
    ThresholdsMode,
    ValueMap,
    ValueMappingResult,
    VariableRefresh,
)

from as_code.panels import Bars, Board, Graph, Number, Panel, Query, Word

SOURCE: Final = DataSourceRef(type_val="prometheus", uid="${source}")
TAG: Final = "contree"
VARIABLES: Final = {
    "server": ("Server", "label_values(contree_build_info, instance)"),
    "event": ("Event", "label_values(contree_event_info, event)"),
}
"""What can be picked on a dashboard: its label, and the query for its values."""
_FULL_WIDTH: Final = 24


def json_of(board: Board) -> str:
    """The JSON as it is committed."""
    return json.dumps(_build(board).build(), cls=JSONEncoder, indent=2, sort_keys=True) + "\n"


def _build(board: Board) -> dashboard.Dashboard:
    made = (
        dashboard.Dashboard(board.name)
        .uid(f"contree-{board.name.lower()}")
        .description(board.about)
        .tags([TAG])
        .readonly()
        .tooltip(DashboardCursorSync.CROSSHAIR)
        .time("now-30m", "now")
        .refresh("5s")
        .link(
            dashboard.DashboardLink("contree")
            .type(DashboardLinkType.DASHBOARDS)
            .tags([TAG])
            .keep_time(True)
            .include_vars(True)
        )
        .with_variable(
            dashboard.DatasourceVariable("source").label("Prometheus").type("prometheus")
        )
    )
    for name in board.variables:
        label, query = VARIABLES[name]
        made = made.with_variable(
            dashboard.QueryVariable(name)
            .label(label)
            .datasource(SOURCE)
            .query(query)
            .refresh(VariableRefresh.ON_TIME_RANGE_CHANGED)
            .multi(True)
            .include_all(True)
            .all_value(".*")
        )
    number = 0
    for row in board.rows:
        number += 1
        made = made.with_row(dashboard.Row(row.heading).id(number))
        for panel in row.panels:
            number += 1
            made = made.with_panel(
                _MAKERS[type(panel)](panel)
                .id(number)
                .title(panel.question)
                .description(panel.advice)
                .unit(panel.unit)
                .datasource(SOURCE)
                .height(row.height)
                .span(_FULL_WIDTH // len(row.panels))
            )
    return made


def _target(query: Query, letter: str = "A") -> prometheus.Dataquery:
    return (
        prometheus.Dataquery()
        .expr(query.expression)
        .legend_format(query.legend)
        .ref_id(letter)
        .datasource(SOURCE)
    )


def _graph(panel: Graph) -> timeseries.Panel:
    made = (
        timeseries.Panel()
        .fill_opacity(20 if panel.stacked else 0)
        .legend(
            common.VizLegendOptions()
            .display_mode(LegendDisplayMode.LIST)
            .placement(LegendPlacement.BOTTOM)
            .show_legend(True)
        )
        .tooltip(common.VizTooltipOptions().mode(TooltipDisplayMode.MULTI))
    )
    if not panel.below_zero:
        made = made.min(0)
    if panel.stacked:
        made = made.stacking(common.StackingConfig().mode(StackingMode.NORMAL))
    for letter, query in zip("ABCDEF", panel.queries, strict=False):
        made = made.with_target(_target(query, letter).range())
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
        .with_target(_target(Query(panel.query, ""), "A").range())
    )
    return made.mappings([ValueMap(options=words)]) if words else made


def _word(panel: Word) -> stat.Panel:
    return (
        stat.Panel()
        .graph_mode(BigValueGraphMode.NONE)
        .color_mode(BigValueColorMode.VALUE)
        .text_mode(BigValueTextMode.NAME)
        .reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]))
        .with_target(_target(panel.query).instant())
    )


def _bars(panel: Bars) -> bargauge.Panel:
    return (
        bargauge.Panel()
        .orientation(VizOrientation.HORIZONTAL)
        .display_mode(BarGaugeDisplayMode.BASIC)
        .value_mode(BarGaugeValueMode.TEXT)
        .reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]))
        .with_target(_target(panel.query).instant())
    )


_MAKERS: Final[dict[type[Panel], Callable[[Any], Any]]] = {
    Graph: _graph,
    Number: _number,
    Word: _word,
    Bars: _bars,
}
