"""The workers of `contree serve --workers` as Prometheus finds them, set up as the page says."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import urllib.request
from pathlib import Path

import pytest
import yaml
from tests.deploy.prometheus import eventually, prometheus
from tests.deploy.test_promtool import promtool
from tests.workers.crew import Crew

pytestmark = [pytest.mark.deploy, pytest.mark.timeout(600)]

PAGE = (Path(__file__).parent.parent.parent / "docs" / "operations.md").read_text("utf-8")
UP = 'count by (worker) (up{job="contree"} == 1)'
MISSING = "contree_workers_wanted - contree_workers_serving"
DIED = 'contree_worker_restarts_total{reason="died"} > 0'
NAMES = "count by (worker, server_id) (contree_build_info)"


def test_all_are_found_told_apart_and_found_again_when_replaced(tmp_path: Path) -> None:
    block = re.search(r"```yaml\n(scrape_configs:.*?)```", PAGE, re.DOTALL)
    assert block is not None
    crew = Crew(tmp_path)
    try:
        asyncio.run(crew.serving())
        text = block[1].replace("127.0.0.1:9464", str(crew.facts["metrics"]))
        with urllib.request.urlopen(f"http://{crew.facts['metrics']}/metrics", timeout=10) as own:
            assert promtool("check", "metrics", stdin=own.read()) == ""
        config = yaml.safe_load(text.replace("refresh_interval: 10s", "refresh_interval: 1s"))
        config["global"] = {"scrape_interval": "1s"}
        (tmp_path / "prometheus.yml").write_text(yaml.safe_dump(config))
        with prometheus(tmp_path / "prometheus.yml") as one:

            def workers(query: str) -> dict[str, str]:
                found = [row["metric"] for row in one.ask(query)]
                return {row["worker"]: row.get("server_id", "") for row in found}

            eventually(lambda: len(workers(UP)) == 2, 120, "both are scraped")
            before = eventually(lambda: workers(NAMES), 120, "both say who they are")
            assert before.keys() == {"1", "2"}
            assert len(set(before.values())) == 2
            eventually(lambda: one.ask(f"{MISSING} == 0"), 120, "the supervisor is scraped, too")
            os.kill(crew.pids[1], signal.SIGKILL)
            # With port 0 its successor has another port, which is found.
            eventually(
                lambda: (
                    (now := workers(NAMES)).get("1", before["1"]) != before["1"] and len(now) == 2
                ),
                120,
                "its successor is scraped",
            )
            eventually(lambda: one.ask(DIED), 60, "it is told that one has died")
    finally:
        crew.close()
