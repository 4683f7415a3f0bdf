"""Tokens in the SDK: where they come from, that nothing shows them; and waiting when told to."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from traceback import format_exception

import grpc
import pytest
from tests.client.bots import First, playing
from tests.client.scripted import ScriptedServer, ServerError, soon

from contree.client import (
    Backoff,
    Connection,
    HostClient,
    Misconfigured,
    RateLimited,
    Unauthenticated,
    Unreachable,
    play_bot,
)

SECRET = "contree_abc123abc123_" + "s" * 49
IMPATIENT = Connection(patience=0.05, backoff=Backoff(0.01, 0.01))


async def test_the_token_is_in_no_log_and_in_no_error(
    server: ScriptedServer, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """lichess-bot #1133: the handler of retries logged the token."""
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("CONTREE_TOKEN", SECRET)
    async with playing(First(), server) as played:
        for _ in range(2):
            line = await server.dialled()
            line.fail(ServerError(grpc.StatusCode.UNAVAILABLE, "later", "ERROR_REASON_DRAINING"))
        line = await server.dialled()
        assert line.metadata["authorization"] == f"Bearer {SECRET}"
        line.fail(ServerError(grpc.StatusCode.UNAUTHENTICATED, "x", "ERROR_REASON_UNAUTHENTICATED"))
        with pytest.raises(Unauthenticated) as refused:
            await soon(played)
    await server.stop()
    with pytest.raises(Unreachable) as lost:
        await soon(play_bot(First(), server=server.address, connection=IMPATIENT))
    texts = [caplog.text, *("".join(format_exception(one.value)) for one in (refused, lost))]
    assert "trying again" in caplog.text
    assert not any(SECRET in text or "s" * 20 in text for text in texts)


@pytest.mark.parametrize("token", ["two words", "line\nbreak", "é", "a\x00b"])
async def test_a_token_that_is_none_is_not_shown(token: str) -> None:
    """gRPC's own error about metadata would show it whole."""
    with pytest.raises(Misconfigured) as refused:
        await play_bot(First(), server="127.0.0.1:1", token=token, connection=IMPATIENT)
    assert token not in "".join(format_exception(refused.value))
    assert token not in str(refused.value)


async def test_the_token_comes_from_a_file(
    server: ScriptedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "token"
    path.write_text(f"{SECRET}\r\n")
    monkeypatch.setenv("CONTREE_TOKEN_FILE", str(path))
    async with playing(First(), server):
        line = await server.dialled()
        assert line.metadata["authorization"] == f"Bearer {SECRET}"
    monkeypatch.setenv("CONTREE_TOKEN", "nearer")
    async with playing(First(), server):
        assert (await server.dialled()).metadata["authorization"] == "Bearer nearer"
    async with playing(First(), server, token="nearest"):
        assert (await server.dialled()).metadata["authorization"] == "Bearer nearest"
    async with playing(First(), server, token=""):
        assert "authorization" not in (await server.dialled()).metadata


async def test_a_file_without_a_token_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "token"
    monkeypatch.setenv("CONTREE_TOKEN_FILE", str(path))
    with pytest.raises(Misconfigured, match=r"token .*No such file.*: check CONTREE_TOKEN_FILE\."):
        await play_bot(First())
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(Misconfigured, match=r"^The file .* holds no token"):
        await play_bot(First())


@pytest.mark.parametrize(
    ("address", "warned"),
    [
        ("192.0.2.1:1", True),
        ("games.example:50051", True),
        ("tls://games.example:50051", False),
        ("127.0.0.1:1", False),
        ("[::1]:1", False),
        ("localhost:1", False),
        ("unix:/tmp/s", False),
    ],
)
async def test_a_token_in_clear_text_is_warned_of(
    address: str, warned: bool, caplog: pytest.LogCaptureFixture
) -> None:
    HostClient(address, token=SECRET)
    assert ("in clear text" in caplog.text) is warned
    assert SECRET not in caplog.text
    caplog.clear()
    HostClient(address, token="")
    assert not caplog.text


async def test_a_bot_waits_as_long_as_it_is_told(server: ScriptedServer) -> None:
    before = asyncio.get_running_loop().time()
    async with playing(First(), server):
        line = await server.dialled()
        line.fail(
            ServerError(
                grpc.StatusCode.RESOURCE_EXHAUSTED, "slowly", "ERROR_REASON_RATE_LIMITED", 0.4
            )
        )
        await (await server.dialled()).welcome()
    assert asyncio.get_running_loop().time() - before >= 0.4


async def test_who_is_told_to_wait_for_too_long_does_not(server: ScriptedServer) -> None:
    async with playing(First(), server, connection=IMPATIENT) as played:
        line = await server.dialled()
        line.fail(
            ServerError(
                grpc.StatusCode.RESOURCE_EXHAUSTED, "slowly", "ERROR_REASON_RATE_LIMITED", 3600
            )
        )
        with pytest.raises(RateLimited) as refused:
            await soon(played)
    assert refused.value.retry_after == 3600
