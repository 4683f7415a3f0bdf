"""The rules against colver 0.11.1, an independent engine in Rust, under the FFB's obligations.

``make test-differential`` runs this with 20,000 positions and 2,000 auctions, with ``FULL=1`` in
front 200,000 and 20,000. colver has no sans-atout, no tout-atout and no générale, and contre only
at the own turn; it marks otherwise, so it is no judge of marks.

Its cards are numbered as ours. Its seats go clockwise, those of the FFB counter-clockwise, so each
seat is its mirror image there: North and South are the same, East is West.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from contree.engine import (
    SEATS,
    Action,
    Bid,
    Card,
    Deal,
    Doubling,
    Level,
    RuleSet,
    Say,
    Seat,
    Slam,
    Strain,
    Team,
    cards_in,
    mask_of,
    preset,
)

pytestmark = [pytest.mark.differential, pytest.mark.timeout(1800)]
colver = pytest.importorskip("colver", reason="make test-differential installs it")

FULL = bool(os.environ.get("FULL"))
POSITIONS = 200_000 if FULL else 20_000
AUCTIONS = 20_000 if FULL else 2_000

RULES: RuleSet = preset("ffb-mixte")
AUCTION, PLAY = 0, 1  # colver's phases
MIRROR: tuple[Seat, ...] = tuple(SEATS[-seat & 3] for seat in SEATS)
"""Our seat for a seat of colver, and the other way round."""


def call_of(number: int) -> Action:
    """What a call of colver means, by the name that it gives itself."""
    name = colver.Env.action_name(number, AUCTION)
    says = {"Pass": Say.PASS, "Coinche": Say.CONTRE, "Surcoinche": Say.SURCONTRE}
    if name in says:
        return says[name]
    level: Level = Slam.CAPOT if name[:-1] == "Capot" else int(name[:-1])
    return Bid(level, Strain("♠♥♦♣".index(name[-1])))


CALLS = [call_of(number) for number in range(43)]


@dataclass(frozen=True)
class Pair:
    """The same deal on both sides."""

    ours: Deal
    theirs: Any

    @classmethod
    def deal(cls, dealer: int, hands: Sequence[Sequence[int]]) -> Pair:
        """``dealer`` and ``hands`` as colver numbers its seats."""
        masks = [mask_of(hands[MIRROR[seat]]) for seat in SEATS]
        ours = Deal.start(RULES, MIRROR[dealer], masks)
        return cls(ours, colver.Env.deal_with_hands(dealer, [list(hand) for hand in hands]))

    def call(self, call: int) -> Pair:
        self.theirs.step(call)
        return Pair(self.ours.apply(self.ours.owed[0], CALLS[call]), self.theirs)

    def play(self, card: Card) -> Pair:
        self.theirs.step(int(card))
        return Pair(self.ours.apply(self.ours.owed[0], card), self.theirs)

    def turn(self) -> Seat:
        """Who must act, which both sides agree on."""
        (seat,) = self.ours.owed
        assert MIRROR[seat] == self.theirs.current_player()
        return seat


def uniform_hands(rng: random.Random) -> list[list[int]]:
    deck = rng.sample(range(32), 32)
    return [deck[first : first + 8] for first in (0, 8, 16, 24)]


def uneven_hands(rng: random.Random) -> list[list[int]]:
    """Hands with long and missing suits, so that there is much to trump and to undertrump."""
    deck = sorted(range(32), key=lambda card: (card >> 3) + rng.gauss(0, 0.7))
    hands = [deck[first : first + 8] for first in (0, 8, 16, 24)]
    rng.shuffle(hands)
    return hands


def hands_of(rng: random.Random) -> list[list[int]]:
    return rng.choice((uniform_hands, uneven_hands))(rng)


def test_cards_are_numbered_alike() -> None:
    names = [colver.Env.card_name(card).replace("10", "T") for card in range(32)]
    assert [name.translate(str.maketrans("♠♥♦♣", "SHDC")) for name in names] == [
        str(card) for card in cards_in(0xFFFF_FFFF)
    ]


# --- the auction


def test_auctions() -> None:
    """Whoever's turn it is may say the same; the same contract comes out."""
    rng = random.Random(3)
    seen: Counter[str] = Counter()
    for _ in range(AUCTIONS):
        pair = Pair.deal(rng.randrange(4), hands_of(rng))
        while pair.ours.result is None and pair.ours.play is None:
            pair = step_of_auction(pair, rng, seen)
        assert_same_contract(pair, seen)
    assert (
        min(seen[ending] for ending in ("passed out", "undoubled", "contre", "surcontre", "capot"))
        > 10
    )
    print(f"{AUCTIONS} auctions, {seen['calls']} calls: no difference. {dict(seen)}")


def step_of_auction(pair: Pair, rng: random.Random, seen: Counter[str]) -> Pair:
    seat, theirs = pair.turn(), pair.theirs.legal_actions()
    assert pair.theirs.phase() == AUCTION
    assert {CALLS[call] for call in theirs} == set(pair.ours.legal_actions(seat))
    seen["calls"] += 1
    return pair.call(some_call(theirs, rng))


def some_call(legal: Sequence[int], rng: random.Random) -> int:
    """Any legal call; often pass or a low bid, so that auctions are long, and often contre."""
    doubling = [call for call in legal if CALLS[call] in (Say.CONTRE, Say.SURCONTRE)]
    if doubling and rng.random() < 0.15:
        return doubling[0]
    dice = rng.random()
    if dice < 0.45:
        return 0
    return rng.choice(legal[: 1 + 8] if dice < 0.9 else legal)


def assert_same_contract(pair: Pair, seen: Counter[str]) -> None:
    contract = pair.ours.contract
    if contract is None:
        assert pair.theirs.is_terminal()
        seen["passed out"] += 1
        return
    assert pair.theirs.phase() == PLAY
    assert MIRROR[pair.theirs.get_trick_lead()] is pair.turn()
    capot = contract.level is Slam.CAPOT
    doubled = list(Doubling).index(contract.doubling)
    assert pair.theirs.get_contract() == {
        "trump": int(contract.strain),
        "value": 250 if capot else contract.level,
        "team": int(contract.team),
        "coinche": doubled,
    }
    seen[("undoubled", "contre", "surcontre")[doubled]] += 1
    seen["capot"] += capot


# --- the play


def test_positions() -> None:
    """The same cards may be played in every position with two cards or more in hand, and the same
    seat wins each trick.
    """
    rng = random.Random(5)
    seen: Counter[str] = Counter()
    while seen["positions"] < POSITIONS:
        pair = Pair.deal(rng.randrange(4), hands_of(rng))
        for _ in range(rng.randrange(4)):  # the takers may sit anywhere
            pair = pair.call(0)
        pair = pair.call(1 + rng.randrange(36))
        while pair.ours.play is None:
            pair = pair.call(0)
        pair = play_out(pair, rng, seen)
        assert_same_end(pair, seen)
    assert min(seen[kind] for kind in ("free", "restricted", "trumped")) > POSITIONS // 20
    print(f"{seen['positions']} positions, {seen['tricks']} tricks: no difference. {dict(seen)}")


def play_out(pair: Pair, rng: random.Random, seen: Counter[str]) -> Pair:
    while pair.ours.result is None:
        play = pair.ours.play
        assert play is not None
        seat = pair.turn()
        legal = pair.ours.legal_actions(seat)
        assert pair.theirs.legal_actions() == [int(card) for card in legal if type(card) is Card]
        assert MIRROR[pair.theirs.get_trick_lead()] is play.trick.leader
        held = play.hands[seat].bit_count()
        if held > 1:
            seen["positions"] += 1
            seen["free" if len(legal) == held else "restricted"] += 1
        card = rng.choice(legal)
        assert type(card) is Card
        pair = pair.play(card)
        after = pair.ours.play
        assert after is not None
        if len(after.tricks) > len(play.tricks):
            assert_same_winner(pair, after.winners[-1], seen)
            trump = int(after.contract.strain)
            led, *others = [card >> 3 for card in after.tricks[-1].cards]
            seen["trumped"] += led != trump and trump in others
    return pair


def assert_same_winner(pair: Pair, winner: Seat, seen: Counter[str]) -> None:
    seen["tricks"] += 1
    play = pair.ours.play
    assert play is not None
    won = [seat.team for seat in play.winners]
    assert list(pair.theirs.get_tricks_won()) == [won.count(team) for team in Team]
    if pair.ours.result is None:
        assert MIRROR[pair.theirs.get_trick_lead()] is winner


def assert_same_end(pair: Pair, seen: Counter[str]) -> None:
    """The same card points too, but in a capot, which colver counts otherwise."""
    assert pair.theirs.is_terminal()
    result = pair.ours.result
    assert result is not None
    if 8 in result.tricks:
        seen["capots"] += 1
    else:
        assert list(pair.theirs.get_points()) == list(result.points)
