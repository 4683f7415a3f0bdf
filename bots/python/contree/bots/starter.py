"""The sample bot that each folder of ``bots/`` has in its language; ``bots/README.md`` defines it.

``python -m contree.bots.starter`` runs it. To make your own copy this file and change ``decide``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from contree.client import Bot, Turn, run_bot
from contree.engine import (
    CARDS,
    CONTRE,
    DECLINE,
    PASS,
    Action,
    Announced,
    Bid,
    Call,
    Card,
    DecisionKind,
    Rank,
    Strain,
    View,
    mask_of,
)

_PARTNER: Final = 20
"""What a partner brings to a trump suit, before it has said anything."""
_SUPPORT: Final = 30
"""What a partner brings to the strain that it has bid."""
_CONTRE: Final = 60
"""The defence that doubles a contract in points."""
_CONTRE_OF_SLAM: Final = 20
"""The defence that doubles a contract in tricks."""

# By rank: 7 8 9 J Q K T A.
_PLAIN_STRENGTH: Final = (0, 1, 2, 3, 4, 5, 6, 7)
_TRUMP_STRENGTH: Final = (0, 1, 6, 7, 2, 3, 4, 5)
_PLAIN_POINTS: Final = (0, 0, 0, 2, 3, 4, 10, 11)
_TRUMP_POINTS: Final = (0, 0, 14, 20, 3, 4, 10, 11)


def decide(view: View) -> Action:
    """What to do: one of ``view.legal``. The function to replace."""
    if view.kind is not DecisionKind.CARD:
        return _say(view)
    card = _card(view)
    announced = Announced(card)
    return announced if announced in view.legal else card


# --- the auction


def _say(view: View) -> Call:
    if CONTRE in view.legal and _doubles(view):
        return CONTRE
    bid = _best_bid(view)
    if bid is not None:
        return bid
    return PASS if PASS in view.legal else DECLINE


def _doubles(view: View) -> bool:
    contract = view.contract
    if contract is None:
        return False
    enough = _CONTRE if isinstance(contract.level, int) else _CONTRE_OF_SLAM
    return _defence(view.hand, contract.strain) >= enough


def _best_bid(view: View) -> Bid | None:
    """The highest bid that the hand is worth, in the strain in which it is worth most."""
    contract = view.contract
    best: Bid | None = None
    most = 0
    for strain in Strain:
        if contract is not None and contract.team is view.team and contract.strain is not strain:
            continue  # the partner has found a strain
        value = _worth(view.hand, strain)
        if any(seat is view.partner and _bids(call, strain) for seat, call in view.calls):
            value += _SUPPORT
        levels = [
            call.level
            for call in view.legal
            if isinstance(call, Bid) and call.strain is strain and isinstance(call.level, int)
        ]
        afforded = [level for level in levels if level <= value]
        if afforded and (best is None or value > most):
            best, most = Bid(max(afforded), strain), value
    return best


def _bids(call: Call, strain: Strain) -> bool:
    return isinstance(call, Bid) and call.strain is strain


def _worth(hand: Sequence[Card], strain: Strain) -> int:
    """The points that the pair may hope to make in this strain."""
    if strain is Strain.NO_TRUMP:
        return _pairs(hand, Rank.ACE, Rank.TEN)
    if strain is Strain.ALL_TRUMP:
        return _pairs(hand, Rank.JACK, Rank.NINE)
    trumps = {card.rank for card in hand if card.suit is strain.suit}
    value = _PARTNER + 10 * len(trumps)
    value += 20 * (Rank.JACK in trumps) + 10 * (Rank.NINE in trumps) + 5 * (Rank.ACE in trumps)
    value += 20 * ({Rank.KING, Rank.QUEEN} <= trumps)
    return value + 15 * sum(card.rank is Rank.ACE and card.suit is not strain.suit for card in hand)


def _pairs(hand: Sequence[Card], first: Rank, second: Rank) -> int:
    """25 for each card of the first rank and 15 more where the second is beside it."""
    suits = {card.suit for card in hand if card.rank is second}
    return sum(25 + 15 * (card.suit in suits) for card in hand if card.rank is first)


def _defence(hand: Sequence[Card], strain: Strain) -> int:
    """What the hand has against a contract in this strain."""
    value = 0
    for card in hand:
        if _in_trump_order(card, strain):
            value += {Rank.JACK: 20, Rank.NINE: 10}.get(card.rank, 0)
        elif card.rank is Rank.ACE:
            value += 20
    return value


# --- the cards


def _card(view: View) -> Card:
    """The card to play."""
    contract, trick = view.contract, view.trick
    legal = [card for card in view.legal if isinstance(card, Card)]
    if contract is None or trick is None:
        return legal[0]
    strain, table = contract.strain, trick.cards
    known = view.cards_played | mask_of(view.hand)
    unseen = [card for card in CARDS if not known >> card & 1]

    def master(card: Card) -> bool:
        return not any(other.suit is card.suit and _beats(other, card, strain) for other in unseen)

    def cheapest(cards: Sequence[Card]) -> Card:
        return min(cards, key=lambda card: _order(card, strain, points_sign=1))

    def richest(cards: Sequence[Card]) -> Card:
        return min(cards, key=lambda card: _order(card, strain, points_sign=-1))

    if not table:
        masters = [card for card in legal if master(card)]
        trumps = [card for card in masters if card.suit is strain.suit]
        if contract.team is view.team and trumps and any(c.suit is strain.suit for c in unseen):
            return richest(trumps)
        plain = [card for card in masters if card.suit is not strain.suit]
        return richest(plain) if plain else cheapest(legal)

    winning = table[0]
    for card in table[1:]:
        if _beats(card, winning, strain):
            winning = card
    last = len(table) == 3
    if len(table) > 1 and winning is table[-2]:  # the partner's
        return richest(legal) if last or master(winning) else cheapest(legal)
    winners = [card for card in legal if _beats(card, winning, strain)]
    if last and winners:
        return cheapest(winners)
    masters = [card for card in winners if master(card)]
    return richest(masters) if masters else cheapest(legal)


def _order(card: Card, strain: Strain, *, points_sign: int) -> tuple[bool, int, int, int]:
    """Trumps last, then by points, then the weaker first, then by number."""
    return (
        card.suit is strain.suit,
        points_sign * _points(card, strain),
        _strength(card, strain),
        card,
    )


def _beats(card: Card, other: Card, strain: Strain) -> bool:
    """Whether it takes the trick from a card that was played before."""
    if card.suit is other.suit:
        return _strength(card, strain) > _strength(other, strain)
    return card.suit is strain.suit


def _in_trump_order(card: Card, strain: Strain) -> bool:
    return strain is Strain.ALL_TRUMP or card.suit is strain.suit


def _strength(card: Card, strain: Strain) -> int:
    return (_TRUMP_STRENGTH if _in_trump_order(card, strain) else _PLAIN_STRENGTH)[card.rank]


def _points(card: Card, strain: Strain) -> int:
    return (_TRUMP_POINTS if _in_trump_order(card, strain) else _PLAIN_POINTS)[card.rank]


class Starter(Bot):
    """Bids a few plain conventions and plays its cards sensibly."""

    name = "starter"
    version = "1"
    threaded = False  # it answers in a few microseconds

    def decide(self, turn: Turn) -> Action:
        """What the README says."""
        return decide(turn.view)


if __name__ == "__main__":
    run_bot(Starter())
