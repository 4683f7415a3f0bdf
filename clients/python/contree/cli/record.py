"""`contree record`: records of matches, shown, converted, verified."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from contree.cli.errors import FAILED, BadInput

if TYPE_CHECKING:
    from contree.cli.verifying import Seed, Verdict
    from contree.tournament.proof import EventProof

app = typer.Typer(
    help="Records of matches: show, convert, verify.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

_File = Annotated[
    list[Path],
    typer.Argument(metavar="FILE", help="A record, as text or JSON; - is standard input."),
]


@app.command()
def show(
    file: _File,
    as_json: Annotated[bool, typer.Option("--json", help="Print the JSON form.")] = False,
) -> None:
    """A match to read: its hands, auctions, tricks and scores."""
    from contree.cli.records import read, the_one

    record = read(the_one(file))
    if as_json:
        from contree.engine.notation import format_record_json

        _print(format_record_json(record))
        return
    from contree.cli.output import stdout
    from contree.cli.render import record_screen

    stdout().print(record_screen(record))


@app.command()
def convert(
    file: _File,
    to: Annotated[str, typer.Option("--to", metavar="json|text", help="The form to print.")],
) -> None:
    """The same record in the other form (docs/notation.md)."""
    from contree.cli.records import read, the_one
    from contree.engine.notation import format_record, format_record_json

    forms = {"json": format_record_json, "text": format_record}
    if to not in forms:
        raise BadInput(f"There is no form {to!r}: write --to json or --to text.")
    _print(forms[to](read(the_one(file))))


@app.command()
def verify(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Records, or the folder of an event.")
    ],
    *,
    seed: Annotated[
        str | None,
        typer.Option(metavar="HEX", help="Compute the cards again from this seed."),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="The label of the seed: of an event, its name."),
    ] = None,
    entropy: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Public entropy that was mixed into the seed."),
    ] = None,
    event: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The event's folder, where a record lies elsewhere."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per record.")
    ] = False,
) -> None:
    """Whether records are right: every action, the scores, the digest and the cards.

    The cards are computed again from --seed, or from the seed that the record's event has revealed.
    The first line that is wrong is named. The exit code is 1 when a record is wrong.
    """
    from contree.cli.verifying import Seed

    if seed is None and (label is not None or entropy is not None):
        raise BadInput("--label and --entropy belong to a seed: give --seed too.")
    given = None if seed is None else Seed.parse(seed, label or "", entropy)
    verdicts = []
    for path in files:
        if path.is_dir():
            verdicts += _verify_event(path, given, as_json=as_json)
        else:
            verdicts.append(_verify_file(path, given, label, event, as_json=as_json))
    if not all(verdict.right for verdict in verdicts):
        raise typer.Exit(FAILED)


def _verify_file(
    path: Path, seed: Seed | None, label: str | None, event: Path | None, *, as_json: bool
) -> Verdict:
    from contree.cli.verifying import folder_of, verify

    folder = event if event is not None else folder_of(path)
    proof = None if folder is None else _proof(folder)
    if event is not None and proof is not None and proof.table(path.stem) is None:
        raise BadInput(f"The event {proof.id} has no table {path.stem}: records bear their names.")
    if proof is not None and seed is not None and label is None:
        seed = seed._replace(label=proof.label)
    verdict = verify(path, seed, proof)
    hidden = proof is not None and proof.seed is None and seed is None
    _tell(verdict, "the event has not revealed its seed yet" if hidden else "", as_json=as_json)
    return verdict


def _verify_event(folder: Path, seed: Seed | None, *, as_json: bool) -> list[Verdict]:
    """All records of an event, and whether any is missing."""
    from contree.cli.output import say
    from contree.cli.verifying import Verdict, commitments, verify

    proof = _proof(folder)
    if seed is not None and not seed.label:
        seed = seed._replace(label=proof.label)
    hidden = "" if seed or proof.seed else "the event has not revealed its seed yet"
    verdicts = []
    for table in proof.tables.values():
        path = proof.record(table)
        if path.exists():
            verdict = verify(path, seed, proof)
        elif proof.lacks(table):
            problem = f"the table {table.id} has a result, but no record"
            verdict = Verdict(str(path), place="the folder", problem=problem)
        else:
            continue
        _tell(verdict, hidden, as_json=as_json)
        verdicts.append(verdict)
    if not as_json:
        for line in commitments(seed, proof):
            say(line)
        right = sum(verdict.right for verdict in verdicts)
        say(f"Event {proof.id}: {right} of {len(verdicts)} records are right.")
    return verdicts


def _proof(folder: Path) -> EventProof:
    from contree.cli.errors import Failure
    from contree.tournament.errors import ResultsError
    from contree.tournament.proof import EventProof

    try:
        return EventProof.read(folder)
    except ResultsError as error:
        raise Failure(str(error)) from None


def _tell(verdict: Verdict, hidden: str, *, as_json: bool) -> None:
    from contree.cli.output import print_json, say

    if as_json:
        print_json(verdict.to_json())
    elif verdict.right:
        from contree.cli.render import verdict_line

        typer.echo(verdict_line(verdict.file, verdict.game, verdict.actions, verdict.cards, hidden))
    else:
        say(f"contree: {verdict.file}, {verdict.place}: {verdict.problem}.")


def _print(text: str) -> None:
    typer.echo(text, nl=False)
