"""`contree keys`: made once, listed without secrets, revoked for ever, also beside a server."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Contree
from tests.cli.running import HANGS_S, Ran, end, finish, processes_with, start
from tests.cli.test_serve import serving

from contree.server.store import embedded_store

Keys = Callable[..., Ran]


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[None]:
    """A store that is held open: commands join it, none needs to start its own."""
    async with embedded_store(tmp_path / "data", "everysec"):
        yield


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    """`contree keys` on a data folder, each as a process: the log is set up for a process."""

    def run(*arguments: str, stdin: str = "", **fields: Any) -> Ran:
        process = start("keys", *arguments, "--data", str(tmp_path / "data"), **fields)
        ran = finish(process, stdin=stdin)
        assert "Traceback" not in ran.err
        return ran

    return run


def listed(keys: Keys) -> list[dict[str, Any]]:
    return [json.loads(line) for line in keys("list", "--json").out.splitlines()]


def test_a_token_is_printed_once_and_nothing_keeps_it(keys: Keys, tmp_path: Path) -> None:
    made = keys("create", "--role", "bot", "--name", "Ann", "--bot", "ann-*", "--expires", "90d")
    assert made.code == 0
    token = made.out.strip()
    assert token.startswith("contree_")
    assert made.err.count("\n") == 1
    assert token not in made.err
    (key,) = listed(keys)
    assert (key["name"], key["roles"], key["bots"]) == ("Ann", ["bot"], ["ann-*"])
    assert (key["id"], key["good"], key["revoked"]) == (token.split("_")[1], True, None)
    table = keys("list").out
    assert "Ann" in table
    secret = token.rpartition("_")[2].encode()
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert secret not in path.read_bytes(), path
    assert secret.decode() not in table + json.dumps(key)
    assert not processes_with(str(tmp_path))


@pytest.mark.usefixtures("store")
def test_many_at_once(keys: Keys) -> None:
    wanted = [
        {"roles": ["host"], "name": "cup"},
        {
            "roles": ["bot"],
            "name": "Ann",
            "bots": ["ann"],
            "expires": "9d",
            "limits": {"hellos": 5},
        },
    ]
    text = "".join(json.dumps(one) + "\n" for one in wanted)
    made = keys("create-all", "-", stdin=text)
    assert made.code == 0, made.err
    shown = [json.loads(line) for line in made.out.splitlines()]
    assert [one["name"] for one in shown] == ["cup", "Ann"]
    assert all(one["token"].split("_")[1] == one["id"] for one in shown)
    assert not any(one["token"] in made.err for one in shown)
    stored = {key["id"]: key for key in listed(keys)}
    for one in shown:
        del one["token"]
        assert stored[one["id"]] == one
    assert (shown[1]["bots"], shown[1]["limits"]) == (["ann"], {"hellos": 5})
    assert shown[1]["expires"]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("no json", "line 2, is no key"),
        ('{"name": "Ann"}', "line 2, is no key"),
        ('{"roles": "bot"}', "line 2, is no key"),
        ('{"roles": []}', "line 2: roles is empty"),
        ('{"roles": ["king"]}', "There is no role 'king'"),
        ('{"roles": ["bot"], "token": "x"}', "line 2: a key has roles, name, bots"),
        ('{"roles": ["host"], "bots": ["ann"]}', "--bot is about keys of bots"),
        ('{"roles": ["bot"], "limits": {"moves": 1}}', "--limit moves=1 will not do"),
    ],
)
@pytest.mark.usefixtures("store")
def test_of_many_none_is_made_when_one_will_not_do(
    keys: Keys, tmp_path: Path, line: str, sentence: str
) -> None:
    (tmp_path / "wanted").write_text('{"roles": ["bot"]}\n' + line)
    ran = keys("create-all", str(tmp_path / "wanted"))
    assert (ran.code, ran.out) == (2, "")
    assert sentence in ran.err
    assert listed(keys) == []


@pytest.mark.usefixtures("store")
def test_a_rotated_and_a_revoked_key(keys: Keys) -> None:
    first = keys("create", "--role", "host", "--role", "bot", "--limit", "streams=3").out.strip()
    key_id = first.split("_")[1]
    second = keys("rotate", key_id).out.strip()
    assert second.split("_")[1] == key_id
    assert second != first
    assert keys("revoke", key_id).code == 0
    (key,) = listed(keys)
    assert key["revoked"]
    assert not key["good"]
    assert key["limits"] == {"streams": 3}
    again = keys("rotate", key_id)
    assert (again.code, again.out) == (2, "")
    assert again.err == f"contree: The key {key_id} was revoked: make a new one.\n"


def test_beside_a_server_and_at_its_start(tmp_path: Path, keys: Keys) -> None:
    """A command that has the store for a moment does not take it from a server that starts then."""
    hasty = start("keys", "list", "--data", str(tmp_path / "data"))
    try:
        with serving(tmp_path):
            assert finish(hasty).code == 0
            made = keys("create", "--role", "operator", "--json")
            assert json.loads(made.out)["roles"] == ["operator"]
            assert len(listed(keys)) == 1
    finally:
        end(hasty)
    assert len(listed(keys)) == 1


def test_a_server_says_that_it_wants_keys_and_has_none(tmp_path: Path, keys: Keys) -> None:
    def said() -> str:
        process = start(
            *("serve", "--until-eof", "--listen", "127.0.0.1:0", "--metrics", "off"),
            *("--data", str(tmp_path / "data"), "--ready-file", str(tmp_path / "ready")),
            env=[("CONTREE_ANONYMOUS", "off"), ("CONTREE_LOG", "json")],
        )
        try:
            deadline = time.monotonic() + HANGS_S
            while not (tmp_path / "ready").exists():
                assert process.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.01)
            return finish(process).err
        finally:
            end(process)

    assert '"no_keys"' in said()
    keys("create", "--role", "bot")
    assert '"no_keys"' not in said()


@pytest.mark.usefixtures("store")
def test_nothing_there(keys: Keys, tmp_path: Path) -> None:
    none = keys("list")
    assert (none.code, none.out) == (0, "")
    assert none.err.startswith("There are no keys in the folder ")
    for command in ("revoke", "rotate"):
        missing = keys(command, "abc123abc123")
        assert missing.code == 2
        assert missing.err.startswith("contree: There is no key abc123abc123 in the folder ")


def test_a_store_elsewhere_that_is_away() -> None:
    ran = finish(start("keys", "list", "--redis", "redis://:hunter2@127.0.0.1:1/0"))
    assert ran.code == 1
    assert ran.err.startswith("contree: The match store at 127.0.0.1:1 is unavailable (")
    assert "hunter2" not in ran.err


def test_the_variables_of_a_server_that_listens_elsewhere_do_not_matter(tmp_path: Path) -> None:
    env = [("CONTREE_LISTEN", "0.0.0.0:1"), ("CONTREE_DATA_DIR", str(tmp_path / "d"))]
    assert finish(start("keys", "create", "--role", "bot", env=env)).code == 0
    assert (tmp_path / "d" / "appendonlydir").is_dir()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("create", "Missing option '--role'"),
        ("create --role king", "There is no role 'king': write --role host or bot or spectator"),
        ("create --role bot --bot=", "--bot '' is no bot's name"),
        ("create --role host --bot x", "--bot is about keys of bots"),
        ("create --role bot --expires soon", "--expires soon is no time: write 90d, 12h, or a "),
        ("create --role bot --expires 2020-01-01", "--expires 2020-01-01 is not in the future"),
        ("create --role bot --expires 99999999999999d", "is no time"),
        ("create --role bot --limit streams=many", "--limit streams=many will not do: write WHAT"),
        ("create --role bot --limit cards=3", "--limit cards=3 will not do"),
        ("revoke nothing", "'nothing' is no id of a key: see contree keys list."),
        ("list --redis redis://x --data y", "leave one out"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(
    contree: Contree, options: str, sentence: str
) -> None:
    ran = contree("keys", *options.split())
    assert (ran.code, ran.out) == (2, "")
    assert sentence in ran.err
    assert "Traceback" not in ran.err


def test_a_token_in_place_of_an_id_is_not_repeated(contree: Contree) -> None:
    ran = contree("keys", "revoke", "contree_abc123abc123_secret")
    assert ran.code == 2
    assert "secret:" not in ran.err.replace("and secret: write", "")
    assert "abc123" not in ran.err
