"""The card play of a deal: eight tricks, one card at a time.

Hands are masks. ``unplayed`` is the mask of the cards not yet played, so a seat's remaining hand
is ``dealt[seat] & unplayed`` and playing a card changes one int. The legal cards of the player
whose turn it is are computed once, as a mask, when the turn reaches them; who holds the trick is
kept from card to card.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from contree.engine.actions import Action, Announced
from contree.engine.cards import ALL_CARDS, SUIT_MASKS, Card, Rank, Strain, Suit, cards_in
from contree.engine.contract import Contract
from contree.engine.errors import IllegalAction
from contree.engine.masks import BEATS, legal_cards
from contree.engine.options import BeloteMode
from contree.engine.rules import RuleSet
from contree.engine.table import FOLLOWING, SEATS, Seat
from contree.engine.trick import Trick

__all__ = ["Play"]


class Play(NamedTuple):
    """The state of the card play; ``after`` gives the next one."""

    rules: RuleSet
    contract: Contract
    strain: Strain
    beats: tuple[int, ...]
    """For each card the cards that take the trick over it while it holds it, as masks."""
    following: tuple[Seat, Seat, Seat, Seat]
    """The next seat in turn, by ``Seat``."""
    dealt: tuple[int, int, int, int]
    """The hand each seat was dealt, as masks by ``Seat``."""
    marriages: int
    """The kings and queens of trump that were dealt to one hand, as a mask."""
    unplayed: int
    """The cards not yet played, by anyone, as a mask."""
    turn: Seat
    """Whose turn it is; once ``over``, the winner of the last trick."""
    legal: int
    """The cards that ``turn`` may play, as a mask; 0 once ``over``."""
    leader: Seat
    """Who led, or leads, the current trick."""
    cards: tuple[Card, ...]
    """The cards of the current trick in playing order, none to three of them."""
    best: int
    """The card that holds the current trick; -1 before the lead."""
    best_seat: Seat
    """Who played it; before the lead, the leader."""
    tricks: tuple[Trick, ...]
    """The finished tricks."""
    winners: tuple[Seat, ...]
    """Who won each finished trick."""
    taken: tuple[int, int]
    """The cards in the tricks of North-South and of East-West, as masks."""
    announced: int
    """The cards played with belote or rebelote said, as a mask; in automatic mode all
    ``marriages`` played so far."""
    belotes: tuple[Seat, ...]
    """Who has said belote (with the first card of a pair), in order; once for each suit."""

    @classmethod
    def start(
        cls,
        rules: RuleSet,
        contract: Contract,
        leader: Seat,
        dealt: tuple[int, int, int, int],
    ) -> Play:
        """The play before the first lead."""
        strain = contract.strain
        pairs = _PAIRS[strain : strain + 1]  # none at sans-atout and tout-atout
        if strain is Strain.ALL_TRUMP and rules.belotes_at_all_trump:
            pairs = _PAIRS
        marriages = 0
        for pair in pairs:
            for hand in dealt:
                if hand & pair == pair:
                    marriages |= pair
        return cls(
            rules,
            contract,
            strain,
            BEATS[strain * 32 : strain * 32 + 32],
            FOLLOWING[rules.turn_direction],
            dealt,
            marriages,
            ALL_CARDS,  # unplayed
            leader,  # turn
            dealt[leader],  # legal
            leader,
            (),  # cards
            -1,  # best
            leader,  # best_seat
            (),  # tricks
            (),  # winners
            (0, 0),  # taken
            0,  # announced
            (),  # belotes
        )

    @property
    def over(self) -> bool:
        """True after the eighth trick."""
        return not self.unplayed

    @property
    def hands(self) -> tuple[int, int, int, int]:
        """The cards each seat still holds, as masks by ``Seat``."""
        north, east, south, west = self.dealt
        left = self.unplayed
        return north & left, east & left, south & left, west & left

    @property
    def trick(self) -> Trick:
        """The current trick, maybe without a card yet."""
        return Trick(self.leader, self.cards)

    def belotes_counted(self) -> tuple[int, int]:
        """Belotes (king and queen, both played and both announced) of each pair so far."""
        counted = [0, 0]
        for pair in _PAIRS:
            if self.announced & pair == pair:
                for seat in SEATS:
                    if self.dealt[seat] & pair == pair:
                        counted[seat & 1] += 1
        return counted[0], counted[1]

    def legal_actions(self, seat: Seat) -> tuple[Action, ...]:
        """What this seat may do now, lowest card first; in announced mode the same cards with
        "belote" said follow where it can be. Empty when it is not its turn.
        """
        if seat is not self.turn:
            return ()
        legal = self.legal
        cards = cards_in(legal)
        if legal & self.marriages and self.rules.belote_mode is BeloteMode.ANNOUNCED:
            return (*cards, *(Announced(card) for card in cards_in(legal & self.marriages)))
        return cards

    def after(self, seat: Seat, action: Action) -> Play:
        """The play after this card; IllegalAction when it may not be played by this seat now."""
        (
            rules,
            contract,
            strain,
            beats,
            following,
            dealt,
            marriages,
            unplayed,
            turn,
            legal,
            leader,
            cards,
            best,
            best_seat,
            tricks,
            winners,
            taken,
            announced,
            belotes,
        ) = self
        card = action if type(action) is Card else self._announced(seat, action)
        bit = 1 << card
        if seat is not turn or not legal & bit:
            raise self._illegal(seat, action)
        if marriages & bit:
            announced, belotes = self._after_marriage(seat, action, card)

        unplayed ^= bit
        if not cards or beats[best] & bit:
            best = card
            best_seat = seat
        cards = (*cards, card)
        if len(cards) < 4:
            turn = following[seat]
            legal = legal_cards(
                dealt[turn] & unplayed,
                strain,
                cards[0] >> 3,
                best,
                best_seat is _PARTNERS[turn],
                rules.play_duties,
            )
        else:
            tricks = (*tricks, Trick(leader, cards))
            winners = (*winners, best_seat)
            played = ALL_CARDS ^ unplayed
            north_south, east_west = taken
            if best_seat & 1:
                taken = (north_south, played ^ north_south)
            else:
                taken = (played ^ east_west, east_west)
            turn = leader = best_seat
            legal = dealt[turn] & unplayed
            cards = ()
            best = -1
        # Building the tuple directly takes half the time of calling Play.
        return tuple.__new__(
            Play,
            (
                rules,
                contract,
                strain,
                beats,
                following,
                dealt,
                marriages,
                unplayed,
                turn,
                legal,
                leader,
                cards,
                best,
                best_seat,
                tricks,
                winners,
                taken,
                announced,
                belotes,
            ),
        )

    def _announced(self, seat: Seat, action: Action) -> Card:
        """The card of an action that is not just a card: played with belote said."""
        if not isinstance(action, Announced) or not isinstance(action.card, Card):
            raise self._illegal(seat, action)
        announced_mode = self.rules.belote_mode is BeloteMode.ANNOUNCED
        if not announced_mode or not self.marriages >> action.card & 1:
            raise self._illegal(seat, action)
        return action.card

    def _after_marriage(
        self, seat: Seat, action: Action, card: Card
    ) -> tuple[int, tuple[Seat, ...]]:
        """``announced`` and ``belotes`` after a king or queen of a belote was played."""
        if action is card and self.rules.belote_mode is BeloteMode.ANNOUNCED:
            return self.announced, self.belotes
        first = not self.announced & _PAIRS[card >> 3]
        return self.announced | 1 << card, (*self.belotes, seat) if first else self.belotes

    # -- reasons for people --------------------------------------------------------------------

    def _illegal(self, seat: Seat, action: object) -> IllegalAction:
        return IllegalAction(action, self._reason(seat, action), self.legal_actions(seat))

    def _reason(self, seat: Seat, action: object) -> str:
        if self.over:
            return "the deal is over"
        if seat is not self.turn:
            return f"it is {_NAMES[self.turn]}'s turn to play"
        card = action.card if isinstance(action, Announced) else action
        if not isinstance(card, Card):
            return "it is time to play a card"
        if not self.dealt[seat] >> card & 1:
            return f"{_NAMES[seat]} does not hold {card}"
        if not self.unplayed >> card & 1:
            return f"{card} has been played already"
        if not self.legal >> card & 1:
            return self._duty(seat)
        if self.rules.belote_mode is BeloteMode.AUTO:
            return "belote counts by itself under these rules"
        return "belote needs king and queen of trump in one hand"

    def _duty(self, seat: Seat) -> str:
        """The duty that forbids a card which the seat holds."""
        led = self.cards[0].suit
        hand = self.dealt[seat] & self.unplayed
        holder = _NAMES[self.best_seat]
        best = Card(self.best)
        if hand & SUIT_MASKS[led]:
            if self.legal != hand & SUIT_MASKS[led]:
                return f"you must play higher than {best} where you can"
            return f"you must follow {led.name.lower()}"
        if self.legal == hand & SUIT_MASKS[self.strain]:
            return f"you must trump: {holder} is master"
        return f"you must overtrump {best}: {holder} is master"


_PAIRS: Final = tuple(
    1 << Card.of(suit, Rank.KING) | 1 << Card.of(suit, Rank.QUEEN) for suit in Suit
)
"""King and queen of each suit."""
_PARTNERS: Final = tuple(seat.partner for seat in SEATS)
_NAMES: Final = tuple(seat.name.capitalize() for seat in SEATS)
