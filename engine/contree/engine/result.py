"""The result of a deal: what was played for, what came of it, and what each pair marks."""

from __future__ import annotations

from typing import Final, NamedTuple

from contree.engine.contract import Contract
from contree.engine.named import new
from contree.engine.points import Points, taken_points
from contree.engine.rules import RuleSet
from contree.engine.scoring import Score, score, tally
from contree.engine.table import SEATS, Seat, Team

__all__ = ["PASSED_OUT", "DealResult", "Points", "played_out"]


class DealResult(NamedTuple):
    """How a deal ended. Pairs are (North-South, East-West)."""

    contract: Contract | None
    """None: the deal was passed out."""
    points: tuple[Points, Points]
    """Card points taken, with those of the last trick, without belote."""
    tricks: tuple[int, int]
    belotes: tuple[int, int]
    """Belotes that count, 20 points each."""
    score: Score | None
    """The marks from the takers' side, with their parts; None when passed out."""
    marks: tuple[int, int]
    """What each pair adds to its match score."""

    @property
    def winner(self) -> Team | None:
        """The pair that won the contract: the takers if they made it, else the defence; None when
        the deal was passed out.
        """
        if self.contract is None or self.score is None:
            return None
        return self.contract.team if self.score.made else self.contract.defence


PASSED_OUT: Final = DealResult(None, (0, 0), (0, 0), (0, 0), None, (0, 0))
"""The result of a deal that all four passed."""


def played_out(
    rules: RuleSet,
    contract: Contract,
    winners: tuple[Seat, ...],
    taken: tuple[int, int],
    belotes: tuple[int, int],
) -> DealResult:
    """The result after the eighth trick: who won each, the cards taken and the belotes by pair."""
    bid, taker, doubling, _, _ = contract
    by_seat = [winners.count(seat) for seat in SEATS]
    points = taken_points(rules, bid.strain, taken, by_seat, winners[-1])
    summary = tally(contract, points, by_seat, belotes)
    scored = score(rules, bid.level, bid.strain, doubling, summary)
    marks = scored.taker, scored.defence
    if taker & 1:
        marks = scored.defence, scored.taker
    tricks = by_seat[0] + by_seat[2], by_seat[1] + by_seat[3]
    return new(DealResult, (contract, points, tricks, belotes, scored, marks))
