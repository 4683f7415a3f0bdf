"""The contract that an auction ends with, and how far it was doubled."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from contree.engine.actions import Bid, Level
from contree.engine.cards import Strain
from contree.engine.table import Seat, Team


class Doubling(IntEnum):
    """How far a contract was doubled. The numbers name the level, not the factor: surcontre
    multiplies by 3 in 002 (``RuleSet.factor``).
    """

    NONE = 1
    CONTRE = 2
    SURCONTRE = 4

    def __str__(self) -> str:
        return {1: "", 2: "x", 4: "xx"}[self]


class Contract(NamedTuple):
    """The bid that stands, who made it, and who doubled it."""

    bid: Bid
    taker: Seat
    """The seat that made the bid."""
    doubling: Doubling = Doubling.NONE
    contre_by: Seat | None = None
    surcontre_by: Seat | None = None

    @property
    def level(self) -> Level:
        """What was promised."""
        return self.bid.level

    @property
    def strain(self) -> Strain:
        """What it is played in."""
        return self.bid.strain

    @property
    def team(self) -> Team:
        """The takers: the pair of the seat that made the bid."""
        return self.taker.team

    @property
    def defence(self) -> Team:
        """The opponents of the takers."""
        return self.taker.team.other

    def __str__(self) -> str:
        return f"{self.bid}{self.taker}{self.doubling}"
