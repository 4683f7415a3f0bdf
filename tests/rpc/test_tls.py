"""TLS and certificates of clients, with certificates made here, through the SDK and bare gRPC."""

from __future__ import annotations

import asyncio
import os
import re
import ssl
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import pytest
from tests.certificates import HOST, Authority, Pair
from tests.rpc.keyed import key_ring

from contree.bots import Random
from contree.client import Connection, HostClient, Practice, Tls, Unreachable, play_bot
from contree.client.errors import Misconfigured
from contree.server.access import Role
from contree.server.app import Serving, running
from contree.server.rpc.tls import BadCertificate, TlsFiles, _Files, server_credentials
from contree.server.setting_kinds import SettingsError
from contree.server.settings import Settings, TokensExposed

Serve = Callable[..., AbstractAsyncContextManager[Serving]]
PATIENT = Connection(patience=60.0, timeout=60.0)
NOT_KNOWN = r"^OK$|certificate|CERTIFICATE"
"""What gRPC says of a server whose authority is not known: in some of its versions, no word."""
NOT_ITS_NAME = "Hostname Verification Check failed"
ENDED = "Socket closed|Connection reset|Broken pipe"
"""All that is known of it where the server has refused: here it has no time limits."""


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture
def pair(authority: Authority) -> Pair:
    return authority.issue("server")


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("CONTREE_")]:
        monkeypatch.delenv(name)


async def presets(server: str, tls: Tls | None = None, connection: Connection = PATIENT) -> int:
    async with HostClient(server, token="", connection=replace(connection, tls=tls)) as host:
        return len(await host.list_presets())


async def unreachable(server: str, tls: Tls | None, why: str) -> None:
    """It is refused for this reason. A server that is only slow is given more time, a minute at
    last.
    """
    told = ""
    for patience in (0.5, 4.0, 60.0):
        with pytest.raises(Unreachable) as refused:
            await presets(server, tls, Connection(patience=patience, timeout=60.0))
        told = refused.value.detail
        if re.search(why, told):
            return
    pytest.fail(f"unreachable for {told!r}, not {why!r}")


async def test_a_bot_and_a_host_over_tls_with_a_key(
    settings: Settings,
    authority: Authority,
    pair: Pair,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All that a user does: an address with tls://, the authority, and the token in a file."""
    secure = replace(settings, tls_cert=pair.certificate, tls_key=pair.key, anonymous="off")
    async with running(secure) as serving, key_ring(settings.data_dir) as ring:
        key = await ring.make(Role.BOT, Role.HOST, bots=("guest",))
        token = tmp_path / "token"
        token.write_text(key.token + "\n")
        monkeypatch.setenv("CONTREE_SERVER", f"tls://{serving.address}")
        monkeypatch.setenv("CONTREE_CA", str(authority.certificate))
        monkeypatch.setenv("CONTREE_TOKEN_FILE", str(token))
        summary = await play_bot(Random(), name="guest", practice=Practice(deals=1), matches=1)
        assert summary.matches == 1
        async with HostClient() as host:
            assert [match.ended async for match in host.list_matches("practice")] == [True]


async def test_who_does_not_know_the_authority_does_not_connect(
    settings: Settings, authority: Authority, pair: Pair, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    other = Authority(tmp_path / "other")
    async with running(replace(settings, tls_cert=pair.certificate, tls_key=pair.key)) as serving:
        address = f"tls://{serving.address}"
        assert await presets(address, Tls(authority.certificate))
        assert await presets(address, Tls(authority.certificate, server_name=HOST))
        await unreachable(address, None, NOT_KNOWN)
        await unreachable(address, Tls(other.certificate), NOT_KNOWN)
        await unreachable(address, Tls(authority.certificate, "elsewhere.test"), NOT_ITS_NAME)
        await unreachable(serving.address, None, ENDED)


async def test_clients_need_a_certificate_where_their_authority_is_given(
    settings: Settings, authority: Authority, pair: Pair, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    other = Authority(tmp_path / "other")
    mutual = replace(
        settings,
        tls_cert=pair.certificate,
        tls_key=pair.key,
        tls_client_ca=authority.certificate,
    )
    good, bad = authority.issue("client"), other.issue("stranger")
    async with running(mutual) as serving:
        address = f"tls://{serving.address}"
        assert await presets(address, Tls(authority.certificate, "", *good))
        await unreachable(address, Tls(authority.certificate), ENDED)
        await unreachable(address, Tls(authority.certificate, "", *bad), ENDED)


async def test_a_renewed_certificate_is_served_without_a_restart(
    authority: Authority, pair: Pair
) -> None:
    now = 0.0
    files = _Files(TlsFiles(*pair), lambda: now)
    assert files.fetch() is None
    authority.issue("server")  # into the same files
    assert files.fetch() is None, "not twice in a second"
    now = 2.0
    assert files.fetch() is not None
    now = 4.0
    assert files.fetch() is None
    pair.key.write_text("half a")
    now = 6.0
    assert files.fetch() is None, "what is no certificate leaves the old one in use"
    authority.issue("server")
    now = 8.0
    assert files.fetch() is not None


async def test_connections_get_the_renewed_certificate(authority: Authority, pair: Pair) -> None:
    times = iter(range(0, 1000, 10))
    server = grpc.aio.server()
    port = server.add_secure_port(
        "127.0.0.1:0", server_credentials(TlsFiles(*pair), lambda: float(next(times)))
    )
    await server.start()

    def served() -> str:
        return ssl.get_server_certificate(("127.0.0.1", port), timeout=60)

    try:
        first = await asyncio.to_thread(served)
        assert first == await asyncio.to_thread(served)
        authority.issue("server")
        assert first != await asyncio.to_thread(served)
    finally:
        await server.stop(0)


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        ("certificate", "--tls-key"),
        ("key", "--tls-key"),
        ("other key", "it is the key of another certificate"),
        ("no certificate", "no such file or directory"),
        ("client ca", "--tls-client-ca"),
    ],
)
def test_what_is_no_certificate_is_said_in_a_sentence(
    authority: Authority, pair: Pair, tmp_path: Path, broken: str, sentence: str
) -> None:
    paths = TlsFiles(*pair, authority.certificate)
    junk = tmp_path / "junk.pem"
    junk.write_text("-----BEGIN NOTHING-----\n")
    changed: dict[str, Any] = {
        "certificate": {"certificate": junk},
        "key": {"key": junk},
        "other key": {"key": authority.issue("other").key},
        "no certificate": {"certificate": tmp_path / "none"},
        "client ca": {"client_ca": junk},
    }
    with pytest.raises(BadCertificate) as caught:
        server_credentials(paths._replace(**changed[broken]))
    assert sentence in str(caught.value)
    assert str(caught.value).count("\n") == 0


def test_an_address_on_a_network_wants_tls_or_a_word(pair: Pair) -> None:
    with pytest.raises(TokensExposed, match="in clear text over the network"):
        Settings(listen="0.0.0.0:1")
    with pytest.raises(TokensExposed):
        Settings(listen="[::]:1", anonymous="off")
    assert not Settings(listen="0.0.0.0:1", plaintext="on").anonymous_allowed
    assert Settings(listen="0.0.0.0:1", anonymous="on").anonymous_allowed
    secure = Settings(listen="0.0.0.0:1", tls_cert=pair.certificate, tls_key=pair.key)
    assert not secure.anonymous_allowed
    assert not secure.reflection_allowed
    for local in ("127.0.0.1:1", "[::1]:1", "localhost:1", "127.8.9.1:1"):
        assert Settings(listen=local).anonymous_allowed
        assert Settings(listen=local).reflection_allowed
        assert not Settings(listen=local, anonymous="off").anonymous_allowed


def test_a_certificate_and_its_key_come_together(pair: Pair) -> None:
    for fields in (
        {"tls_cert": pair.certificate},
        {"tls_key": pair.key},
        {"tls_client_ca": pair.certificate},
    ):
        with pytest.raises(SettingsError):
            Settings(**fields)  # type: ignore[arg-type]


async def test_files_of_a_client_that_are_not_there(tmp_path: Path) -> None:
    for tls in (Tls(tmp_path / "none"), Tls(None, "", tmp_path / "none", tmp_path / "none")):
        with pytest.raises(Misconfigured, match="none cannot be read"):
            await presets("tls://127.0.0.1:1", tls)
    with pytest.raises(Misconfigured, match="give both"):
        await presets("tls://127.0.0.1:1", Tls(None, "", tmp_path / "none"))
