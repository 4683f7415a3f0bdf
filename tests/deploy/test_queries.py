"""Every panel's query has an answer in a real Prometheus that scrapes a real server.

Needs `prometheus` (Debian package) on the PATH: `make test-deploy`.
"""

import json
import math
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from tests.cli.running import finish, start
from tests.cli.test_serve import serving
from tests.deploy.dashboards import Asked, queries

PROMETHEUS = shutil.which("prometheus")
CONFIG = """
global: {{scrape_interval: 250ms, scrape_timeout: 200ms}}
scrape_configs:
  - job_name: contree
    static_configs: [{{targets: ["{metrics}"]}}]
"""

pytestmark = pytest.mark.deploy


def get(url: str) -> Any:
    with urllib.request.urlopen(url, timeout=10) as response:
        return json.loads(response.read())


def eventually(ask: Callable[[], Any], what: str) -> Any:
    """The first answer that is not empty."""
    deadline = time.monotonic() + 20
    while True:
        try:
            answer = ask()
        except (urllib.error.URLError, ConnectionError):
            answer = None
        if answer:
            return answer
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a Prometheus that has seen a server before, during and after a match."""
    assert PROMETHEUS, "prometheus is not on the PATH; on Debian: apt install prometheus"
    folder = tmp_path_factory.mktemp("prometheus")
    quick = [("CONTREE_HEARTBEAT_S", "0.25")]  # or a match is over before a round trip is known
    with serving(folder, env=quick) as server, socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
        free.close()
        (folder / "prometheus.yml").write_text(CONFIG.format(metrics=server.metrics), "utf-8")
        process = subprocess.Popen(
            [
                PROMETHEUS,
                f"--config.file={folder / 'prometheus.yml'}",
                f"--storage.tsdb.path={folder / 'tsdb'}",
                f"--web.listen-address=127.0.0.1:{port}",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        address = f"http://127.0.0.1:{port}"
        try:
            eventually(lambda: ask(address, "contree_moves_total == 0"), "a first scrape")
            practice = ["bot", "run", "contree.bots:Random", "--practice", "--deals", "2"]
            unknown = ["watch", "nowhere"]
            # A rate needs a series to be seen twice, and the series of calls are new after one.
            for seen in (1, 2):
                for words, code in ((practice, 0), (unknown, 2)):
                    ran = finish(start(*words, "--server", server.address))
                    assert ran.code == code, ran.err
                count = f'contree_rpcs_total{{code="NOT_FOUND"}} >= {seen}'
                eventually(partial(ask, address, count), "the calls are not counted")
            yield address
        finally:
            process.terminate()
            process.wait(20)


def ask(address: str, query: str) -> Any:
    parameters = urllib.parse.urlencode({"query": query})
    return get(f"{address}/api/v1/query?{parameters}")["data"]["result"]


OF_SERVERS = [
    asked
    for asked in queries()
    if "$event" not in asked.expression and "contree_worker" not in asked.expression
]


@pytest.mark.parametrize("asked", OF_SERVERS, ids=str)
def test_panel_has_an_answer(prometheus: str, asked: Asked) -> None:
    filled = asked.expression.replace("$server", ".*").replace("$__rate_interval", "1m")
    results = eventually(lambda: ask(prometheus, filled), f"no answer to {asked}: {filled}")
    assert any(math.isfinite(float(result["value"][1])) for result in results)
