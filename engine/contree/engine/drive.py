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
        deal = deal.apply(seat, _answer(policies, project(deal, seat)))
    return deal


def drive_game(policies: Policies, game: Game) -> Game:
    """Play a match to its end. IllegalAction, naming the seat, when a policy breaks the rules."""
    while game.owed:
        seat = game.owed[0]
        game = game.apply(seat, _answer(policies, project(game, seat)))
    return game


def _answer(policies: Policies, view: View) -> Action:
    action = policies[view.seat](view)
    if action not in view.legal:
        raise IllegalAction(
            action, f"{view.seat.name.capitalize()}'s policy broke the rules", view.legal
        )
    return action
