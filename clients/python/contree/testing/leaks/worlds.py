"""Other worlds: a moment of a match with other hidden cards, and other answers given in secret."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from contree.engine import CONTRE, DECLINE, SEATS, SURCONTRE, Deal, DecisionKind, Seat, exchange
from contree.engine.cards import ALL_CARDS, cards_in, mask_of
from contree.engine.shuffle import Hands, ListedDeals
from contree.server.match import Acted, Entry, Faulted, FaultKind, Match, evolve
from contree.server.match.feed import in_window


class Happened(NamedTuple):
    """An entry of a journal, and the match before and after it."""

    before: Match
    entry: Entry
    after: Match


class Moment(NamedTuple):
    """A match after some entry of its journal."""

    match: Match
    happened: tuple[Happened, ...]
    """The last entry; in a contre window all since the one that opened it."""


def other_cards(moment: Moment, viewer: Seat | None, rng: random.Random) -> tuple[Moment, bool]:
    """The moment with the cards exchanged that the viewer cannot see (None: a spectator, who sees
    no hand), and whether that changed anything. What was played stays as it was; nobody asks
    whether it could have been played from these hands.
    """
    source = _listed(moment.match)
    begun = _deals(moment.match)
    dealt: dict[int, Hands] = {}
    for index, fixed in enumerate(source.deals):
        unplayed = begun[index].unplayed if index < len(begun) else ALL_CARDS
        if unplayed:
            dealt[index] = _mixed(fixed.hands, unplayed, viewer, rng)
    happened = tuple(
        Happened(_with(one.before, dealt), one.entry, _with(one.after, dealt))
        for one in moment.happened
    )
    changed = any(hands != source.deals[index].hands for index, hands in dealt.items())
    return Moment(_with(moment.match, dealt), happened), changed


def other_answers(moment: Moment, viewer: Seat | None, rng: random.Random) -> Moment:
    """The moment, in an open contre window, with other things done there by all but the viewer:
    answers, faults, or nothing. The window stays open.
    """
    opened = moment.match.public
    deal = opened.game.deal
    assert deal is not None
    assert in_window(opened.game)
    own = [
        one.entry
        for one in moment.happened[1:]
        if isinstance(one.entry, Acted | Faulted) and one.entry.seat == viewer
    ]
    others = [seat for seat in deal.owed if seat != viewer]
    # One who is asked must still be silent, or the window would have closed.
    silent = rng.choice(others) if any(isinstance(entry, Acted) for entry in own) else None
    if viewer not in deal.owed:
        silent = rng.choice(others)
    lists: list[list[Entry]] = [list(own)]
    for seat in SEATS:
        if seat != viewer:
            asked = seat in deal.owed
            lists.append(list(_doings(opened, seat, rng, asked=asked, answers=seat != silent)))
    happened = [moment.happened[0]]
    match = opened
    while any(lists):
        following = rng.choice([one for one in lists if one]).pop(0)
        after = evolve(match, following)
        happened.append(Happened(match, following, after))
        match = after
    return Moment(match, tuple(happened))


def _doings(
    match: Match, seat: Seat, rng: random.Random, *, asked: bool, answers: bool
) -> Iterator[Entry]:
    """What a seat may have done in a window."""
    if match.seats[seat].house:
        pass  # it is in no position to be at fault
    elif rng.random() < 0.3:
        yield Faulted(seat, FaultKind.ILLEGAL_ACTION, False, "an action that the rules forbid")
    elif rng.random() < 0.2:
        yield Faulted(seat, FaultKind.RESIGNED, True, "the bot resigned")
    if asked and answers and rng.random() < 0.8:
        deal = match.game.deal
        assert deal is not None
        say = CONTRE if deal.decision_kind(seat) is DecisionKind.CONTRE else SURCONTRE
        charged = rng.randrange(500)
        bank = match.seats[seat].bank
        by_house = rng.random() < 0.2
        yield Acted(seat, rng.choice((say, DECLINE)), charged, bank, by_house)


def _mixed(hands: Hands, unplayed: int, viewer: Seat | None, rng: random.Random) -> Hands:
    """Dealt hands in which the unplayed cards of all but the viewer have changed places."""
    hidden = [0 if seat == viewer else hands[seat] & unplayed for seat in SEATS]
    pool = [card for cards in hidden for card in cards_in(cards)]
    mixed = list(hands)
    for _ in range(4):
        rng.shuffle(pool)
        start = 0
        for seat, cards in zip(SEATS, hidden, strict=True):
            size = cards.bit_count()
            mixed[seat] = hands[seat] & ~cards | mask_of(pool[start : start + size])
            start += size
        if mixed != list(hands):
            break
    north, east, south, west = mixed
    return north, east, south, west


def _with(match: Match, dealt: Mapping[int, Hands]) -> Match:
    """The match, as if these hands had been dealt, by the number of the deal from 0."""
    source = _listed(match)
    deals = source._replace(
        deals=tuple(
            fixed._replace(hands=dealt.get(index, fixed.hands))
            for index, fixed in enumerate(source.deals)
        )
    )
    game = match.game
    finished = tuple(_dealt(deal, dealt.get(i)) for i, deal in enumerate(game.finished))
    deal = None if game.deal is None else _dealt(game.deal, dealt.get(len(finished)))
    return replace(
        match,
        spec=replace(match.spec, deals=deals),
        game=game._replace(deals=deals, finished=finished, deal=deal),
        sealed=None if match.sealed is None else _with(match.sealed, dealt),
    )


def _dealt(deal: Deal, hands: Hands | None) -> Deal:
    if hands is None:
        return deal
    return exchange(deal, [hand & deal.unplayed for hand in hands])


def _deals(match: Match) -> Sequence[Deal]:
    game = match.game
    return game.finished if game.deal is None else (*game.finished, game.deal)


def _listed(match: Match) -> ListedDeals:
    assert isinstance(match.spec.deals, ListedDeals)
    return match.spec.deals
