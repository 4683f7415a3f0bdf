"""`contree config show`, and a server and keys that go by a file."""

import json
import re
import time
from pathlib import Path

import pytest
from tests.cli.conftest import Contree
from tests.cli.running import finish, start

from contree.server.setting_kinds import settings_of
from contree.server.settings import Settings, TimeControlSettings

FILE = """
listen = "127.0.0.1:7777"
redis_url = "redis://me:hunter2@store:6379/0"
drain_s = 2.5
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "contree.toml"
    path.write_text(FILE)
    return path


@pytest.fixture(autouse=True)
def _no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "")
    monkeypatch.setenv("CONTREE_CONFIG", "")


def test_every_setting_with_what_gave_it(
    file: Path, contree: Contree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONTREE_FSYNC", "everysec")
    monkeypatch.setenv("CONTREE_LISTN", "127.0.0.1:9")
    ran = contree("config", "show", "--config", str(file), "--log", "json", "--drain=3")
    assert ran.code == 0
    rows = {cells[0]: cells[1:] for cells in (re.split(" {2,}", x) for x in ran.out.splitlines())}
    assert set(rows) == {*settings_of(Settings), *settings_of(TimeControlSettings)}
    assert rows["listen"] == ["127.0.0.1:7777", f"listen in {file}"]
    assert rows["redis_url"] == ["redis://me:***@store:6379/0", f"redis_url in {file}"]
    assert rows["drain_s"] == ["3", "--drain"]
    assert rows["log"] == ["json", "--log"]
    assert rows["fsync"] == ["everysec", "CONTREE_FSYNC"]
    assert rows["tls_cert"] == ["none", "default"]
    assert "hunter2" not in ran.out + ran.err
    assert ran.err == "CONTREE_LISTN is set, and is no setting: CONTREE_LISTEN is.\n"


def test_as_json(file: Path, contree: Contree) -> None:
    ran = contree("config", "show", "--json", "--config", str(file), "--metrics", "off")
    told = json.loads(ran.out)
    assert told["file"] == str(file)
    rows = {row["name"]: row for row in told["settings"]}
    assert rows["metrics"]["value"] is None
    assert rows["metrics"]["origin"] == "option"
    assert rows["drain_s"]["value"] == 2.5
    assert rows["drain_s"]["origin"] == "file"
    assert rows["workers"]["origin"] == "default"
    assert rows["workers"]["variable"] == "CONTREE_WORKERS"
    assert "hunter2" not in ran.out


def test_what_serve_would_refuse_it_refuses(file: Path, contree: Contree) -> None:
    ran = contree("config", "show", "--listen", "0.0.0.0:1")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("contree: Tokens would come in clear text")
    ran = contree("config", "show", "--bogus")
    assert ran.code == 2
    assert "No such option: --bogus" in ran.err


def test_a_server_refuses_a_file_in_one_sentence(file: Path) -> None:
    file.write_text("leese_ms = 3000\n")
    ran = finish(start("serve", "--config", str(file)))
    said = f"The settings in {file} cannot be used: leese_ms is no setting; lease_ms is."
    assert (ran.code, ran.err) == (2, f"contree: {said}\n")


def test_a_server_goes_by_its_file(file: Path, tmp_path: Path) -> None:
    ready = tmp_path / "ready.json"
    file.write_text(
        'listen = "127.0.0.1:0"\nmetrics = "off"\ndata_dir = "mine"\nready_file = "ready.json"\n'
    )
    process = start("serve", "--until-eof", env=[("CONTREE_CONFIG", str(file))])
    deadline = time.monotonic() + 60
    while not ready.exists():
        assert process.poll() is None
        assert time.monotonic() < deadline, "the server does not start"
        time.sleep(0.02)
    assert json.loads(ready.read_text())["metrics"] is None
    assert (tmp_path / "mine").is_dir()
    assert finish(process).code == 0


def test_keys_are_those_of_the_store_of_the_file(
    file: Path, contree: Contree, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CONTREE_CONFIG", str(file))
    ran = contree("keys", "list")
    assert ran.code == 1
    assert "store:6379" in ran.err
    assert "hunter2" not in ran.err
    ran = contree("keys", "list", "--data", str(tmp_path / "here"))
    assert ran.code == 0
