"""What to say in the auction.

The player thinks in points: what its pair may expect in each strain (``hand``, and what the partner
has told by bidding), and what the opponents may. ``outlook`` turns points into marks under the
rules of the match, and the call that promises most marks is made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from contree.engine.actions import CONTRE, DECLINE, PASS, SURCONTRE, Bid, Call
from contree.engine.cards import Strain, mask_of
from contree.engine.contract import Contract, Doubling
from contree.engine.masks import NO_TRUMP
from contree.engine.rules import BELOTE_POINTS
from contree.engine.view import View
from contree.policy.hand import DEFENDING, HELPING, TAKING, belotes, is_solid
from contree.policy.hearing import Heard, hear
from contree.policy.outlook import Outlook, outlook
from contree.policy.style import BidStyle

Opinion = Callable[[Strain, bool], float]
"""What somebody else thinks: the points that a pair may expect in a strain, the own one if true,
where a deal holds 162, their belotes included.
"""


def call(view: View, style: BidStyle, opinion: Opinion | None = None) -> Call:
    """What to say at one's turn."""
    if len(view.legal) == 1:
        return PASS
    thinking = _Thinking.about(view, style, opinion)
    contract = view.contract
    if contract is not None and contract.doubling is not Doubling.NONE:
        return SURCONTRE if thinking.surcontre_pays(contract) else PASS
    bid, gain = thinking.best_bid()
    if contract is None:
        return bid if bid is not None and gain > style.open_above else PASS
    if contract.team is view.team:
        stay = thinking.marks(contract, Doubling.NONE, thinking.our_mean(contract.strain))
        return bid if bid is not None and gain > stay else PASS
    mean = thinking.their_mean(contract)
    if CONTRE in view.legal and thinking.contre_pays(contract, mean):
        contred = -thinking.marks(contract, Doubling.CONTRE, mean)
        if bid is None or contred > gain:
            return CONTRE
    conceded = thinking.marks(contract, Doubling.NONE, mean)
    return bid if bid is not None and gain > -conceded else PASS


def answer_contre(view: View, style: BidStyle, opinion: Opinion | None = None) -> Call:
    """Contre or decline, when asked out of turn."""
    contract = view.contract
    if contract is None:
        return DECLINE
    thinking = _Thinking.about(view, style, opinion)
    return CONTRE if thinking.contre_pays(contract, thinking.their_mean(contract)) else DECLINE


def answer_surcontre(view: View, style: BidStyle, opinion: Opinion | None = None) -> Call:
    """Surcontre or decline, when asked out of turn."""
    contract = view.contract
    if contract is None:
        return DECLINE
    thinking = _Thinking.about(view, style, opinion)
    return SURCONTRE if thinking.surcontre_pays(contract) else DECLINE


class _Thinking(NamedTuple):
    """All that the questions of an auction are answered from."""

    view: View
    hand: int
    heard: Heard
    ahead: Outlook
    style: BidStyle
    opinion: Opinion | None

    @classmethod
    def about(cls, view: View, style: BidStyle, opinion: Opinion | None) -> _Thinking:
        ahead = outlook(view.rules, style)
        return cls(view, mask_of(view.hand), hear(view, ahead, style), ahead, style, opinion)

    def marks(self, contract: Contract, doubling: Doubling, mean: float) -> float:
        """The marks that a contract may be expected to bring its takers."""
        rank = self.view.rules.ladder_rank(contract.level)
        return self.ahead.marks(rank, contract.strain, doubling, mean)

    def our_mean(self, strain: Strain) -> float:
        """The points that the own pair may expect in this strain."""
        mean = self._own_guess(strain)
        return mean if mean == _ALL else self._advised(mean, strain, ours=True)

    def _advised(self, mean: float, strain: Strain, *, ours: bool) -> float:
        """Half of what oneself thinks and half of the other opinion, if there is one."""
        return mean if self.opinion is None else (mean + self.opinion(strain, ours)) / 2

    def _own_guess(self, strain: int) -> float:
        hand, heard, style = self.hand, self.heard, self.style
        if is_solid(hand, strain) and (strain < NO_TRUMP or self._leads()):
            return _ALL
        marriages = belotes(hand, strain, self.view.rules.belotes_at_all_trump)
        belote = BELOTE_POINTS * marriages
        promised = heard.partner.get(strain)
        if promised is not None:
            own = heard.own.get(strain)
            if own is None:
                return promised + HELPING.worth(hand, strain) + belote
            # The partner has counted on what this hand promised: add what it has besides.
            return promised + TAKING.worth(hand, strain) + belote - own
        mean = TAKING.worth(hand, strain) + belote
        if heard.partner:
            mean -= style.partner_elsewhere
        elif heard.partner_passed:
            mean -= style.partner_passed
        return mean - style.opposed * heard.opponents_bidding

    def _leads(self) -> bool:
        view = self.view
        return view.rules.turn_direction.next(view.dealer) is view.seat

    def their_mean(self, contract: Contract) -> float:
        """The points that the opponents may expect in their contract."""
        style, strain = self.style, contract.strain
        promised = self.heard.opponents[strain]
        if promised > style.usual:
            promised = style.usual + style.believed * (promised - style.usual)
        mean = min(promised, style.believed_most) + DEFENDING.worth(self.hand, strain)
        mean -= style.partner_defends * bool(self.heard.partner)
        return self._advised(mean, strain, ours=False)

    def best_bid(self) -> tuple[Bid | None, float]:
        """The bid that promises most, and the marks it promises; None when there is none."""
        view, ahead, style = self.view, self.ahead, self.style
        ladder, contract = view.rules.ladder, view.contract
        lowest = 0 if contract is None else view.rules.ladder_rank(contract.level) + 1
        if lowest == len(ladder):
            return None, 0.0
        mean, strain = max((self.our_mean(strain), strain) for strain in view.rules.strains)
        claim = style.claim
        if len(view.calls) >= _ALL_BUT_ONE and not self.heard.opponents:
            claim *= style.unopposed
        start = ahead.values[max(lowest - 1, 0)]
        best, most = lowest, float("-inf")
        for rank in range(lowest, len(ladder)):
            plain = ahead.marks(rank, strain, Doubling.NONE, mean)
            contred = ahead.marks(rank, strain, Doubling.CONTRE, mean - style.contred / 2)
            worth = plain + style.feared * min(contred - plain, 0.0)
            worth += claim * min(ahead.values[rank] - start, style.claim_most)
            if worth > most:
                best, most = rank, worth
        return Bid(ladder[best], strain), most

    def contre_pays(self, contract: Contract, mean: float) -> bool:
        """Whether the opponents' contract is worth less to them with contre, by enough."""
        gain = self._gain(contract, Doubling.NONE, Doubling.CONTRE, mean)
        all_well = self._gain(contract, Doubling.NONE, Doubling.CONTRE, _NONE)
        return -gain > -all_well * self.style.contre

    def surcontre_pays(self, contract: Contract) -> bool:
        """Whether the own contract, contred, is worth more with surcontre, by enough."""
        mean = self.our_mean(contract.strain) - self.style.contred
        gain = self._gain(contract, Doubling.CONTRE, Doubling.SURCONTRE, mean)
        all_well = self._gain(contract, Doubling.CONTRE, Doubling.SURCONTRE, _ALL)
        return gain > all_well * self.style.surcontre

    def _gain(self, contract: Contract, before: Doubling, after: Doubling, mean: float) -> float:
        """What doubling brings the takers."""
        return self.marks(contract, after, mean) - self.marks(contract, before, mean)


_NONE: Final = 0.0
_ALL: Final = 1000.0
"""Means of points with which every contract fails, or is made."""
_ALL_BUT_ONE: Final = 3
"""After so many calls both opponents have spoken."""
