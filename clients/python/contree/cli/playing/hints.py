"""What the rules player would do, in words. Pure."""

from __future__ import annotations

from contree.cli.playing.telling import name_of
from contree.cli.render.words import action_words
from contree.engine import Action, Announced, Bid, Card, Say, View
from contree.policy import rules_player


def hint(view: View) -> tuple[Action, str]:
    """What it would do with this view, and a sentence that says so. What is said of a card is a
    fact about the trick, not the player's reason.
    """
    action = rules_player(view)
    if isinstance(action, Bid | Say):
        told = f"The rules player would say {action_words(action)}"
        if action is Say.DECLINE:
            told = "The rules player would decline"
        return action, f"{told}."
    return action, f"The rules player would play {action_words(action)}{_fact(view, action)}."


def _fact(view: View, action: Card | Announced) -> str:
    trick, strain = view.trick, view.strain
    if trick is None or strain is None:
        return ""
    if not trick.cards:
        return ""
    card = action.card if isinstance(action, Announced) else action
    direction = view.rules.turn_direction
    master = trick.winner(strain, direction)
    last = len(trick.cards) == 3
    if trick.with_card(card).winner(strain, direction) is view.seat:
        return ", which takes the trick" if last else ", which would be master"
    if master is view.partner:
        return "; your partner is master"
    return f"; {name_of(master)} stays master"
