"""The HTTP server for scrapers and probes, over real sockets."""

import asyncio
import contextlib
import socket

import pytest

from contree.server.telemetry import AddressUnavailable, Metrics, metrics_server


async def ask(address: str, request: str) -> tuple[int, dict[str, str], str]:
    host, _, port = address.rpartition(":")
    reader, writer = await asyncio.open_connection(host.strip("[]"), int(port))
    writer.write(f"{request}\r\nHost: x\r\n\r\n".encode())
    async with asyncio.timeout(60):
        head, _, body = (await reader.read()).decode().partition("\r\n\r\n")
    writer.close()
    await writer.wait_closed()
    status, *fields = head.split("\r\n")
    headers = dict(field.split(": ", 1) for field in fields)
    return int(status.split()[1]), headers, body


async def test_metrics_are_served() -> None:
    metrics = Metrics()
    metrics.moved("card", 0.1)
    async with metrics_server(metrics.registry, "127.0.0.1:0") as address:
        status, headers, body = await ask(address, "GET /metrics HTTP/1.1")
    assert status == 200
    assert headers["Content-Type"].startswith("text/plain; version=")
    assert 'contree_moves_total{kind="card"} 1.0' in body


async def test_openmetrics_for_those_who_ask() -> None:
    async with metrics_server(Metrics().registry, "127.0.0.1:0") as address:
        request = "GET /metrics HTTP/1.1\r\nAccept: application/openmetrics-text; version=1.0.0"
        _, headers, body = await ask(address, request)
    assert headers["Content-Type"].startswith("application/openmetrics-text")
    assert body.endswith("# EOF\n")


async def test_ready_follows_the_server() -> None:
    ready = False
    async with metrics_server(Metrics().registry, "127.0.0.1:0", lambda: ready) as address:
        assert (await ask(address, "GET /healthz HTTP/1.1"))[0] == 200
        assert (await ask(address, "GET /readyz HTTP/1.1"))[0] == 503
        ready = True
        assert (await ask(address, "GET /readyz?x HTTP/1.1"))[0] == 200


@pytest.mark.parametrize(
    ("request_line", "status"),
    [
        ("GET / HTTP/1.1", 404),
        ("POST /metrics HTTP/1.1", 405),
        ("nonsense", 405),
        ("", 405),
    ],
    ids=["path", "method", "nonsense", "empty"],
)
async def test_what_it_does_not_do(request_line: str, status: int) -> None:
    async with metrics_server(Metrics().registry, "127.0.0.1:0") as address:
        assert (await ask(address, request_line))[0] == status


async def test_head_has_no_body() -> None:
    async with metrics_server(Metrics().registry, "127.0.0.1:0") as address:
        status, headers, body = await ask(address, "HEAD /healthz HTTP/1.1")
    assert (status, headers["Content-Length"], body) == (200, "3", "")


async def test_a_silent_caller_does_not_keep_it_from_stopping() -> None:
    async with asyncio.timeout(5):
        async with metrics_server(Metrics().registry, "127.0.0.1:0") as address:
            host, _, port = address.rpartition(":")
            _, writer = await asyncio.open_connection(host, int(port))
            assert (await ask(address, "GET /healthz HTTP/1.1"))[0] == 200
        writer.close()


async def test_too_long_a_request_is_cut() -> None:
    async with metrics_server(Metrics().registry, "127.0.0.1:0") as address:
        host, _, port = address.rpartition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(b"GET /" + b"x" * 40_000)
        async with asyncio.timeout(60):
            with contextlib.suppress(ConnectionError):
                assert await reader.read() == b""
        writer.close()


async def test_port_in_use_is_one_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(AddressUnavailable) as caught:
            async with metrics_server(Metrics().registry, address):
                pass
    assert str(caught.value) == (
        f"Cannot listen on {address} (another program listens there): "
        "choose another address with --metrics HOST:PORT."
    )


async def test_unknown_host_is_one_sentence() -> None:
    with pytest.raises(AddressUnavailable, match=r"^Cannot listen on nowhere\.invalid:1 \("):
        async with metrics_server(Metrics().registry, "nowhere.invalid:1"):
            pass


async def test_a_request_that_is_too_long_is_dropped_without_a_word_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with metrics_server(Metrics().registry, "127.0.0.1:0") as address:
        host, _, port = address.rpartition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(b"GET /metrics HTTP/1.1\r\nX: " + b"x" * 20_000 + b"\r\n\r\n")
        async with asyncio.timeout(60):
            with contextlib.suppress(ConnectionResetError):
                assert await reader.read() == b""
        writer.close()
        assert (await ask(address, "GET /healthz HTTP/1.1"))[0] == 200
    assert not caplog.records
