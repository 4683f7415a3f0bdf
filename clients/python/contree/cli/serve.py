"""`contree serve`: the service, until SIGTERM or Ctrl-C."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from contree.cli.errors import FAILED


def serve(
    *,
    listen: Annotated[
        str | None,
        typer.Option(metavar="HOST:PORT", help="Where bots and hosts dial in; port 0 picks one."),
    ] = None,
    tls_cert: Annotated[
        str | None, typer.Option(metavar="PATH", help="Its certificate (PEM); with it comes TLS.")
    ] = None,
    tls_key: Annotated[
        str | None, typer.Option(metavar="PATH", help="The private key of the certificate.")
    ] = None,
    tls_client_ca: Annotated[
        str | None,
        typer.Option(
            metavar="PATH", help="Who signs clients' certificates; with it they need one."
        ),
    ] = None,
    redis: Annotated[
        str | None,
        typer.Option(metavar="URL", help="The match store; without it one is started here."),
    ] = None,
    data: Annotated[
        str | None, typer.Option(metavar="DIR", help="Where that store keeps its files.")
    ] = None,
    fsync: Annotated[
        str | None,
        typer.Option(metavar="always|everysec", help="When that store writes to the disk."),
    ] = None,
    metrics: Annotated[
        str | None, typer.Option(metavar="HOST:PORT|off", help="Where /metrics is served.")
    ] = None,
    log: Annotated[
        str | None, typer.Option(metavar="json|console|auto", help="How the log is written.")
    ] = None,
    log_level: Annotated[
        str | None, typer.Option(metavar="debug|info|warning|error", help="What is logged.")
    ] = None,
    workers: Annotated[
        str | None,
        typer.Option(metavar="N", help="Server processes that share the address and the store."),
    ] = None,
    drain_s: Annotated[
        str | None,
        typer.Option("--drain", metavar="SECONDS", help="For bots to finish at a stop, at most."),
    ] = None,
    ready_file: Annotated[
        str | None,
        typer.Option(metavar="PATH", help="Written as JSON with the addresses once it serves."),
    ] = None,
    until_eof: Annotated[
        bool, typer.Option("--until-eof", hidden=True, help="Stop when standard input ends.")
    ] = False,
    worker: Annotated[
        bool, typer.Option("--worker", hidden=True, help="Take orders from a supervisor.")
    ] = False,
) -> None:
    """Run the service until SIGTERM or Ctrl-C.

    Every option has a variable, such as CONTREE_LISTEN; docs/operations.md has them all.
    """
    import asyncio
    import sys

    from contree.server.app import serve as serve_until_stopped
    from contree.server.settings import Settings
    from contree.server.telemetry import configure_logging

    if worker:
        _work()
        return
    settings = Settings.from_environment(
        os.environ,
        {
            "listen": listen,
            "tls_cert": tls_cert,
            "tls_key": tls_key,
            "tls_client_ca": tls_client_ca,
            "redis_url": redis,
            "data_dir": data,
            "fsync": fsync,
            "metrics": metrics,
            "log": log,
            "log_level": log_level,
            "workers": workers,
            "drain_s": drain_s,
            "ready_file": ready_file,
        },
    )
    configure_logging(settings)
    if until_eof:
        _stop_at_eof()
    if settings.workers == 1:
        asyncio.run(serve_until_stopped(settings))
        return
    from contree.server.workers import WorkerEnded, supervise

    command = [sys.executable, "-m", "contree.cli", "serve", "--worker"]
    try:
        asyncio.run(supervise(settings, command))
    except WorkerEnded as error:
        # It has said itself what was wrong.
        raise typer.Exit(error.code if error.code > 0 else FAILED) from None


def _work() -> None:
    """Be one of the processes of `--workers`."""
    import asyncio

    from contree.server.app import serve as serve_until_stopped
    from contree.server.telemetry import configure_logging
    from contree.server.workers import read_orders, tell_serving

    orders = read_orders()
    configure_logging(orders.settings, always={"worker": orders.number})
    asyncio.run(serve_until_stopped(orders.settings, share_port=True, told=tell_serving()))


def _stop_at_eof() -> None:
    """Whoever started this process holds its standard input open: with it ends the server."""
    import signal
    import threading

    def wait() -> None:
        while os.read(0, 4096):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, name="until-eof", daemon=True).start()
