"""What an event serves passes Prometheus's own linter. Needs `promtool` (Debian: prometheus)."""

import shutil
import subprocess

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from tests.tournament.samples import board

from contree.tournament.formats import RoundRobin
from contree.tournament.metrics import EventCollector, Snapshot
from contree.tournament.progress import Progress
from contree.tournament.standings import standings

pytestmark = pytest.mark.deploy


def test_promtool_has_nothing_to_say() -> None:
    promtool = shutil.which("promtool")
    assert promtool, "promtool is not on the PATH; on Debian: apt install prometheus"
    schedule = RoundRobin(("x", "y"), 12)
    results = [
        one
        for number in range(1, 13)
        for one in board(schedule, number, ("x", "y"), (162, 0), (0, 100 * (number % 3)))
    ]
    table = standings(("x", "y"), results, quick=True)
    registry = CollectorRegistry()
    snapshot = Snapshot(Progress(24, 24, 12, 12, 0, 24), table, seconds_left=0.0)
    registry.register(EventCollector("cup-1", "abc", ("x", "y"), snapshot))
    checked = subprocess.run(
        [promtool, "check", "metrics"],
        input=generate_latest(registry),
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert (checked.returncode, checked.stdout + checked.stderr) == (0, b"")
