"""A public competition as docs/security.md has it: TLS, and a key for each guest."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from tests.certificates import Authority
from tests.cli.running import Ran, finish, start
from tests.cli.test_serve import Server, serving

EVENT = """
name = "guests"
boards = 2

[[bots]]
name = "ann"
key = "{ann}"

[[bots]]
name = "bob"
key = "{bob}"
"""


@contextmanager
def playing(target: str, name: str, env: dict[str, str]) -> Iterator[None]:
    """A bot of a guest."""
    process = start("bot", "run", target, "--name", name, env=list(env.items()))
    try:
        yield
        assert process.poll() is None, finish(process)
    finally:
        process.send_signal(signal.SIGTERM)
        finish(process)


def keys(server: Server, *arguments: str) -> Ran:
    ran = finish(start("keys", *arguments, "--data", str(server.folder / "data")))
    assert ran.code == 0, ran.err
    return ran


@pytest.mark.slow
def test_a_competition_of_guests_with_keys(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    pair = authority.issue("server")
    options = ("--tls-cert", str(pair.certificate), "--tls-key", str(pair.key))
    env = [("CONTREE_ANONYMOUS", "off")]
    with serving(tmp_path, *options, env=env) as server, ExitStack() as bots:
        tokens: dict[str, str] = {}
        for name, role in (("host", "host"), ("ann", "bot"), ("bob", "bot"), ("eve", "bot")):
            pattern = ("--bot", name) if name in ("ann", "bob") else ()
            made = keys(server, "create", "--role", role, "--name", name, *pattern)
            tokens[name] = made.out.strip()
            (tmp_path / f"{name}.token").write_text(made.out)
        common = {
            "CONTREE_SERVER": f"tls://{server.address}",
            "CONTREE_CA": str(authority.certificate),
        }

        def of(name: str) -> dict[str, str]:
            return {**common, "CONTREE_TOKEN_FILE": str(tmp_path / f"{name}.token")}

        assert finish(start("healthcheck", env=list(common.items()))).code == 0
        # Bob cannot play as Ann, and Eve, who may have any name, does not get her seats.
        ran = finish(
            start("bot", "run", "contree.bots:Rules", "--name", "ann", env=list(of("bob").items()))
        )
        assert ran.code == 1
        assert "not for a bot named 'ann', but for bob" in ran.err
        for name, target in (
            ("eve", "contree.bots:Random"),
            ("ann", "contree.bots:Rules"),
            ("bob", "contree.bots:Random"),
        ):
            bots.enter_context(playing(target, "ann" if name == "eve" else name, of(name)))
        ids = {name: token.split("_")[1] for name, token in tokens.items()}
        event = tmp_path / "event.toml"
        event.write_text(EVENT.format(**ids))
        run = (
            *("tournament", "run", str(event), "--results", str(tmp_path / "results")),
            *("--server", common["CONTREE_SERVER"]),
        )
        for name in ("ann", "eve"):
            refused = finish(start(*run, env=list(of(name).items())))
            assert refused.code == 1
            assert "takes a key with the role host" in refused.err + refused.out
        ran = finish(start(*run, env=list(of("host").items())), timeout=240)
        assert ran.code == 0, ran.err + ran.out
        assert "All 4 tables have a result" in ran.err + ran.out
        (folder,) = (tmp_path / "results").iterdir()
        listed = [json.loads(line) for line in keys(server, "list", "--json").out.splitlines()]
        assert [key["name"] for key in listed] == ["host", "ann", "bob", "eve"]
    texts = [ran.err, ran.out, *(p.read_text("utf-8") for p in folder.rglob("*") if p.is_file())]
    assert not any(token in text for token in tokens.values() for text in texts)
