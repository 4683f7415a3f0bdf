"""What commands import: an answer about the rules must not wait for gRPC."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from tests.cli.conftest import Contree

ROOT = Path(__file__).parent.parent.parent
PROBE = """
import json, sys
from contree.cli.app import run
code = run(sys.argv[1:])
print(json.dumps([code, sorted({name.partition(".")[0] for name in sys.modules})]))
"""


def imported(*arguments: str) -> set[str]:
    ran = subprocess.run(
        [sys.executable, "-c", PROBE, *arguments], capture_output=True, text=True, check=True
    )
    code, modules = json.loads(ran.stdout.splitlines()[-1])
    assert code == 0
    return set(modules)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["bot", "run", "--help"],
        ["keys", "--help"],
        ["rules", "list", "--json"],
        ["rules", "diff", "ffb-mixte", "coinche-annonce", "--json"],
        ["record", "--help"],
        ["replay", "--help"],
        ["play", "--help"],
        ["rules", "legal", "--trump", "H", "--hand", "AS", "--json"],
    ],
    ids=" ".join,
)
def test_quick_commands_import_little(arguments: list[str]) -> None:
    heavy = {
        "grpc",
        "google",
        "numpy",
        "redis",
        "structlog",
        "prometheus_client",
        "rich",
        "textual",
    }
    assert not imported(*arguments) & heavy


def test_version(contree: Contree) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert contree("--version").out == f"contree {project['version']}\n"


def test_help_names_every_command(contree: Contree) -> None:
    ran = contree("--help")
    assert ran.code == 0
    commands = (
        *("serve", "keys", "bot", "tournament", "play", "watch"),
        *("rules", "record", "replay", "healthcheck"),
    )
    for command in commands:
        assert f"\n  {command} " in ran.out
    assert "Exit codes: 0 done, 1 failed, 2 bad input or usage, 130 interrupted." in ran.out


def test_usage_errors(contree: Contree) -> None:
    for arguments in (["nope"], ["rules", "legal", "--nope"], ["watch", "a", "b"], ["bot", "run"]):
        ran = contree(*arguments)
        assert (ran.code, ran.out) == (2, "")
        assert "Error: " in ran.err
        assert "Traceback" not in ran.err


def test_what_is_no_address_is_said_at_once(contree: Contree) -> None:
    for arguments in (["healthcheck"], ["watch", "m1"], ["bot", "run", "contree.bots:Random"]):
        ran = contree(*arguments, "--server", "nowhere")
        assert (ran.code, ran.out) == (2, "")
        assert ran.err == (
            "contree: The server 'nowhere' is no address: "
            "write HOST:PORT, such as 127.0.0.1:50051.\n"
        )


def test_a_variable_of_a_bot_that_is_no_number(
    contree: Contree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONTREE_CAPACITY", "many")
    ran = contree("bot", "run", "contree.bots:Random", "--practice")
    assert ran.code == 2
    assert "CONTREE_CAPACITY" in ran.err or "--capacity" in ran.err


@pytest.mark.parametrize(
    ("missing", "extra", "arguments"),
    [
        ("typer", "cli", ["--help"]),
        ("rich", "cli", ["rules", "list"]),
        ("structlog", "server", ["serve"]),
        ("numpy", "tournament", ["tournament", "run", "x.toml"]),
    ],
)
def test_what_is_not_installed_is_named(missing: str, extra: str, arguments: list[str]) -> None:
    absent = f"import sys; sys.modules[{missing!r}] = None; "
    start = "from contree.cli.__main__ import main; main()"
    ran = subprocess.run(
        [sys.executable, "-c", absent + start, *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr == (
        f"contree: This needs {missing}, which is not installed: pip install 'contree[{extra}]'.\n"
    )
