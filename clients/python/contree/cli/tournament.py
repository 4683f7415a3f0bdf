"""`contree tournament`: an event from its file to its standings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from contree.cli.options import ServerOption

app = typer.Typer(
    help="Hold a competition between bots.", no_args_is_help=True, rich_markup_mode=None
)


@app.callback()
def _tournament() -> None:
    """Hold a competition between bots."""


@app.command()
def run(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The event: docs/run-a-tournament.md.")
    ],
    *,
    server: ServerOption = None,
    results: Annotated[
        Path, typer.Option(metavar="DIR", help="Where results go, in a folder per event.")
    ] = Path("results"),
    metrics: Annotated[
        str,
        typer.Option(metavar="HOST:PORT|off", help="Where its own server has its /metrics."),
    ] = "off",
) -> None:
    """Play an event, or go on where it stopped: run the same command again.

    Without --server a server is started for the event.
    """
    from contree.cli.output import stdout
    from contree.tournament import run_event

    raise typer.Exit(
        run_event(file, server=server, results=results, metrics=metrics, console=stdout())
    )
