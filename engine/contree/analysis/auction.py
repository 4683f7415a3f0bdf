"""Auctions with open cards: what a contract comes to, what a call gives away, and par.

All see all hands, all will play perfectly, and all know it. Then an auction is a game that can be
solved from its end: a contract is worth its marks, a passed-out deal nothing, and whoever speaks
takes what is best for the own pair. Par is what the first call of the deal is worth. Perfect play
is for outcomes; where marks fall as these rise, it is not perfect in marks (docs/analyse.md).

The engine's own ``Auction`` says what may be said and what follows. A bid's worth does not depend
on what was said before it, so each is looked at once, the highest first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import takewhile
from typing import Final, NamedTuple

from contree.analysis.belotes import Valued, belotes_of
from contree.analysis.values import Par
from contree.engine import (
    DECLINE,
    PASS,
    SEATS,
    Auction,
    Bid,
    Call,
    Contract,
    DecisionKind,
    RuleSet,
    Seat,
    Strain,
)

__all__ = ["OpenAuction", "Worth"]


class Worth(NamedTuple):
    """What a call comes to if all bid and play perfectly after it: marks, North-South's less those
    of East-West.
    """

    marks: int
    call: Call


class OpenAuction:
    """The auctions of one deal with open cards."""

    def __init__(
        self,
        rules: RuleSet,
        dealer: Seat,
        dealt: Sequence[int],
        outcomes: Mapping[Strain, int],
    ) -> None:
        """``outcomes`` of perfect play in each strain that can be bid, by the solver. It depends
        on the strain alone, since the seat after the dealer leads whoever takes.
        """
        self._rules: Final = rules
        self._outcomes: Final = outcomes
        self._belotes: Final = {strain: belotes_of(rules, strain, dealt) for strain in outcomes}
        self._mark = cache(self._mark_of)
        self._start: Final = Auction.start(rules, dealer)
        # By rung and seat: the best that the seat can bid over this rung; -1 is before any bid.
        self._raises: dict[tuple[int, Seat], Worth] = {}
        self._look_at_bids()

    def contract(self, contract: Contract | None) -> int:
        """What a contract comes to."""
        if contract is None:
            return 0
        # Which of a pair bid it makes no difference to its marks.
        return self._mark(Contract(contract.bid, SEATS[contract.taker & 1], contract.doubling))

    def best(self, auction: Auction) -> Worth:
        """The best that can be said now; of equals the quietest: no, then contre, then the lowest
        bid. ValueError when the auction is over.
        """
        if not auction.owed:
            raise ValueError("the auction is over")
        seat = auction.owed[0]
        quiet = PASS if auction.kind is DecisionKind.CALL else DECLINE
        said = sorted(_says(auction), key=lambda call: call is not quiet)
        found = [Worth(self.worth(auction.after(seat, call)), call) for call in said]
        if type(auction.choices[-1]) is Bid:
            found.append(self._raises[auction.rung, seat])
        return _pick(seat, found)

    def worth(self, auction: Auction) -> int:
        """What the auction comes to from here on."""
        return self.best(auction).marks if auction.owed else self.contract(auction.contract)

    def par(self) -> Par:
        """Par, and the contract that a perfect auction comes to."""
        auction = self._start
        while auction.owed:
            auction = auction.after(auction.owed[0], self.best(auction).call)
        return Par(auction.contract, self.worth(self._start))

    def _look_at_bids(self) -> None:
        """Fill ``_raises`` from the highest rung down."""
        at_turn = {}
        auction = self._start
        for _ in SEATS:
            seat = auction.owed[0]
            at_turn[seat] = auction
            auction = auction.after(seat, PASS)
        rules = self._rules
        for rung in range(len(rules.ladder) - 1, -1, -1):
            for seat in SEATS:
                found = [
                    Worth(self.worth(at_turn[seat].after(seat, bid)), bid)
                    for bid in (Bid(rules.ladder[rung], strain) for strain in rules.strains)
                ]
                higher = self._raises.get((rung, seat))
                self._raises[rung - 1, seat] = _pick(seat, [*found, *([higher] if higher else [])])

    def _mark_of(self, contract: Contract) -> int:
        outcome = self._outcomes[contract.strain]
        return Valued(self._rules, contract).of(outcome, self._belotes[contract.strain])


def _pick(seat: Seat, found: Sequence[Worth]) -> Worth:
    """The first of those that are best for this seat's pair."""
    best = min if seat & 1 else max
    return best(found, key=lambda worth: worth.marks)


def _says(auction: Auction) -> Iterator[Call]:
    """What can be said that is no bid: the bids come last."""
    return takewhile(lambda call: not isinstance(call, Bid), auction.choices)
