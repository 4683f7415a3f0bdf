"""A small HTTP server for /metrics, /healthz and /readyz, on the event loop it reports about.

/healthz answers while the event loop turns, /readyz while the server takes new matches and its
store answers. Metrics are rendered in another thread. It speaks as much HTTP as a scraper or a
probe needs: GET and HEAD, one request per connection.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import Final, NamedTuple

from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder

from contree.server.setting_kinds import parse_address

_REQUEST_S: Final = 5.0
_REQUEST_BYTES: Final = 16 * 1024
_METHODS: Final = frozenset(["GET", "HEAD"])
_TEXT: Final = "text/plain; charset=utf-8"


class AddressUnavailable(Exception):
    """An address that cannot be listened on; `option` is the option that chooses another."""

    def __init__(self, address: str, reason: str, option: str) -> None:
        self.address = address
        self.reason = reason
        self.option = option
        super().__init__(address, reason, option)

    @classmethod
    def from_os(cls, address: str, error: OSError, option: str) -> AddressUnavailable:
        """Say in words what the operating system said."""
        reasons = {
            errno.EADDRINUSE: "another program listens there",
            errno.EADDRNOTAVAIL: "this machine has no such address",
            errno.EACCES: "this user may not listen there",
        }
        reason = reasons.get(error.errno or 0) or error.strerror or "it cannot be resolved"
        return cls(address, reason.lower() if reason.istitle() else reason, option)

    def __str__(self) -> str:
        return (
            f"Cannot listen on {self.address} ({self.reason}): "
            f"choose another address with {self.option} HOST:PORT."
        )


Ready = Callable[[], bool] | Callable[[], Awaitable[bool]]
"""What /readyz answers, told at once or after a look."""
Document = Callable[[Mapping[str, str]], bytes]
"""JSON that is made when it is asked for, with the headers of the request (names in lower case)."""


class _Answer(NamedTuple):
    status: HTTPStatus
    content_type: str
    body: bytes


@contextlib.asynccontextmanager
async def metrics_server(
    registry: CollectorRegistry,
    address: str,
    ready: Ready = lambda: True,
    *,
    documents: Mapping[str, Document] = MappingProxyType({}),
) -> AsyncIterator[str]:
    """Serve the registry at `address` (HOST:PORT, port 0 picks one); yields the bound HOST:PORT.

    `ready` decides what /readyz answers. `documents` are further ones, by path. Stops when the
    context ends, open requests included. Raises `AddressUnavailable`.
    """
    host, port = parse_address(address)
    connections: set[asyncio.Task[None]] = set()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        connections.add(task)
        try:
            with contextlib.suppress(
                OSError, TimeoutError, EOFError, ValueError, asyncio.LimitOverrunError
            ):
                async with asyncio.timeout(_REQUEST_S):
                    await _converse(reader, writer, registry, ready, documents)
        finally:
            connections.discard(task)
            writer.close()

    try:
        server = await asyncio.start_server(handle, host, port, limit=_REQUEST_BYTES)
    except OSError as error:
        raise AddressUnavailable.from_os(address, error, "--metrics") from None
    bound_host, bound_port = server.sockets[0].getsockname()[:2]
    try:
        yield f"[{bound_host}]:{bound_port}" if ":" in bound_host else f"{bound_host}:{bound_port}"
    finally:
        server.close()
        for task in tuple(connections):
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)
        await server.wait_closed()


async def _converse(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    registry: CollectorRegistry,
    ready: Ready,
    documents: Mapping[str, Document],
) -> None:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    request, *lines = head.split("\r\n")
    method, path, *_ = [*request.split(" "), "", ""]
    headers = {
        name.strip().lower(): value.strip()
        for name, _, value in (line.partition(":") for line in lines)
    }
    path = path.partition("?")[0]
    if path in documents and method in _METHODS:
        answer = _Answer(HTTPStatus.OK, "application/json", documents[path](headers))
    else:
        answer = await _answer(method, path, headers, registry, ready)
    fields = (
        f"HTTP/1.1 {answer.status.value} {answer.status.phrase}",
        f"Content-Type: {answer.content_type}",
        f"Content-Length: {len(answer.body)}",
        "Connection: close",
    )
    writer.write("\r\n".join((*fields, "", "")).encode())
    if method != "HEAD":
        writer.write(answer.body)
    await writer.drain()


async def _answer(
    method: str,
    path: str,
    headers: dict[str, str],
    registry: CollectorRegistry,
    ready: Ready,
) -> _Answer:
    if method not in _METHODS:
        return _Answer(HTTPStatus.METHOD_NOT_ALLOWED, _TEXT, b"GET only\n")
    if path == "/metrics":
        encode, content_type = choose_encoder(headers.get("accept", ""))
        return _Answer(HTTPStatus.OK, content_type, await asyncio.to_thread(encode, registry))
    if path == "/healthz":
        return _Answer(HTTPStatus.OK, _TEXT, b"ok\n")
    if path == "/readyz":
        said = ready()
        if await said if inspect.isawaitable(said) else said:
            return _Answer(HTTPStatus.OK, _TEXT, b"ready\n")
        return _Answer(HTTPStatus.SERVICE_UNAVAILABLE, _TEXT, b"not ready\n")
    return _Answer(HTTPStatus.NOT_FOUND, _TEXT, b"/metrics, /healthz or /readyz\n")
