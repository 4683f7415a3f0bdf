"""The dashboards: fresh, about metrics that exist, and each panel a question with an answer."""

import json
import re
import subprocess
import sys

import pytest
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.dashboard import Dashboard
from tests.deploy.dashboards import (
    BOARDS,
    EVERYWHERE,
    FOLDER,
    ROOT,
    panels,
    queries,
    registries,
    series,
)

NAMES = ["bots", "competition", "matches", "service", "store"]
PICKS = {"server": 'instance=~"$server"', "event": 'event=~"$event"'}
OF_SUPERVISORS = "contree_worker"
SELECTOR = re.compile(r"\b([a-z][a-z0-9_]*)\{([^}]*)\}")

of_each_board = pytest.mark.parametrize("name", NAMES)


def test_committed_files_are_what_the_code_makes() -> None:
    generate = ROOT / "deploy" / "grafana" / "generate.py"
    ran = subprocess.run(
        [sys.executable, str(generate), "--check"], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert list(BOARDS) == NAMES


@of_each_board
def test_it_is_a_dashboard_to_the_models_of_grafana(name: str) -> None:
    """Read by the models that are generated of Grafana's own schema, and written again, it is the
    same: no field is one that they do not know, none has another form.
    """
    text = (FOLDER / f"{name}.json").read_text(encoding="utf-8")
    read = Dashboard.from_json(json.loads(text))
    assert json.loads(json.dumps(read, cls=JSONEncoder)) == json.loads(text)


def test_only_metrics_that_exist() -> None:
    for asked in queries():
        names = {name for name, _ in SELECTOR.findall(asked.expression)}
        assert names, asked
        assert names <= set(series()), asked


def test_only_labels_that_the_metrics_have() -> None:
    for asked in queries():
        of_query: set[str] = set()
        for name, matchers in SELECTOR.findall(asked.expression):
            labels = series()[name] | EVERYWHERE
            of_query |= labels
            assert set(re.findall(r"([a-z_]+)\s*(?:=|!=|=~|!~)\"", matchers)) <= labels, asked
        grouped = {
            label.strip()
            for labels in re.findall(r"\bby \(([^)]*)\)", asked.expression)
            for label in labels.split(",")
        }
        assert grouped <= of_query, asked


def test_legends_show_labels_that_the_query_keeps() -> None:
    for asked in queries():
        for label in re.findall(r"\{\{(\w+)\}\}", asked.legend):
            kept = re.findall(r"\bby \(([^)]*)\)", asked.expression)[-1]
            assert label in kept.split(", "), asked


def test_every_metric_is_on_a_dashboard() -> None:
    """What nobody looks at need not be counted. Those of Python itself come with the library."""
    shown = " ".join(asked.expression for asked in queries())
    for registry in registries().values():
        for family in registry.collect():
            if family.name.startswith("contree_"):
                assert family.name in shown, f"{family.name} is on no panel"


@of_each_board
def test_every_title_is_a_question_and_every_panel_gives_advice(name: str) -> None:
    for panel in panels(name):
        assert panel["title"].endswith("?"), panel["title"]
        assert panel["description"].endswith("."), panel["title"]
        assert panel["fieldConfig"]["defaults"]["unit"], panel["title"]


@of_each_board
def test_ids_differ_and_nothing_overlaps(name: str) -> None:
    board = BOARDS[name]
    ids = [panel["id"] for panel in board["panels"]]
    assert len(set(ids)) == len(ids)
    taken: set[tuple[int, int]] = set()
    for panel in board["panels"]:
        at = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(at["x"], at["x"] + at["w"])
            for y in range(at["y"], at["y"] + at["h"])
        }
        assert not cells & taken, panel["title"]
        assert at["x"] + at["w"] <= 24
        taken |= cells


def test_what_is_asked_is_asked_of_what_was_picked() -> None:
    for asked in queries():
        for metric, matchers in SELECTOR.findall(asked.expression):
            if metric.startswith(OF_SUPERVISORS):
                continue  # a supervisor is no server, and has an address of its own
            of_event = "event" in series()[metric]
            pick = "event" if of_event else "server"
            assert PICKS[pick] in matchers, asked


@of_each_board
def test_all_that_can_be_picked_is_used_and_the_other_way_round(name: str) -> None:
    templating = BOARDS[name]["templating"]["list"]
    offered = {variable["name"] for variable in templating} - {"source"}
    text = " ".join(asked.expression for asked in queries() if asked.board == name)
    assert offered == {pick for pick in PICKS if f"${pick}" in text}
    for variable in templating:
        if variable["name"] in PICKS:
            metric, label = re.findall(r"label_values\((\w+), (\w+)\)", variable["query"])[0]
            assert label in series()[metric] | EVERYWHERE
