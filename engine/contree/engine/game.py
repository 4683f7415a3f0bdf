"""A match at one table: one board, or a race of deals to a target."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from contree.engine.actions import Action
from contree.engine.deal import Deal, DealResult, DecisionKind
from contree.engine.errors import IllegalAction
from contree.engine.options import MatchEndTie
from contree.engine.rules import RuleSet
from contree.engine.shuffle import Deals
from contree.engine.table import Seat, Team

__all__ = ["Game", "Mode", "Outcome", "Termination"]


class Mode(Enum):
    """How a match runs."""

    BOARD = "board"
    """One deal, given by the board number; four passes end it at 0-0."""
    RACE = "race"
    """Deals until the target is reached, or a fixed number of deals."""


class Termination(Enum):
    """Why a match is over."""

    BOARD_DONE = "board_done"
    PASSED_OUT = "passed_out"
    """The only deal of a board was passed out: 0-0."""
    TARGET_REACHED = "target_reached"
    DEALS_PLAYED = "deals_played"


class Outcome(NamedTuple):
    """How a match ended."""

    reason: Termination
    winner: Team | None
    """None: a draw."""
    scores: tuple[int, int]
    """(North-South, East-West)."""


class Game(NamedTuple):
    """A match under way or over; ``apply`` gives the next state.

    The action that ends a deal also starts the next one: ``finished`` grows by one then.
    """

    rules: RuleSet
    mode: Mode
    deals: Deals
    """Where the cards come from: holds the seed, so a game is nothing to show to players."""
    number: int
    """The number of the current deal: the board number, or from 1, passed-out deals included."""
    scores: tuple[int, int]
    """(North-South, East-West), finished deals only."""
    deal: Deal | None
    """The current deal; None when the match is over."""
    finished: tuple[Deal, ...]
    """The deals that are done, in order."""
    outcome: Outcome | None
    """Set when the match is over."""

    @classmethod
    def start(cls, rules: RuleSet, deals: Deals, mode: Mode = Mode.RACE, number: int = 1) -> Game:
        """The match before its first call; ``number`` is the board number in board mode.

        DeckError when ``deals`` has no such deal, or what it has is none.
        """
        if mode is Mode.BOARD:
            dealer, hands = deals.board(number, rules)
        else:
            number = 1
            dealer, hands = deals.deal(number, rules)
        return cls(
            rules=rules,
            mode=mode,
            deals=deals,
            number=number,
            scores=(0, 0),
            deal=Deal.start(rules, dealer, hands),
            finished=(),
            outcome=None,
        )

    @property
    def results(self) -> tuple[DealResult, ...]:
        """The results of the finished deals."""
        return tuple(deal.result for deal in self.finished if deal.result is not None)

    @property
    def owed(self) -> tuple[Seat, ...]:
        """The seats that must act now; empty when the match is over."""
        return () if self.deal is None else self.deal.owed

    def decision_kind(self, seat: Seat) -> DecisionKind | None:
        """What this seat is asked for now, None when it owes nothing."""
        return None if self.deal is None else self.deal.decision_kind(seat)

    def legal_actions(self, seat: Seat) -> tuple[Action, ...]:
        """What this seat may do now; empty when it owes nothing."""
        return () if self.deal is None else self.deal.legal_actions(seat)

    def apply(self, seat: Seat, action: Action) -> Game:
        """The match after this action; IllegalAction when the seat does not owe it or the rules
        forbid it. DeckError when the next deal is due and ``deals`` has none.
        """
        if self.deal is None:
            raise IllegalAction(action, "the match is over")
        deal = self.deal.apply(seat, action)
        if deal.result is None:
            return self._replace(deal=deal)
        scores = (self.scores[0] + deal.result.marks[0], self.scores[1] + deal.result.marks[1])
        finished = (*self.finished, deal)
        ended = self._replace(scores=scores, deal=None, finished=finished)
        outcome = ended._judged()
        if outcome is not None:
            return ended._replace(outcome=outcome)
        number = self.number + 1
        dealer, hands = self.deals.deal(number, self.rules, deal)
        return ended._replace(number=number, deal=Deal.start(self.rules, dealer, hands))

    def _judged(self) -> Outcome | None:
        """How the match has ended with its last finished deal; None when it goes on."""
        rules, scores = self.rules, self.scores
        if self.mode is Mode.BOARD:
            passed_out = self.finished[-1].play is None
            reason = Termination.PASSED_OUT if passed_out else Termination.BOARD_DONE
            return Outcome(reason, self._ahead(), scores)
        if max(scores) >= rules.target:
            reason = Termination.TARGET_REACHED
        elif rules.deals_limit is not None and self.number >= rules.deals_limit:
            reason = Termination.DEALS_PLAYED
        else:
            return None
        if scores[0] == scores[1] and rules.match_end_tie is MatchEndTie.PLAY_ON:
            return None
        return Outcome(reason, self._ahead(), scores)

    def _ahead(self) -> Team | None:
        """The pair with the higher score; between equals the one that won the last deal played."""
        north_south, east_west = self.scores
        if north_south != east_west:
            return Team.NORTH_SOUTH if north_south > east_west else Team.EAST_WEST
        for result in reversed(self.results):
            if result.winner is not None:
                return result.winner
        return None
