"""What a seat knows of the hidden cards: from the play, and from belotes said or not said.

A rule of play never forbids a card because of two others together: if a card was played that a hand
made illegal, then a single card of that hand did. So all that a play tells of a hand is a set of
cards that are not in it, and the engine's own ``legal_cards`` says which: those next to which,
alone, the card played would not have been legal.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from contree.engine import SEATS, Card, View, mask_of
from contree.engine.cards import ALL_CARDS, SUIT_MASKS
from contree.engine.masks import BEATS, NO_TRUMP
from contree.engine.options import BeloteMode
from contree.search.compiled_rules import legal_cards
from contree.search.jit import compiled

__all__ = ["Evidence", "evidence_in"]

Hands = tuple[int, int, int, int]


class Evidence(NamedTuple):
    """What a view tells. Sets of cards are masks, by ``Seat`` where there are four."""

    seat: int
    hand: int
    """The seat's own cards."""
    unseen: int
    """The cards that the others hold."""
    left: Hands
    """How many of them each of the others holds; 0 for the seat itself."""
    played: Hands
    """What each seat has played."""
    cases: tuple[Hands, ...]
    """The unseen cards that each of the others may hold. Several cases, no two of which can be true
    at once, where belotes leave open who holds which king or queen."""


class _Turn(NamedTuple):
    """A card played: who played it and what lay there."""

    seat: int
    card: Card
    led: int
    best: int
    partner_holds: bool


def evidence_in(view: View) -> Evidence:
    """What this view tells, at any time of a deal."""
    turns = tuple(_turns(view))
    played = [0, 0, 0, 0]
    for turn in turns:
        played[turn.seat] |= 1 << turn.card
    hand = mask_of(view.hand)
    unseen = ALL_CARDS & ~(hand | played[0] | played[1] | played[2] | played[3])
    left = [8 - cards.bit_count() for cards in played]
    left[view.seat] = 0
    may = [unseen] * 4
    may[view.seat] = 0
    if view.strain is not None:
        strain, duties = int(view.strain), view.rules.play_duties
        for seat, card, led, best, partner_holds in turns:
            if led >= 0 and seat != view.seat:
                relevant = may[seat] & _concerned(strain, led)
                if relevant:
                    may[seat] &= ~_refuted(
                        relevant, int(card), strain, led, best, partner_holds, duties
                    )
    return Evidence(
        int(view.seat),
        hand,
        unseen,
        _four(left),
        _four(played),
        tuple(_four(case) for case in _cases(view, turns, unseen, may)),
    )


def _four(numbers: list[int]) -> Hands:
    north, east, south, west = numbers
    return north, east, south, west


def _turns(view: View) -> Iterator[_Turn]:
    """All cards played, in order."""
    if view.strain is None:
        return
    row = view.strain * 32
    tricks = view.tricks if view.trick is None else (*view.tricks, view.trick)
    for trick in tricks:
        best, holder, led = 0, trick.leader, -1
        for seat, card in zip(
            view.rules.turn_direction.order(trick.leader), trick.cards, strict=False
        ):
            yield _Turn(int(seat), card, led, best, holder == seat ^ 2)
            if led < 0:
                led = card >> 3
                best, holder = card, seat
            elif BEATS[row + best] >> card & 1:
                best, holder = card, seat


def _concerned(strain: int, led: int) -> int:
    """The cards that a duty can be about."""
    return SUIT_MASKS[led] | (SUIT_MASKS[strain] if strain < NO_TRUMP else 0)


@compiled
def _refuted(  # noqa: PLR0917 - positional, for the compiler
    cards: int, played: int, strain: int, led: int, best: int, partner_holds: bool, duties: int
) -> int:
    """Those of these cards next to which the card played would not have been legal."""
    own = 1 << played
    refuted = 0
    while cards:
        bit = cards & -cards
        cards ^= bit
        if not legal_cards(own | bit, strain, led, best, partner_holds, duties) & own:
            refuted |= bit
    return refuted


# --- belotes


class _Half(NamedTuple):
    """A king or queen that a seat played; the other one is unseen."""

    seat: int
    other: int


def _cases(
    view: View, turns: tuple[_Turn, ...], unseen: int, may: list[int]
) -> Iterator[list[int]]:
    """The cases (``Evidence``): each says of every half belote whether it was one."""
    pairs = () if view.strain is None else view.rules.settings[view.strain].pairs
    halves = [
        _Half(turn.seat, pair & ~(1 << turn.card))
        for turn in turns
        for pair in pairs
        if pair >> turn.card & 1 and turn.seat != view.seat and pair & unseen
    ]
    for kept in product((False, True), repeat=len(halves)):
        if halves and not _agrees(view, turns, pairs, halves, kept):
            continue
        case = list(may)
        for half, both in zip(halves, kept, strict=True):
            for seat in SEATS:
                if (seat == half.seat) is not both:
                    case[seat] &= ~half.other
        yield case


def _agrees(
    view: View,
    turns: tuple[_Turn, ...],
    pairs: tuple[int, ...],
    halves: list[_Half],
    kept: tuple[bool, ...],
) -> bool:
    """Whether the belotes of this view can have been said if these halves belonged to a belote."""
    hands = [0, 0, 0, 0]
    hands[view.seat] = mask_of(view.hand)
    for turn in turns:
        hands[turn.seat] |= 1 << turn.card
    for half, both in zip(halves, kept, strict=True):
        if both:
            hands[half.seat] |= half.other
    chances = [
        (turn.seat, pair)
        for turn in turns
        for pair in pairs
        if pair >> turn.card & 1 and hands[turn.seat] & pair == pair
    ]
    if view.rules.belote_mode is BeloteMode.AUTO:
        said = tuple(seat for seat, _ in dict.fromkeys(chances))
        return said == view.belotes
    return _could_say(chances, view.belotes)


def _could_say(chances: list[tuple[int, int]], said: tuple[int, ...]) -> bool:
    """Whether belotes can have been said in this order, each once, at some of these chances."""
    if not said:
        return True
    for number, chance in enumerate(chances):
        if chance[0] == said[0]:
            later = [other for other in chances[number + 1 :] if other != chance]
            if _could_say(later, said[1:]):
                return True
    return False
