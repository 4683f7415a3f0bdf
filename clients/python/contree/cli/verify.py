"""`contree verify`: an event proved from the files that were published."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from contree.cli.errors import FAILED, BadInput, Failure

if TYPE_CHECKING:
    from contree.tournament.audit import Audit

NOT_ALL_PROVED: Final = 3
"""The exit code when nothing is wrong, but cards and seats cannot be proved yet."""
_MOST: Final = 20
"""Findings that are shown; the rest is counted."""


def verify(
    event: Annotated[
        Path, typer.Argument(metavar="EVENT", help="An exported event: a folder or an archive.")
    ],
    *,
    manifest: Annotated[
        str | None,
        typer.Option("--manifest", metavar="SHA256", help="The digest published with the event."),
    ] = None,
    commitment: Annotated[
        str | None,
        typer.Option(metavar="SHA256", help="The commitment published before the first card."),
    ] = None,
    digest: Annotated[
        str | None,
        typer.Option(
            "--event", metavar="SHA256", help="That of the whole event, from before the first card."
        ),
    ] = None,
    partial: Annotated[
        bool, typer.Option("--partial", help="Exit with 0 also when not all can be proved yet.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Whether an event is what it says: cards, seats, every action, scores, boards and standings.

    All is computed again from the files alone. What is wrong is named by file and line. The exit
    code is 0 when all is proved, 1 when anything is wrong, 2 when it was asked for what cannot be,
    and 3 when nothing is wrong but not all can be proved yet: the event is not over, or its seed
    not revealed.
    """
    from contree.cli.output import print_json, say
    from contree.tournament.audit import audit
    from contree.tournament.bundle import read_files
    from contree.tournament.errors import ResultsError
    from contree.tournament.manifest import MANIFEST

    manifest, commitment = _digest("manifest", manifest), _digest("commitment", commitment)
    digest = _digest("digest", digest)
    try:
        files = read_files(event)
    except ResultsError as error:
        raise Failure(str(error)) from None
    own = MANIFEST not in files and event.is_dir() and (event / "lock").exists()
    found = audit(files, sealed=not own)
    if found.right:  # before anything is said of it: the first word may be all that is read
        _compare("SHA-256 of what was laid down", digest, found.laid_down)
        _compare("manifest", manifest, found.manifest)
        _compare("commitment", commitment, found.commitment)
    if as_json:
        print_json(_json(found))
    else:
        _tell(event, found)
        if own:
            say("This is the folder of the runner: contree tournament export makes a manifest.")
    if not found.right:
        raise typer.Exit(FAILED)
    if not found.complete and not partial:
        raise typer.Exit(NOT_ALL_PROVED)


def _digest(what: str, published: str | None) -> str | None:
    if published is None:
        return None
    given = published.strip().lower()
    if len(given) != 64 or not set(given) <= set("0123456789abcdef"):
        raise BadInput(f"A {what} is given as 64 hex digits, not as {published!r}.")
    return given


def _compare(what: str, published: str | None, here: str) -> None:
    if published is not None and published != here:
        raise Failure(f"The {what} of this event is {here or 'missing'}, not the published one.")


def _tell(path: Path, found: Audit) -> None:
    from contree.cli.output import say

    if not found.right:
        for finding in found.findings[:_MOST]:
            say(f"contree: {path}: {finding}.")
        if len(found.findings) > _MOST:
            say(f"contree: {path}: and {len(found.findings) - _MOST} more.")
        return
    word = "right" if found.complete else "nothing is wrong, but not all is proved"
    typer.echo(
        f"Event {found.event}: {word}. {found.tables} tables; {found.records} records played "
        "again; boards and standings computed again, byte for byte."
    )
    if not found.complete:
        typer.echo(
            "Not proved: that the cards and seats are those of the seed, and that no table is left "
            "out. That takes the whole event, with its seed revealed."
        )
    if found.forfeits:
        typer.echo(
            f"Not proved: that the {found.forfeits} tables that were forfeited could not be played."
        )
    typer.echo(f"Commitment of the seed: {found.commitment}")
    typer.echo(f"SHA-256 of the event as it was laid down: {found.laid_down}")
    if found.manifest:
        typer.echo(f"SHA-256 of the manifest: {found.manifest}")
    for name in found.unproved:
        typer.echo(f"{name} is vouched for by the manifest alone.")


def _json(found: Audit) -> dict[str, object]:
    values = found._asdict()
    return values | {
        "right": found.right,
        "proved": found.right and found.complete,
        "findings": [finding._asdict() for finding in found.findings],
        "unproved": list(found.unproved),
    }
