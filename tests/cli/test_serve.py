"""`contree serve` and `contree healthcheck` as processes: start, answer, refuse, stop."""

import json
import signal
import socket
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.cli.conftest import Contree
from tests.cli.running import HANGS_S, end, finish, processes_with, start

PATIENTLY = ("--timeout", "60")


class Server(NamedTuple):
    """A server of the tests."""

    address: str
    metrics: str
    folder: Path


@contextmanager
def serving(
    folder: Path,
    *options: str,
    env: Sequence[tuple[str, str]] = (),
    by: signal.Signals = signal.SIGTERM,
) -> Iterator[Server]:
    """A server on free ports with its store in `folder`; ends by a signal, which must go well."""
    ready = folder / "ready.json"
    process = start(
        *("serve", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--log", "json"),
        *("--data", str(folder / "data"), "--fsync", "everysec", "--drain", "1"),
        *("--ready-file", str(ready), *options),
        env=env,
    )
    try:
        deadline = time.monotonic() + HANGS_S
        while not ready.exists():
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline, "the server does not start"
            time.sleep(0.01)
        told = json.loads(ready.read_text("utf-8"))
        assert told["pid"] == process.pid
        yield Server(told["address"], told["metrics"], folder)
        process.send_signal(by)
        ran = finish(process)
        assert ran.code == 0, ran.err
        assert not ready.exists()
        assert [json.loads(line)["level"] for line in ran.err.splitlines()]
    finally:
        end(process)


def test_a_terminal_that_is_closed_ends_it_in_good_order(tmp_path: Path) -> None:
    with serving(tmp_path, by=signal.SIGHUP):
        pass


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("server")) as running:
        yield running


def test_health(server: Server, contree: Contree) -> None:
    ran = contree("healthcheck", "--server", server.address, *PATIENTLY)
    assert (ran.code, ran.out) == (0, f"{server.address} SERVING\n")
    ran = contree("healthcheck", "--server", server.address, "--json", *PATIENTLY)
    assert json.loads(ran.out) == {"server": server.address, "status": "SERVING"}


def test_health_by_environment(
    server: Server, contree: Contree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONTREE_SERVER", server.address)
    assert contree("healthcheck", *PATIENTLY).code == 0


def test_metrics(server: Server) -> None:
    with urllib.request.urlopen(f"http://{server.metrics}/metrics", timeout=60) as response:
        text = response.read().decode()
    assert 'contree_tables{state="playing"}' in text
    assert "contree_store_up 1.0" in text


def test_no_server(contree: Contree) -> None:
    ran = contree("healthcheck", "--server", "127.0.0.1:1")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == (
        "contree: No server answers at 127.0.0.1:1: start one with contree serve, "
        "or give --server.\n"
    )


def test_something_else_listens(contree: Contree) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        ran = contree("healthcheck", "--server", f"127.0.0.1:{port}", "--timeout", "0.2")
    assert ran.code == 1
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize("option", ["--listen", "--metrics"])
def test_port_in_use(server: Server, tmp_path: Path, option: str) -> None:
    taken = server.address if option == "--listen" else server.metrics
    options = {"--listen": "127.0.0.1:0", "--metrics": "off", option: taken}
    words = [word for pair in options.items() for word in pair]
    ran = finish(start("serve", *words, "--data", str(tmp_path / "data")))
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.splitlines()[-1] == (
        f"contree: Cannot listen on {taken} (another program listens there): "
        f"choose another address with {option} HOST:PORT."
    )
    assert "Traceback" not in ran.err
    assert not processes_with(str(tmp_path))


def test_redis_unreachable() -> None:
    url = "redis://:hunter2@127.0.0.1:1/0"
    ran = finish(start("serve", "--redis", url, "--listen", "127.0.0.1:0", "--metrics", "off"))
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("contree: The match store at 127.0.0.1:1 is unavailable (")
    assert ran.err.count("\n") == 1
    assert "hunter2" not in ran.err


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("--listen nowhere", "--listen is 'nowhere': write HOST:PORT, such as 127.0.0.1:50051."),
        ("--metrics on", "--metrics is 'on': write HOST:PORT, such as 127.0.0.1:9464, or off."),
        ("--redis localhost", "--redis is 'localhost': write redis://HOST:PORT/0, "),
        ("--redis redis://h:port/0", "The store address 'redis://h:port/0' cannot be read ("),
        ("--fsync never", "--fsync is 'never': write one of always everysec."),
        ("--drain long", "--drain is 'long': write a number of seconds from 0 to 3600."),
    ],
)
def test_bad_settings(contree: Contree, options: str, sentence: str) -> None:
    ran = finish(start("serve", *options.split()))
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"contree: {sentence}")
    assert ran.err.count("\n") == 1


def test_a_ready_file_that_cannot_be_is_named(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    ready.mkdir()
    options = f"--listen 127.0.0.1:0 --metrics off --data {tmp_path / 'data'} --ready-file {ready}"
    ran = finish(start("serve", *options.split()))
    assert ran.code != 0
    assert f"contree: {ready}: " in ran.err
    assert "Traceback" not in ran.err
    assert [path.name for path in tmp_path.iterdir() if path.name != "data"] == ["ready"]


def test_it_stops_with_whoever_holds_its_input(tmp_path: Path) -> None:
    ready = tmp_path / "ready.json"
    process = start(
        *("serve", "--until-eof", "--listen", "127.0.0.1:0", "--metrics", "off"),
        *("--data", str(tmp_path / "data"), "--ready-file", str(ready)),
    )
    assert finish(process).code in {0, -signal.SIGTERM}
    assert not processes_with(str(tmp_path))
