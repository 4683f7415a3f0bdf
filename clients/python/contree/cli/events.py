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
