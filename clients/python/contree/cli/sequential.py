"""The sequential test over the boards of `contree simulate --sprt`: the one that events use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from contree.tournament.statistics.sprt import Look


def look_at(points: Sequence[float]) -> Look:
    """What the test has come to over these boards, which are in order and without gaps."""
    from contree.tournament.formats.sequential import IMP_BINS
    from contree.tournament.statistics.imps import imps
    from contree.tournament.statistics.sprt import Design, judge

    return judge(Design(), IMP_BINS, [float(imps(2 * board)) for board in points])


def is_over(look: Look) -> bool:
    """Whether it has decided."""
    from contree.tournament.statistics.sprt import Verdict

    return look.verdict is not Verdict.OPEN


def sentence(look: Look, points: Sequence[float]) -> str:
    """What it says; while it is open, with the boards that a 95% interval would need."""
    from contree.tournament.statistics import estimate
    from contree.tournament.statistics.needed import to_separate
    from contree.tournament.statistics.sprt import Design, Verdict

    design = Design()
    bounds = f"{design.lower:.2f} to {design.upper:.2f}"
    if not look.boards:
        first = design.looks(design.least).start
        return f"Sequential test: no look yet, the first is after {first} boards."
    if look.verdict is not Verdict.OPEN:
        t = design.t1 if look.verdict is Verdict.H1 else design.t0
        return (
            f"Sequential test: {look.verdict.value} (t = {t:g}) accepted after {look.boards} "
            f"boards, LLR {look.llr:+.2f} outside {bounds}."
        )
    needed = to_separate(estimate(points))
    more = "" if needed is None else f" Apart after about {needed.boards} boards, as it goes."
    return (
        f"Sequential test: open after {look.boards} boards, LLR {look.llr:+.2f} within {bounds}."
        + more
    )


def as_plain(look: Look) -> dict[str, Any]:
    """The same, for JSON."""
    return {"verdict": look.verdict.value, "boards": look.boards, "llr": round(look.llr, 6)}
