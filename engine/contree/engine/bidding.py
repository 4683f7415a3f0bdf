"""Everything that can be said in the auctions of a rule set, prepared once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from contree.engine.actions import CONTRE, PASS, SURCONTRE, Bid, Call, Level
from contree.engine.cards import Strain
from contree.engine.contract import Contract
from contree.engine.table import SEATS, Seat

__all__ = ["BiddingTable", "Offer", "PlacedCall", "bidding_table"]


class PlacedCall(NamedTuple):
    """A call and who said it."""

    seat: Seat
    call: Call

    def __str__(self) -> str:
        return f"{self.seat}:{self.call}"


@dataclass(frozen=True, slots=True)
class Offer:
    """A bid, as each seat may make it."""

    rung: int
    """The place of its level on the ladder, from 0."""
    calls: tuple[PlacedCall, ...]
    """By ``Seat``."""
    contracts: tuple[Contract, ...]
    """By ``Seat``."""


@dataclass(frozen=True, slots=True, repr=False)
class BiddingTable:
    """The bids, and what can be said at one's turn by the rung of the standing bid; -1 (the last
    entry) is that before any bid.
    """

    offers: dict[Bid, Offer]
    to_takers: tuple[tuple[Call, ...], ...]
    to_opponents: tuple[tuple[Call, ...], ...]

    def choices(self, seat: Seat, contract: Contract | None, rung: int) -> tuple[Call, ...]:
        """What a seat may say at its turn over this standing contract."""
        if contract is None:
            return self.to_takers[-1]
        takers = not (seat ^ contract.taker) & 1
        if contract.contre_by is not None:
            return _PASS_OR_SURCONTRE if takers else _PASS_ONLY
        return self.to_takers[rung] if takers else self.to_opponents[rung]

    def __repr__(self) -> str:
        return f"<BiddingTable of {len(self.offers)} bids>"


@lru_cache(maxsize=256)
def bidding_table(
    ladder: tuple[Level, ...], strains: tuple[Strain, ...], contre_at_turn: bool
) -> BiddingTable:
    """The table of these bids; ``contre_at_turn``: opponents may say contre when they speak."""
    offers = {
        bid: Offer(
            rung,
            tuple(PlacedCall(seat, bid) for seat in SEATS),
            tuple(Contract(bid, seat) for seat in SEATS),
        )
        for rung, level in enumerate(ladder)
        for bid in (Bid(level, strain) for strain in strains)
    }
    above = [
        tuple(bid for bid, offer in offers.items() if offer.rung > rung)
        for rung in (*range(len(ladder)), -1)
    ]
    contre = (CONTRE,) if contre_at_turn else ()
    return BiddingTable(
        offers,
        tuple((PASS, *higher) for higher in above),
        tuple((PASS, *contre, *higher) for higher in above),
    )


_PASS_ONLY: Final[tuple[Call, ...]] = (PASS,)
_PASS_OR_SURCONTRE: Final[tuple[Call, ...]] = (PASS, SURCONTRE)
