"""What stays the same while a strain is played, as tables that each rule set holds ready."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from contree.engine.cards import ALL_CARDS, SUIT_MASKS, Card, Rank, Strain, Suit, mask_of
from contree.engine.masks import BEATS, NO_TRUMP, rises_in
from contree.engine.options import BeloteMode
from contree.engine.table import Seat

if TYPE_CHECKING:
    from contree.engine.rules import RuleSet

__all__ = ["PAIRS", "Setting"]


PAIRS: Final = tuple(
    mask_of((Card.of(suit, Rank.KING), Card.of(suit, Rank.QUEEN))) for suit in Suit
)
"""King and queen of each suit, as a mask."""


@dataclass(frozen=True, slots=True)
class Setting:
    """The play in one strain by one rule set, as ``Deal.apply`` asks for it at every card."""

    strain: int
    """A plain number, for members of enums are slow to compare."""
    duties: int
    """``RuleSet.play_duties``."""
    beats: tuple[int, ...]
    """For each card the cards that take the trick over it while it holds it, as masks; the last
    entry (-1) is that before the lead: any card."""
    freely: tuple[int, ...]
    """For each suit led its cards, where whoever follows may play any; 0 where one may have to
    rise."""
    binding: tuple[int, ...]
    """For each suit led the cards that can bind their holder: that suit and trump. A hand without
    any of them may play what it likes."""
    following: tuple[tuple[tuple[Seat], Seat, Seat], ...]
    """For each seat the next in turn: as ``Deal.owed``, itself, and its partner."""
    pairs: tuple[int, ...]
    """The kings and queens that are belotes when one hand holds both, as masks."""
    aloud: bool
    """Whether belote counts only when it is said."""

    @classmethod
    def of(cls, rules: RuleSet, strain: Strain) -> Setting:
        """How these rules play this strain."""
        duties = rules.play_duties
        trumps = SUIT_MASKS[strain] if strain < NO_TRUMP else 0
        return cls(
            strain=int(strain),
            duties=duties,
            beats=(*BEATS[strain * 32 : strain * 32 + 32], ALL_CARDS),
            freely=tuple(
                0 if rises_in(suit, strain, duties) else SUIT_MASKS[suit] for suit in Suit
            ),
            binding=tuple(SUIT_MASKS[suit] | trumps for suit in Suit),
            following=tuple(((seat,), seat, seat.partner) for seat in rules.following),
            pairs=_pairs(rules, strain),
            aloud=rules.belote_mode is BeloteMode.ANNOUNCED,
        )

    def marriages(self, dealt: tuple[int, int, int, int]) -> int:
        """The kings and queens of belotes that were dealt to one of these hands, as a mask."""
        married = 0
        for pair in self.pairs:
            for hand in dealt:
                if hand & pair == pair:
                    married |= pair
        return married


def _pairs(rules: RuleSet, strain: Strain) -> tuple[int, ...]:
    """Kings and queens that are belotes in this strain."""
    if strain is Strain.ALL_TRUMP:
        return PAIRS if rules.belotes_at_all_trump else ()
    return PAIRS[strain : strain + 1]  # none at sans-atout
