"""`contree serve`: the service, until SIGTERM or Ctrl-C."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from contree.cli.errors import FAILED


def serve(
    context: typer.Context,
    *,
    config: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Settings as TOML; options and variables win over it."),
    ] = None,
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
    redis_url: Annotated[
        str | None,
        typer.Option(
            "--redis", metavar="URL", help="The match store; without it one is started here."
        ),
    ] = None,
    data_dir: Annotated[
        str | None, typer.Option("--data", metavar="DIR", help="Where that store keeps its files.")
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

    Every option has a variable, such as CONTREE_LISTEN; docs/operations.md has them all, and
    contree config show says which of them hold.
    """
    import asyncio
    import sys

    from contree.server.app import serve as serve_until_stopped
    from contree.server.configuration import Configuration
    from contree.server.telemetry import configure_logging

    if worker:
        _work()
        return
    settings = Configuration.read(os.environ, options_of(context.params), config).settings
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


def options_of(given: Mapping[str, Any]) -> dict[str, str | None]:
    """The settings among the options of this command, by field name, as texts."""
    others = {"config", "until_eof", "worker"}
    return {name: text for name, text in given.items() if name not in others}


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
