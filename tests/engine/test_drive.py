"""Driving deals and matches with policies."""

import random

import pytest

from contree.engine import (
    SEATS,
    Action,
    Card,
    Deal,
    Game,
    IllegalAction,
    Mode,
    Say,
    Seat,
    SeededDeals,
    View,
    drive,
    drive_game,
    preset,
)

RULES = preset("coinche-annonce")


class Dice:
    """A player at random that remembers what it was shown."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.views: list[View] = []

    def __call__(self, view: View) -> Action:
        self.views.append(view)
        return self.random.choice(view.legal)


def fresh(number: int = 1) -> Deal:
    return Deal.start(RULES, *SeededDeals(bytes(32)).board(number, RULES))


def test_drive_plays_to_the_end() -> None:
    players = {seat: Dice(seat) for seat in SEATS}
    for number in range(1, 20):
        assert drive(players, fresh(number)).result is not None
    for seat, player in players.items():
        assert player.views
        assert all(view.seat is seat and view.kind and view.legal for view in player.views)


def test_drive_game_plays_to_the_outcome() -> None:
    players = [Dice(seat) for seat in SEATS]
    game = drive_game(players, Game.start(RULES, SeededDeals(bytes(32)), Mode.RACE))
    assert game.outcome is not None
    assert max(game.scores) >= RULES.target


def test_illegal_answer_names_the_seat() -> None:
    players = [Dice(0), Dice(1), Dice(2), Dice(3)]

    def cheat(view: View) -> Action:
        return Say.SURCONTRE if view.contract is None else view.legal[0]

    first = RULES.turn_direction.next(fresh().dealer)
    with pytest.raises(IllegalAction, match=f"{first.name.capitalize()}'s policy") as caught:
        drive({**dict(zip(SEATS, players, strict=True)), first: cheat}, fresh())
    assert caught.value.action is Say.SURCONTRE
    assert Say.PASS in caught.value.legal


def test_illegal_answer_in_a_match_names_the_seat() -> None:
    game = Game.start(RULES, SeededDeals(bytes(32)))
    seat = game.owed[0]
    with pytest.raises(IllegalAction, match=f"{seat.name.capitalize()}'s policy: it is time to"):
        drive_game([lambda view: view.hand[0]] * 4, game)


def test_plain_ints_are_no_cards() -> None:
    deal = fresh()
    while deal.play is None:
        deal = deal.apply(deal.owed[0], deal.legal_actions(deal.owed[0])[-1])
    seat: Seat = deal.owed[0]
    card = deal.legal_actions(seat)[0]
    assert isinstance(card, Card)
    with pytest.raises(IllegalAction):
        deal.apply(seat, int(card))  # type: ignore[arg-type]
