"""Which seats of a bot share a process, and with it a memory: pure.

A *post* is one process of a bot. It is named by what it plays, not by when it was started: a post
that ends and is started again is the same post.

The seats that tell posts apart are those of the board as dealt, before the disguise of a table
moves everybody. So a post of a seat holds of each board one and the same hand, at whatever table:
the cards of its partner, and those that the bot holds at the other table of a pairing, are with
other posts.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple

from contree.engine import SEATS, Seat


class Post(NamedTuple):
    """A process of a bot, by what it plays."""

    bot: str
    seat: Seat | None = None
    """Of the board as dealt; None for all seats of the bot."""
    attempt: str = ""
    """The attempt at a table that it is there for alone; empty for the whole event."""

    @property
    def key(self) -> str:
        """Tells it apart from all others of the event."""
        parts = [self.bot, "" if self.seat is None else str(self.seat), self.attempt]
        return " ".join(part for part in parts if part)

    @property
    def place(self) -> str:
        """Which of the bot's processes it is, fit for a file name: ``north``; empty for the only
        one. Posts that are there for one match each share that of their seat.
        """
        return "" if self.seat is None else self.seat.name.lower()

    def __str__(self) -> str:
        if not self.place:
            return self.bot
        where = f" at {self.attempt}" if self.attempt else ""
        return f"{self.bot} ({self.place}{where})"


class Isolation(Enum):
    """What shares a process."""

    NONE = "none"
    """All seats of a bot at all tables."""
    SEAT = "seat"
    """The tables at which the bot holds the cards of one seat of the board."""
    MATCH = "match"
    """Nothing: each seat of each match has a process of its own, started for it."""

    def post(self, bot: str, seat: Seat, attempt: str) -> Post:
        """Who plays what was dealt to a seat, in this attempt at a table."""
        if self is Isolation.NONE:
            return Post(bot)
        return Post(bot, seat, attempt if self is Isolation.MATCH else "")

    def standing(self, bot: str) -> tuple[Post, ...]:
        """The posts of a bot that are there for the whole event."""
        if self is Isolation.NONE:
            return (Post(bot),)
        if self is Isolation.SEAT:
            return tuple(Post(bot, seat) for seat in SEATS)
        return ()

    def seats(self, tables: int) -> int:
        """The seats that a post plays at once when its bot plays so many tables at once."""
        return {Isolation.NONE: 2 * tables, Isolation.SEAT: tables, Isolation.MATCH: 1}[self]

    @property
    def sentence(self) -> str:
        """What shares a memory with what, for the header of an event."""
        return _SENTENCES[self]


_SENTENCES: Final = {
    Isolation.NONE: "Of each bot that is started here one process plays all its seats: partners, "
    "the two tables of a board and all boards share its memory.",
    Isolation.SEAT: "Of each bot that is started here four processes play, one for each seat of "
    "the board as dealt: partners share no memory, nor do the two tables of a pairing. A process "
    "meets the same hand of a board once against each opponent, in another disguise, and can "
    "remember it; so can it remember all boards before.",
    Isolation.MATCH: "Of each bot that is started here each seat of each match has a process of "
    "its own, started for it and ended after it: nothing that is played shares a memory.",
}
