"""What lies before a person who plays: a value, and how events, turns and answers change it. Pure.

The table is the fold of the seat's events. A turn carries the whole view and may come before the
events that led to it, after a lost connection say: whichever is further is shown.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final, NamedTuple

from contree.cli.playing.telling import told
from contree.cli.render import TableScreen
from contree.cli.spectate import What, after
from contree.client import DealEnded, MatchEnded
from contree.engine import (
    Action,
    Announced,
    Auction,
    Card,
    IllegalAction,
    RuleSet,
    Seat,
    Strain,
    Trick,
    View,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from contree.cli.render.faces import Face

_LOG: Final = 200


class Tone(Enum):
    """What kind of thing is said to the person."""

    INFO = "info"
    REFUSED = "refused"
    HINT = "hint"


class Desk(NamedTuple):
    """All that a person sees, but for the clock."""

    table: TableScreen
    """The table as it is shown."""
    told: TableScreen
    """The table as far as events have told of it."""
    rules: RuleSet
    me: Seat
    owed: View | None = None
    """The view of the turn that is owed."""
    pick: Action | None = None
    """What Enter does."""
    typed: str = ""
    silent: bool = False
    """Belote is not said with the card, where it could be."""
    said: str = ""
    tone: Tone = Tone.INFO
    link: str = ""
    """What is wrong with the connection; empty when nothing is."""
    log: tuple[str, ...] = ()
    result: DealEnded | None = None
    """Of the last deal that ended."""
    ended: MatchEnded | None = None

    @property
    def face(self) -> Face:
        """How cards are written."""
        return self.table.face


def desk_of(rules: RuleSet, me: Seat, match_id: str, face: Face) -> Desk:
    """The desk of a seat that was just taken."""
    table = TableScreen(match_id, rules.name, rules.turn_direction, {}, bottom=me, face=face)
    return Desk(table, table, rules, me)


def named(desk: Desk, names: Mapping[Seat, str]) -> Desk:
    """Who sits where is known."""
    return desk._replace(
        table=desk.table._replace(names=names), told=desk.told._replace(names=names)
    )


def happened(desk: Desk, what: What) -> Desk:
    """After an event."""
    lines = told(desk.told, what, desk.me, desk.rules)
    now = after(desk.told, what)
    desk = desk._replace(told=now, log=(*desk.log, *lines)[-_LOG:])
    if _progress(now) >= _progress(desk.table):
        desk = desk._replace(table=now)
    if isinstance(what, DealEnded):
        return desk._replace(result=what)
    if isinstance(what, MatchEnded):
        return over(desk, what)
    return desk


def asked(desk: Desk, view: View) -> Desk:
    """A turn is owed, for the first time or again."""
    same = desk.owed is not None and desk.owed == view
    if _progress(desk.table) < _progress_of(view):
        desk = desk._replace(table=_table_of(desk.table, view))
    desk = desk._replace(owed=view)
    if same:
        return desk
    only = forced(view)
    return desk._replace(pick=only, typed="", silent=False, said="", tone=Tone.INFO)


def answered(desk: Desk) -> Desk:
    """The turn is not owed any more."""
    return desk._replace(owed=None, pick=None, typed="", silent=False, said="", tone=Tone.INFO)


def says(desk: Desk, text: str, tone: Tone = Tone.INFO) -> Desk:
    """Tell the person something."""
    return desk._replace(said=text, tone=tone)


def linked(desk: Desk, problem: str) -> Desk:
    """The connection is as it should be (an empty text), or is not."""
    return desk._replace(link=problem)


def over(desk: Desk, ended: MatchEnded) -> Desk:
    """The match has ended."""
    return answered(desk)._replace(ended=ended)


def cards_allowed(view: View) -> tuple[Card, ...]:
    """The cards that may be played, with belote or without."""
    return tuple(action for action in view.legal if isinstance(action, Card))


def forced(view: View) -> Action | None:
    """The one thing that may be done, when there is one."""
    cards = cards_allowed(view)
    if view.auction_over and len(cards) == 1:
        return cards[0]
    return view.legal[0] if len(view.legal) == 1 else None


def action_of(desk: Desk) -> Action | None:
    """What Enter does: a card that may be played with belote is, unless one wants to be silent."""
    pick, view = desk.pick, desk.owed
    if view is None or not isinstance(pick, Card) or desk.silent:
        return pick
    announced = Announced(pick)
    return announced if announced in view.legal else pick


def trump_of(view: View) -> Strain | None:
    """The strain by which a hand is sorted: that of the contract, once it is final."""
    return view.strain if view.auction_over else None


def waiting_for(desk: Desk) -> Seat | None:
    """Who is to speak or to play next, as far as everybody can know; None between deals."""
    table = desk.table
    if desk.owed is not None:
        return desk.me
    between = table.dealer is None or sum(table.tricks) == 8 or desk.ended is not None
    if table.state != "playing" or between or table.dealer is None:
        return None
    if table.contract is not None and table.trick is not None:
        next_one = table.trick.to_play(table.direction)
        return _winner(table, table.trick) if next_one is None else next_one
    if table.contract is not None:
        return table.direction.next(table.dealer)
    auction = Auction.start(desk.rules, table.dealer)
    try:
        for placed in table.calls:
            auction = auction.after(placed.seat, placed.call)
    except IllegalAction:  # answers in windows, which nobody else hears, lie in between
        return table.direction.next(table.calls[-1].seat)
    return auction.owed[0] if auction.owed else table.direction.next(table.dealer)


def _winner(table: TableScreen, trick: Trick) -> Seat:
    assert table.contract is not None
    return trick.winner(table.contract.strain, table.direction)


def _progress(table: TableScreen) -> tuple[int, int, int]:
    on_table = 0 if table.trick is None or table.trick.complete else len(table.trick.cards)
    return table.number, len(table.calls), 4 * sum(table.tricks) + on_table


def _progress_of(view: View) -> tuple[int, int, int]:
    on_table = 0 if view.trick is None else len(view.trick.cards)
    return view.number, len(view.calls), 4 * len(view.tricks) + on_table


def _table_of(table: TableScreen, view: View) -> TableScreen:
    """The table as a view shows it."""
    trick, past = view.trick, list(view.tricks)
    if trick is None or not trick.cards:
        trick = past.pop() if past else None
    east_west = sum(seat.team for seat in view.winners)
    return table._replace(
        state="playing",
        number=view.number,
        dealer=view.dealer,
        hands={view.seat: view.hand},
        calls=view.calls,
        contract=view.contract if view.auction_over else None,
        trick=trick,
        last=past[-1] if past else None,
        tricks=(len(view.winners) - east_west, east_west),
        scores=view.scores,
        belotes=view.belotes,
    )
