"""One deal: dealt hands, auction, card play, result; an immutable value that ``apply`` moves on."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Final, NamedTuple

from contree.engine.actions import Action, Announced
from contree.engine.auction import Auction, DecisionKind
from contree.engine.cards import ALL_CARDS, HELD, Card, cards_in
from contree.engine.contract import Contract
from contree.engine.errors import DeckError
from contree.engine.masks import legal_cards
from contree.engine.named import new
from contree.engine.play import Past, Play
from contree.engine.refusals import refused_card
from contree.engine.result import PASSED_OUT, DealResult, Points, played_out
from contree.engine.rules import RuleSet
from contree.engine.setting import Setting
from contree.engine.table import SEATS, Seat
from contree.engine.trick import Trick

__all__ = ["PASSED_OUT", "Deal", "DealResult", "DecisionKind", "Phase", "Points", "check_hands"]


class Phase(Enum):
    """Where a deal stands."""

    AUCTION = "auction"
    PLAY = "play"
    DONE = "done"


class Deal(NamedTuple):
    """A deal under way or done."""

    dealt: tuple[int, int, int, int]
    """The hand each seat was dealt, as masks by ``Seat``."""
    auction: Auction
    owed: tuple[Seat, ...]
    """The seats that must act now: one, or several in a contre window; empty when done."""
    choices: tuple[Action, ...]
    """What each of them may do; see ``legal_actions``."""
    result: DealResult | None
    """Set when the deal is done."""

    # The card play. Its parts by name, and more of them, are in ``play``.
    setting: Setting | None
    """None before and without card play."""
    marriages: int
    """The kings and queens of trump that were dealt to one hand, as a mask."""
    unplayed: int
    """The cards not yet played, by anyone, as a mask."""
    cards: tuple[Card, ...]
    """The cards of the current trick in playing order, none to three of them."""
    best: int
    """The card that holds the current trick; -1 before the lead."""
    holder: Seat
    """Who played it; before the lead, the leader."""
    past: Past
    """The finished tricks, and the belotes."""

    @classmethod
    def start(cls, rules: RuleSet, dealer: Seat, hands: Sequence[int]) -> Deal:
        """The deal before the first call.

        ``hands`` are four masks of eight cards by ``Seat``. DeckError when they are no deal.
        """
        return _after_call(check_hands(hands), Auction.start(rules, dealer))

    @property
    def rules(self) -> RuleSet:
        """The rules that are played by."""
        return self.auction.rules

    @property
    def dealer(self) -> Seat:
        """Who has dealt; the next seat speaks and leads first."""
        return self.auction.dealer

    @property
    def play(self) -> Play | None:
        """The card play; None before and without it."""
        return None if self.setting is None else Play(self)

    @property
    def trick(self) -> Trick | None:
        """The current trick, maybe without a card yet; None outside the card play."""
        if self.setting is None or not self.owed:
            return None
        leader = self.rules.turn_direction.next(self.owed[0], -len(self.cards))
        return new(Trick, (leader, self.cards))

    @property
    def phase(self) -> Phase:
        """Where the deal stands."""
        if self.result is not None:
            return Phase.DONE
        return Phase.AUCTION if self.setting is None else Phase.PLAY

    @property
    def hands(self) -> tuple[int, int, int, int]:
        """The cards each seat still holds, as masks by ``Seat``."""
        north, east, south, west = self.dealt
        left = self.unplayed
        return north & left, east & left, south & left, west & left

    @property
    def contract(self) -> Contract | None:
        """The standing contract, final once the auction is over."""
        return self.auction.contract

    def decision_kind(self, seat: Seat) -> DecisionKind | None:
        """What this seat is asked for now, None when it owes nothing."""
        if self.setting is None:
            return self.auction.decision_kind(seat)
        return DecisionKind.CARD if seat in self.owed else None

    def legal_actions(self, seat: Seat) -> tuple[Action, ...]:
        """What this seat may do now; empty when it owes nothing.

        To speak: pass, contre or surcontre, bids from low to high. In a window: yes, decline. To
        play: cards, lowest first, then those of them with which belote can be said.
        """
        return self.choices if seat in self.owed else ()

    def apply(self, seat: Seat, action: Action) -> Deal:
        """The deal after this action; IllegalAction when the seat does not owe it or the rules
        forbid it.
        """
        (
            dealt,
            auction,
            owed,
            choices,
            result,
            setting,
            marriages,
            unplayed,
            cards,
            best,
            holder,
            past,
        ) = self
        if setting is None:
            return _after_call(dealt, auction.after(seat, action))
        card = action if type(action) is Card else self._announced(seat, action)
        if seat not in owed or action not in choices:
            raise refused_card(Play(self), seat, action)
        bit = 1 << card
        if marriages & bit and (card is not action or not setting.aloud):
            past = past.with_belote(seat, card)

        unplayed ^= bit
        if setting.beats[best] & bit:
            best = card
            holder = seat
        cards += (card,)
        owed, turn, partner = setting.following[seat]
        if len(cards) < 4:
            hand = dealt[turn] & unplayed
            led = cards[0] >> 3
            if freely := hand & setting.freely[led]:
                legal = freely
            elif hand & setting.binding[led]:
                legal = legal_cards(
                    hand, setting.strain, led, best, holder is partner, setting.duties
                )
            else:
                legal = hand
        else:
            past = past.with_trick(new(Trick, (turn, cards)), holder, ALL_CARDS ^ unplayed)
            owed = _ALONE[holder]
            cards = ()
            best = -1
            legal = dealt[holder] & unplayed
        choices = (  # cards_in(legal), written out
            _SPADES[legal & 255]
            + _HEARTS[legal >> 8 & 255]
            + _DIAMONDS[legal >> 16 & 255]
            + _CLUBS[legal >> 24]
        )
        if not legal:
            owed = ()
            assert auction.contract is not None
            belotes = past.belotes_counted(dealt)
            result = played_out(auction.rules, auction.contract, past.winners, past.taken, belotes)
        elif legal & marriages and setting.aloud:
            choices += _said(legal & marriages)
        return new(
            Deal,
            (
                dealt,
                auction,
                owed,
                choices,
                result,
                setting,
                marriages,
                unplayed,
                cards,
                best,
                holder,
                past,
            ),
        )

    def _announced(self, seat: Seat, action: Action) -> Card:
        """The card of an action that is not just a card: played with belote said."""
        if type(action) is Announced and type(action.card) is Card:
            return action.card
        raise refused_card(Play(self), seat, action)


def _after_call(dealt: tuple[int, int, int, int], auction: Auction) -> Deal:
    """The deal when its auction has come to this."""
    owed, result, setting, marriages, leader = auction.owed, None, None, 0, auction.dealer
    choices: tuple[Action, ...] = auction.choices
    if not owed:
        contract = auction.contract
        if contract is None:
            result = PASSED_OUT
        else:
            leader = auction.rules.following[leader]
            setting = auction.rules.settings[contract.bid.strain]
            marriages = setting.marriages(dealt)
            owed = _ALONE[leader]
            choices = cards_in(dealt[leader])
            if setting.aloud:
                choices += _said(dealt[leader] & marriages)
    return new(
        Deal,
        (
            dealt,
            auction,
            owed,
            choices,
            result,
            setting,
            marriages,
            ALL_CARDS,  # unplayed
            (),  # cards
            -1,  # best
            leader,  # holder
            _NOTHING,  # past
        ),
    )


def _said(cards: int) -> tuple[Action, ...]:
    """These cards, with belote said."""
    return tuple(Announced(card) for card in cards_in(cards))


_SPADES, _HEARTS, _DIAMONDS, _CLUBS = HELD
_ALONE: Final = tuple((seat,) for seat in SEATS)
_NOTHING: Final = Past()


def check_hands(hands: Sequence[int]) -> tuple[int, int, int, int]:
    """The hands, if they deal the pack to four seats by eight cards; DeckError otherwise."""
    if len(hands) != 4:
        raise DeckError(f"a deal has four hands, not {len(hands)}")
    north, east, south, west = hands
    sizes = north.bit_count(), east.bit_count(), south.bit_count(), west.bit_count()
    if sizes == (8, 8, 8, 8) and north | east | south | west == ALL_CARDS:
        return north, east, south, west
    seen = 0
    for seat, hand in zip(SEATS, hands, strict=True):
        if not 0 <= hand <= ALL_CARDS:
            raise DeckError(f"{seat.name.capitalize()}'s hand is no set of cards")
        if hand & seen:
            raise DeckError("dealt twice", cards_in(hand & seen))
        if hand.bit_count() != 8:
            raise DeckError(
                f"{seat.name.capitalize()} holds {hand.bit_count()} cards, not 8", cards_in(hand)
            )
        seen |= hand
    raise AssertionError("four hands of eight different cards are a deal")
