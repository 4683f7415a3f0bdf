"""What an analysis finds, as values. Costs are never negative, and those of the pair that decided.

Marks are those of the own pair less those of the other; points are the solver's outcomes
(docs/search.md): the own pair's card points, and what eight tricks are worth beyond them.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from contree.engine import Action, Call, Contract, Seat

__all__ = ["COSTLY", "Analysis", "CallCost", "CardCost", "DealAnalysis", "Open", "Par", "Seen"]

COSTLY: Final = 10.0
"""The marks from which a card counts as costly."""


class Open(NamedTuple):
    """What a card gave away in the deal as it lay, if all play perfectly from then on."""

    points: float
    marks: int
    best: Action
    """The best in marks, and of those in points; the card played where it is one of them."""


class Seen(NamedTuple):
    """The same on average over worlds that the seat could not tell apart."""

    points: float
    points_error: float | None
    """The standard error of ``points``; None with a single world drawn."""
    marks: float
    marks_error: float | None
    best: Action


class CardCost(NamedTuple):
    """A card that was played where there was a choice."""

    place: int
    """Among the cards of the deal, from 0."""
    seat: Seat
    action: Action
    choices: int
    """How many there were."""
    open: Open
    seen: Seen | None
    """None where no worlds were asked for."""

    @property
    def trick(self) -> int:
        """The trick, from 1."""
        return self.place // 4 + 1

    @property
    def blame(self) -> float:
        """The marks it cost as far as the seat could know: in its worlds, where there are any."""
        return self.open.marks if self.seen is None else self.seen.marks

    @property
    def surely(self) -> float:
        """What of ``blame`` is not just by the worlds drawn: less twice its error, but not below 0;
        0 with a single world. To find the worst decisions by.
        """
        if self.seen is None:
            return self.open.marks
        error = self.seen.marks_error
        return 0.0 if error is None else max(0.0, self.seen.marks - 2 * error)

    @property
    def costly(self) -> bool:
        """Whether it cost ``COSTLY`` marks or more, and surely something."""
        return self.blame >= COSTLY and self.surely > 0


class CallCost(NamedTuple):
    """A call, or a contre declined, where there was a choice."""

    place: int
    """How many public calls of the deal came before it."""
    seat: Seat
    call: Call
    marks: int
    """What it gave away with open cards (``auction``)."""
    best: Call
    """One that gave away nothing."""


class Par(NamedTuple):
    """What a deal comes to when all bid and play perfectly with open cards."""

    contract: Contract | None
    """None: four passes."""
    marks: int
    """Of North-South less those of East-West."""


class DealAnalysis(NamedTuple):
    """One deal of a match."""

    number: int
    """As the record counts: the board, or the deal of a race."""
    dealer: Seat
    contract: Contract | None
    """What was played; None when the deal was passed out or its auction broken off."""
    marks: tuple[int, int] | None
    """Of each pair; None where the deal was broken off."""
    par: Par
    reached: int | None
    """What the auction came to if all had played perfectly, North-South less East-West; None when
    it was broken off."""
    calls: tuple[CallCost, ...]
    cards: tuple[CardCost, ...]


class Analysis(NamedTuple):
    """One record. ``document`` writes it and reads it back."""

    event: str
    """Where it comes from: boards of one number are the same cards only in one event."""
    record: str
    """A name for it."""
    sha256: str
    """The digest of its text (docs/notation.md), whatever form it was read from."""
    rules: str
    """The name of its rules."""
    worlds: int
    """Drawn for each card; 0: none."""
    seed: str
    board: bool
    """One board, not a race."""
    names: tuple[str, str, str, str]
    """The players by ``Seat``."""
    house: tuple[tuple[int, ...], ...]
    """By ``Seat``, the deals in which the house acted for the bot, counted from 1: once
    where it had not answered in time, or from some card on to the end."""
    deals: tuple[DealAnalysis, ...]
