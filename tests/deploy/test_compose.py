"""The deployment files: valid, and agreeing with each other and with the settings.

No image is built and no container started here; see docs/operations.md.
"""

import importlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from contree.server.setting_kinds import parse_address, settings_of
from contree.server.settings import Settings, TimeControlSettings, TokensExposed
from contree.tournament import load_event

ROOT = Path(__file__).parent.parent.parent
DEPLOY = ROOT / "deploy"
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
DOCKERFILE = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
PROMETHEUS = yaml.safe_load((DEPLOY / "prometheus.yml").read_text(encoding="utf-8"))
OF_BOTS = {
    "CONTREE_SERVER",
    "CONTREE_BOT",
    "CONTREE_TOKEN",
    "CONTREE_INSTANCE",
    "CONTREE_CAPACITY",
}
VARIABLES = OF_BOTS | {
    setting.variable
    for kind in (Settings, TimeControlSettings)
    for setting in settings_of(kind).values()
}


def tool(name: str) -> str:
    """A tool of the extra `deploy`, which has it for some machines only."""
    found = shutil.which(
        name, path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    )
    if found is None:
        pytest.skip(f"{name} is not installed for this machine")
    return found


def image_environment() -> dict[str, str]:
    block = re.search(r"^ENV (.*?[^\\])\n(?=[A-Z])", DOCKERFILE, re.DOTALL | re.MULTILINE)
    assert block is not None
    return dict(pair.split("=", 1) for pair in block[1].replace("\\\n", " ").split())


def test_the_page_says_what_the_image_by_itself_wants_to_be_told() -> None:
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    (line,) = [part for part in page.split("\n\n") if part.startswith("The image by itself")]
    image = {name: value for name, value in image_environment().items() if "CONTREE" in name}
    with pytest.raises(TokensExposed):
        Settings.from_environment(image, {})
    tls = {"CONTREE_TLS_CERT": "cert.pem", "CONTREE_TLS_KEY": "key.pem"}
    for told in (tls, {"CONTREE_PLAINTEXT": "on"}, {"CONTREE_ANONYMOUS": "on"}):
        Settings.from_environment({**image, **told}, {})
        assert all(f"`{name}" in line for name in told)


def test_compose_accepts_the_file() -> None:
    command = [tool("docker-compose"), "--file", str(DEPLOY / "compose.yaml")]
    for profile in ([], ["--profile", "demo"]):
        ran = subprocess.run(
            [*command, *profile, "config", "--quiet"], capture_output=True, text=True, check=False
        )
        assert (ran.returncode, ran.stderr) == (0, "")


def test_dockerfile_has_no_findings() -> None:
    ran = subprocess.run(
        [tool("hadolint"), str(DEPLOY / "Dockerfile")], capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stdout) == (0, "")


def test_image_is_not_root_and_checks_its_health() -> None:
    final = DOCKERFILE.split("\nFROM ")[-1]
    assert re.search(r"^USER [1-9]\d+$", final, re.MULTILINE)
    assert "healthcheck" in final
    assert 'CMD ["serve"]' in final


def test_image_copies_every_import_root() -> None:
    copied = set(re.findall(r"^COPY (\S+) \1$", DOCKERFILE, re.MULTILINE))
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    found = re.search(r"^dev-mode-dirs = (\[.*\])$", project, re.MULTILINE)
    assert found is not None
    assert copied == set(json.loads(found[1]))
    allowed = (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    assert {f"!{root}" for root in copied} <= set(allowed)


def test_every_variable_is_one_that_is_read() -> None:
    given = [
        image_environment(),
        *(service.get("environment", {}) for service in SERVICES.values()),
    ]
    names = {name for variables in given for name in variables if name.startswith("CONTREE_")}
    assert names
    assert names <= VARIABLES


def test_settings_of_the_server_are_valid() -> None:
    environment = {**image_environment(), **SERVICES["server"]["environment"]}
    settings = Settings.from_environment(environment)
    assert settings.redis_url == "redis://store:6379/0"
    assert "store" in SERVICES


def test_prometheus_scrapes_where_the_server_has_its_metrics() -> None:
    settings = Settings.from_environment(
        {**image_environment(), **SERVICES["server"]["environment"]}
    )
    assert settings.metrics is not None
    (job,) = PROMETHEUS["scrape_configs"]
    (target,) = job["static_configs"][0]["targets"]
    assert target == f"server:{parse_address(settings.metrics)[1]}"


def test_grafana_finds_source_and_dashboard() -> None:
    provisioning = DEPLOY / "grafana" / "provisioning"
    source = yaml.safe_load((provisioning / "datasources/prometheus.yaml").read_text("utf-8"))
    assert source["datasources"][0]["url"] == "http://prometheus:9090"
    loader = yaml.safe_load((provisioning / "dashboards/contree.yaml").read_text("utf-8"))
    folder = loader["providers"][0]["options"]["path"]
    volumes = SERVICES["grafana"]["volumes"]
    assert f"./grafana/dashboards:{folder}:ro" in volumes
    home = SERVICES["grafana"]["environment"]["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]
    assert (DEPLOY / "grafana" / "dashboards" / Path(home).name).is_file()


def test_mounted_files_exist() -> None:
    for service in SERVICES.values():
        for volume in service.get("volumes", ()):
            source = volume.split(":")[0]
            if source.startswith("."):
                assert (DEPLOY / source).exists(), volume
            else:
                assert source in COMPOSE["volumes"], volume


def test_nothing_is_open_to_other_machines() -> None:
    for service in SERVICES.values():
        for port in service.get("ports", ()):
            assert port.startswith("127.0.0.1:")


@pytest.mark.parametrize("name", ["rules", "random"])
def test_demo_bots_exist(name: str) -> None:
    command = SERVICES[name]["command"]
    module, _, bot = command[2].partition(":")
    assert hasattr(importlib.import_module(module), bot)
    assert command[command.index("--name") + 1] == name


def test_demo_event_is_for_these_bots() -> None:
    event = load_event(DEPLOY / "event.toml")
    assert all(bot.dials_in and bot.name in SERVICES for bot in event.bots)
