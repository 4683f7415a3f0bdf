"""The rules player: sensible bidding and card play by rule of thumb, from the view alone."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from contree.engine.actions import Action, Announced, Bid, Call
from contree.engine.auction import DecisionKind
from contree.engine.cards import SUIT_MASKS, Card, Strain
from contree.engine.drive import Policy
from contree.engine.masks import NO_TRUMP
from contree.engine.rules import RuleSet
from contree.engine.view import View
from contree.policy.bidding import Opinion, answer_contre, answer_surcontre, call
from contree.policy.following import follow
from contree.policy.knowledge import infer
from contree.policy.leading import lead
from contree.policy.style import BID_STYLE, CARD_STYLE, BidStyle, CardStyle


def styled_player(bids: BidStyle = BID_STYLE, cards: CardStyle = CARD_STYLE) -> Policy:
    """A rules player that weighs its choices with other numbers."""

    def play(view: View) -> Action:
        kind = view.kind
        if kind is DecisionKind.CARD:
            return _card(view, cards)
        if kind is DecisionKind.CALL:
            return call(view, bids)
        if kind is DecisionKind.CONTRE:
            return answer_contre(view, bids)
        if kind is DecisionKind.SURCONTRE:
            return answer_surcontre(view, bids)
        raise ValueError(f"nothing is asked of {view.seat}")

    return play


_player = styled_player()


def rules_player(view: View) -> Action:
    """What the rules player does: always one of ``view.legal``, always the same for a view.

    ValueError when the view asks for nothing.
    """
    return _player(view)


def advised_call(view: View, opinion: Opinion, style: BidStyle = BID_STYLE) -> Call:
    """What the rules player says in the auction, or in a contre window, if half of what it expects
    of contracts comes from a second opinion: always one of ``view.legal``.

    ValueError when the view asks for no call.
    """
    answer = None if view.kind is None else _ANSWERS.get(view.kind)
    if answer is None:
        raise ValueError("this view asks for no call")
    return answer(view, style, opinion)


_ANSWERS: Final = {
    DecisionKind.CALL: call,
    DecisionKind.CONTRE: answer_contre,
    DecisionKind.SURCONTRE: answer_surcontre,
}


def _card(view: View, style: CardStyle) -> Action:
    contract, trick, legal = view.contract, view.trick, view.legal
    if contract is None or trick is None:
        raise ValueError("this view is of no card play")
    # A belote that can be announced comes twice: the card alone, and announced.
    cards = [card for card in legal if isinstance(card, Card)]
    card = cards[0]
    if len(cards) > 1:
        knowledge = infer(view)
        points = _points(view.rules, contract.strain)
        if trick.cards:
            card = follow(knowledge, trick.cards, cards, points, style)
        else:
            card = lead(knowledge, cards, points, _partner_suits(view), style)
    if len(legal) > len(cards):
        announced = Announced(card)
        if announced in legal:
            return announced
    return card


@lru_cache(maxsize=256)
def _points(rules: RuleSet, strain: Strain) -> tuple[int, ...]:
    return rules.card_points(strain)


def _partner_suits(view: View) -> int:
    """The suits that the partner has bid, as a mask of cards."""
    partner = view.seat ^ 2
    suits = 0
    for seat, said in view.calls:
        if seat == partner and isinstance(said, Bid) and said.strain < NO_TRUMP:
            suits |= SUIT_MASKS[said.strain]
    return suits
