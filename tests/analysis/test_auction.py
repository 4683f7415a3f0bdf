"""Par and the cost of calls, against every auction tried out."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache

import pytest
from tests.search.deals import FULL, RULES, unequal_hands, uniform_hands, variant

from contree.analysis.auction import OpenAuction, Worth
from contree.engine import (
    DECLINE,
    PASS,
    SEATS,
    Auction,
    Bid,
    Contract,
    Deal,
    RuleSet,
    Seat,
    Slam,
    Strain,
    mask_of,
    parse_cards,
)
from contree.engine.contract import Doubling
from contree.engine.result import played_out
from contree.search import Position, Solver

SMALL = {
    "own-turn": variant("ffb-mixte", ladder=[80, 110, 160, "capot"], strains=["S", "H"]),
    "other-marks": variant("contree-simple", ladder=[80, 120, "capot"], strains=["S", "H"]),
    "after-auction": variant(
        "contree-generale", ladder=[90, 130, "capot", "generale"], strains=["S", "H"]
    ),
    "any-moment": variant(
        "ffb-mixte", ladder=[80, 110, "capot"], strains=["S", "H"], contre_timing="any_moment"
    ),
}


class Tried:
    """Every auction of a deal, without a thought. Contracts are played out by the engine."""

    def __init__(self, rules: RuleSet, dealer: Seat, dealt: Sequence[int]) -> None:
        self.rules, self.dealer = rules, dealer
        self.played = {strain: perfect(rules, strain, dealer, dealt) for strain in rules.strains}
        self.worth = cache(self._worth)

    def start(self) -> int:
        return self.worth(Auction.start(self.rules, self.dealer))

    def _worth(self, auction: Auction) -> int:
        if not auction.owed:
            return self.marks(auction.contract)
        seat = auction.owed[0]
        # What was said is forgotten, so that auctions that came to the same are looked at once.
        after = [
            self.worth(auction.after(seat, call)._replace(calls=())) for call in auction.choices
        ]
        return min(after) if seat & 1 else max(after)

    def marks(self, contract: Contract | None) -> int:
        if contract is None:
            return 0
        last = self.played[contract.strain]
        result = played_out(
            self.rules,
            contract,
            last.past.winners,
            last.past.taken,
            last.past.belotes_counted(last.dealt),
        )
        return result.marks[0] - result.marks[1]


def perfect(rules: RuleSet, strain: Strain, dealer: Seat, dealt: Sequence[int]) -> Deal:
    """A deal in this strain, played by all with open cards."""
    deal = Deal.start(rules, dealer, dealt)
    deal = deal.apply(deal.owed[0], Bid(rules.ladder[0], strain))
    while deal.setting is None:
        deal = deal.apply(deal.owed[0], DECLINE if DECLINE in deal.choices else PASS)
    for card in Solver().line(Position.of_deal(deal)):
        deal = deal.apply(deal.owed[0], card)
    return deal


def opened(rules: RuleSet, dealer: Seat, dealt: Sequence[int]) -> OpenAuction:
    solver = Solver()
    leader = rules.following[dealer]
    outcomes = {
        strain: solver.outcome(Position.start(rules, strain, dealt, leader))
        for strain in rules.strains
    }
    return OpenAuction(rules, dealer, dealt, outcomes)


@pytest.mark.parametrize("name", SMALL)
def test_par_is_what_trying_out_everything_comes_to(name: str) -> None:
    rules, rng = SMALL[name], random.Random(f"par {name}")
    found = set()
    for number in range(100 if FULL else 12):
        dealer = SEATS[rng.randrange(4)]
        hands = unequal_hands(rng, Strain.SPADES) if number % 4 == 3 else uniform_hands(rng)
        tried, open_ = Tried(rules, dealer, hands), opened(rules, dealer, hands)
        par = open_.par()
        if "generale" in map(str, rules.ladder) and 8 in (
            count for last in tried.played.values() for count in map(last.past.winners.count, SEATS)
        ):
            continue  # which of a pair wins all the tricks an outcome does not tell
        assert par.marks == tried.start()
        assert tried.marks(par.contract) == par.marks, "the contract is worth par"
        found.add(par.contract is not None and par.contract.taker.team)
        auction = Auction.start(rules, dealer)
        while auction.owed:  # and so at every point of some auction
            call = rng.choice(auction.choices[:6])
            best = open_.best(auction)
            assert best.marks == tried.worth(auction._replace(calls=()))
            assert open_.worth(auction.after(auction.owed[0], best.call)) == best.marks
            auction = auction.after(auction.owed[0], call)
    assert len(found) >= 2, "par belonged to either pair"


def test_neither_pair_can_better_par_by_another_contract() -> None:
    """With its last word a pair could only bid what is worth less to it, or be doubled there."""
    rules, rng = RULES["ffb-mixte"], random.Random("better")
    for _ in range(10):
        dealer, hands = SEATS[rng.randrange(4)], uniform_hands(rng)
        open_ = opened(rules, dealer, hands)
        par = open_.par()
        assert par.contract is not None, "some contract can always be made"
        rank = rules.ladder_rank(par.contract.level)
        for level in rules.ladder[rank + 1 :]:
            for strain in rules.strains:
                for seat in SEATS:
                    plain = Contract(Bid(level, strain), seat)
                    doubled = plain._replace(doubling=Doubling.CONTRE)
                    worth = [open_.contract(plain), open_.contract(doubled)]
                    if seat & 1:  # the other pair says contre where that is better for it
                        assert max(worth) >= par.marks
                    else:
                        assert min(worth) <= par.marks


ALL_SPADES = "AS TS KS QS JS 9S 8S 7S"
HEARTS, DIAMONDS, CLUBS = (ALL_SPADES.replace("S", suit) for suit in "HDC")


@pytest.mark.parametrize("dealer", SEATS)
def test_of_two_capots_the_first_to_speak_has_his(dealer: Seat) -> None:
    """Everybody holds a whole suit, and wins all tricks where it is trump. Nothing goes over a
    capot, so it belongs to the first pair to speak: 500, and 20 for its belote.
    """
    rules = RULES["ffb-mixte"]
    hands = [mask_of(parse_cards(text)) for text in (ALL_SPADES, DIAMONDS, HEARTS, CLUBS)]
    par = opened(rules, dealer, hands).par()
    first = rules.following[dealer]
    own = (Strain.DIAMONDS, Strain.CLUBS) if first & 1 else (Strain.SPADES, Strain.HEARTS)
    assert par.contract in {Contract(Bid(Slam.CAPOT, suit), first) for suit in own}
    assert par.marks == (-520 if first & 1 else 520)


def test_in_the_suit_of_the_others_one_is_doubled() -> None:
    """North's 80 in diamonds, all of which East has, cannot win a trick. East may say contre, but
    a capot of its own is worth 520, and 2 x (160 + 80) with the belote less.
    """
    rules = RULES["ffb-mixte"]
    hands = [mask_of(parse_cards(text)) for text in (ALL_SPADES, DIAMONDS, HEARTS, CLUBS)]
    open_ = opened(rules, Seat.EAST, hands)
    plain = Contract(Bid(80, Strain.DIAMONDS), Seat.NORTH)
    doubled = plain._replace(doubling=Doubling.CONTRE)
    assert [open_.contract(plain), open_.contract(doubled)] == [-350, -500]
    auction = Auction.start(rules, Seat.EAST)
    assert auction.owed == (Seat.NORTH,)
    best = open_.best(auction.after(Seat.NORTH, plain.bid))
    assert best == Worth(-520, Bid(Slam.CAPOT, Strain.DIAMONDS))
