"""`contree leak-test`: the proof that nobody at a recorded table was shown what is hidden."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from contree.cli.errors import FAILED

if TYPE_CHECKING:
    from contree.testing.leaks import LeakReport


def leak_test(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="RECORD...", help="Records, as text or JSON; - is standard input."),
    ],
    *,
    worlds: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, help="Exchanges of the hidden cards for each moment and viewer."
        ),
    ] = 4,
    seed: Annotated[
        str, typer.Option(metavar="TEXT", help="Draws other exchanges, and other actions to try.")
    ] = "",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per record.")
    ] = False,
) -> None:
    """Prove of recorded matches that the service shows nobody what is hidden.

    After every action, for each seat and for a spectator before disclosure, the cards that they
    cannot see are exchanged among the hands, and the answers to an open contre window, too. All
    that the server would send them, refusals of wrong actions and its log included, must stay the
    same, byte by byte. Where it does not, the moment, the seat and the field are named, and the
    exit code is 1.
    """
    from contree.cli.output import print_json, stdout
    from contree.cli.records import read
    from contree.testing.leaks import leak_test as prove

    leaking = False
    for path in files:
        record = read(path)
        report = prove(record, worlds=worlds, seed=seed)
        leaking = leaking or report.difference is not None
        if as_json:
            print_json({"record": str(path), **_values(report)})
            continue
        deals = len(record.deals)
        stdout().print(
            f"{path}: {deals} {'deal' if deals == 1 else 'deals'}, rules {record.rules.name}",
            soft_wrap=True,
            highlight=False,
            markup=False,
        )
        for line in _lines(report):
            stdout().print(f"  {line}", soft_wrap=True, highlight=False, markup=False)
    if leaking:
        raise typer.Exit(FAILED)


def _lines(report: LeakReport) -> list[str]:
    kinds: Counter[str] = Counter()
    for name, count in report.compared.items():
        kinds[name.rpartition(": ")[2].partition(",")[0].partition(" ")[0]] += count
    told = ", ".join(f"{count:,} {name}" for name, count in kinds.most_common())
    lines = [
        f"{report.moments:,} moments, each with the eyes of four seats and a spectator",
        f"{report.worlds:,} exchanges of hidden cards, {report.windows:,} with other answers in an "
        "open contre window",
        f"{report.frames:,} pairs of frames compared: {told}",
    ]
    if report.difference is None:
        return [*lines, "no difference: nobody is shown what is hidden"]
    return [*lines, f"LEAK at {report.difference}"]


def _values(report: LeakReport) -> dict[str, object]:
    difference = report.difference
    return {
        "moments": report.moments,
        "exchanges": report.worlds,
        "in_windows": report.windows,
        "frames": report.frames,
        "compared": dict(report.compared),
        "leak": None if difference is None else difference._asdict(),
    }
