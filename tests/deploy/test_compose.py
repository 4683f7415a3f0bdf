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
from collections.abc import Mapping, Sequence
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
SERVERS = ["server-1", "server-2"]
PROMETHEUS = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text(encoding="utf-8"))
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


@pytest.mark.parametrize("profile", [[], ["--profile", "demo"]], ids=["plain", "demo"])
@pytest.mark.parametrize("files", [["compose.yaml"], ["compose.yaml", "compose.public.yaml"]])
def test_compose_accepts_the_files(files: list[str], profile: list[str]) -> None:
    whole(files, *profile)


def whole(files: Sequence[str], *options: str) -> dict[str, Any]:
    """What compose makes of files."""
    named = [part for file in files for part in ("--file", str(DEPLOY / file))]
    ran = subprocess.run(
        [tool("docker-compose"), *named, *options, "config"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "CONTREE_CERTIFICATE": "/certificate"},
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    found: dict[str, Any] = yaml.safe_load(ran.stdout)
    return found


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


def settings_of_servers(services: Mapping[str, dict[str, Any]] = SERVICES) -> Settings:
    """What the servers are told, all of them the same."""
    told = [service["environment"] for name, service in services.items() if name in SERVERS]
    assert len(told) == len(SERVERS)
    assert all(one == told[0] for one in told)
    return Settings.from_environment({**image_environment(), **told[0]})


def test_settings_of_the_servers_are_valid() -> None:
    assert settings_of_servers().redis_url == "redis://store:6379/0"
    assert "store" in SERVICES


def test_servers_have_time_to_drain() -> None:
    for name in SERVERS:
        grace = float(SERVICES[name]["stop_grace_period"].removesuffix("s"))
        # Bots leave, and what is left is written: drain_s each at most.
        assert grace >= 2 * settings_of_servers().drain_s + 10


def test_the_front_door_finds_the_servers_and_the_bots_the_front_door() -> None:
    config = yaml.safe_load((DEPLOY / "envoy" / "envoy-plaintext.yaml").read_text("utf-8"))
    (group,) = config["static_resources"]["clusters"][0]["load_assignment"]["endpoints"]
    (endpoint,) = group["lb_endpoints"]
    address = endpoint["endpoint"]["address"]["socket_address"]
    for name in SERVERS:
        assert address["address"] in SERVICES[name]["networks"]["default"]["aliases"]
    assert address["port_value"] == parse_address(settings_of_servers().listen)[1]
    listener = config["static_resources"]["listeners"][0]["address"]["socket_address"]
    for name in ("rules", "random", "host"):
        assert SERVICES[name]["environment"]["CONTREE_SERVER"] == f"front:{listener['port_value']}"


def test_in_public_there_are_keys_and_tls_at_the_front_door_only() -> None:
    services = whole(["compose.yaml", "compose.public.yaml"])["services"]
    settings = settings_of_servers(services)
    assert not settings.anonymous_allowed
    assert [name for name in SERVERS if "ports" in services[name]] == []
    (port,) = services["front"]["ports"]
    assert "host_ip" not in port
    mounted = {volume["target"]: volume["source"] for volume in services["front"]["volumes"]}
    assert mounted["/etc/envoy/envoy.yaml"] == str(DEPLOY / "envoy" / "envoy.yaml")
    secret = yaml.safe_load((DEPLOY / "envoy" / "certificate.yaml").read_text("utf-8"))
    files = secret["resources"][0]["tls_certificate"]
    assert mounted[files["watched_directory"]["path"]] == "/certificate"
    # Bots without keys could not play there.
    assert not {"rules", "random", "host"} & services.keys()


def test_prometheus_scrapes_where_the_server_has_its_metrics() -> None:
    settings = settings_of_servers()
    assert settings.metrics is not None
    port = parse_address(settings.metrics)[1]
    jobs = {job["job_name"]: job["static_configs"][0] for job in PROMETHEUS["scrape_configs"]}
    assert jobs["contree"]["targets"] == [f"{name}:{port}" for name in SERVERS]
    command = SERVICES["host"]["command"]
    (event,) = jobs["event"]["targets"]
    assert event.split(":")[1] == command[command.index("--metrics-port") + 1].split(":")[1]


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
