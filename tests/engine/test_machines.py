"""State machines: whatever happens, the engine says what a slow reading of the rules says.

One machine holds auctions, one card play, each under every preset and some rule sets of a table's
own. After every step the same seats are asked, the same actions are legal, every legal one is
accepted and every other one refused.
"""

from __future__ import annotations

import dataclasses
import os
from typing import Any

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from tests.engine.reading import Reading

from contree.engine import (
    CARDS,
    PRESET_NAMES,
    SEATS,
    Action,
    Announced,
    Bid,
    Card,
    Deal,
    IllegalAction,
    RuleSet,
    Say,
    Seat,
    Slam,
    Strain,
    Suit,
    mask_of,
    parse_action,
    preset,
    project,
)
from contree.engine.options import BeloteMode, ContreTiming, PartnerMaster, Rise, Undertrump

RULES = {
    **{name: preset(name) for name in PRESET_NAMES},
    "own turn with SA and TA, announced": dataclasses.replace(
        preset("coinche-annonce"),
        contre_timing=ContreTiming.OWN_TURN,
        belote_mode=BeloteMode.ANNOUNCED,
        ta_rise=Rise.OPPONENTS,
        sa_rise=Rise.ALWAYS,
    ),
    "after the auction, announced, must rise": dataclasses.replace(
        preset("contree-generale"),
        belote_mode=BeloteMode.ANNOUNCED,
        partner_master=PartnerMaster.MUST_RISE,
        trump_rise=Rise.OPPONENTS,
    ),
    "any moment, voluntary rise, no overtrump": dataclasses.replace(
        preset("coinche-classique"),
        partner_master=PartnerMaster.VOLUNTARY_RISE,
        overtrump=False,
        undertrump=Undertrump.MUST,
        trump_rise=Rise.NEVER,
        ta_rise=Rise.NEVER,
        sa_rise=Rise.OPPONENTS,
        belotes_at_all_trump=0,
    ),
}

LEVELS = (70, 80, 85, 90, 120, 160, 170, 240, 250, 260, 270, 500, Slam.CAPOT, Slam.GENERALE)
ACTIONS: tuple[Action, ...] = (
    *Say,
    *(Bid(level, strain) for level in LEVELS for strain in Strain),
    *CARDS,
    *(Announced(card) for card in CARDS),
)
EVERY_ACTION = [(str(action), action) for action in ACTIONS]
A_FEW_ACTIONS = EVERY_ACTION[::17]
NO_ACTIONS: tuple[Any, ...] = (None, "P", 0, 31.0, (80, 0), Bid(80, 0), Suit.SPADES)  # type: ignore[arg-type]


def refusal(deal: Deal, seat: Seat, action: Action) -> IllegalAction | None:
    try:
        deal.apply(seat, action)
    except IllegalAction as error:
        return error
    return None


class DealMachine(RuleBasedStateMachine):
    """A deal on both sides."""

    rule_set: RuleSet
    deal: Deal
    reading: Reading

    def deal_cards(self, dealer: Seat, hands: list[list[Card]]) -> None:
        self.deal = Deal.start(self.rule_set, dealer, [mask_of(hand) for hand in hands])
        held = {str(seat): [str(card) for card in hands[seat]] for seat in SEATS}
        self.reading = Reading(self.rule_set.to_dict(), str(dealer), held)

    def act(self, seat: Seat, action: str) -> None:
        self.deal = self.deal.apply(seat, parse_action(action))
        self.reading.act(str(seat), action)

    def say_pass_or_decline(self) -> None:
        seat = self.deal.owed[0]
        self.act(seat, "P" if Say.PASS in self.deal.legal_actions(seat) else "-")

    @property
    def going_on(self) -> bool:
        return bool(self.deal.owed)

    @invariant()
    def same_seats_owe(self) -> None:
        assert [str(seat) for seat in self.deal.owed] == self.reading.owed()

    @invariant()
    def same_actions_are_legal(self) -> None:
        for seat in SEATS:
            legal = [str(action) for action in self.deal.legal_actions(seat)]
            assert len(legal) == len(set(legal))
            assert set(legal) == self.reading.legal(str(seat))

    @invariant()
    def legal_is_accepted_and_all_else_refused(self) -> None:
        for seat in SEATS:
            legal = self.reading.legal(str(seat))
            for text in legal:
                assert refusal(self.deal, seat, parse_action(text)) is None
            for text, action in EVERY_ACTION if legal else A_FEW_ACTIONS:
                if text not in legal:
                    self.is_refused(seat, action)
        for thing in NO_ACTIONS:
            self.is_refused(SEATS[0], thing)

    def is_refused(self, seat: Seat, action: Action) -> None:
        refused = refusal(self.deal, seat, action)
        assert refused is not None
        assert refused.reason
        assert refused.action is action
        assert refused.legal == self.deal.legal_actions(seat)

    @invariant()
    def cards_are_32(self) -> None:
        play = self.deal.play
        won = (0, 0) if play is None else play.taken
        trick = 0 if play is None else mask_of(play.trick.cards)
        cards = [*self.deal.hands, *won, trick]
        assert sum(mask.bit_count() for mask in cards) == 32
        assert sum(cards) == 0xFFFF_FFFF


class AuctionMachine(DealMachine):
    """Auctions; who has no more to say deals again."""

    @initialize(dealer=st.sampled_from(SEATS))
    def start(self, dealer: Seat) -> None:
        self.deal_cards(dealer, [list(CARDS[first : first + 8]) for first in (0, 8, 16, 24)])

    @property
    def speaking(self) -> bool:
        return self.deal.play is None and self.going_on

    @precondition(lambda self: self.speaking)
    @rule(data=st.data())
    def pass_or_decline(self, data: st.DataObject) -> None:
        seat = data.draw(st.sampled_from(self.deal.owed))
        self.act(seat, "P" if "P" in self.reading.legal(str(seat)) else "-")

    @precondition(lambda self: self.speaking)
    @rule(data=st.data())
    def speak(self, data: st.DataObject) -> None:
        seat = data.draw(st.sampled_from(self.deal.owed))
        self.act(seat, data.draw(st.sampled_from(sorted(self.reading.legal(str(seat))))))

    @precondition(lambda self: self.speaking)
    @rule(data=st.data())
    def bid_low_or_double(self, data: st.DataObject) -> None:
        seat = data.draw(st.sampled_from(self.deal.owed))
        legal = self.deal.legal_actions(seat)
        self.act(seat, str(data.draw(st.sampled_from(legal[:10]))))

    @precondition(lambda self: not self.speaking)
    @rule(dealer=st.sampled_from(SEATS))
    def deal_again(self, dealer: Seat) -> None:
        self.start(dealer)

    @invariant()
    def same_contract(self) -> None:
        reading, contract = self.reading.auction, self.deal.contract
        if contract is None:
            assert reading.bid is None
            return
        assert (str(contract.bid), str(contract.taker)) == (reading.bid, reading.taker)
        doubled = {"None": None, **{str(seat): str(seat) for seat in SEATS}}
        assert doubled[str(contract.contre_by)] == reading.contre_by
        assert doubled[str(contract.surcontre_by)] == reading.surcontre_by
        times = (reading.contre_by is not None) + (reading.surcontre_by is not None)
        assert contract.doubling == 2**times

    @invariant()
    def phase_follows_from_the_contract(self) -> None:
        over = not self.reading.auction.owed()
        assert self.deal.auction.over == over
        assert (self.deal.play is not None) == (over and self.deal.contract is not None)
        assert (self.deal.result is not None) == (over and self.deal.contract is None)
        assert self.deal.auction.passed_out == (over and self.deal.contract is None)


class PlayMachine(DealMachine):
    """Card play after a short auction."""

    @initialize(data=st.data(), dealer=st.sampled_from(SEATS))
    def start(self, data: st.DataObject, dealer: Seat) -> None:
        self.deal_cards(dealer, data.draw(hands()))
        for _ in range(data.draw(st.integers(0, 3))):
            self.say_pass_or_decline()
        strain = data.draw(st.sampled_from(self.rule_set.strains))
        level = data.draw(st.sampled_from(self.rule_set.ladder))
        self.act(self.deal.owed[0], f"{level}{strain}")
        while self.deal.play is None:
            self.say_pass_or_decline()

    @precondition(lambda self: self.going_on)
    @rule(data=st.data())
    def play_a_card(self, data: st.DataObject) -> None:
        (seat,) = self.deal.owed
        self.act(seat, data.draw(st.sampled_from(sorted(self.reading.legal(str(seat))))))

    @precondition(lambda self: bool(self.announcements))
    @rule(data=st.data())
    def say_belote(self, data: st.DataObject) -> None:
        self.act(self.deal.owed[0], data.draw(st.sampled_from(self.announcements)))

    @property
    def announcements(self) -> list[str]:
        said = [str(action) for seat in self.deal.owed for action in self.deal.legal_actions(seat)]
        return [text for text in said if text.endswith("+")]

    @precondition(lambda self: not self.going_on)
    @rule(data=st.data(), dealer=st.sampled_from(SEATS))
    def deal_again(self, data: st.DataObject, dealer: Seat) -> None:
        self.start(data, dealer)

    @invariant()
    def same_tricks(self) -> None:
        play, reading = self.deal.play, self.reading.play
        assert play is not None
        assert reading is not None
        assert [(str(card)) for card in play.trick.cards] == [card for _, card in reading.trick]
        tricks = [
            (str(seat), [str(card) for card in trick.cards])
            for seat, trick in zip(play.winners, play.tricks, strict=True)
        ]
        assert tricks == reading.tricks
        assert len(play.trick.cards) + 4 * len(play.tricks) == 32 - sum(
            hand.bit_count() for hand in self.deal.hands
        )

    @invariant()
    def same_belotes(self) -> None:
        play, reading = self.deal.play, self.reading.play
        assert play is not None
        assert reading is not None
        assert [str(seat) for seat in play.belotes] == [seat for seat, _ in reading.said]
        count = reading.belotes
        assert play.belotes_counted() == (count["N"] + count["S"], count["E"] + count["W"])
        if self.deal.result is not None:
            assert self.deal.result.belotes == play.belotes_counted()

    @invariant()
    def same_points(self) -> None:
        play, result = self.deal.play, self.deal.result
        assert play is not None
        assert self.reading.play is not None
        points = self.reading.play.points()
        for seat in SEATS:
            assert project(self.deal, seat).points_taken == points
        if result is None:
            assert not self.reading.over
            return
        assert self.reading.over
        assert result.points == points
        assert result.tricks == tuple(
            sum(winner.team == team for winner in play.winners) for team in (0, 1)
        )
        assert all(mark >= 0 for mark in result.marks)
        assert result.score is not None


@st.composite
def hands(draw: st.DrawFn) -> list[list[Card]]:
    """Four hands: any, or in few suits each, so that there is much to trump."""
    order = draw(st.permutations(range(32)))
    spread = draw(st.sampled_from((1, 10, 100)))
    deck = sorted(CARDS, key=lambda card: int(card) // 8 * 10 + order[card] * spread / 10)
    return [deck[first : first + 8] for first in (0, 8, 16, 24)]


SETTINGS = settings(
    max_examples=150 if os.environ.get("FULL") else 12,
    stateful_step_count=50,
    phases=[Phase.reuse, Phase.generate, Phase.shrink],  # explaining takes minutes
)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("machine", [AuctionMachine, PlayMachine], ids=["auction", "play"])
@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_engine_agrees_with_the_reading(machine: type[DealMachine], rules: RuleSet) -> None:
    run_state_machine_as_test(
        type(machine.__name__, (machine,), {"rule_set": rules}), settings=SETTINGS
    )
