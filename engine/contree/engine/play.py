"""The card play of a deal: what is over, and names for all of it.

The play itself is ``Deal.apply``. Hands are masks: a seat's remaining hand is what it was dealt
without the cards that are not ``unplayed`` any more, so playing a card changes one int.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from contree.engine.cards import Card, Strain
from contree.engine.contract import Contract
from contree.engine.named import new
from contree.engine.rules import RuleSet
from contree.engine.setting import PAIRS
from contree.engine.table import SEATS, Seat
from contree.engine.trick import Trick

if TYPE_CHECKING:
    from contree.engine.deal import Deal

__all__ = ["Past", "Play"]


class Past(NamedTuple):
    """What is over and done with in the play."""

    tricks: tuple[Trick, ...] = ()
    """The finished tricks."""
    winners: tuple[Seat, ...] = ()
    """Who won each of them."""
    taken: tuple[int, int] = (0, 0)
    """The cards in the tricks of North-South and of East-West, as masks."""
    announced: int = 0
    """The cards played with belote or rebelote said, as a mask; in automatic mode all kings and
    queens of belotes played so far."""
    belotes: tuple[Seat, ...] = ()
    """Who has said belote (with the first card of a pair), in order; once for each suit."""

    def with_trick(self, trick: Trick, winner: Seat, played: int) -> Past:
        """The same with one trick more; ``played`` are all cards played so far."""
        tricks, winners, (north_south, east_west), announced, belotes = self
        if winner & 1:
            taken = north_south, played ^ north_south
        else:
            taken = played ^ east_west, east_west
        tricks += (trick,)
        winners += (winner,)
        return new(Past, (tricks, winners, taken, announced, belotes))

    def with_belote(self, seat: Seat, card: Card) -> Past:
        """The same after a king or queen of a belote that was said aloud."""
        belotes = self.belotes
        if not self.announced & PAIRS[card >> 3]:
            belotes += (seat,)
        return self._replace(announced=self.announced | 1 << card, belotes=belotes)

    def belotes_counted(self, dealt: tuple[int, int, int, int]) -> tuple[int, int]:
        """Belotes (king and queen, both played and both announced) of each pair so far."""
        if not self.announced:
            return 0, 0
        counted = [0, 0]
        for pair in PAIRS:
            if self.announced & pair == pair:
                for seat in SEATS:
                    counted[seat & 1] += dealt[seat] & pair == pair
        return counted[0], counted[1]


class Play(NamedTuple):
    """The card play of a deal, under way or done: names for its parts."""

    deal: Deal

    @property
    def rules(self) -> RuleSet:
        """The rules that are played by."""
        return self.deal.rules

    @property
    def contract(self) -> Contract:
        """The contract that is played."""
        contract = self.deal.auction.contract
        assert contract is not None
        return contract

    @property
    def strain(self) -> Strain:
        """The strain of the contract."""
        return self.contract.strain

    @property
    def dealt(self) -> tuple[int, int, int, int]:
        """The hand each seat was dealt, as masks by ``Seat``."""
        return self.deal.dealt

    @property
    def hands(self) -> tuple[int, int, int, int]:
        """The cards each seat still holds, as masks by ``Seat``."""
        return self.deal.hands

    @property
    def unplayed(self) -> int:
        """The cards not yet played, by anyone, as a mask."""
        return self.deal.unplayed

    @property
    def over(self) -> bool:
        """True after the eighth trick."""
        return not self.deal.unplayed

    @property
    def turn(self) -> Seat:
        """Whose turn it is; once ``over``, the winner of the last trick."""
        return self.deal.owed[0] if self.deal.owed else self.deal.holder

    @property
    def trick(self) -> Trick:
        """The current trick, maybe without a card yet."""
        return self.deal.trick or Trick(self.deal.holder)

    @property
    def tricks(self) -> tuple[Trick, ...]:
        """The finished tricks."""
        return self.deal.past.tricks

    @property
    def winners(self) -> tuple[Seat, ...]:
        """Who won each finished trick."""
        return self.deal.past.winners

    @property
    def taken(self) -> tuple[int, int]:
        """The cards in the tricks of North-South and of East-West, as masks."""
        return self.deal.past.taken

    @property
    def announced(self) -> int:
        """``Past.announced``."""
        return self.deal.past.announced

    @property
    def belotes(self) -> tuple[Seat, ...]:
        """``Past.belotes``."""
        return self.deal.past.belotes

    def belotes_counted(self) -> tuple[int, int]:
        """``Past.belotes_counted``."""
        return self.deal.past.belotes_counted(self.deal.dealt)
