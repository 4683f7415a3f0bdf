"""The manifests: valid in old and new releases of Kubernetes, and agreeing with each other, with
the front door's configuration and with the settings. No cluster is at hand; see docs/operations.md.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.deploy.manifests import BASE, ONE_STORE, Manifests
from tests.deploy.test_compose import VARIABLES, image_environment

from contree.server.setting_kinds import parse_address
from contree.server.settings import Settings

pytestmark = pytest.mark.deploy

ENVOY = Path(__file__).parent.parent.parent / "deploy" / "envoy"


@pytest.fixture(scope="module", params=[BASE, ONE_STORE])
def manifests(request: pytest.FixtureRequest) -> Manifests:
    return Manifests(request.param)


@pytest.fixture(scope="module")
def base() -> Manifests:
    return Manifests(BASE)


def server(manifests: Manifests) -> dict[str, Any]:
    (container,) = _spec(manifests, "servers")["containers"]
    found: dict[str, Any] = container
    return found


def _spec(manifests: Manifests, name: str) -> dict[str, Any]:
    (found,) = (spec for pods, _, spec in manifests.pods() if pods == name)
    return found


def settings(manifests: Manifests) -> Settings:
    """What a server is told."""
    environment = image_environment() | manifests.one("ConfigMap", "servers")["data"]
    return Settings.from_environment({**environment, "CONTREE_REDIS_URL": "redis://store:6379/0"})


@pytest.mark.parametrize("release", ["1.30.0", "1.37.0"])
def test_schemas_of_kubernetes_accept_them(
    manifests: Manifests, release: str, tmp_path: Path
) -> None:
    program = shutil.which("kubernetes-validate", path=str(Path(sys.executable).parent))
    assert program is not None
    (tmp_path / "all.yaml").write_text(manifests.text)
    ran = subprocess.run(
        [program, "--strict", "-k", release, str(tmp_path / "all.yaml")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.count("passed for resource") == len(manifests.all)


def test_everything_is_in_the_namespace(manifests: Manifests) -> None:
    for one in manifests.all:
        if one["kind"] != "Namespace":
            assert one["metadata"]["namespace"] == "contree", one["metadata"]


def test_pods_may_do_nothing_that_they_need_not(manifests: Manifests) -> None:
    for name, _, spec in manifests.pods():
        assert spec["automountServiceAccountToken"] is False, name
        security = spec["securityContext"]
        assert security["runAsNonRoot"] is True, name
        assert security["seccompProfile"] == {"type": "RuntimeDefault"}, name
        for container in spec["containers"]:
            own = container["securityContext"]
            assert own["allowPrivilegeEscalation"] is False, name
            assert own["readOnlyRootFilesystem"] is True, name
            assert own["capabilities"] == {"drop": ["ALL"]}, name
            assert "memory" in container["resources"]["limits"], name


def test_the_image_runs_as_its_own_user(base: Manifests) -> None:
    dockerfile = (ENVOY.parent / "Dockerfile").read_text("utf-8")
    assert f"USER {_spec(base, 'servers')['securityContext']['runAsUser']}\n" in dockerfile


def test_settings_are_valid_and_known(base: Manifests) -> None:
    told = set(base.one("ConfigMap", "servers")["data"])
    told |= {one["name"] for one in server(base)["env"]}
    assert told <= VARIABLES
    assert not settings(base).anonymous_allowed


def test_there_is_time_to_drain(base: Manifests) -> None:
    grace = _spec(base, "servers")["terminationGracePeriodSeconds"]
    # Bots leave, and what is left is written: drain_s each at most.
    assert grace >= 2 * settings(base).drain_s + 10
    front = _spec(base, "front")
    (envoy,) = front["containers"]
    asleep = envoy["lifecycle"]["preStop"]["sleep"]["seconds"]
    assert front["terminationGracePeriodSeconds"] > asleep


def test_probes_ask_where_something_answers(manifests: Manifests) -> None:
    ports = {one["name"]: one["containerPort"] for one in server(manifests)["ports"]}
    told = settings(manifests)
    assert told.metrics is not None
    assert ports == {
        "grpc": parse_address(told.listen)[1],
        "metrics": parse_address(told.metrics)[1],
    }
    for name, _, spec in manifests.pods():
        for container in spec["containers"]:
            named = {port["name"] for port in container["ports"]}
            for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
                asked = container[probe].get("httpGet") or container[probe].get("tcpSocket")
                assert asked is None or asked["port"] in named, (name, probe)
    assert server(manifests)["readinessProbe"]["httpGet"]["path"] == "/readyz"
    # A store that is away is no reason to restart.
    assert server(manifests)["livenessProbe"]["httpGet"]["path"] == "/healthz"


def test_the_front_door_finds_the_servers(base: Manifests) -> None:
    config = yaml.safe_load(base.one("ConfigMap", "front")["data"]["envoy.yaml"])
    assert config == yaml.safe_load((ENVOY / "envoy.yaml").read_text("utf-8"))
    servers = config["static_resources"]["clusters"][0]["load_assignment"]["endpoints"]
    address = servers[0]["lb_endpoints"][0]["endpoint"]["address"]["socket_address"]
    service = base.one("Service", address["address"])
    assert service["spec"]["clusterIP"] == "None"  # a name for all of them, not one for any
    (port,) = service["spec"]["ports"]
    assert port["port"] == address["port_value"]


def test_mounts_are_where_the_front_door_looks(base: Manifests) -> None:
    spec = _spec(base, "front")
    (envoy,) = spec["containers"]
    mounts = {one["mountPath"]: one["name"] for one in envoy["volumeMounts"]}
    secret = yaml.safe_load((ENVOY / "certificate.yaml").read_text("utf-8"))
    (watched,) = {
        one["tls_certificate"]["watched_directory"]["path"] for one in secret["resources"]
    }
    assert watched in mounts
    assert "/etc/envoy" in mounts
    volumes = {one["name"]: one for one in spec["volumes"]}
    assert volumes[mounts[watched]]["secret"]["secretName"] == "contree-tls"
    # What is mounted below what can only be read has no place to be mounted at.
    assert not any(
        one != other and one.startswith(f"{other}/") for one in mounts for other in mounts
    )
    made = base.one("ConfigMap", "front")["metadata"]["name"]
    assert volumes[mounts["/etc/envoy"]]["configMap"]["name"] == made


def test_selectors_select(manifests: Manifests) -> None:
    labels = [set(labels.items()) for _, labels, _ in manifests.pods()]

    def selects(selector: dict[str, str]) -> bool:
        return any(set(selector.items()) <= each for each in labels)

    for one in manifests.of("Service"):
        assert selects(one["spec"]["selector"]), one["metadata"]
    for one in manifests.of("PodDisruptionBudget"):
        assert selects(one["spec"]["selector"]["matchLabels"]), one["metadata"]
    for one in manifests.of("NetworkPolicy"):
        assert selects(one["spec"]["podSelector"].get("matchLabels", {})), one["metadata"]


def test_a_node_that_is_emptied_takes_one_at_a_time(base: Manifests) -> None:
    for name in ("servers", "front"):
        assert base.one("Deployment", name)["spec"]["replicas"] >= 2
        assert base.one("PodDisruptionBudget", name)["spec"]["maxUnavailable"] == 1


def test_servers_are_reached_through_the_front_door_only(base: Manifests) -> None:
    """They take tokens in clear text."""
    everything = base.one("NetworkPolicy", "nothing-else")["spec"]
    assert everything == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
    rules = base.one("NetworkPolicy", "servers")["spec"]["ingress"]
    (grpc,) = (rule for rule in rules if {"port": 50051} in rule["ports"])
    assert grpc["from"] == [{"podSelector": {"matchLabels": {"app.kubernetes.io/name": "front"}}}]


def test_policies_open_the_ports_that_are_there(manifests: Manifests) -> None:
    listening = {
        port["containerPort"]
        for _, _, spec in manifests.pods()
        for container in spec["containers"]
        for port in container["ports"]
    }
    opened = {
        port["port"]
        for policy in manifests.of("NetworkPolicy")
        for rule in policy["spec"].get("ingress", ())
        for port in rule["ports"]
    }
    assert opened == listening
