"""What the bids of an auction have told about the hands."""

from __future__ import annotations

from typing import NamedTuple

from contree.engine.actions import Bid
from contree.engine.view import View
from contree.policy.outlook import Outlook
from contree.policy.style import BidStyle


class Heard(NamedTuple):
    """For each strain that was bid, the mean of points that the last bid in it promised."""

    own: dict[int, float]
    partner: dict[int, float]
    opponents: dict[int, float]
    opponents_bidding: int
    """How many opponents have bid."""
    partner_passed: bool
    """The partner has spoken and never bid."""


def hear(view: View, ahead: Outlook, style: BidStyle) -> Heard:
    """What a seat has heard so far."""
    ladder_rank = view.rules.ladder_rank
    seat = view.seat
    told: tuple[dict[int, float], ...] = ({}, {}, {}, {})
    theirs: dict[int, float] = {}
    partner_spoke = False
    standing, holder = -1, seat
    for speaker, said in view.calls:
        partner_spoke |= speaker == seat ^ 2
        if not isinstance(said, Bid):
            continue
        rank = ladder_rank(said.level)
        promised = ahead.promise(said.strain, rank)
        if rank == standing + 1 and rank and (speaker ^ holder) & 1:
            # The lowest bid over an opponent may be all that the hand is good for.
            promised = min(promised, ahead.values[rank] + style.stretched)
        told[speaker][said.strain] = promised
        if (speaker ^ seat) & 1:
            theirs[said.strain] = promised
        standing, holder = rank, speaker
    partner = told[seat ^ 2]
    return Heard(
        told[seat],
        partner,
        theirs,
        bool(told[seat ^ 1]) + bool(told[seat ^ 3]),
        partner_spoke and not partner,
    )
