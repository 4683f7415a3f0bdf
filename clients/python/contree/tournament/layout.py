"""Which cards lie on a table and who sits where: pure, from the seed and the schedule alone.

Board n is deck n of the seed. The first table of a board shows it as dealt. All others show it in
a disguise of their own (suits exchanged, everybody moved by some seats, see
``contree.engine.disguise``), because bots meet the same cards at several tables and a cache, even
an accidental one, must not recognise them. Points do not change by it.

The runner gives the service only the cards of a table, never the seed: no record, however early it
is disclosed, tells anything about boards to come.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from typing import NamedTuple

from contree.engine import SEATS, FixedDeal, RuleSet, Seat, SeededDeals, Team
from contree.engine.disguise import NO_DISGUISE, Disguise, disguise
from contree.tournament.schedule import Side, Table


class Layout(NamedTuple):
    """A table as it is set out."""

    deal: FixedDeal
    """Dealer and cards, disguised."""
    seats: Mapping[Seat, str]
    """Which bot sits where, disguised like the cards."""
    first_team: Team
    """Where the first bot of the pairing sits."""
    dealt: Mapping[Seat, Seat]
    """Of each seat of the table, the seat of the board whose cards it holds."""


def worn_at(table: Table, seed: bytes) -> Disguise:
    """The disguise that a table of a board wears; the first wears none."""
    return NO_DISGUISE if table.number == 1 else disguise(seed, table.board, table.number)


def lay_out(table: Table, seed: bytes, label: str, rules: RuleSet) -> Layout:
    """The cards and seats of a table; ``label`` keeps events that share a seed apart."""
    worn = worn_at(table, seed)
    deal = worn.deal(SeededDeals(seed, label).board(table.board, rules))
    holds = Team.NORTH_SOUTH if table.side is Side.A else Team.EAST_WEST
    first, second = table.pairing
    seats = {worn.seat(seat): first if seat.team is holds else second for seat in SEATS}
    # Moved by an odd number of seats, the cards of North and South lie at East and West.
    team = holds if worn.rotation % 2 == 0 else holds.other
    return Layout(deal, seats, team, {worn.seat(seat): seat for seat in SEATS})


def lay_out_race(table: Table) -> Mapping[Seat, str]:
    """Who sits where in a race. The second table has the same packs, and no disguise."""
    holds = Team.NORTH_SOUTH if table.side is Side.A else Team.EAST_WEST
    first, second = table.pairing
    return {seat: first if seat.team is holds else second for seat in SEATS}


def race_seed(seed: bytes, number: int) -> bytes:
    """The seed of the packs of a race: the service is given this one, and learns no other."""
    return hmac.digest(seed, f"race {number}".encode(), hashlib.sha256)
