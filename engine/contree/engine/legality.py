"""What a view allows and why it forbids the rest, computed from the view alone: for whoever has a
view without its deal.

``view.legal`` already says so where the view comes from ``project``; a bot that asks the rules
service about a position of its own has only what it can see.
"""

from __future__ import annotations

from typing import Final

from contree.engine.actions import CONTRE, DECLINE, SURCONTRE, Action, Announced, Call
from contree.engine.auction import Auction, DecisionKind
from contree.engine.cards import Card, Rank, Strain, mask_of
from contree.engine.errors import IllegalAction
from contree.engine.options import BeloteMode
from contree.engine.refusals import duty, refused_call
from contree.engine.table import Seat
from contree.engine.trick import legal_plays
from contree.engine.view import View

__all__ = ["auction_of", "legal_of", "refusal_of"]


def legal_of(view: View) -> tuple[Action, ...]:
    """What the seat of this view may do if it is its turn, in the engine's order.

    A window that the public calls leave open is taken for declined by those who are asked before
    this seat is. IllegalAction when the calls break the rules; DeckError when the trick or the hand
    is no position.
    """
    if view.auction_over:
        return _plays(view)
    return auction_of(view).legal_calls(view.seat)


def refusal_of(view: View, action: Action) -> IllegalAction:
    """Why the seat of this view, which owes an action, may not do this: the same sentence that the
    engine has for it.
    """
    if not view.auction_over:
        return refused_call(auction_of(view), view.seat, action)
    return IllegalAction(action, _card_reason(view, action), view.legal)


def _card_reason(view: View, action: Action) -> str:
    card = action.card if isinstance(action, Announced) else action
    if not isinstance(card, Card):
        return "it is time to play a card"
    if card not in view.hand:
        if _played_by(view) >> card & 1:
            return f"{card} has been played already"
        return f"{view.seat.name.capitalize()} does not hold {card}"
    trick, strain = view.trick, view.strain
    if card not in view.legal and trick is not None and trick.cards and strain is not None:
        direction = view.rules.turn_direction
        legal = mask_of(one for one in view.legal if isinstance(one, Card))
        holder = trick.winner(strain, direction)
        best = trick.card_of(holder, direction)
        assert best is not None
        return duty(trick.cards[0], mask_of(view.hand), legal, strain, (best, holder))
    if view.rules.belote_mode is BeloteMode.AUTO:
        return "belote counts by itself under these rules"
    return "belote needs king and queen of trump in one hand"


def auction_of(view: View) -> Auction:
    """The auction that the public calls of a view tell of, as far as this seat is concerned."""
    auction = Auction.start(view.rules, view.dealer)
    for placed in view.calls:
        auction = _past_windows(auction, placed.seat, placed.call)
        auction = auction.after(placed.seat, placed.call)
    while auction.owed and auction.kind is not DecisionKind.CALL:
        if view.seat in auction.owed:
            break
        auction = auction.after(auction.owed[0], DECLINE)
    return auction


def _past_windows(auction: Auction, seat: Seat, call: Call) -> Auction:
    """Decline in every window that must be closed before this seat says this."""
    while auction.owed and auction.kind is not DecisionKind.CALL:
        yes = CONTRE if auction.kind is DecisionKind.CONTRE else SURCONTRE
        others = [one for one in auction.owed if call is not yes or one is not seat]
        if not others:
            break
        auction = auction.after(others[0], DECLINE)
    return auction


def _plays(view: View) -> tuple[Action, ...]:
    contract, trick = view.contract, view.trick
    if contract is None or trick is None:
        return ()
    strain = contract.bid.strain
    cards = legal_plays(view.rules, strain, trick.cards, view.hand)
    if view.rules.belote_mode is not BeloteMode.ANNOUNCED:
        return cards
    own = mask_of(view.hand) | _played_by(view)
    pairs = [pair for pair in _pairs(view, strain) if own & pair == pair]
    return (*cards, *(Announced(card) for card in cards if any(p >> card & 1 for p in pairs)))


def _pairs(view: View, strain: Strain) -> tuple[int, ...]:
    """Kings and queens that make a belote in this strain, a mask for each suit."""
    if strain is Strain.NO_TRUMP:
        return ()
    if strain is Strain.ALL_TRUMP:
        return _PAIRS if view.rules.belotes_at_all_trump else ()
    return _PAIRS[strain : strain + 1]


def _played_by(view: View) -> int:
    """The cards that this seat has played, as a mask."""
    mask = 0
    direction = view.rules.turn_direction
    for trick in view.tricks:
        mask |= 1 << trick.cards[direction.distance(trick.leader, view.seat)]
    return mask


_PAIRS: Final = tuple(
    mask_of((Card(suit * 8 + Rank.KING), Card(suit * 8 + Rank.QUEEN))) for suit in range(4)
)
