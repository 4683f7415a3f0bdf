"""`contree tournament status | standings | export | cancel`: events by their folders."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from contree.cli.errors import Failure

Event = Annotated[
    Path, typer.Argument(metavar="EVENT", help="The folder of an event: results/<event id>.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def status(event: Event, *, as_json: AsJson = False) -> None:
    """How far an event is, what is in play, played again or forfeited; also while it runs."""
    from contree.cli.output import print_json
    from contree.tournament.errors import ResultsError
    from contree.tournament.status import status_of

    try:
        found = status_of(event)
    except ResultsError as error:
        raise Failure(str(error)) from None
    if as_json:
        print_json(found._asdict())
        return
    for line in found.lines():
        typer.echo(line)


def cancel(
    event: Event,
    *,
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why, for whoever looks.")] = "",
    server: Annotated[
        str | None,
        typer.Option(metavar="HOST:PORT", help="Also cancel what is still open at this service."),
    ] = None,
) -> None:
    """End an event before its end: what is in play is cancelled, results are kept.

    Running it again is refused then, without --reopen.
    """
    import asyncio

    from contree.tournament.ending import cancel_event, cancel_left_over
    from contree.tournament.errors import ResultsError
    from contree.tournament.status import status_of

    try:
        stopped = cancel_event(event, reason)
        found = status_of(event)
    except ResultsError as error:
        raise Failure(str(error)) from None
    if stopped:
        typer.echo("Its runner was stopped, what was in play is cancelled.")
    if server is not None:
        count = asyncio.run(cancel_left_over(server, found.event))
        typer.echo(f"{count} unfinished matches were cancelled at {server}.")
    typer.echo(
        f"Event {found.event} is cancelled. {found.tables} of {found.of_tables} tables have a "
        f"result, and are kept in {event}."
    )
    typer.echo(
        "contree tournament export --partial publishes what is disclosed; contree tournament run "
        "--reopen goes on."
    )


def standings(event: Event, *, as_json: AsJson = False) -> None:
    """The standings after what has been played, computed from the results; also while it runs."""
    from contree.cli.output import stdout
    from contree.tournament.documents import STANDINGS, Derived
    from contree.tournament.errors import ResultsError
    from contree.tournament.progress import Reporter
    from contree.tournament.proof import EventProof

    try:
        proof = EventProof.read(event)
    except ResultsError as error:
        raise Failure(str(error)) from None
    derived = Derived.of(proof.schedule, proof.results)
    if as_json:
        typer.echo(derived.documents(proof.id, proof.kind)[STANDINGS], nl=False)
        return
    if not derived.results:
        typer.echo(f"Event {proof.id}: no table has a result yet.")
        return
    reporter = Reporter(stdout())
    state = "complete" if derived.complete else "not over"
    of = derived.opened.of_tables
    reporter.note(f"Event {proof.id}: {len(derived.results)} of {of} tables, {state}.")
    reporter.final(derived.standings, derived.report.lines)


def export(
    event: Event,
    *,
    to: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH", help="A folder, or an archive by its ending: .zip .tar .tar.gz .tgz"
        ),
    ] = None,
    partial: Annotated[
        bool, typer.Option("--partial", help="Also an event that is not over: what is disclosed.")
    ] = False,
) -> None:
    """Write all that is needed to check and to publish an event, with a manifest.

    Without --to it is EVENT.zip, here. Keys, logs and the service's data stay where they are.
    """
    from contree.tournament.bundle import write_files
    from contree.tournament.errors import ResultsError
    from contree.tournament.export import export_event

    try:
        made = export_event(event, partial=partial)
        target = Path(f"{made.event}.zip") if to is None else to
        write_files(made.files, target, made.event)
    except ResultsError as error:
        raise Failure(str(error)) from None
    part = "" if made.complete else ", of an event that is not over"
    typer.echo(f"{target}: {len(made.files)} files{part}")
    typer.echo(f"SHA-256 of the manifest, to be published with it: {made.digest}")
