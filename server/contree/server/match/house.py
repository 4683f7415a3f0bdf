"""The players of the house: opponents to practise with, and substitutes for bots at fault."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from contree.engine import Action, Seat, View, project
from contree.policy import random_player, rules_player
from contree.server.match.state import Match

SUBSTITUTE: Final = "rules"
"""Who plays on for a bot at fault."""


def _rules(match: Match, seat: Seat, view: View) -> Action:
    del match, seat
    return rules_player(view)


def _random(match: Match, seat: Seat, view: View) -> Action:
    # Reproducible from the journal, and not to be foreseen without the match's secret.
    return random_player(match.decision_id(seat).hex())(view)


_PLAYERS: Final[Mapping[str, Callable[[Match, Seat, View], Action]]] = {
    "rules": _rules,
    "random": _random,
}

HOUSE_PLAYERS: Final = tuple(_PLAYERS)
"""The names a host may put into a seat."""


def choose(match: Match, seat: Seat) -> Action:
    """What the player of the house in this seat does with the decision that it owes."""
    player = _PLAYERS[match.seats[seat].house or SUBSTITUTE]
    return player(match, seat, project(match.game, seat))
