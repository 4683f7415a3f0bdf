"""The rules for Prometheus: about metrics that exist, each alert with a command and a runbook."""

import re

import pytest
from tests.deploy.dashboards import EVERYWHERE, ROOT, series
from tests.deploy.rules import ALERTS, RULES, Rule
from typer.testing import CliRunner

from contree.cli.app import app

PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
runner = CliRunner()
RECORDED = {rule.name for rule in RULES if not rule.alerts}
METRIC = re.compile(r"\b(?:up|contree_\w+|\w+:contree_\w+:\w+)\b")

of_each_alert = pytest.mark.parametrize("alert", ALERTS, ids=str)


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_it_is_about_metrics_that_exist(rule: Rule) -> None:
    names = set(METRIC.findall(rule.expression))
    assert names
    assert names <= set(series()) | RECORDED
    labels = set().union(*(series()[name] for name in names - RECORDED), EVERYWHERE)
    if not names & RECORDED:
        grouped = re.findall(r"\b(?:by|on) \(([^)]*)\)", rule.expression)
        assert {label.strip() for some in grouped for label in some.split(",")} <= labels


def test_what_is_recorded_is_looked_at() -> None:
    looked_at = {name for alert in ALERTS for name in METRIC.findall(alert.expression)}
    assert looked_at >= RECORDED


@of_each_alert
def test_it_names_a_command_that_shows_what_is_concerned(alert: Rule) -> None:
    program, *words = alert.annotations["command"].split()
    assert program == "contree"
    assert words[:2] in (["matches", "list"], ["keys", "list"])
    ran = runner.invoke(app, [*words[:2], "--help"])
    assert {word for word in words if word.startswith("--")} <= set(
        re.findall(r"--[\w-]+", ran.output)
    )
    assert alert.annotations["summary"].endswith(".")
    assert alert.labels["severity"] in {"critical", "warning", "info"}


@of_each_alert
def test_its_runbook_is_there(alert: Rule) -> None:
    path, _, anchor = alert.annotations["runbook"].partition("#")
    assert path == "docs/operations.md"
    headings = re.findall(r"^#+ (.+)$", PAGE, re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", one).lower().replace(" ", "-") for one in headings}
    assert anchor in anchors
    assert anchor == alert.name.lower()


def test_no_runbook_without_an_alert() -> None:
    described = set(re.findall(r"^### (Contree\w+)$", PAGE, re.MULTILINE))
    assert described == {alert.name for alert in ALERTS}


@of_each_alert
def test_it_has_a_test_of_its_own(alert: Rule) -> None:
    """What promtool runs: it fires, and does not before."""
    texts = [
        path.read_text(encoding="utf-8")
        for path in (ROOT / "deploy" / "prometheus" / "tests").glob("*.test.yml")
    ]
    assert any(
        f"alertname: {alert.name}, exp_alerts: []" in text
        and f"        alertname: {alert.name}\n        exp_alerts:\n" in text
        for text in texts
    )
