"""The rules for Prometheus, as they are committed."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import yaml
from tests.deploy.dashboards import ROOT

FOLDER: Final = ROOT / "deploy" / "prometheus" / "rules"
FILES: Final = tuple(sorted(FOLDER.glob("*.yml")))


class Rule(NamedTuple):
    """An alert, or a value that is recorded."""

    name: str
    alerts: bool
    expression: str
    annotations: dict[str, str]
    labels: dict[str, str]

    def __str__(self) -> str:
        return self.name


def _rule(raw: dict[str, Any]) -> Rule:
    alerts = "alert" in raw
    return Rule(
        raw["alert" if alerts else "record"],
        alerts,
        raw["expr"],
        raw.get("annotations", {}),
        raw.get("labels", {}),
    )


RULES: Final = tuple(
    _rule(raw)
    for path in FILES
    for group in yaml.safe_load(path.read_text(encoding="utf-8"))["groups"]
    for raw in group["rules"]
)
ALERTS: Final = tuple(rule for rule in RULES if rule.alerts)
