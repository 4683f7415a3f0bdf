"""The table: four seats, two teams, the direction of turn."""

from __future__ import annotations

from enum import Enum, IntEnum
from typing import Final

from contree.engine.errors import NotationError


class Team(IntEnum):
    """A pair of partners; ``seat & 1`` of its seats."""

    NORTH_SOUTH = 0
    EAST_WEST = 1

    @property
    def other(self) -> Team:
        """The opponents."""
        return Team(1 - self)

    def __str__(self) -> str:
        return ("NS", "EW")[self]


class Seat(IntEnum):
    """A seat, numbered clockwise from North; partners are ``seat ^ 2``."""

    NORTH = 0
    EAST = 1
    SOUTH = 2
    WEST = 3

    @property
    def partner(self) -> Seat:
        """The seat across the table."""
        return SEATS[self ^ 2]

    @property
    def team(self) -> Team:
        """The pair this seat belongs to."""
        return _TEAMS[self & 1]

    def __str__(self) -> str:
        return "NESW"[self]

    @classmethod
    def parse(cls, text: str) -> Seat:
        """Read ``N E S W``; NotationError otherwise."""
        index = "NESW".find(text) if len(text) == 1 else -1
        if index < 0:
            raise NotationError("seat", text, "one of N E S W")
        return SEATS[index]


SEATS: Final[tuple[Seat, ...]] = tuple(Seat)
_TEAMS: Final[tuple[Team, ...]] = tuple(Team)


class Direction(Enum):
    """The turn direction: clockwise (to the left) or counter-clockwise (to the right)."""

    CLOCKWISE = "cw"
    COUNTER_CLOCKWISE = "ccw"

    @property
    def step(self) -> int:
        """What to add to a seat, modulo 4, to reach the next one."""
        return 1 if self is Direction.CLOCKWISE else 3

    def next(self, seat: Seat, turns: int = 1) -> Seat:
        """The seat ``turns`` turns after this one."""
        return SEATS[(seat + self.step * turns) & 3]

    def order(self, first: Seat) -> tuple[Seat, Seat, Seat, Seat]:
        """The four seats in turn order, this one first."""
        step = self.step
        return (
            first,
            SEATS[(first + step) & 3],
            SEATS[(first + 2 * step) & 3],
            SEATS[(first + 3 * step) & 3],
        )

    def distance(self, start: Seat, end: Seat) -> int:
        """How many turns (0..3) lead from one seat to another."""
        return ((end - start) * self.step) & 3


def _following(direction: Direction) -> tuple[Seat, Seat, Seat, Seat]:
    north, east, south, west = (direction.next(seat) for seat in SEATS)
    return north, east, south, west


FOLLOWING: Final = {direction: _following(direction) for direction in Direction}
"""For each direction the next seat, by ``Seat``: what ``Direction.next`` gives, for hot loops."""
