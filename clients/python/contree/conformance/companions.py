"""The kit's own players at the other seats: they say what a check wants to be said."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar, Final

from contree.client import Bot, Turn
from contree.engine import (
    CARDS,
    CONTRE,
    DECLINE,
    PASS,
    Action,
    Bid,
    Card,
    DecisionKind,
    RuleSet,
    Seat,
    View,
    mask_of,
)

NAME: Final = "companion"
Speaker = Callable[[View], Action]


class Companion(Bot):
    """Says what ``say`` says, and plays the first card that it may."""

    name = NAME
    threaded: ClassVar[bool] = False

    def __init__(self, say: Speaker) -> None:
        self._say = say

    def decide(self, turn: Turn) -> Action:
        """What the script says in the auction; any card."""
        view = turn.view
        if view.kind is DecisionKind.CARD:
            return view.legal[0]
        wanted = self._say(view)
        return wanted if wanted in view.legal else _nothing(view)


def _nothing(view: View) -> Action:
    return PASS if PASS in view.legal else DECLINE


def opening(bids: Mapping[Seat, Bid], *, contred: bool = False) -> Speaker:
    """Whoever speaks first makes the bid of its seat; later the others say contre where they may,
    or nothing more.
    """

    def say(view: View) -> Action:
        if not view.calls and view.kind is DecisionKind.CALL:
            return bids.get(view.seat, PASS)
        return CONTRE if contred else _nothing(view)

    return say


def dealt(seat: Seat, held: tuple[Card, ...] = ()) -> tuple[int, int, int, int]:
    """Four hands, the suits spread over all; this seat holds these cards."""
    hands = [[card for card in CARDS if (card + card // 8) % 4 == one] for one in range(4)]
    for card in held:
        owner = next(hand for hand in hands if card in hand)
        if owner is not hands[seat]:
            spare = next(one for one in hands[seat] if one not in held)
            owner[owner.index(card)] = spare
            hands[seat][hands[seat].index(spare)] = card
    north, east, south, west = (mask_of(hand) for hand in hands)
    return north, east, south, west


def dealer_before(first: Seat, rules: RuleSet) -> Seat:
    """Who deals where this seat is to speak first."""
    return rules.turn_direction.next(first, 3)
