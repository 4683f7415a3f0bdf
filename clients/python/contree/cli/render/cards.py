"""Cards, calls and contracts as coloured text."""

from __future__ import annotations

from collections.abc import Iterable

from rich.text import Text

from contree.engine.actions import Announced, Bid, Call, Say
from contree.engine.cards import Card, Rank, Strain, Suit
from contree.engine.contract import Contract, Doubling

_SYMBOLS = "♠♥♦♣"
_WORDS = {
    Say.PASS: "pass",
    Say.CONTRE: "contre",
    Say.SURCONTRE: "surcontre",
    Say.DECLINE: "no",
}
_RED = "red"


def card_text(card: Card, style: str = "") -> Text:
    """A card, such as 10♥, its suit in colour."""
    rank = "10" if card.rank is Rank.TEN else str(card.rank)
    return Text(rank, style).append(_SYMBOLS[card.suit], _suit_style(card.suit))


def cards_text(cards: Iterable[Card]) -> Text:
    """Cards side by side."""
    return Text(" ").join(card_text(card) for card in cards)


def hand_text(cards: Iterable[Card]) -> Text:
    """A hand: suits together, the strongest plain card first."""
    return cards_text(sorted(cards, key=lambda card: (card.suit, -card.rank)))


def strain_text(strain: Strain) -> Text:
    """A trump suit as its symbol, SA and TA as they are."""
    suit = strain.suit
    return Text(str(strain)) if suit is None else Text(_SYMBOLS[suit], _suit_style(suit))


def bid_text(bid: Bid) -> Text:
    """A bid, such as 90♥ or capot♠."""
    return Text(str(bid.level)).append(strain_text(bid.strain))


def call_text(call: Call) -> Text:
    """A bid or a word."""
    return bid_text(call) if isinstance(call, Bid) else Text(_WORDS[call])


def contract_text(contract: Contract) -> Text:
    """A contract with who took it and how far it is doubled."""
    text = bid_text(contract.bid).append(f" by {contract.taker}")
    return text.append(_doubling(contract.doubling), "bold")


def played_text(action: Card | Announced) -> Text:
    """A card as played, with its belote."""
    if isinstance(action, Announced):
        return card_text(action.card).append("+", "bold")
    return card_text(action)


def action_text(action: object) -> Text:
    """What a player said or played."""
    if isinstance(action, Card | Announced):
        return played_text(action)
    assert isinstance(action, Bid | Say)
    return call_text(action)


def _doubling(doubling: Doubling) -> str:
    return {Doubling.NONE: "", Doubling.CONTRE: " contre", Doubling.SURCONTRE: " surcontre"}[
        doubling
    ]


def _suit_style(suit: Suit) -> str:
    return _RED if suit in {Suit.HEARTS, Suit.DIAMONDS} else ""
