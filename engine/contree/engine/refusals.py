"""Why an action is refused: one sentence for people, and what could have been done instead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from contree.engine.actions import CONTRE, DECLINE, SURCONTRE, Announced, Bid
from contree.engine.cards import SUIT_MASKS, Card, Strain, mask_of
from contree.engine.errors import IllegalAction
from contree.engine.options import BeloteMode
from contree.engine.table import SEATS, Seat

if TYPE_CHECKING:
    from contree.engine.auction import Auction
    from contree.engine.play import Play

__all__ = ["duty", "refused_call", "refused_card"]


def refused_call(auction: Auction, seat: Seat, call: object) -> IllegalAction:
    """Why this seat may not say this now."""
    if seat in auction.owed:
        reason = _call_reason(auction, seat, call)
    else:
        reason = _nothing_owed(auction, seat)
    return IllegalAction(call, reason, auction.legal_calls(seat))


def refused_card(play: Play, seat: Seat, action: object) -> IllegalAction:
    """Why this seat may not play this now."""
    return IllegalAction(action, _card_reason(play, seat, action), play.deal.legal_actions(seat))


# -- the auction -------------------------------------------------------------------------------


def _nothing_owed(auction: Auction, seat: Seat) -> str:
    if not auction.owed:
        return "the auction is over"
    if seat in auction.asked:
        return f"{_NAMES[seat]} has already answered"
    if auction.at_a_turn:
        return f"it is {_NAMES[auction.owed[0]]}'s turn to speak"
    return f"{_NAMES[seat]} is not asked for a {auction.kind.value} now"


def _call_reason(auction: Auction, seat: Seat, call: object) -> str:
    if not auction.at_a_turn:
        return f"the question is {auction.kind.value} or decline"
    if isinstance(call, Bid):
        return _bid_reason(auction, call)
    if call is DECLINE:
        return "nothing was asked that could be declined; say pass"
    if call is CONTRE:
        return _contre_reason(auction, seat)
    if call is SURCONTRE:
        if auction.contract is None or auction.contract.contre_by is None:
            return "only a contre can be answered with surcontre"
        return "only the takers may say surcontre"
    return "it is time to bid, not to play"


def _bid_reason(auction: Auction, bid: Bid) -> str:
    if auction.contract is not None and auction.contract.contre_by is not None:
        return "the contre has ended the bidding"
    if bid.level not in auction.rules.ladder:
        return f"{bid.level} is no bid of these rules"
    if bid.strain not in auction.rules.strains:
        return f"{bid.strain} is no strain of these rules"
    standing = None if auction.contract is None else auction.contract.level
    return f"{bid.level} does not outbid {standing}"


def _contre_reason(auction: Auction, seat: Seat) -> str:
    if auction.contract is None:
        return "there is no bid to contre"
    if auction.contract.contre_by is not None:
        return "the contract is contred already"
    if auction.contract.team is seat.team:
        return "one cannot contre one's own side"
    return "these rules ask for a contre after the auction only"


# -- the play ----------------------------------------------------------------------------------


def _card_reason(play: Play, seat: Seat, action: object) -> str:
    if play.over:
        return "the deal is over"
    if seat is not play.turn:
        return f"it is {_NAMES[play.turn]}'s turn to play"
    card = action.card if isinstance(action, Announced) else action
    if not isinstance(card, Card):
        return "it is time to play a card"
    if not play.dealt[seat] >> card & 1:
        return f"{_NAMES[seat]} does not hold {card}"
    if not play.unplayed >> card & 1:
        return f"{card} has been played already"
    if card not in play.deal.choices:
        deal = play.deal
        legal = mask_of(card for card in deal.choices if isinstance(card, Card))
        master = Card(deal.best), deal.holder
        return duty(deal.cards[0], deal.hands[seat], legal, play.strain, master)
    if play.rules.belote_mode is BeloteMode.AUTO:
        return "belote counts by itself under these rules"
    return "belote needs king and queen of trump in one hand"


def duty(led: Card, hand: int, legal: int, strain: Strain, master: tuple[Card, Seat]) -> str:
    """The duty that forbids a card which the seat holds: what was led, the hand and what of it is
    legal as masks, the card that is master and whose it is.
    """
    best, holder = master[0], _NAMES[master[1]]
    if hand & SUIT_MASKS[led.suit]:
        if legal != hand & SUIT_MASKS[led.suit]:
            return f"you must play higher than {best} where you can"
        return f"you must follow {led.suit.name.lower()}"
    if legal == hand & SUIT_MASKS[strain]:
        return f"you must trump: {holder} is master"
    return f"you must overtrump {best}: {holder} is master"


_NAMES: Final = tuple(seat.name.capitalize() for seat in SEATS)
