"""Every panel's query has an answer in a real Prometheus that scrapes real servers and an event.

Needs `prometheus` (Debian package) on the PATH: `make test-deploy`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.running import finish, start
from tests.cli.test_serve import serving
from tests.deploy import hurried
from tests.deploy.dashboards import Asked, queries
from tests.deploy.events import Event
from tests.deploy.prometheus import Prometheus, eventually, prometheus

pytestmark = [pytest.mark.deploy, pytest.mark.timeout(600)]

BOARDS = 30
CLOCK = '[time]\nper_move = "20s"\nready = "60s"\nseat_timeout = "120s"\n'
QUICK = [("CONTREE_HEARTBEAT_S", "0.25")]  # so that a round trip is known before a match is over


@pytest.fixture(scope="module")
def watching(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prometheus]:
    """A Prometheus that has seen two servers below a supervisor, a bot with a key, and an event
    from its beginning to its end.
    """
    folder = tmp_path_factory.mktemp("queries")
    with serving(folder, "--workers", "2", env=QUICK) as server, Event(folder, "cup") as event:
        told = json.loads((folder / "ready.json").read_text(encoding="utf-8"))
        servers = [str(told["metrics"]), *(str(worker["metrics"]) for worker in told["workers"])]
        targets = {"contree": servers, "event": [event.metrics_address]}
        (folder / "prometheus").mkdir()
        with prometheus(hurried.write(folder / "prometheus", targets)) as one:
            seen = f'count(up{{job="contree"}} == 1) == {len(servers)}'
            eventually(lambda: one.ask(seen), 90, "a first scrape of all")
            _calls_and_a_bot(server.address, folder / "data")
            head = f'boards = {BOARDS}\ntables = 8\nisolation = "none"\n{CLOCK}'
            event.start(server.address, head, ("random", "first"))
            over = 'contree_event_end{event=~"cup-.*", state="finished"} == 1'
            eventually(lambda: one.ask(over), 400, "the event is over")
            # A rate needs to have seen what it is a rate of twice.
            assert finish(start("watch", "nowhere", "--server", server.address)).code == 2
            yield one


def _calls_and_a_bot(address: str, data: Path) -> None:
    made = finish(start("keys", "create", "--role", "bot", "--data", str(data), "--json"))
    assert made.code == 0, made.err
    env = [("CONTREE_TOKEN", json.loads(made.out)["token"])]
    practice = ["bot", "run", "contree.bots:Random", "--practice", "--deals", "200"]
    for words, code, variables in ((practice, 0, env), (["watch", "nowhere"], 2, [])):
        ran = finish(start(*words, "--server", address, env=variables))
        assert ran.code == code, ran.err


@pytest.mark.parametrize("asked", list(queries()), ids=str)
def test_panel_has_an_answer(watching: Prometheus, asked: Asked) -> None:
    """Asked over the time that it ran, as Grafana does: at some moment it was a number."""
    filled = asked.expression.replace("$__rate_interval", "5s")
    for pick in ("server", "event"):
        filled = filled.replace(f"${pick}", ".*")
    eventually(lambda: watching.has_shown(filled), 60, f"an answer to {asked}: {filled}")
