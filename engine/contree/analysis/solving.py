"""Whole records analysed. Needs the extra ``search``; importing it without says so."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

import contree.search  # noqa: F401 - says what is missing before anything else does
from contree.analysis.auction import OpenAuction
from contree.analysis.document import digest_of
from contree.analysis.play import CardJudge
from contree.analysis.values import Analysis, CallCost, CardCost, DealAnalysis
from contree.engine import (
    SEATS,
    Action,
    Auction,
    Bid,
    Call,
    Contract,
    Deal,
    DeckError,
    Mode,
    Record,
    RuleSet,
    Say,
    Seat,
)
from contree.engine.record import actions
from contree.search import Position, Solver

__all__ = ["Analyst"]

_FAULT: Final = re.compile(r"fault: ([NESW]) (\w+) in deal (\d{1,9})(, replaced by the house)?")
"""How a server notes it (docs/notation.md)."""
_HOUSE_ACTS: Final = "timeout"
"""The fault at which the house acts even when it is forgiven: once, for that decision."""


class Analyst:
    """Analyses records, one after the other. Not for several threads at a time.

    Its functions are compiled, or loaded, at the first record.
    """

    def __init__(self, *, worlds: int = 40, seed: str = "") -> None:
        """``worlds`` are drawn for each card, the same for the same ``seed``; 0 for none."""
        self._worlds: Final = worlds
        self._seed: Final = seed
        self._solver: Final = Solver()
        self._seer: Final = Solver()
        self._judging: tuple[tuple[RuleSet, Contract], CardJudge] | None = None

    def analyse(self, record: Record, name: str, *, event: str = "") -> Analysis:
        """The cost of all that was decided in a match. What is drawn depends on the seed and the
        places of cards, not on the name. ``event`` is where the record comes from, for ``totals``.

        ValueError when the rules count eight tricks for less than seven (``stakes_of``);
        IllegalAction or DeckError, as ``Record.replay``, when the record breaks its rules.
        """
        return Analysis(
            event,
            name,
            digest_of(record),
            record.rules.name,
            self._worlds,
            self._seed,
            record.mode is Mode.BOARD,
            record.names,
            _house(record),
            tuple(self._deals(record)),
        )

    def _deals(self, record: Record) -> Iterator[DealAnalysis]:
        game = record.start()
        deal: _Deal | None = None
        for seat, action in actions(record):
            if game.deal is None:
                raise DeckError("the match was over before this deal")
            if deal is None:
                deal = self._begun(game.deal, len(game.finished), record)
            deal.judge(game.deal, seat, action)
            game = game.apply(seat, action)
            if len(game.finished) > deal.index:
                yield deal.finished(game.finished[-1])
                deal = None
        if game.deal is not None and len(record.deals) > len(game.finished):
            # Broken off, maybe before the first call.
            yield (deal or self._begun(game.deal, len(game.finished), record)).finished(game.deal)

    def _begun(self, deal: Deal, index: int, record: Record) -> _Deal:
        rules = deal.rules
        leader = rules.following[deal.dealer]
        outcomes = {
            strain: self._solver.outcome(Position.start(rules, strain, deal.dealt, leader))
            for strain in rules.strains
        }
        auction = OpenAuction(rules, deal.dealer, deal.dealt, outcomes)
        return _Deal(index, record.number + index, auction, self._judge_card)

    def _judge_card(self, deal: Deal, action: Action, place: int, index: int) -> CardCost:
        assert deal.contract is not None
        judge = self._judge_of(deal.rules, deal.contract)
        return judge.judge(deal, action, place, self._worlds, f"{self._seed}/{index}/{place}")

    def _judge_of(self, rules: RuleSet, contract: Contract) -> CardJudge:
        if self._judging is None or self._judging[0] != (rules, contract):
            judge = CardJudge(rules, contract, self._solver, self._seer)
            self._judging = (rules, contract), judge
        return self._judging[1]


JudgeCard = Callable[[Deal, Action, int, int], CardCost]


class _Deal:
    """A deal as it is gone through."""

    def __init__(self, index: int, number: int, auction: OpenAuction, judge: JudgeCard) -> None:
        self.index: Final = index
        self._number: Final = number
        self._auction: Final = auction
        self._judge_card: Final = judge
        self._calls: list[CallCost] = []
        self._cards: list[CardCost] = []
        self._played = 0

    def judge(self, deal: Deal, seat: Seat, action: Action) -> None:
        """Note what it costs that this seat does this now."""
        if deal.setting is not None:
            if len(deal.choices) > 1:
                self._cards.append(self._judge_card(deal, action, self._played, self.index))
            self._played += 1
        elif len(deal.choices) > 1:
            assert isinstance(action, Bid | Say)
            self._calls.append(self._call(deal.auction, seat, action))

    def _call(self, auction: Auction, seat: Seat, call: Call) -> CallCost:
        best = self._auction.best(auction)
        lost = abs(best.marks - self._auction.worth(auction.after(seat, call)))
        return CallCost(len(auction.calls), seat, call, lost, best.call if lost else call)

    def finished(self, deal: Deal) -> DealAnalysis:
        """What was found, once the deal is over or broken off."""
        bid = deal.auction.over
        return DealAnalysis(
            self._number,
            deal.dealer,
            deal.contract if bid else None,
            None if deal.result is None else deal.result.marks,
            self._auction.par(),
            self._auction.contract(deal.contract) if bid else None,
            tuple(self._calls),
            tuple(self._cards),
        )


def _house(record: Record) -> tuple[tuple[int, ...], ...]:
    """By seat, the deals in which the house acted."""
    found: dict[Seat, set[int]] = {seat: set() for seat in SEATS}
    for told in filter(None, map(_FAULT.fullmatch, record.notes)):
        letter, kind, number, replaced = told.groups()
        if replaced:
            found[Seat.parse(letter)].update(range(int(number), len(record.deals) + 1))
        elif kind == _HOUSE_ACTS:
            found[Seat.parse(letter)].add(int(number))
    return tuple(tuple(sorted(found[seat])) for seat in SEATS)
