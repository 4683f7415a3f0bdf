"""How cards are written: English or French letters, suits as symbols or letters; and read again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from contree.engine import CARDS, Card, Rank, Strain, Suit

_SYMBOLS: Final = "♠♥♦♣"
_VARIANTS: Final = str.maketrans(
    {"♤": "♠", "♡": "♥", "♢": "♦", "♧": "♣", "\ufe0e": "", "\ufe0f": ""}
)


class Face(NamedTuple):
    """A way to write cards."""

    ranks: str
    """A letter for each ``Rank``, weakest plain card first; the ten is written 10."""
    letters: str
    """A letter for each ``Suit``."""
    symbols: bool = True
    """Suits are drawn as symbols."""

    def rank(self, rank: Rank) -> str:
        """A rank, such as Q or 10."""
        return "10" if rank is Rank.TEN else self.ranks[rank]

    def suit(self, suit: Suit) -> str:
        """A suit as it is drawn: a symbol or a letter."""
        return _SYMBOLS[suit] if self.symbols else self.letters[suit]

    def card(self, card: Card) -> str:
        """A card, such as 10♥."""
        return self.rank(card.rank) + self.suit(card.suit)

    def typed(self, card: Card) -> str:
        """A card as one types it, such as 10H."""
        return self.rank(card.rank) + self.letters[card.suit]

    def strain(self, strain: Strain) -> str:
        """A strain as it is drawn: a suit, SA or TA."""
        return str(strain) if strain.suit is None else self.suit(strain.suit)

    def read_card(self, text: str) -> Card | None:
        """A card in these letters, in English ones where these mean none, or with a symbol."""
        text = text.translate(_VARIANTS).upper()
        return {**ENGLISH._cards(), **self._cards()}.get(text)

    def read_strain(self, text: str) -> Strain | None:
        """A strain in these letters, else in English ones; SA and TA are the same in both."""
        text = text.translate(_VARIANTS).upper()
        return {**ENGLISH._strains(), **self._strains()}.get(text)

    def _cards(self) -> Mapping[str, Card]:
        found: dict[str, Card] = {}
        for card in CARDS:
            ranks = ("10", "T") if card.rank is Rank.TEN else (self.ranks[card.rank],)
            for rank in ranks:
                found[rank + self.letters[card.suit]] = card
                found[rank + _SYMBOLS[card.suit]] = card
        return found

    def _strains(self) -> Mapping[str, Strain]:
        found: dict[str, Strain] = {"SA": Strain.NO_TRUMP, "TA": Strain.ALL_TRUMP}
        for suit in Suit:
            found[self.letters[suit]] = found[_SYMBOLS[suit]] = Strain(suit)
        return found


ENGLISH: Final = Face("789JQKTA", "SHDC")
FRENCH: Final = Face("789VDRTA", "PCKT")
"""Valet, dame, roi; pique, cœur, carreau (K, for C is cœur), trèfle."""
FACES: Final[Mapping[str, Face]] = {"en": ENGLISH, "fr": FRENCH}


def face_of(letters: str | None, suits: str, locale: str) -> Face:
    """The face for the options ``--letters`` and ``--suits``; by the locale where none is given."""
    name = letters or ("fr" if locale.lower().startswith("fr") else "en")
    return FACES[name]._replace(symbols=suits == "symbols")
