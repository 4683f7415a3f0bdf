"""What to say in the auction."""

from __future__ import annotations

from typing import NamedTuple

from contree.engine.actions import CONTRE, DECLINE, PASS, SURCONTRE, Bid, Call
from contree.engine.cards import mask_of
from contree.engine.contract import Contract, Doubling
from contree.engine.rules import BELOTE_POINTS
from contree.engine.view import View
from contree.policy.hand import DEFENDING, HELPING, TAKING, belotes
from contree.policy.outlook import Outlook, outlook
from contree.policy.style import BidStyle


class _Heard(NamedTuple):
    """What the bids so far have told: for each strain the mean points promised last."""

    own: dict[int, float]
    partner: dict[int, float]
    opponents: dict[int, float]
    opponents_bidding: int
    """How many opponents have bid."""
    partner_passed: bool
    """The partner has spoken and never bid."""


def call(view: View, style: BidStyle) -> Call:
    """What to say at one's turn."""
    legal = view.legal
    if len(legal) == 1:
        return PASS
    ahead = outlook(view.rules, style)
    contract = view.contract
    if contract is not None and contract.doubling is not Doubling.NONE:
        return SURCONTRE if _surcontre_pays(view, ahead, contract, style) else PASS
    heard = _heard(view, ahead, style)
    hand = mask_of(view.hand)
    best, gain = _best_bid(view, ahead, heard, hand, style)
    if contract is None:
        return best if best is not None and gain > style.open_above else PASS
    if contract.team is view.team:
        strain, rank = contract.strain, view.rules.ladder_rank(contract.level)
        mean = _mean(view, ahead, heard, hand, strain, style)
        stay = ahead.marks(rank, strain, Doubling.NONE, mean)
        return best if best is not None and gain > stay else PASS
    against = _their_mean(view, ahead, heard, hand, contract, style)
    rank = view.rules.ladder_rank(contract.level)
    conceded = ahead.marks(rank, contract.strain, Doubling.NONE, against)
    passing = -style.pass_trust * conceded if conceded > 0 else -conceded
    if CONTRE in legal[:2]:
        contred = -ahead.marks(rank, contract.strain, Doubling.CONTRE, against)
        if contred > -conceded + style.contre and (best is None or contred > gain):
            return CONTRE
    return best if best is not None and gain > passing else PASS


def answer_contre(view: View, style: BidStyle) -> Call:
    """Contre or decline, when asked out of turn."""
    contract = view.contract
    if contract is None:
        return DECLINE
    ahead = outlook(view.rules, style)
    against = _their_mean(
        view, ahead, _heard(view, ahead, style), mask_of(view.hand), contract, style
    )
    rank = view.rules.ladder_rank(contract.level)
    conceded = ahead.marks(rank, contract.strain, Doubling.NONE, against)
    contred = ahead.marks(rank, contract.strain, Doubling.CONTRE, against)
    return CONTRE if -contred > -conceded + style.contre else DECLINE


def answer_surcontre(view: View, style: BidStyle) -> Call:
    """Surcontre or decline, when asked out of turn."""
    contract = view.contract
    if contract is None:
        return DECLINE
    ahead = outlook(view.rules, style)
    return SURCONTRE if _surcontre_pays(view, ahead, contract, style) else DECLINE


def _heard(view: View, ahead: Outlook, style: BidStyle) -> _Heard:
    ladder_rank = view.rules.ladder_rank
    seat = view.seat
    told: tuple[dict[int, float], ...] = ({}, {}, {}, {})
    spoke = 0
    standing, holder = -1, seat
    for placed in view.calls:
        speaker, said = placed
        spoke |= 1 << speaker
        if isinstance(said, Bid):
            rank = ladder_rank(said.level)
            promised = ahead.promise(said.strain, rank)
            if rank == standing + 1 and rank and (speaker ^ holder) & 1:
                # The lowest bid over an opponent may be all that the hand is good for.
                promised = min(promised, ahead.values[rank] + style.stretched)
            told[speaker][said.strain] = promised
            standing, holder = rank, speaker
    left, right = told[seat ^ 1], told[seat ^ 3]
    partner = told[seat ^ 2]
    taker = None if view.contract is None else view.contract.taker
    both = {**left, **right} if taker == seat ^ 3 else {**right, **left}  # the last bid counts
    return _Heard(
        told[seat],
        partner,
        both,
        bool(left) + bool(right),
        not partner and bool(spoke >> (seat ^ 2) & 1),
    )


def _best_bid(
    view: View, ahead: Outlook, heard: _Heard, hand: int, style: BidStyle
) -> tuple[Bid | None, float]:
    """The bid that promises most, and the marks it promises; None when there is none."""
    rules, contract = view.rules, view.contract
    lowest = 0 if contract is None else rules.ladder_rank(contract.level) + 1
    ladder, values = rules.ladder, ahead.values
    if lowest >= len(ladder):
        return None, 0.0
    means = [(_mean(view, ahead, heard, hand, strain, style), strain) for strain in rules.strains]
    mean, strain = max(means)
    claim = style.claim
    if len(view.calls) >= 3 and not heard.opponents:
        claim *= style.unopposed
    start = values[lowest] if contract is None else rules.level_value(contract.level)
    best, most = None, float("-inf")
    for rank in range(lowest, len(ladder)):
        plain = ahead.marks(rank, strain, Doubling.NONE, mean)
        contred = ahead.marks(rank, strain, Doubling.CONTRE, mean - style.contred / 2)
        marks = plain + style.feared * min(contred - plain, 0.0)
        worth = marks + claim * min(values[rank] - start, style.claim_most)
        if worth > most:
            best, most = Bid(ladder[rank], strain), worth
    return best, most


def _mean(
    view: View, ahead: Outlook, heard: _Heard, hand: int, strain: int, style: BidStyle
) -> float:
    """The points that the own pair may expect in this strain."""
    rules = view.rules
    marriage = BELOTE_POINTS * belotes(hand, strain, rules.belotes_at_all_trump)
    promised = heard.partner.get(strain)
    if promised is not None:
        mine = heard.own.get(strain)
        if mine is None:
            return promised + HELPING.worth(hand, strain) + marriage
        return promised + TAKING.worth(hand, strain) + marriage - mine
    mean = TAKING.worth(hand, strain) + marriage
    if heard.partner:
        mean -= style.partner_elsewhere
    elif heard.partner_passed:
        mean -= style.partner_passed
    return mean - style.opposed * heard.opponents_bidding


def _their_mean(
    view: View,
    ahead: Outlook,
    heard: _Heard,
    hand: int,
    contract: Contract,
    style: BidStyle,
) -> float:
    """The points that the opponents may expect in their contract."""
    strain = contract.strain
    promised = heard.opponents[strain]
    if promised > style.usual:
        promised = style.usual + style.doubted * (promised - style.usual)
    mean = min(promised, style.believed_most) + DEFENDING.worth(hand, strain)
    return mean - style.partner_defends * bool(heard.partner)


def _surcontre_pays(view: View, ahead: Outlook, contract: Contract, style: BidStyle) -> bool:
    """Whether the own contract, contred, is worth more with surcontre."""
    strain = contract.strain
    mean = (
        _mean(view, ahead, _heard(view, ahead, style), mask_of(view.hand), strain, style)
        - style.contred
    )
    rank = view.rules.ladder_rank(contract.level)
    doubled = ahead.marks(rank, strain, Doubling.CONTRE, mean)
    return ahead.marks(rank, strain, Doubling.SURCONTRE, mean) > doubled + style.surcontre
