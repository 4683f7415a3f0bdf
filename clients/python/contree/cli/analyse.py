"""`contree analyse`: what the decisions of recorded matches cost, against a perfect player."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from contree.cli.output import print_json


def analyse(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="RECORD...",
            help="Records, as text or JSON; - is standard input. Or events: their folders, or "
            "their exports.",
        ),
    ],
    *,
    worlds: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            max=100_000,
            help="Worlds drawn for each card; 0 for open cards only.",
        ),
    ] = 40,
    seed: Annotated[str, typer.Option(metavar="TEXT", help="Draws other worlds.")] = "",
    worst: Annotated[
        int, typer.Option(metavar="N", min=0, help="How many of the costliest cards are listed.")
    ] = 10,
    workers: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, max=1024, help="Processes; default: all cores."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per record.")
    ] = False,
) -> None:
    """What each decision cost, against a solver that plays perfectly.

    A card: in the deal as it lay, and on average over worlds that its seat could not tell apart, so
    that a right card that was unlucky is no fault. A call: with open cards, against par, what the
    deal comes to when all bid and play perfectly.
    """
    from contree.cli.analysing import How, analysed, records_in

    records = records_in(paths)
    processes = min(workers or len(os.sched_getaffinity(0)), len(records))
    done = []
    with closing(analysed(How(worlds, seed), records, processes)) as analyses:
        for analysis in analyses:
            if as_json:
                from contree.analysis import analysis_to_dict

                print_json(analysis_to_dict(analysis))
            else:
                done.append(analysis)
    if not as_json:
        from contree.cli.output import stdout
        from contree.cli.render.analysis import analysis_screen

        stdout().print(analysis_screen(done, worst))
