"""Positions to ask players about: written by hand, or reached by playing at random."""

from __future__ import annotations

from collections.abc import Iterator

from contree.engine import (
    CARDS,
    SEATS,
    Deal,
    RuleSet,
    Seat,
    SeededDeals,
    View,
    mask_of,
    parse_action,
    parse_cards,
    preset,
    project,
)
from contree.policy import random_player

FFB = preset("ffb-mixte")
"""Counter-clockwise: after North comes West, then South, then East."""


def deals(rules: RuleSet, count: int) -> Iterator[Deal]:
    """Some deals before their first call, always the same."""
    source = SeededDeals(bytes(32), "policy")
    for number in range(1, count + 1):
        board = source.board(number, rules)
        yield Deal.start(rules, board.dealer, board.hands)


def random_states(rules: RuleSet, count: int) -> Iterator[Deal]:
    """Every state in which somebody owes something, of some deals played at random."""
    for number, start in enumerate(deals(rules, count)):
        player, deal = random_player(number), start
        while deal.owed:
            yield deal
            seat = deal.owed[0]
            deal = deal.apply(seat, player(project(deal, seat)))


def dealt(rules: RuleSet = FFB, /, **hands: str) -> Deal:
    """A deal with these hands by seat (``north="JS 9S ..."``), the other seats in pack order.

    North speaks and leads first.
    """
    given = {Seat.parse(name[0].upper()): parse_cards(text) for name, text in hands.items()}
    used = {card for cards in given.values() for card in cards}
    rest = iter([card for card in CARDS if card not in used])
    masks = [
        mask_of(given[seat]) if seat in given else mask_of([next(rest) for _ in range(8)])
        for seat in SEATS
    ]
    dealer = rules.turn_direction.next(Seat.NORTH, 3)
    return Deal.start(rules, dealer, masks)


def after(deal: Deal, *actions: str) -> Deal:
    """The deal after these actions of whoever is owed first, in the notation's text."""
    for text in actions:
        deal = deal.apply(deal.owed[0], parse_action(text))
    return deal


def view_of(deal: Deal) -> View:
    """The view of the seat that is owed first."""
    return project(deal, deal.owed[0])
