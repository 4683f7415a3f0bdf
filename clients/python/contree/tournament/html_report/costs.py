"""What decisions cost, for the board explorer: analyses of `contree analyse`, undisguised.

Pure but for reading the file. ``boards.py`` puts it into its document, ``explorer.js`` reads it:

    a deal   [par, its marks, marks reached, calls, cards]; marks are those of North-South less
             those of East-West, par "" for four passes
    a call   [place, seat, call, marks, better]
    a card   [place, marks seen, twice their error, marks open, better]; null for what there is not
    a table  [deal, place, what it surely cost] of its worst card, null for none

Calls and cards that cost nothing are not in there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from contree.analysis import (
    Analysis,
    CallCost,
    CardCost,
    DealAnalysis,
    analysis_from_dict,
    check,
    digest_of,
)
from contree.engine import Contract, Record
from contree.engine.disguise import Disguise
from contree.tournament.errors import ResultsError

__all__ = ["Analyses", "deal_costs", "worst_card"]


class Analyses:
    """The lines of a file of analyses, by the digest of their records."""

    def __init__(self, name: str, lines: Mapping[str, tuple[int, str]]) -> None:
        self._name: Final = name
        self._lines: Final = lines

    @classmethod
    def read(cls, path: Path) -> Analyses:
        """Those in a file that `contree analyse --json` has printed. ResultsError, naming the line,
        when it holds anything else.
        """
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ResultsError(f"The analysis {path} cannot be read ({error}).") from None
        lines = {}
        # Lines end with a line feed alone: texts in them may hold U+2028 and its like as they are.
        for number, line in enumerate(text.rstrip().split("\n") if text.strip() else (), start=1):
            try:
                digest = str(json.loads(line)["sha256"])
            except (KeyError, RecursionError, TypeError, ValueError):
                raise ResultsError(
                    f"{path}, line {number}: this is no line of contree analyse --json."
                ) from None
            lines[digest] = number, line
        return cls(str(path), lines)

    def of(self, record: Record) -> Analysis | None:
        """That of a record; None when there is none. ResultsError when it cannot be read, or is not
        of this record.
        """
        number, line = self._lines.get(digest_of(record), (0, ""))
        if not number:
            return None
        try:
            analysis = analysis_from_dict(json.loads(line))
            check(analysis, record)
        except ValueError as error:
            raise ResultsError(f"{self._name}, line {number}: {error}.") from None
        return analysis


def deal_costs(deal: DealAnalysis, worn: Disguise) -> list[Any]:
    """The costs of a deal as it would have been without its disguise."""
    back = worn.inverse
    sign = -1 if back.rotation & 1 else 1
    return [
        "" if deal.par.contract is None else str(_undone(deal.par.contract, back)),
        sign * deal.par.marks,
        None if deal.reached is None else sign * deal.reached,
        [_call(call, back) for call in deal.calls if call.marks],
        [_card(card, back) for card in deal.cards if card.blame > 0 or card.open.marks],
    ]


def worst_card(analysis: Analysis) -> list[Any] | None:
    """Where a table's worst card is: what cost most for sure, and of equals most on average."""
    found = [
        (card.surely, card.blame, index, card.place)
        for index, deal in enumerate(analysis.deals)
        for card in deal.cards
        if card.blame > 0
    ]
    if not found:
        return None
    surely, _, deal, place = max(found, key=lambda one: (*one[:2], -one[2], -one[3]))
    return [deal, place, round(surely, 1)]


def _undone(contract: Contract, back: Disguise) -> Contract:
    bid = contract.bid._replace(strain=back.strain(contract.strain))
    return contract._replace(bid=bid, taker=back.seat(contract.taker))


def _call(call: CallCost, back: Disguise) -> list[Any]:
    said, best = back.action(call.call), back.action(call.best)
    return [call.place, int(back.seat(call.seat)), str(said), call.marks, str(best)]


def _card(card: CardCost, back: Disguise) -> list[Any]:
    seen = card.seen
    best = back.action(card.open.best if seen is None else seen.best)
    mean = error = None
    if seen is not None:
        mean = round(seen.marks, 1)
        error = None if seen.marks_error is None else round(2 * seen.marks_error, 1)
    return [card.place, mean, error, card.open.marks, str(best)]
