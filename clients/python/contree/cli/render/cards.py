"""Cards, calls and contracts as coloured text."""

from __future__ import annotations

from collections.abc import Iterable

from rich.text import Text

from contree.cli.render.faces import ENGLISH, Face
from contree.engine.actions import Announced, Bid, Call, Say
from contree.engine.cards import Card, Strain, Suit
from contree.engine.contract import Contract, Doubling

_WORDS = {
    Say.PASS: "pass",
    Say.CONTRE: "contre",
    Say.SURCONTRE: "surcontre",
    Say.DECLINE: "no",
}
_RED = "red"


def card_text(card: Card, style: str = "", face: Face = ENGLISH) -> Text:
    """A card, such as 10♥, its suit in colour."""
    return Text(face.rank(card.rank), style).append(face.suit(card.suit), suit_style(card.suit))


def cards_text(cards: Iterable[Card], face: Face = ENGLISH) -> Text:
    """Cards side by side."""
    return Text(" ").join(card_text(card, "", face) for card in cards)


def hand_text(cards: Iterable[Card], face: Face = ENGLISH) -> Text:
    """A hand: suits together, the strongest plain card first."""
    return cards_text(sorted(cards, key=lambda card: (card.suit, -card.rank)), face)


def strain_text(strain: Strain, face: Face = ENGLISH) -> Text:
    """A trump suit as its symbol, SA and TA as they are."""
    suit = strain.suit
    return Text(face.strain(strain), "" if suit is None else suit_style(suit))


def bid_text(bid: Bid, face: Face = ENGLISH) -> Text:
    """A bid, such as 90♥ or capot♠."""
    return Text(str(bid.level)).append(strain_text(bid.strain, face))


def call_text(call: Call, face: Face = ENGLISH) -> Text:
    """A bid or a word."""
    return bid_text(call, face) if isinstance(call, Bid) else Text(_WORDS[call])


def contract_text(contract: Contract, face: Face = ENGLISH) -> Text:
    """A contract with who took it and how far it is doubled."""
    text = bid_text(contract.bid, face).append(f" by {contract.taker}")
    return text.append(_doubling(contract.doubling), "bold")


def played_text(action: Card | Announced, face: Face = ENGLISH) -> Text:
    """A card as played, with its belote."""
    if isinstance(action, Announced):
        return card_text(action.card, "", face).append("+", "bold")
    return card_text(action, "", face)


def action_text(action: object, face: Face = ENGLISH) -> Text:
    """What a player said or played."""
    if isinstance(action, Card | Announced):
        return played_text(action, face)
    assert isinstance(action, Bid | Say)
    return call_text(action, face)


def _doubling(doubling: Doubling) -> str:
    return {Doubling.NONE: "", Doubling.CONTRE: " contre", Doubling.SURCONTRE: " surcontre"}[
        doubling
    ]


def suit_style(suit: Suit) -> str:
    """The colour of a suit."""
    return _RED if suit in {Suit.HEARTS, Suit.DIAMONDS} else ""
