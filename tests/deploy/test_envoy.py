"""The configurations of the front door: accepted by Envoy, alike, and as the servers have it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.servers.front_door import DEPLOYED, envoy, tuned

from contree.server.settings import Settings


def load(name: str) -> dict[str, Any]:
    config: dict[str, Any] = yaml.safe_load((DEPLOYED / name).read_text("utf-8"))
    return config


FRONT = load("envoy.yaml")
MANAGER = FRONT["static_resources"]["listeners"][0]["filter_chains"][0]["filters"][0][
    "typed_config"
]
SERVERS = FRONT["static_resources"]["clusters"][0]


def test_the_two_differ_in_tls_only() -> None:
    tls, plain = load("envoy.yaml"), load("envoy-plaintext.yaml")
    chain = tls["static_resources"]["listeners"][0]["filter_chains"][0]
    del chain["transport_socket_connect_timeout"], chain["transport_socket"]
    (other,) = plain["static_resources"]["listeners"][0]["filter_chains"]
    other.pop("transport_socket_connect_timeout", None)
    assert tls == plain


@pytest.mark.parametrize("name", ["envoy.yaml", "envoy-plaintext.yaml"])
def test_envoy_accepts_it(name: str, tmp_path: Path) -> None:
    config = (DEPLOYED / name).read_text("utf-8")
    secret = DEPLOYED / "certificate.yaml"
    (tmp_path / name).write_text(config.replace("/etc/envoy/certificate.yaml", str(secret)))
    command = [envoy(), "--mode", "validate", "--log-level", "warning"]
    ran = subprocess.run(
        [*command, "--config-path", str(tmp_path / name)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert not ran.stderr  # no warning, such as of a field that will go
    assert "OK" in ran.stdout


def test_a_configuration_that_is_wrong_is_not_accepted(tmp_path: Path) -> None:
    config = tuned(tmp_path, ["127.0.0.1:1"], "127.0.0.1:2", "127.0.0.1:3", None)
    config["static_resources"]["clusters"][0]["circuit_breaker"] = {}
    (tmp_path / "wrong.yaml").write_text(yaml.safe_dump(config))
    command = [envoy(), "--mode", "validate", "--config-path", str(tmp_path / "wrong.yaml")]
    assert subprocess.run(command, capture_output=True, check=False).returncode != 0


def test_streams_may_be_idle_for_ever() -> None:
    """Timeouts that are not named have defaults, of 15 s and 5 min."""
    assert MANAGER["stream_idle_timeout"] == "0s"
    assert MANAGER["request_timeout"] == "0s"
    (route,) = MANAGER["route_config"]["virtual_hosts"][0]["routes"]
    assert route["route"]["timeout"] == route["route"]["idle_timeout"] == "0s"
    assert "max_stream_duration" not in route["route"]
    assert "max_connection_duration" not in MANAGER["common_http_protocol_options"]


def test_limits_are_those_of_the_servers() -> None:
    settings = Settings()
    streams = MANAGER["http2_protocol_options"]["max_concurrent_streams"]
    assert streams == settings.max_connection_streams
    assert MANAGER["max_request_headers_kb"] << 10 == settings.max_metadata_bytes
    (monitor,) = FRONT["overload_manager"]["resource_monitors"]
    most = monitor["typed_config"]["max_active_downstream_connections"]
    assert most == settings.max_connections
    (breakers,) = SERVERS["circuit_breakers"]["thresholds"]
    assert breakers["max_requests"] >= settings.max_connections * 4


def test_servers_are_asked_whether_they_serve() -> None:
    (check,) = SERVERS["health_checks"]
    assert check["grpc_health_check"] == {"service_name": ""}
    assert not SERVERS.get("close_connections_on_host_health_failure", False)
