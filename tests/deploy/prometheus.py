"""A real Prometheus, and what it knows. Needs the Debian package `prometheus`."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from tests.ports import Port

STEP_S: Final = 0.25
"""Between looks at what is past."""


class Firing(NamedTuple):
    """An alert that fires."""

    labels: dict[str, str]
    annotations: dict[str, str]


class Prometheus:
    """One that runs."""

    def __init__(self, address: str) -> None:
        self._url = f"http://{address}/api/v1"
        self.began = time.time()

    def ask(self, query: str) -> list[dict[str, Any]]:
        """What a query has for an answer now."""
        found: list[dict[str, Any]] = self._get("query", query=query)["result"]
        return found

    def has_shown(self, query: str) -> bool:
        """Whether a query has had an answer that is a number at any time since it began."""
        end = time.time()
        step = max(0.25, (end - self.began) / 10_000)
        found = self._get("query_range", query=query, start=self.began, end=end, step=step)[
            "result"
        ]
        return any(math.isfinite(float(value)) for one in found for _, value in one["values"])

    def series(self, job: str) -> set[str]:
        """All series that it has ever scraped of a job, also those that are gone; no alerts."""
        found = self._get(
            "series", **{"match[]": f'{{__name__!~"ALERTS.*", job="{job}"}}', "start": self.began}
        )
        return {json.dumps(one, sort_keys=True) for one in found}

    def firing(self, name: str = "") -> list[Firing]:
        """The alerts that fire, or those of a name."""
        return [
            Firing(alert["labels"], alert["annotations"])
            for alert in self._get("alerts")["alerts"]
            if alert["state"] == "firing" and name in ("", alert["labels"]["alertname"])
        ]

    def fired(self, since: float) -> dict[str, list[float]]:
        """When alerts were firing from a time on, by name: each evaluation of the rules counts."""
        query = 'ALERTS{alertstate="firing"}'
        found = self._get("query_range", query=query, start=since, end=time.time(), step=STEP_S)
        times: dict[str, set[float]] = {}
        for one in found["result"]:
            when = times.setdefault(one["metric"]["alertname"], set())
            when |= {float(at) for at, _ in one["values"]}
        return {name: sorted(when) for name, when in times.items()}

    def _get(self, what: str, **parameters: object) -> Any:
        url = f"{self._url}/{what}?{urllib.parse.urlencode(parameters)}"
        with urllib.request.urlopen(url, timeout=20) as response:
            return json.loads(response.read())["data"]


@contextmanager
def prometheus(config: Path) -> Iterator[Prometheus]:
    """Run one with a configuration; its data is beside it."""
    program = shutil.which("prometheus")
    assert program, "prometheus is not on the PATH; on Debian: apt install prometheus"
    port = Port()
    with (config.parent / "prometheus.log").open("wb") as log:
        process = subprocess.Popen(
            [
                program,
                f"--config.file={config}",
                f"--storage.tsdb.path={config.parent / 'tsdb'}",
                f"--web.listen-address={port.address}",
            ],
            stdout=log,
            stderr=log,
        )
    try:
        one = Prometheus(port.address)
        eventually(lambda: one.ask("1"), 120, "Prometheus answers")
        yield one
    finally:
        process.terminate()
        process.wait(60)


def eventually(ask: Callable[[], Any], within: float, what: str) -> Any:
    """The first answer that is not empty."""
    deadline = time.monotonic() + within
    while True:
        try:
            answer = ask()
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            answer = None
        if answer:
            return answer
        assert time.monotonic() < deadline, f"not within {within:g} s: {what}"
        time.sleep(0.05)
