"""The committed configuration and rules of Prometheus, on a clock that runs faster.

All durations in them (scrapes, evaluations, ranges, offsets, how long an alert holds before it
fires) are divided by the same number, and so are the ages that an alert compares with: what takes
ten minutes out there takes half a minute here. Nothing else of an expression is touched.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import yaml
from tests.deploy.dashboards import ROOT
from tests.deploy.rules import FILES

FASTER: Final = 20
AGES: Final = ("contree_longest_overdue_table_seconds",)
"""Metrics that grow by a second each second, so that time is what they are compared with."""
_UNITS: Final = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000}
_DURATION: Final = re.compile(r"(\d+)(ms|s|m|h)\b")


def duration(text: str) -> str:
    """A duration in shorter."""
    number, unit = _DURATION.fullmatch(text).groups()  # type: ignore[union-attr]
    return f"{int(number) * _UNITS[unit] // FASTER}ms"


def expression(text: str) -> str:
    """An expression with all of its durations."""
    text = re.sub(r"\[(\w+)\]", lambda found: f"[{duration(found[1])}]", text)
    text = re.sub(r"offset (\w+)", lambda found: f"offset {duration(found[1])}", text)
    for age in AGES:
        text = re.sub(
            rf"({age} > )(\d+)", lambda found: f"{found[1]}{int(found[2]) / FASTER:g}", text
        )
    return text


def write(folder: Path, targets: dict[str, list[str]]) -> Path:
    """Write configuration and rules into a folder, with these ``targets`` by job; its path."""
    config: dict[str, Any] = yaml.safe_load(
        (ROOT / "deploy" / "prometheus" / "prometheus.yml").read_text(encoding="utf-8")
    )
    every = config["global"]
    for name in ("scrape_interval", "evaluation_interval"):
        every[name] = duration(every[name])
    # A machine that is busy is to be waited for: as long as may be.
    every["scrape_timeout"] = every["scrape_interval"]
    config["scrape_configs"] = [
        {"job_name": job, "static_configs": [{"targets": addresses}]}
        for job, addresses in targets.items()
    ]
    (folder / "rules").mkdir()
    for path in FILES:
        rules = yaml.safe_load(path.read_text(encoding="utf-8"))
        for group in rules["groups"]:
            for rule in group["rules"]:
                rule["expr"] = expression(rule["expr"])
                if "for" in rule:
                    rule["for"] = duration(rule["for"])
        (folder / "rules" / path.name).write_text(yaml.safe_dump(rules), encoding="utf-8")
    written = folder / "prometheus.yml"
    written.write_text(yaml.safe_dump(config), encoding="utf-8")
    return written
