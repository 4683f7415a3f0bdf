"""A record played again step by step: what there is to see after each call and each card."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from contree.engine.auction import PlacedCall
from contree.engine.deal import Deal
from contree.engine.game import Game
from contree.engine.record import PlacedCard, Record, check_next, replay_calls, replay_cards

__all__ = ["Step", "steps"]


class Step(NamedTuple):
    """The match after one thing happened in it."""

    deal_index: int
    """Which deal, counted from 0."""
    what: PlacedCall | PlacedCard | None
    """What was said or played; None: the cards were dealt."""
    deal: Deal
    """The deal after it, with all hands."""
    scores: tuple[int, int]
    """The totals of the match: of the finished deals."""


def steps(record: Record) -> Iterator[Step]:
    """Every step of a record in order. Declined contres, which nobody hears, are no steps.

    IllegalAction or DeckError, as ``Record.replay``, at the step that cannot be.
    """
    game = record.start()
    for index, deal in enumerate(record.deals):
        check_next(game, index)
        yield _step(game, index, None)
        for call in deal.calls:
            game = replay_calls(game, deal._replace(calls=(call,), cards=()))
            yield _step(game, index, call)
        game = replay_calls(game, deal._replace(calls=()))
        for card in deal.cards:
            game = replay_cards(game, deal._replace(cards=(card,)))
            yield _step(game, index, card)


def _step(game: Game, index: int, what: PlacedCall | PlacedCard | None) -> Step:
    over = len(game.finished) > index
    deal = game.finished[index] if over else game.deal
    assert deal is not None
    return Step(index, what, deal, game.scores)
