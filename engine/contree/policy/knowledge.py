"""What a seat can infer during the card play: who may still hold which card, and how likely.

Everything follows from the view: cards that were played, suits that were not followed, duties to
trump and to rise that somebody did not fulfil, belotes that were said.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from contree.engine import masks
from contree.engine.cards import ALL_CARDS, SUIT_MASKS, mask_of
from contree.engine.masks import BEATS
from contree.engine.trick import Trick
from contree.engine.view import View

_MARRIAGE: Final = 0b00110000
"""Queen and king, within a suit."""

_OTHERS: Final = tuple(
    tuple(
        tuple(other for other in range(4) if other not in (seat, asked))[:2] for asked in range(4)
    )
    for seat in range(4)
)
"""The two seats besides one's own and the one that is asked about."""


class Knowledge(NamedTuple):
    """What is known before the seat plays a card. Sets of cards are masks."""

    strain: int
    row: int
    """Where the strain's part of ``masks.BEATS`` begins."""
    trumps: int
    """The trump suit; no card at sans-atout and tout-atout."""
    seat: int
    step: int
    """What to add to a seat, modulo 4, to reach the next one."""
    taking: bool
    """Whether the seat is on the takers' side."""
    mine: bool
    """Whether the seat itself bid the contract."""
    hand: int
    unseen: int
    """The cards that the other three still hold."""
    may: tuple[int, int, int, int]
    """The unseen cards that each other seat may hold."""
    left: tuple[int, int, int, int]
    """How many cards each other seat still holds: a hidden card is as likely in a hand as that is
    large.
    """

    def chance(self, seat: int, cards: int) -> float:
        """How likely it is that another seat holds at least one of these cards."""
        may = self.may
        cards &= may[seat]
        if not cards:
            return 0.0
        left = self.left
        first, second = _OTHERS[self.seat][seat]
        with_first = cards & may[first]
        with_second = cards & may[second]
        if cards & ~(with_first | with_second):
            return 1.0
        here = left[seat]
        both = (with_first & with_second).bit_count()
        missing = 1.0
        if both:
            missing = (1.0 - here / (here + left[first] + left[second])) ** both
        only_first = with_first.bit_count() - both
        if only_first:
            missing *= (1.0 - here / (here + left[first])) ** only_first
        only_second = with_second.bit_count() - both
        if only_second:
            missing *= (1.0 - here / (here + left[second])) ** only_second
        return 1.0 - missing

    def takes(self, seat: int, best: int, led: int) -> float:
        """How likely another seat can take a trick from the card ``best`` when suit ``led`` was
        led.
        """
        suit = SUIT_MASKS[led]
        higher = BEATS[self.row + best] & self.unseen
        trumps = self.trumps
        if not trumps or suit == trumps:
            return self.chance(seat, higher & suit)
        void = 1.0 - self.chance(seat, suit)
        cut = void * self.chance(seat, higher & trumps) if void else 0.0
        return self.chance(seat, higher & suit) + cut

    def holds_up(self, best: int, *, ours: bool, led: int, later: tuple[int, ...]) -> float:
        """How likely the seat's pair wins a trick that the card ``best`` holds now.

        ``ours`` says who played it, ``later`` which other seats have still to play.
        """
        partner = self.seat ^ 2
        kept = 1.0 if ours else 0.0
        retaken = 0.0
        for seat in later:
            takes = self.takes(seat, best, led)
            if seat == partner:
                # Over a higher card of unknown rank it is harder.
                retaken += (1.0 - kept - retaken) * takes * (0.5 if ours else 1.0)
            else:
                kept *= 1.0 - takes
                retaken *= 1.0 - 0.5 * takes
        return kept + retaken

    def against(self, cards: int) -> float:
        """How likely it is that an opponent holds at least one of these cards."""
        seat = self.seat
        left = self.chance((seat + 1) & 3, cards)
        return left + (1.0 - left) * self.chance((seat + 3) & 3, cards)

    def against_may_hold(self, cards: int) -> int:
        """Those of these cards that an opponent may hold."""
        seat, may = self.seat, self.may
        return cards & (may[(seat + 1) & 3] | may[(seat + 3) & 3])


def infer(view: View) -> Knowledge:
    """What this view tells. ValueError when it is of no card play."""
    contract, current = view.contract, view.trick
    if contract is None or current is None:
        raise ValueError("this view is of no card play")
    seat, taker, strain = view.seat, contract.taker, contract.strain
    trumps = SUIT_MASKS[strain] if strain < masks.NO_TRUMP else 0
    step = view.rules.turn_direction.step
    played, never = _shown(view, current, strain, trumps)

    hand = mask_of(view.hand)
    unseen = ALL_CARDS & ~(played | hand)
    may = [unseen & ~cards for cards in never]
    left = [8 - len(view.tricks)] * 4
    for turn in range(len(current.cards)):
        left[(current.leader + step * turn) & 3] -= 1
    left[seat] = 0
    if view.belotes:
        _place_belotes(view, current, strain, may)
    _place_full_hands(may, left)
    return Knowledge(
        strain,
        strain * 32,
        trumps,
        seat,
        step,
        not (seat ^ taker) & 1,
        seat == taker,
        hand,
        unseen,
        (may[0], may[1], may[2], may[3]),
        (left[0], left[1], left[2], left[3]),
    )


def _shown(view: View, current: Trick, strain: int, trumps: int) -> tuple[int, list[int]]:
    """The cards played, and for each seat those that it has shown not to hold."""
    row = strain * 32
    duties = view.rules.play_duties
    step = view.rules.turn_direction.step
    rise = _rise_duties(strain, trumps, duties)
    played = 0
    never = [0, 0, 0, 0]
    for trick in (*view.tricks, current):
        cards = trick.cards
        if not cards:
            break
        player: int = trick.leader
        holder = player
        best: int = cards[0]
        led = best >> 3
        suit = SUIT_MASKS[led]
        played |= 1 << best
        for card in cards[1:]:
            player = (player + step) & 3
            bit = 1 << card
            played |= bit
            beaten_by = BEATS[row + best]
            takes = beaten_by & bit
            if bit & suit:
                if not takes and rise[led] & (2 if holder == player ^ 2 else 1):
                    never[player] |= beaten_by & suit
            else:
                never[player] |= suit
                if trumps and not takes and holder != player ^ 2:
                    never[player] |= _not_cut(bit, best, trumps, beaten_by, duties)
            if takes:
                best = card
                holder = player
    return played, never


def _rise_duties(strain: int, trumps: int, duties: int) -> tuple[int, ...]:
    """For each suit led: 1 when one must rise over an opponent, 2 over the partner, 3 both."""
    if trumps:
        over = bool(duties & masks.TRUMP_RISE) + 2 * bool(duties & masks.TRUMP_RISE_PARTNER)
        return tuple(over if suit == strain else 0 for suit in range(4))
    if strain == masks.ALL_TRUMP:
        return (bool(duties & masks.TA_RISE) + 2 * bool(duties & masks.TA_RISE_PARTNER),) * 4
    return (bool(duties & masks.SA_RISE) + 2 * bool(duties & masks.SA_RISE_PARTNER),) * 4


def _not_cut(bit: int, best: int, trumps: int, beaten_by: int, duties: int) -> int:
    """The trumps that nobody holds who, without the led suit and against an opponent's ``best``,
    played the card ``bit`` which does not take the trick.
    """
    if not 1 << best & trumps:
        return trumps
    if bit & trumps:
        return trumps & beaten_by if duties & masks.OVERTRUMP else 0
    return trumps & beaten_by if duties & masks.UNDERTRUMP_FREE else trumps


def _place_belotes(view: View, current: Trick, strain: int, may: list[int]) -> None:
    """Who has said belote holds the other card of the pair, unless it was played too.

    At tout-atout a player may have said it for any suit of which a king or queen was played: it is
    only certain when there are no more such suits than belotes said.
    """
    step = view.rules.turn_direction.step
    by_seat = [0, 0, 0, 0]
    for trick in (*view.tricks, current):
        for turn, card in enumerate(trick.cards):
            by_seat[(trick.leader + step * turn) & 3] |= 1 << card
    suits = (strain,) if strain < masks.NO_TRUMP else (0, 1, 2, 3)
    for holder in set(view.belotes) - {view.seat}:
        pairs = [
            pair
            for pair in (_MARRIAGE << 8 * suit for suit in suits)
            if by_seat[holder] & pair and pair & ~by_seat[holder] & ~may[holder] == 0
        ]
        if len(pairs) == view.belotes.count(holder):
            for pair in pairs:
                for seat in range(4):
                    if seat != holder:
                        may[seat] &= ~pair


def _place_full_hands(may: list[int], left: list[int]) -> None:
    """A seat that may hold just as many cards as it has left holds them all; one that has none
    left holds none.
    """
    for seat in range(4):
        if not left[seat]:
            may[seat] = 0
        elif may[seat].bit_count() == left[seat]:
            certain = may[seat]
            for other in range(4):
                if other != seat:
                    may[other] &= ~certain
