"""Cards, calls and seats in words: for lines that are read aloud, and for what a screen says."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from contree.engine import Action, Announced, Bid, Call, Card, Contract, Rank, Say, Strain, Suit
from contree.engine.contract import Doubling

_RANKS: Final = ("7", "8", "9", "jack", "queen", "king", "ten", "ace")
_STRAINS: Final = ("spades", "hearts", "diamonds", "clubs", "sans-atout", "tout-atout")
_SAYS: Final = {
    Say.PASS: "pass",
    Say.CONTRE: "contre",
    Say.SURCONTRE: "surcontre",
    Say.DECLINE: "no",
}
_CODE: Final = re.compile(r"\b[789JQKTA][SHDC]\b")


def card_words(card: Card) -> str:
    """A card, such as "ten of hearts"."""
    return f"{_RANKS[card.rank]} of {_STRAINS[card.suit]}"


def strain_words(strain: Strain) -> str:
    """A strain, such as "hearts" or "sans-atout"."""
    return _STRAINS[strain]


def call_words(call: Call) -> str:
    """A call, such as "90 hearts", "capot in spades" or "pass"."""
    if isinstance(call, Say):
        return _SAYS[call]
    between = " " if isinstance(call.level, int) else " in "
    return f"{call.level}{between}{_STRAINS[call.strain]}"


def action_words(action: Action) -> str:
    """What somebody does, after "say" or "play"."""
    if isinstance(action, Announced):
        return f"the {card_words(action.card)} with belote"
    if isinstance(action, Card):
        return f"the {card_words(action)}"
    return call_words(action)


def contract_words(contract: Contract, who: str) -> str:
    """A contract, such as "90 hearts by North, contre"."""
    doubled = {Doubling.NONE: "", Doubling.CONTRE: ", contre", Doubling.SURCONTRE: ", surcontre"}
    return f"{call_words(contract.bid)} by {who}{doubled[contract.doubling]}"


def hand_words(cards: Iterable[Card], trump: Strain | None = None) -> str:
    """A hand suit by suit, such as "spades ace ten 7; hearts jack"."""
    found = in_order(cards, trump)
    suits: dict[Suit, list[str]] = {}
    for card in found:
        suits.setdefault(card.suit, []).append(_RANKS[card.rank])
    return "; ".join(f"{_STRAINS[suit]} {' '.join(ranks)}" for suit, ranks in suits.items())


def in_order(cards: Iterable[Card], strain: Strain | None = None) -> list[Card]:
    """A hand as one sorts it: suits together, black and red in turn, trumps first; in each suit the
    strongest card first.
    """

    def key(card: Card) -> tuple[bool, int, int]:
        trump = strain is not None and strain.suit is card.suit
        as_trump = trump or strain is Strain.ALL_TRUMP
        strength = TRUMP_STRENGTH[card.rank] if as_trump else int(card.rank)
        return not trump, _SORTED.index(card.suit), -strength

    return sorted(cards, key=key)


_SORTED: Final = (Suit.SPADES, Suit.HEARTS, Suit.CLUBS, Suit.DIAMONDS)
TRUMP_STRENGTH: Final = {
    rank: strength
    for strength, rank in enumerate(
        (
            *(Rank.SEVEN, Rank.EIGHT, Rank.QUEEN, Rank.KING),
            *(Rank.TEN, Rank.ACE, Rank.NINE, Rank.JACK),
        )
    )
}


def rewritten(sentence: str, write: Callable[[Card], str]) -> str:
    """A sentence of the engine with the cards in it written otherwise."""
    return _CODE.sub(lambda found: write(Card.parse(found[0])), sentence)


def one_of(words: Sequence[str], last: str = "or") -> str:
    """Words as a list: "a, b or c"."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def spoken_bids(bids: Sequence[Bid]) -> str:
    """The bids one may make, short: levels, then strains."""
    levels = list(dict.fromkeys(str(bid.level) for bid in bids))
    points = [level for level in levels if level.isdigit()]
    others = [level for level in levels if not level.isdigit()]
    told = [f"{points[0]} to {points[-1]}"] if len(points) > 2 else points
    strains = [_STRAINS[strain] for strain in sorted({bid.strain for bid in bids})]
    return f"{one_of([*told, *others])}, in {one_of(strains)}"
