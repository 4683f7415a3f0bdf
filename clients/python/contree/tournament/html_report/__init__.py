"""The report of an event: one HTML page that holds all it needs, made from the event's folder.

    source    reads the folder and counts afresh
    boards    the boards for the board explorer, ``partings`` where their tables parted, ``costs``
              what their decisions cost
    timing    what time bots took; ``conduct`` their faults
    formats   rounds, bracket, sequential test; ``facts`` how the event was held
    sentences what is said in words
    plots     figures, drawn by ``drawing``
    page      puts all of it into ``templates``; ``words`` are its numbers

Everything but reading and writing the files is pure: the same folder gives the same page.
"""

from __future__ import annotations

from pathlib import Path

from contree.engine.disguise import NO_DISGUISE
from contree.tournament.errors import ResultsError
from contree.tournament.export import REPORT
from contree.tournament.html_report.boards import Explorer, explorer
from contree.tournament.html_report.costs import Analyses
from contree.tournament.html_report.page import page
from contree.tournament.html_report.source import Source
from contree.tournament.layout import worn_at
from contree.tournament.results import write_whole

__all__ = ["boards_of", "report_text", "write_report"]


def write_report(folder: Path, output: Path | None = None, analysis: Path | None = None) -> Path:
    """Make the page of the event in a folder; where it is. ResultsError when that cannot be.

    It is written to ``output``, by default to ``report.html`` in the folder. ``analysis`` is a file
    of what decisions cost, which is shown at the cards.
    """
    path = folder / REPORT if output is None else output
    text = report_text(folder, analysis)
    try:
        write_whole(path, text)
    except OSError as error:
        raise ResultsError(f"The report cannot be written to {path}: {error.strerror}.") from None
    return path


def report_text(folder: Path, analysis: Path | None = None) -> str:
    """The page of the event in a folder. ResultsError when there is none, or it cannot be read."""
    source = Source.read(folder)
    if analysis is None:
        return page(source, boards_of(source))
    boards = boards_of(source, Analyses.read(analysis))
    if boards is None:
        raise ResultsError(
            f"Cards, and what they cost, are shown once the seed of {source.proof.id} is revealed: "
            "at its end. Leave the analysis out until then."
        )
    if not boards.analysed:
        raise ResultsError(
            f"Nothing in {analysis} is of a record of {source.proof.id}: make it by contree "
            f"analyse {folder} --json."
        )
    return page(source, boards)


def boards_of(source: Source, analyses: Analyses | None = None) -> Explorer | None:
    """The boards of an event for the board explorer; None while its seed is not revealed."""
    proof = source.proof
    if proof.seed is None:
        return None
    seed = proof.seed
    return explorer(
        proof.rules,
        source.schedule.bots,
        closed=source.closed,
        results=source.derived.results,
        read=source.record,
        worn=lambda table: NO_DISGUISE if proof.races else worn_at(table, seed),
        races=proof.races,
        analyses=analyses,
    )
