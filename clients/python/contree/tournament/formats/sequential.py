"""One bot against another, until a sequential test has decided (``statistics.sprt``).

The boards of the longest possible event are fixed before the first card; the test says after which
of them it is over. It sees boards in their order and without gaps, so what else is in play or has
been finished makes no difference; tables beyond the deciding board are cancelled, or do not count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from contree.tournament.formats.base import Opened, Report, Results, tables_on
from contree.tournament.schedule import Pairing, Side, Table
from contree.tournament.statistics.imps import MOST, imps
from contree.tournament.statistics.sprt import Design, Look, Verdict, judge, looks

IMP_BINS: Final = tuple(float(value) for value in range(-MOST, MOST + 1))
RACE_BINS: Final = (-1.0, -0.5, 0.0, 0.5, 1.0)
"""Lost both races, lost one and drew one ... won both."""


@dataclass(frozen=True, slots=True)
class Sequential:
    """At most ``boards`` boards between two bots."""

    bots: tuple[str, ...]
    boards: int
    design: Design
    races: bool = False

    @property
    def asks_every(self) -> int | None:
        """As often as the test looks."""
        return self.design.every

    @property
    def pairing(self) -> Pairing:
        """The two."""
        return Pairing(*self.bots)

    def every_table(self) -> tuple[Table, ...]:
        """The tables of the longest possible event."""
        return tables_on(range(1, self.boards + 1), [self.pairing])

    def look(self, results: Results) -> Look:
        """What the test has come to."""
        return judge(self.design, self._bins, list(self._values(results)))

    def looks(self, results: Results) -> tuple[Look, ...]:
        """The way there: every look that has been taken."""
        return tuple(looks(self.design, self._bins, list(self._values(results))))

    @property
    def _bins(self) -> tuple[float, ...]:
        return RACE_BINS if self.races else IMP_BINS

    def opened(self, results: Results) -> Opened:
        """All boards; when the test has decided, those up to its last look."""
        look = self.look(results)
        last = self.boards if look.verdict is Verdict.OPEN else look.boards
        tables = tables_on(range(1, last + 1), [self.pairing])
        beyond = tables_on(range(last + 1, self.boards + 1), [self.pairing])
        surplus = tuple(table for table in beyond if table.id in results)
        return Opened(tables, len(tables), complete=True, surplus=surplus)

    def report(self, results: Results) -> Report:
        """The verdict."""
        look, design = self.look(results), self.design
        first, second = self.pairing
        bounds = f"{design.lower:.2f} to {design.upper:.2f}"
        if not look.boards:
            state = f"no look yet: the first is after {design.looks(self.boards).start} boards"
        elif look.verdict is Verdict.OPEN:
            state = f"open after {look.boards} boards: LLR {look.llr:+.2f} within {bounds}"
        else:
            meaning = f"{design.t1 if look.verdict is Verdict.H1 else design.t0:g}"
            state = (
                f"{look.verdict.value} (t = {meaning}) accepted after {look.boards} boards: "
                f"LLR {look.llr:+.2f} outside {bounds}"
            )
        lines = (
            f"Sequential test, {first} against {second}: {state}.",
            f"H0: t = {design.t0:g}, H1: t = {design.t1:g}, t being the mean of a board in "
            f"{'races' if self.races else 'IMPs'} over its standard deviation; errors at most "
            f"about {design.alpha:g} and {design.beta:g}. The intervals of an event that stops by "
            "its results are too narrow by a little.",
        )
        data = {
            "verdict": look.verdict.value,
            "boards": look.boards,
            "llr": round(look.llr, 6),
            "lower": round(design.lower, 6),
            "upper": round(design.upper, 6),
            "design": design._asdict(),
            "looks": [
                {"boards": one.boards, "llr": round(one.llr, 6)} for one in self.looks(results)
            ],
        }
        return Report({}, lines, data)

    def _values(self, results: Results) -> Iterator[float]:
        """What the boards were worth, as far as they are finished without a gap."""
        for board in range(1, self.boards + 1):
            a, b = (results.get(Table(board, self.pairing, side, 1).id) for side in Side)
            if a is None or b is None:
                return
            total = a.worth + b.worth
            yield total / 2 if self.races else float(imps(total))
