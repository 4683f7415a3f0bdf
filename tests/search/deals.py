"""Random deals for the tests of the search package, played by the engine."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from contree.engine import (
    DECLINE,
    PASS,
    PRESET_NAMES,
    SEATS,
    Action,
    Bid,
    Deal,
    RuleSet,
    Seat,
    Strain,
    mask_of,
    preset,
    rules_from_dict,
)

FULL: Final = bool(os.environ.get("FULL"))

Hands = Sequence[int]


def variant(name: str, **options: object) -> RuleSet:
    """A preset with other options."""
    return rules_from_dict({**preset(name).to_dict(), **options})


RULES: Final[dict[str, RuleSet]] = {name: preset(name) for name in PRESET_NAMES}


def _kinds_of_strain() -> Iterator[tuple[str, Strain]]:
    """Every preset with a trump suit, and sans-atout and tout-atout where it has them."""
    for name, rules in RULES.items():
        yield name, Strain.HEARTS
        for strain in (Strain.NO_TRUMP, Strain.ALL_TRUMP):
            if strain in rules.strains:
                yield name, strain


KINDS: Final = tuple(_kinds_of_strain())


def uniform_hands(rng: random.Random) -> list[int]:
    deck = rng.sample(range(32), 32)
    return [mask_of(deck[first : first + 8]) for first in (0, 8, 16, 24)]


def unequal_hands(rng: random.Random, strain: Strain) -> list[int]:
    """Hands of which one is much stronger than the others, so that one pair often wins all."""
    order: Callable[[int], float] = lambda card: rng.gauss(0, 1.5) + _strength(card, strain)  # noqa: E731
    deck = sorted(range(32), key=order)
    hands = [deck[24:], deck[0:8], deck[12:20], [*deck[8:12], *deck[20:24]]]
    turn = rng.randrange(4)
    return [mask_of(hand) for hand in (*hands[turn:], *hands[:turn])]


def _strength(card: int, strain: Strain) -> float:
    suit, rank = divmod(card, 8)
    at_trump = strain in (suit, Strain.ALL_TRUMP)
    return (0, 1, 6, 7, 2, 3, 4, 5)[rank] + 4 * (strain == suit) if at_trump else rank


def bid_and_played(  # noqa: PLR0917
    rules: RuleSet,
    strain: Strain,
    hands: Hands,
    rng: random.Random,
    cards: int,
    play: Callable[[Deal], Action] | None = None,
) -> tuple[Deal, list[tuple[Seat, Action]]]:
    """A deal in this strain after so many cards, and all that was said and done."""
    deal = Deal.start(rules, SEATS[rng.randrange(4)], hands)
    done: list[tuple[Seat, Action]] = []
    for _ in range(rng.randrange(4)):  # the takers may sit anywhere
        deal = _step(deal, PASS, done)
    deal = _step(deal, Bid(80, strain), done)
    while deal.setting is None:
        deal = _step(deal, DECLINE if DECLINE in deal.choices else PASS, done)
    for _ in range(cards):
        deal = _step(deal, play(deal) if play else rng.choice(deal.choices), done)
    return deal, done


def _step(deal: Deal, action: Action, done: list[tuple[Seat, Action]]) -> Deal:
    seat = deal.owed[0]
    done.append((seat, action))
    return deal.apply(seat, action)
