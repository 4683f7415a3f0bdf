"""`contree tournament`: an event from its file to its standings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from contree.cli import events
from contree.cli.options import ServerOption

app = typer.Typer(
    help="Hold a competition between bots.", no_args_is_help=True, rich_markup_mode=None
)


app.command("status")(events.status)
app.command("cancel")(events.cancel)
app.command("standings")(events.standings)
app.command("export")(events.export)


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
    metrics_port: Annotated[
        str | None,
        typer.Option(metavar="[HOST:]PORT", help="Where the event has its /metrics; 0 picks one."),
    ] = None,
    linger: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            min=0,
            help="Serve these so long after the end or a stop; Ctrl-C ends it.",
        ),
    ] = 0.0,
    reopen: Annotated[
        bool, typer.Option("--reopen", help="Go on with an event that was cancelled.")
    ] = False,
) -> None:
    """Play an event, or go on where it stopped: run the same command again.

    Without --server a server is started for the event.
    """
    from contree.cli.errors import BadInput
    from contree.cli.output import stdout
    from contree.tournament import run_event
    from contree.tournament.scraping import parse_port

    try:
        metrics_at = None if metrics_port is None else parse_port(metrics_port)
    except ValueError:
        raise BadInput(
            f"--metrics-port is {metrics_port!r}: write a port such as 9500, or HOST:PORT."
        ) from None
    raise typer.Exit(
        run_event(
            file,
            server=server,
            results=results,
            metrics=metrics,
            console=stdout(),
            reopen=reopen,
            metrics_at=metrics_at,
            linger=linger,
        )
    )


@app.command()
def report(
    folder: Annotated[
        Path, typer.Argument(metavar="EVENT", help="The folder of an event: results/<event id>.")
    ],
    *,
    output: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where to write it; report.html in the folder."),
    ] = None,
    analysis: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Show what decisions cost: printed by contree analyse --json."
        ),
    ] = None,
) -> None:
    """Make the HTML report of an event afresh, from its results and records.

    One page that needs nothing else: standings, cross table, ratings, faults, time, every board. An
    event that ends makes its own; this is for one that is still going on, or was played before.
    """
    from contree.cli.errors import Failure
    from contree.tournament.errors import ResultsError
    from contree.tournament.html_report import write_report

    try:
        typer.echo(write_report(folder, output, analysis))
    except ResultsError as error:
        raise Failure(str(error)) from None


@app.command()
def needed(
    folder: Annotated[
        Path, typer.Argument(metavar="EVENT", help="The folder of an event: results/<event id>.")
    ],
    *,
    difference: Annotated[
        float,
        typer.Option(metavar="POINTS", min=0.01, help="Points a board that are to be seen."),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """How many boards it takes to see a difference, from an event that was played: a pilot.

    After so many boards a true difference of that size shows in a 95% interval with a probability
    of 90%.
    """
    from contree.cli.errors import Failure
    from contree.cli.output import print_json
    from contree.tournament.errors import ResultsError
    from contree.tournament.pilot import boards_needed
    from contree.tournament.proof import EventProof

    try:
        found = boards_needed(EventProof.read(folder), difference)
    except ResultsError as error:
        raise Failure(str(error)) from None
    if as_json:
        print_json(
            {str(pair): None if need is None else need._asdict() for pair, need in found.items()}
        )
        return
    if not found:
        typer.echo("No board of that event has been played at both its tables.")
    for pairing, need in found.items():
        if need is None:
            said = "fewer than 10 boards, or all alike: that says nothing"
        else:
            said = f"{need.boards} boards (between {need.low} and {need.high})"
        typer.echo(f"{pairing.first} and {pairing.second}: {said}")
