"""What Prometheus's own tool says of the configuration, the rules and their tests, and the metrics.

Needs `promtool` (Debian: prometheus): `make test-deploy`.
"""

import shutil
import subprocess

import pytest
from prometheus_client import generate_latest
from tests.deploy.dashboards import ROOT, registries
from tests.deploy.rules import RULES

FOLDER = ROOT / "deploy" / "prometheus"
TESTS = sorted(path.name for path in (FOLDER / "tests").glob("*.test.yml"))

pytestmark = pytest.mark.deploy


def promtool(*arguments: str, stdin: bytes = b"") -> str:
    """What it prints; AssertionError where it finds fault."""
    tool = shutil.which("promtool")
    assert tool, "promtool is not on the PATH; on Debian: apt install prometheus"
    ran = subprocess.run(
        [tool, *arguments], input=stdin, capture_output=True, check=False, timeout=120
    )
    text = (ran.stdout + ran.stderr).decode()
    assert ran.returncode == 0, text
    return text


def test_configuration_and_rules_are_valid() -> None:
    said = promtool("check", "config", "--lint-fatal", str(FOLDER / "prometheus.yml"))
    found = sum(int(line.split()[1]) for line in said.splitlines() if "rules found" in line)
    assert found == len(RULES), said


@pytest.mark.parametrize("name", TESTS)
def test_rules_pass_their_tests(name: str) -> None:
    promtool("test", "rules", str(FOLDER / "tests" / name))


@pytest.mark.parametrize("kind", sorted(registries()))
def test_metrics_are_named_as_they_should_be(kind: str) -> None:
    assert promtool("check", "metrics", stdin=generate_latest(registries()[kind])) == ""
