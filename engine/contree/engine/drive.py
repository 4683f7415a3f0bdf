"""Plays deals and matches from policies, without service, clock or journal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from contree.engine.actions import Action
from contree.engine.deal import Deal
from contree.engine.errors import IllegalAction
from contree.engine.game import Game
from contree.engine.table import Seat
from contree.engine.view import View, project

__all__ = ["Policies", "Policy", "drive", "drive_game"]

Policy = Callable[[View], Action]
"""A player: what to do, given what its seat sees. Called only when the seat owes an action."""

Policies = Mapping[Seat, Policy] | Sequence[Policy]
"""The players by seat."""


def drive(policies: Policies, deal: Deal) -> Deal:
    """Play a deal to its end. IllegalAction, naming the seat, when a policy breaks the rules."""
    while deal.owed:
        seat = deal.owed[0]
        action = policies[seat](project(deal, seat))
        try:
            deal = deal.apply(seat, action)
        except IllegalAction as error:
            raise _blaming(seat, error) from None
    return deal


def drive_game(policies: Policies, game: Game) -> Game:
    """Play a match to its end. IllegalAction, naming the seat, when a policy breaks the rules.

    A race in which all four always pass has no end, unless the rules limit the deals.
    """
    while game.owed:
        seat = game.owed[0]
        action = policies[seat](project(game, seat))
        try:
            game = game.apply(seat, action)
        except IllegalAction as error:
            raise _blaming(seat, error) from None
    return game


def _blaming(seat: Seat, error: IllegalAction) -> IllegalAction:
    return IllegalAction(
        error.action, f"{seat.name.capitalize()}'s policy: {error.reason}", error.legal
    )
