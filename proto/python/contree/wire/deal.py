"""Tricks and results of deals."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from contree.engine.cards import cards_in, mask_of
from contree.engine.contract import Contract
from contree.engine.deal import DealResult
from contree.engine.shuffle import FixedDeal
from contree.engine.table import SEATS, Seat
from contree.engine.trick import Trick
from contree.v1 import deal_pb2, match_pb2
from contree.wire.auction import KEPT_BYTES, contract_from_pb, contract_to_pb
from contree.wire.cards import (
    SEAT_TO_PB,
    cards_from_pb,
    cards_to_pb,
    hand_to_pb,
    hands_from_pb,
    seat_from_pb,
    team_score_from_pb,
    team_score_to_pb,
)
from contree.wire.errors import WireError, at_most


class DealSummary(NamedTuple):
    """What the wire says of a finished deal. Pairs are (North-South, East-West)."""

    contract: Contract | None
    """None: all four passed."""
    made: bool
    points: tuple[int, int]
    """Card points taken, last trick included, belote excluded, rounded down."""
    tricks: tuple[int, int]
    belotes: tuple[int, int]
    """Belotes that count, 20 points each."""
    marks: tuple[int, int]
    """What each team marks."""

    @classmethod
    def of(cls, result: DealResult) -> DealSummary:
        """What the wire says of this result."""
        return cls(
            result.contract,
            result.score is not None and result.score.made,
            (int(result.points[0]), int(result.points[1])),
            result.tricks,
            result.belotes,
            result.marks,
        )


def trick_to_pb(trick: Trick, winner: Seat | None = None) -> deal_pb2.Trick:
    """A trick; ``winner`` once it is complete."""
    message = deal_pb2.Trick(leader=SEAT_TO_PB[trick.leader], cards=cards_to_pb(trick.cards))
    if winner is not None:
        message.winner = SEAT_TO_PB[winner]
    return message


class ReadTrick(NamedTuple):
    """A trick as it was read."""

    trick: Trick
    winner: Seat | None
    """Who took it, when it is complete."""
    mask: int
    """Its cards."""


def trick_from_pb(message: deal_pb2.Trick) -> ReadTrick:
    """A trick, and who took it when it is complete."""
    at_most("cards", message.cards, len(SEATS))
    data = message.SerializeToString()
    return _trick_of(data) if len(data) <= KEPT_BYTES else _trick(message)


@lru_cache(maxsize=4096)
def _trick_of(data: bytes) -> ReadTrick:
    return _trick(deal_pb2.Trick.FromString(data))


def _trick(message: deal_pb2.Trick) -> ReadTrick:
    cards = cards_from_pb(message.cards)
    winner = seat_from_pb(message.winner, "winner") if message.HasField("winner") else None
    if winner is not None and len(cards) < 4:
        raise WireError("winner", "given, though the trick is not complete")
    return ReadTrick(Trick(seat_from_pb(message.leader, "leader"), cards), winner, mask_of(cards))


def deal_summary_to_pb(summary: DealSummary) -> deal_pb2.DealResult:
    """How a deal ended."""
    return deal_pb2.DealResult(
        contract=None if summary.contract is None else contract_to_pb(summary.contract),
        made=summary.made,
        points=team_score_to_pb(summary.points),
        tricks=team_score_to_pb(summary.tricks),
        belotes=team_score_to_pb(summary.belotes),
        marks=team_score_to_pb(summary.marks),
    )


def deal_summary_from_pb(message: deal_pb2.DealResult, field: str = "result") -> DealSummary:
    """How a deal ended."""
    contract = None
    if message.HasField("contract"):
        contract = contract_from_pb(message.contract, f"{field}.contract")
    return DealSummary(
        contract,
        message.made,
        team_score_from_pb(message.points),
        team_score_from_pb(message.tricks),
        team_score_from_pb(message.belotes),
        team_score_from_pb(message.marks),
    )


def deal_result_to_pb(result: DealResult) -> deal_pb2.DealResult:
    """How a deal ended, from the engine's result."""
    return deal_summary_to_pb(DealSummary.of(result))


def fixed_deal_to_pb(deal: FixedDeal) -> match_pb2.FixedDeal:
    """A given deal."""
    return match_pb2.FixedDeal(
        dealer=SEAT_TO_PB[deal.dealer],
        hands=[hand_to_pb(seat, cards_in(deal.hands[seat])) for seat in SEATS],
    )


def fixed_deal_from_pb(message: match_pb2.FixedDeal, field: str = "fixed") -> FixedDeal:
    """A given deal: each of the four seats has eight cards."""
    dealer = seat_from_pb(message.dealer, f"{field}.dealer")
    masks = [0, 0, 0, 0]
    for index, (seat, cards) in enumerate(hands_from_pb(message.hands, f"{field}.hands")):
        if len(cards) != 8:
            raise WireError(
                f"{field}.hands[{index}].cards", f"a hand has 8 cards, not {len(cards)}"
            )
        masks[seat] = mask_of(cards)
    for seat in SEATS:
        if not masks[seat]:
            raise WireError(f"{field}.hands", f"the hand of {seat} is not given")
    return FixedDeal(dealer, (masks[0], masks[1], masks[2], masks[3]))
