"""The dashboard: fresh, about metrics that exist, and each panel a question with an answer."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from contree.server.telemetry import Metrics

ROOT = Path(__file__).parent.parent.parent
GENERATE = ROOT / "deploy" / "grafana" / "generate.py"
BOARD: dict[str, Any] = json.loads(
    (ROOT / "deploy" / "grafana" / "dashboards" / "matches.json").read_text(encoding="utf-8")
)
PANELS: list[dict[str, Any]] = [panel for panel in BOARD["panels"] if panel["type"] != "row"]
# What Prometheus itself knows of a server that it scrapes.
OF_PROMETHEUS = {"up": {"job", "instance"}}
# Labels that a scrape adds, and that a histogram has.
EVERYWHERE = {"instance", "job", "le"}


def queries() -> Iterator[tuple[str, str]]:
    for panel in PANELS:
        for target in panel["targets"]:
            yield panel["title"], target["expr"]


def series() -> dict[str, set[str]]:
    """Sample names and their labels, as a server exposes them."""
    metrics = Metrics(version="x", server_id="x")
    metrics.rpcs.labels("/m", "OK")
    metrics.rpc_seconds.labels("/m")
    known: dict[str, set[str]] = {}
    for family in metrics.registry.collect():
        for sample in family.samples:
            known.setdefault(sample.name, set()).update(sample.labels)
    return known


def test_committed_file_is_what_the_code_makes() -> None:
    ran = subprocess.run(
        [sys.executable, str(GENERATE), "--check"], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr


def test_only_metrics_that_exist() -> None:
    known = {**series(), **OF_PROMETHEUS}
    for title, query in queries():
        names = re.findall(r"\b([a-z][a-z0-9_]*)\{", query)
        assert names, title
        assert set(names) <= set(known), title


def test_only_labels_that_the_metrics_have() -> None:
    known = {**series(), **OF_PROMETHEUS}
    for title, query in queries():
        of_query: set[str] = set()
        for name, matchers in re.findall(r"\b([a-z][a-z0-9_]*)\{([^}]*)\}", query):
            labels = known[name] | EVERYWHERE
            of_query |= labels
            assert set(re.findall(r"([a-z_]+)\s*(?:=|!=|=~|!~)\"", matchers)) <= labels, title
        grouped = {
            label.strip()
            for labels in re.findall(r"\bby \(([^)]*)\)", query)
            for label in labels.split(",")
        }
        assert grouped <= of_query, title


def test_legends_show_labels_that_the_query_keeps() -> None:
    for panel in PANELS:
        for target in panel["targets"]:
            for label in re.findall(r"\{\{(\w+)\}\}", target.get("legendFormat", "")):
                assert label in re.findall(r"\bby \(([^)]*)\)", target["expr"])[-1], panel["title"]


def test_every_metric_is_on_the_dashboard() -> None:
    """What nobody looks at need not be counted."""
    shown = " ".join(query for _, query in queries())
    metrics = Metrics()
    for family in metrics.registry.collect():
        assert family.name in shown, f"{family.name} is on no panel"


def test_every_title_is_a_question_and_every_panel_gives_advice() -> None:
    for panel in PANELS:
        assert panel["title"].endswith("?"), panel["title"]
        assert panel["description"].endswith("."), panel["title"]


def test_ids_differ_and_nothing_overlaps() -> None:
    ids = [panel["id"] for panel in BOARD["panels"]]
    assert len(set(ids)) == len(ids)
    taken: set[tuple[int, int]] = set()
    for panel in BOARD["panels"]:
        at = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(at["x"], at["x"] + at["w"])
            for y in range(at["y"], at["y"] + at["h"])
        }
        assert not cells & taken, panel["title"]
        assert at["x"] + at["w"] <= 24
        taken |= cells


def test_every_server_can_be_picked_out() -> None:
    for title, query in queries():
        assert query.count("{") == query.count('instance=~"$server"'), title
