"""What others may see of a match: entries become events.

All events are public but one: the cards dealt, of which a seat sees its own and the public none
before disclosure. A declined contre makes no event. What happens in a contre window makes none
before the window closes: neither an answer nor a fault, for either tells who has not answered yet.
"""

from __future__ import annotations

from typing import NamedTuple

from contree.engine import (
    Announced,
    Card,
    Contract,
    Deal,
    Game,
    Mode,
    PlacedCall,
    Seat,
    Team,
    Trick,
)
from contree.server.match.entries import Acted, Ended, Entry, Faulted
from contree.server.match.spec import EndReason, FaultKind
from contree.server.match.state import Match, Stage


class Started(NamedTuple):
    """The first deal begins."""


class Dealt(NamedTuple):
    """Cards were dealt; ``hands`` are masks by seat, for the encoder to cut."""

    number: int
    dealer: Seat
    hands: tuple[int, int, int, int]


class CardPlayed(NamedTuple):
    """A card was played."""

    seat: Seat
    card: Card
    belote: bool


class TrickTaken(NamedTuple):
    """A trick is complete."""

    trick: Trick
    winner: Seat


class DealOver(NamedTuple):
    """A deal is over; ``scores`` are the totals after it."""

    number: int
    deal: Deal
    scores: tuple[int, int]


class FaultShown(NamedTuple):
    """A fault was charged."""

    seat: Seat
    kind: FaultKind
    strikes: int
    replaced: bool
    detail: str


class MatchOver(NamedTuple):
    """The match is over."""

    reason: EndReason
    scores: tuple[int, int]
    winner: Team | None


Event = (
    Started
    | Dealt
    | PlacedCall
    | Contract
    | CardPlayed
    | TrickTaken
    | DealOver
    | FaultShown
    | MatchOver
)


def in_window(game: Game) -> bool:
    """Seats are asked for contre or surcontre in secret."""
    deal = game.deal
    return (
        deal is not None and deal.setting is None and not deal.auction.at_a_turn and bool(deal.owed)
    )


def withheld(match: Match) -> int:
    """How many faults were charged in the open window, of which others have not been told."""
    return 0 if match.sealed is None else len(match.faults) - len(match.sealed.faults)


def is_visible(before: Game, after: Game) -> bool:
    """Something visible came of an action."""
    if len(after.finished) != len(before.finished) or before.deal is None or after.deal is None:
        return True
    if after.deal.play is not before.deal.play:
        return True
    return len(after.deal.auction.calls) != len(before.deal.auction.calls)


def events_of(before: Match, entry: Entry, after: Match) -> tuple[Event, ...]:
    """What everybody may see of an entry, in order; none when nothing visible came of it."""
    if after.sealed is not None:
        return ()
    faults = _faults_since(before.public, before)
    if isinstance(entry, Acted):
        return (*faults, *_of_action(before.game, entry, after.game))
    if isinstance(entry, Faulted):
        return (fault_shown(after), *_start(before, after))
    if isinstance(entry, Ended):
        return (*faults, match_over(after))
    return _start(before, after)


def numbered(before: Match, entry: Entry, after: Match) -> tuple[tuple[int, Event], ...]:
    """``events_of``, each with its seq: faults that a window held back are entries of their own."""
    held = 0 if after.sealed is not None else withheld(before)
    return tuple(
        (before.seq + 1 + index if index < held else after.seq, event)
        for index, event in enumerate(events_of(before, entry, after))
    )


def fault_shown(match: Match, index: int = -1) -> FaultShown:
    """A fault of a match as it is told, the last one by default."""
    fault = match.faults[index]
    upto = match.faults[: index % len(match.faults) + 1]
    strikes = sum(1 for one in upto if one.seat == fault.seat)
    return FaultShown(fault.seat, fault.kind, strikes, fault.replaced, fault.detail)


def _faults_since(told: Match, now: Match) -> tuple[FaultShown, ...]:
    return tuple(fault_shown(now, index) for index in range(len(told.faults), len(now.faults)))


def match_over(match: Match) -> MatchOver:
    """How a match ended; only a race has a winner. ValueError when it is not over."""
    if match.end is None:
        raise ValueError(f"match {match.id} is not over")
    outcome = match.game.outcome
    raced = outcome is not None and match.spec.mode is Mode.RACE
    winner = outcome.winner if outcome is not None and raced else None
    return MatchOver(match.end, match.game.scores, winner)


def _start(before: Match, after: Match) -> tuple[Event, ...]:
    if after.stage is Stage.PLAYING and before.stage is not Stage.PLAYING:
        return (Started(), *_dealt(after.game))
    return ()


def _dealt(game: Game) -> tuple[Event, ...]:
    deal = game.deal
    return () if deal is None else (Dealt(len(game.finished) + 1, deal.dealer, deal.dealt),)


def _of_action(before: Game, entry: Acted, after: Game) -> tuple[Event, ...]:
    old = before.deal
    over = len(after.finished) > len(before.finished)
    new = after.finished[-1] if over else after.deal
    if old is None or new is None:
        return ()
    events: list[Event] = list(new.auction.calls[len(old.auction.calls) :])
    action = entry.action
    if isinstance(action, Card | Announced):
        events += _of_card(old, entry.seat, action, new)
    elif new.play is not None and new.contract is not None:
        events.append(new.contract)
    if over:
        events.append(DealOver(len(after.finished), new, after.scores))
        events += _dealt(after)
    return tuple(events)


def _of_card(old: Deal, seat: Seat, action: Card | Announced, new: Deal) -> list[Event]:
    card = action.card if isinstance(action, Announced) else action
    play, was = new.play, old.play
    if play is None or was is None:
        return []
    events: list[Event] = [CardPlayed(seat, card, play.announced != was.announced)]
    if len(play.tricks) > len(was.tricks):
        events.append(TrickTaken(play.tricks[-1], play.winners[-1]))
    return events
