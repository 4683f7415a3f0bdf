"""The record of a match: cards, calls and plays as values, and how to play them again.

``notation`` writes a record as text and reads it back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from contree.engine.actions import CONTRE, DECLINE, SURCONTRE, Action, Announced
from contree.engine.auction import DecisionKind, PlacedCall
from contree.engine.deal import Deal
from contree.engine.errors import DeckError
from contree.engine.game import Game, Mode
from contree.engine.options import BeloteMode
from contree.engine.rules import RuleSet
from contree.engine.shuffle import SEED_BYTES, FixedDeal, Hands, ListedDeals, next_dealer
from contree.engine.table import Seat

__all__ = [
    "SEED_NOTE",
    "PlacedCard",
    "Record",
    "RecordedDeal",
    "actions",
    "check_next",
    "dealer_after",
    "replay_calls",
    "replay_cards",
]


SEED_NOTE: Final = "seed "
"""How the note begins that holds a match's own seed in hex; the label of its deals is empty."""

_SEED: Final = re.compile(f"{SEED_NOTE}([0-9a-f]{{{2 * SEED_BYTES}}})")


class PlacedCard(NamedTuple):
    """A card (maybe with belote said) and who played it."""

    seat: Seat
    action: Action


class RecordedDeal(NamedTuple):
    """One deal as it was dealt, bid and played; perhaps not to its end."""

    dealer: Seat
    hands: Hands
    """Four masks by ``Seat``."""
    calls: tuple[PlacedCall, ...] = ()
    """The public calls: declined contres are not among them."""
    cards: tuple[PlacedCard, ...] = ()

    @classmethod
    def of(cls, deal: Deal) -> RecordedDeal:
        """What has happened in this deal so far."""
        return cls(deal.dealer, deal.dealt, deal.auction.calls, tuple(_cards(deal)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """All that is needed to play a match again. The last deal may be unfinished."""

    rules: RuleSet
    mode: Mode
    number: int = 1
    """The number of the first deal: the board number, or 1 in a race."""
    names: tuple[str, str, str, str]
    """The players, by ``Seat``."""
    deals: tuple[RecordedDeal, ...]
    notes: tuple[str, ...] = ()
    """Remarks, such as faults of players."""

    @classmethod
    def of(cls, game: Game, names: Sequence[str], notes: Sequence[str] = ()) -> Record:
        """The record of a match so far. It holds all hands: mind who gets it before the end."""
        deals = game.finished if game.deal is None else (*game.finished, game.deal)
        north, east, south, west = names
        return cls(
            rules=game.rules,
            mode=game.mode,
            number=game.number - len(deals) + 1,
            names=(north, east, south, west),
            deals=tuple(RecordedDeal.of(deal) for deal in deals),
            notes=tuple(notes),
        )

    @property
    def seed(self) -> bytes | None:
        """The seed of this match alone, where a note reveals it; what it gives is not checked."""
        found = next(filter(None, map(_SEED.fullmatch, self.notes)), None)
        return None if found is None else bytes.fromhex(found[1])

    def replay(self) -> Game:
        """The match, played again call by call and card by card.

        IllegalAction when the record breaks the rules; DeckError when a deal is none, when deals
        are missing, or when some follow the end of the match.
        """
        game = self.start()
        for index, deal in enumerate(self.deals):
            check_next(game, index)
            game = replay_cards(replay_calls(game, deal), deal)
        return game

    def start(self) -> Game:
        """The match before its first call, with the recorded cards."""
        dealt = tuple(FixedDeal(deal.dealer, deal.hands) for deal in self.deals)
        return Game.start(self.rules, ListedDeals(dealt, self.number), self.mode, self.number)


def actions(record: Record) -> Iterator[tuple[Seat, Action]]:
    """Everything that was done, in order, declined contres included; raises as ``replay`` does."""
    game = record.start()
    for index, deal in enumerate(record.deals):
        check_next(game, index)
        for placed in (*deal.calls, None):
            if placed is None and not deal.cards:
                break
            for seat in _declining(game, placed):
                yield seat, DECLINE
            game = _past_windows(game, placed)
            if placed is not None:
                yield placed
                game = game.apply(placed.seat, placed.call)
        yield from deal.cards
        game = replay_cards(game, deal)


def dealer_after(rules: RuleSet, deal: RecordedDeal) -> Seat:
    """Who deals after this finished deal."""
    return next_dealer(rules, deal.dealer, passed_out=not deal.cards)


def check_next(game: Game, index: int) -> None:
    """DeckError unless the match has reached the recorded deal at ``index``, counted from 0."""
    if game.outcome is not None:
        raise DeckError("the match was over before this deal")
    if len(game.finished) != index:
        raise DeckError("the deal before this one was not finished")


def replay_calls(game: Game, deal: RecordedDeal) -> Game:
    """The match after the calls of its current deal, as recorded.

    Where a contre or surcontre was asked for and none is recorded, it was declined. A record that
    ends there leaves the question open.
    """
    for placed in deal.calls:
        game = _past_windows(game, placed)
        game = game.apply(placed.seat, placed.call)
    return _past_windows(game, None) if deal.cards else game


def replay_cards(game: Game, deal: RecordedDeal) -> Game:
    """The match after the cards of its current deal, as recorded."""
    for placed in deal.cards:
        game = game.apply(placed.seat, placed.action)
    return game


def _past_windows(game: Game, coming: PlacedCall | None) -> Game:
    """The match with every decline said that must come before the next recorded call."""
    for seat in _declining(game, coming):
        game = game.apply(seat, DECLINE)
    return game


def _declining(game: Game, coming: PlacedCall | None) -> tuple[Seat, ...]:
    """Who declines in the open window, if there is one, before the next recorded call."""
    if game.deal is None or game.deal.auction.over:
        return ()
    kind = game.deal.auction.kind
    if kind is DecisionKind.CALL:
        return ()
    say = CONTRE if kind is DecisionKind.CONTRE else SURCONTRE
    willing = coming.seat if coming is not None and coming.call is say else None
    return tuple(seat for seat in game.deal.owed if seat is not willing)


def _cards(deal: Deal) -> Iterator[PlacedCard]:
    """Who played what, in order."""
    play = deal.play
    if play is None:
        return
    announced = play.announced if deal.rules.belote_mode is BeloteMode.ANNOUNCED else 0
    for trick in (*play.tricks, play.trick):
        for index, card in enumerate(trick.cards):
            seat = trick.seat_of(index, deal.rules.turn_direction)
            yield PlacedCard(seat, Announced(card) if announced >> card & 1 else card)
