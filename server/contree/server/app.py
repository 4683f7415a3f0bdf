"""The composition root: a store, a host, servicers, metrics, and an orderly end."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import os
import signal
import socket
from collections.abc import AsyncIterator, Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import structlog

from contree.server.access import Guard
from contree.server.host import Host
from contree.server.rpc.servers import RpcServer
from contree.server.rpc.tls import TlsFiles
from contree.server.setting_kinds import parse_address
from contree.server.settings import Settings
from contree.server.store import KeyStore, StoreError, connect, embedded_store
from contree.server.telemetry import AddressUnavailable, Metrics, metrics_server
from contree.server.wall_clock import wall_ms

_log = structlog.get_logger(__name__)


class Serving(NamedTuple):
    """A server that serves."""

    address: str
    """HOST:PORT for bots and hosts."""
    metrics_address: str | None


@contextlib.asynccontextmanager
async def running(settings: Settings, *, share_port: bool = False) -> AsyncIterator[Serving]:
    """A server for the time of an ``async with``; drains at the end.

    With ``share_port`` others may listen on the same address, and each gets some of the
    connections. Raises AddressUnavailable, BadCertificate, StoreUnavailable, EmbeddedStoreError.
    """
    async with contextlib.AsyncExitStack() as stack:
        url = settings.redis_url
        if url is None:
            embedded = await stack.enter_async_context(
                embedded_store(settings.data_dir, settings.fsync)
            )
            url = embedded.url
        store = await connect(url, replicas=settings.store_replicas)
        stack.push_async_callback(store.close)
        metrics = Metrics(version=version("contree"), server_id=settings.server_id)
        metrics.store_up.set(1)
        host = Host(settings, store, metrics)
        guard = Guard(
            store.api_keys,
            anonymous=settings.anonymous_allowed,
            wall_ms=wall_ms,
        )
        rpc = RpcServer(host, guard, share_port=share_port)
        address = _bind(rpc, settings)
        metrics_address = None
        if settings.metrics is not None:
            metrics_address = await stack.enter_async_context(
                metrics_server(metrics.registry, settings.metrics, lambda: host.ready)
            )
        await stack.enter_async_context(host.running())
        await stack.enter_async_context(guard.running())
        await rpc.start()
        try:
            _log.info("serving", address=address, metrics=metrics_address)
            await _say_who_may_come(settings, store.api_keys)
            yield Serving(address, metrics_address)
        finally:
            await rpc.refuse()
            # Who is sent away and dials the same address again must not find this server there.
            rpc.close_door()
            await host.drain()
            await rpc.stop(0.5)
            _log.info("stopped")


async def _say_who_may_come(settings: Settings, keys: KeyStore) -> None:
    """Warn where nobody can come in, and where anybody can."""
    if not settings.anonymous_allowed:
        with contextlib.suppress(StoreError):
            if not await keys.page(limit=1):
                _log.warning("no_keys", next="make one with contree keys create --role host")
    elif not settings.on_loopback:
        _log.warning("open_to_all", address=settings.listen, because="CONTREE_ANONYMOUS is on")


async def serve(
    settings: Settings,
    *,
    share_port: bool = False,
    told: Callable[[Serving], None] | None = None,
) -> None:
    """Serve until SIGTERM or SIGINT, then drain. ``told`` is called once it serves.

    A terminal that is closed means the end, too, but to ``nohup``.
    """
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    ends = [signal.SIGTERM, signal.SIGINT]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        ends.append(signal.SIGHUP)
    for number in ends:
        loop.add_signal_handler(number, stop.set)
    async with running(settings, share_port=share_port) as serving:
        _collect_seldom()
        if told is not None:
            told(serving)
        if settings.ready_file is not None:
            facts = {"address": serving.address, "metrics": serving.metrics_address}
            write_ready(settings.ready_file, {**facts, "pid": os.getpid()})
        await stop.wait()
    if settings.ready_file is not None:
        settings.ready_file.unlink(missing_ok=True)


def _collect_seldom() -> None:
    """Let the cycle collector look less often, and never at what was there at the start.

    Matches are values without cycles, let go of by their counts; looking through all of them every
    700 values costs a server a quarter of its time (docs/performance.md).
    """
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def _bind(rpc: RpcServer, settings: Settings) -> str:
    listen, tls = settings.listen, None
    host, wanted = parse_address(listen)
    if settings.tls_cert is not None and settings.tls_key is not None:
        tls = TlsFiles(settings.tls_cert, settings.tls_key, settings.tls_client_ca)
    try:
        port = rpc.bind(listen, tls)
    except RuntimeError:
        raise _why_not(listen, host, wanted) from None
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _why_not(listen: str, host: str, port: int) -> AddressUnavailable:
    """Why an address cannot be listened on: gRPC does not say, the operating system does."""
    try:
        family, kind, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as probe:
            probe.bind(place)
        return AddressUnavailable(listen, "gRPC refused it", "--listen")
    except OSError as error:
        return AddressUnavailable.from_os(listen, error, "--listen")


def write_ready(target: Path, facts: Mapping[str, object]) -> None:
    """Write what a script wants to know of a server that serves, at once and as a whole."""
    temporary = target.with_name(f"{target.name}.{os.getpid()}")
    temporary.write_text(json.dumps(facts) + "\n", encoding="utf-8")
    try:
        temporary.replace(target)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(target)) from None
