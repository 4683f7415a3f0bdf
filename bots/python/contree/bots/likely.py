"""Worlds that are likely after the auction: hands that might well have been bid as they were.

``contree.search.hidden_from`` draws every world that is possible equally often. But who passed is
seldom strong, and who bid hearts has hearts. So many worlds are drawn, each is given a likelihood
by what its hands are worth to the rules player (``contree.policy.hand``), and of these some are
kept, as often as they are likely. All at once, in arrays: a world costs about a microsecond.

A bot that bids by other ideas is misunderstood a little, no more: nothing is ruled out.
"""

from __future__ import annotations

from functools import cache
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from contree.engine import PASS, Bid, Strain, View
from contree.engine.masks import NO_TRUMP
from contree.engine.rules import BELOTE_POINTS
from contree.policy.hand import HELPING, TAKING, Tables
from contree.policy.outlook import outlook
from contree.policy.style import BID_STYLE
from contree.search import Hidden, hidden_from

__all__ = ["LikelyWorlds", "worth_of"]

Hands = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

DRAWN: Final = 24
"""Worlds that are drawn for each that is kept."""
SPREAD: Final = 9.0
"""How far, in points, a hand is from what its bid promises: standard deviation."""
MARGIN: Final = 11.0
"""A hand is passed about as often as not when it is so much below what the bid would promise."""
SOFT: Final = 4.0
"""How gradually that changes."""
LEAST: Final = 0.003
"""No call is less likely than this, whatever the hand."""


class _Said(NamedTuple):
    """What a call tells of a hand: what it is worth to take (or help) in a strain, or at most in
    any.
    """

    seat: int
    strain: Strain | None
    worth: float
    helping: bool = False


class LikelyWorlds:
    """The worlds of a view, as likely as its auction makes them."""

    def __init__(self, view: View) -> None:
        """ValueError when nothing agrees with what was seen."""
        self.hidden: Final[Hidden] = hidden_from(view)
        self._strains = view.rules.strains
        self._said = tuple(one for one in _heard(view) if one.seat != view.seat)
        self.played: Final = np.array(self.hidden.evidence.played, dtype=np.int64)

    def sample(self, count: int, seed: int) -> Hands:
        """So many worlds, hands by seat; the same for the same seed."""
        if not self._said:
            return self.hidden.sample(count, seed)
        worlds = self.hidden.sample(count * DRAWN, seed)
        chances = self.likelihood(worlds | self.played)
        dice = np.random.default_rng(seed)
        until = np.cumsum(chances)
        # One spin of a wheel with ``count`` equally spaced marks: as few repetitions as can be.
        marks = (np.arange(count) + dice.random()) * (until[-1] / count)
        kept = worlds[np.minimum(np.searchsorted(until, marks), len(worlds) - 1)]
        return dice.permutation(kept)

    def likelihood(self, dealt: Hands) -> Floats:
        """How likely the calls of the others are when these hands were dealt, in each row."""
        found = np.ones(len(dealt))
        for said in self._said:
            hands = dealt[:, said.seat]
            tables = HELPING if said.helping else TAKING
            if said.strain is None:
                best = np.max([_with_belote(TAKING, hands, one) for one in self._strains], axis=0)
                chance = 1.0 / (1.0 + np.exp((best - said.worth) / SOFT))
            else:
                off = (_with_belote(tables, hands, said.strain) - said.worth) / SPREAD
                chance = np.exp(-off * off / 2)
            found *= np.maximum(chance, LEAST)
        return found


def worth_of(tables: Tables, hands: Hands, strain: Strain) -> Floats:
    """What hands of eight cards, as masks, are worth in a strain, without belote; as
    ``Tables.worth``.
    """
    base, rows = _arrays(tables, strain)
    parts = [hands >> 8 * suit & 255 for suit in range(4)]
    worth: Floats = base + sum(row[part] for row, part in zip(rows, parts, strict=True))
    return worth


def _with_belote(tables: Tables, hands: Hands, strain: Strain) -> Floats:
    worth = worth_of(tables, hands, strain)
    if strain < NO_TRUMP:
        worth += BELOTE_POINTS * (hands >> 8 * strain & _MARRIAGE == _MARRIAGE)
    return worth


_MARRIAGE: Final = 0b0011_0000
"""Queen and king of a suit."""


@cache
def _arrays(tables: Tables, strain: Strain) -> tuple[float, tuple[Floats, ...]]:
    """What is added in this strain, and the worth of what is held in each suit."""
    if strain < NO_TRUMP:
        suits = [tables.trump if suit == strain else tables.plain for suit in range(4)]
        base = tables.base[0]
    else:
        suits = [tables.no_trump if strain == NO_TRUMP else tables.all_trump] * 4
        base = tables.base[strain - 3]
    return base, tuple(np.array(suit) for suit in suits)


def _heard(view: View) -> list[_Said]:
    """What the calls tell. A pass tells something while its pair has not bid."""
    ahead = outlook(view.rules, BID_STYLE)
    ladder_rank = view.rules.ladder_rank
    told: list[_Said] = []
    promised: list[dict[Strain, float]] = [{}, {}, {}, {}]
    standing, holder = -1, None
    for seat, call in view.calls:
        own, partner = promised[seat], promised[seat ^ 2]
        if isinstance(call, Bid):
            rank, strain = ladder_rank(call.level), call.strain
            worth = ahead.promise(strain, rank)
            if rank == standing + 1 and rank and holder is not None and (seat ^ holder) & 1:
                worth = min(worth, ahead.values[rank] + BID_STYLE.stretched)
            if strain not in own:
                if strain in partner:
                    told.append(_Said(seat, strain, worth - partner[strain], helping=True))
                else:
                    told.append(_Said(seat, strain, worth))
            own[strain] = worth
            standing, holder = rank, seat
        elif call is PASS and not own and not partner:
            rank = standing + 1
            if rank < len(ahead.values):
                lowest = ahead.promise(view.rules.strains[0], rank)
                told.append(_Said(seat, None, lowest - MARGIN))
    return told
