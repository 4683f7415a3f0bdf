"""The rules player: sensible bidding and card play by rule of thumb, from the view alone."""

from __future__ import annotations

from contree.engine.actions import Action, Announced, Bid
from contree.engine.auction import DecisionKind
from contree.engine.cards import SUIT_MASKS, Card
from contree.engine.view import View
from contree.policy.bidding import answer_contre, answer_surcontre, call
from contree.policy.following import follow
from contree.policy.knowledge import infer
from contree.policy.leading import lead
from contree.policy.style import BID_STYLE, CARD_STYLE, BidStyle, CardStyle


def play_card(view: View, style: CardStyle) -> Action:
    legal = view.legal
    cards = [card for card in legal if isinstance(card, Card)]
    if len(cards) == 1:
        card = cards[0]
    else:
        know = infer(view)
        points = view.rules.card_points(view.contract.strain)
        if view.trick.cards:
            card = follow(know, view.trick.cards, cards, points, style)
        else:
            suits = 0
            for c in view.calls:
                if c.seat == view.seat ^ 2 and isinstance(c.call, Bid) and c.call.strain < 4:
                    suits |= SUIT_MASKS[c.call.strain]
            card = lead(know, cards, points, suits, style)
    if len(cards) != len(legal) and Announced(card) in legal:
        return Announced(card)
    return card

def make(bid_style=BID_STYLE, card_style=CARD_STYLE):
    def rules_player(view):
        kind = view.kind
        if kind is DecisionKind.CARD: return play_card(view, card_style)
        if kind is DecisionKind.CALL: return call(view, bid_style)
        if kind is DecisionKind.CONTRE: return answer_contre(view, bid_style)
        return answer_surcontre(view, bid_style)
    return rules_player
rules_player = make()
