"""The rules once more, read from docs/rules.md: slow, on texts, and with nothing of the engine.

A deal is moved on by ``act`` and asked ``owed`` and ``legal``; options are the plain values of
``RuleSet.to_dict``. Seats are ``"N"``, calls ``"80S"``, cards ``"AS"``, said belotes ``"KS+"``.
The state machines and the counts of continuations hold the engine against this.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from fractions import Fraction
from typing import Any

Options = Mapping[str, Any]

CLOCKWISE = "NESW"
PAIRS = ("NS", "EW")
PLAIN_ORDER = "789JQKTA"
TRUMP_ORDER = "78QKTA9J"


class Reading:
    """A deal: its auction, then its play."""

    def __init__(self, options: Options, dealer: str, hands: Mapping[str, Sequence[str]]) -> None:
        self.options = options
        self.dealt = {seat: frozenset(hand) for seat, hand in hands.items()}
        self.first = following(options, dealer)
        self.auction = AuctionReading(options, self.first)
        self.play: PlayReading | None = None

    def copy(self) -> Reading:
        other = copy(self)
        other.auction = self.auction.copy()
        other.play = None if self.play is None else self.play.copy()
        return other

    @property
    def over(self) -> bool:
        return not self.owed()

    def owed(self) -> list[str]:
        return self.auction.owed() if self.play is None else self.play.owed()

    def legal(self, seat: str) -> set[str]:
        return self.auction.legal(seat) if self.play is None else self.play.legal(seat)

    def act(self, seat: str, action: str) -> None:
        """An action that is legal."""
        if self.play is not None:
            self.play.act(action)
            return
        self.auction.act(seat, action)
        if not self.auction.owed() and self.auction.bid is not None:
            strain = split_bid(self.auction.bid)[1]
            self.play = PlayReading(self.options, strain, self.first, self.dealt)


class AuctionReading:
    """R3: who speaks, what may be said, what comes out."""

    def __init__(self, options: Options, first: str) -> None:
        self.options = options
        self.timing = options["contre_timing"]
        self.turn: str | None = first
        self.passes = 0
        self.bid: str | None = None
        self.taker: str | None = None
        self.contre_by: str | None = None
        self.surcontre_by: str | None = None
        self.question: str | None = None  # X or XX: an open window
        self.asked: list[str] = []
        self.yes: set[str] = set()
        self.no: set[str] = set()

    def copy(self) -> AuctionReading:
        other = copy(self)
        other.yes, other.no = set(self.yes), set(self.no)
        return other

    def owed(self) -> list[str]:
        if self.question is not None:
            return [seat for seat in self.asked if seat not in self.yes | self.no]
        return [] if self.turn is None else [self.turn]

    def legal(self, seat: str) -> set[str]:
        if seat not in self.owed():
            return set()
        if self.question is not None:
            return {self.question, "-"}
        calls = {"P"}
        if self.contre_by is None:
            calls |= self.higher_bids()
        ours = self.taker in (seat, partner(seat))  # R1.7
        if self.bid is not None and not ours and self.contre_by is None:
            calls |= {"X"} if self.timing != "after_auction" else set()
        if self.contre_by is not None and ours:
            calls.add("XX")
        return calls

    def higher_bids(self) -> set[str]:
        """R1.5: a level further up the ladder, in any strain."""
        ladder = [str(level) for level in self.options["ladder"]]
        above = 0 if self.bid is None else ladder.index(split_bid(self.bid)[0]) + 1
        return {level + strain for level in ladder[above:] for strain in self.options["strains"]}

    def act(self, seat: str, call: str) -> None:
        if self.question is not None:
            (self.no if call == "-" else self.yes).add(seat)
            if self.yes | self.no == set(self.asked):
                self.close()
        elif call == "P":
            self.passes += 1
            self.turn = following(self.options, seat)
            if self.passes == (4 if self.bid is None else 3):  # R1.6
                self.turn = None
                if self.bid is not None and self.timing == "after_auction":
                    self.ask("X", self.taker)
        elif call == "X":
            self.contre(seat)
        elif call == "XX":
            self.surcontre(seat)
        else:
            self.bid, self.taker, self.passes = call, seat, 0
            self.turn = following(self.options, seat)
            if self.timing == "any_moment":  # R3.5: the opponent who is not next to speak
                self.ask("X", self.taker, but=self.turn)

    def ask(self, question: str, reference: str | None, but: str | None = None) -> None:
        """Ask both opponents of a seat, the first in turn order after it first."""
        assert reference is not None
        after = following(self.options, reference)
        self.question = question
        self.asked = [seat for seat in (after, partner(after)) if seat != but]
        self.yes, self.no = set(), set()

    def close(self) -> None:
        question, self.question = self.question, None
        said = [seat for seat in self.asked if seat in self.yes]
        if said:  # R3.5: the first in turn order counts
            self.contre(said[0]) if question == "X" else self.surcontre(said[0])
        elif question == "XX":
            self.turn = None

    def contre(self, seat: str) -> None:
        self.contre_by, self.passes = seat, 0
        if self.timing == "own_turn":
            self.turn = following(self.options, seat)
        else:
            self.turn = None
            self.ask("XX", seat)

    def surcontre(self, seat: str) -> None:
        self.surcontre_by, self.turn = seat, None


class PlayReading:
    """R4: who plays, which cards, who wins."""

    def __init__(
        self, options: Options, strain: str, leader: str, dealt: Mapping[str, frozenset[str]]
    ) -> None:
        self.options = options
        self.strain = strain
        self.dealt = dealt
        self.turn = leader
        self.hands = {seat: set(hand) for seat, hand in dealt.items()}
        self.trick: list[tuple[str, str]] = []  # seat and card
        self.tricks: list[tuple[str, list[str]]] = []  # winner and cards
        self.said: list[tuple[str, str]] = []  # seat and suit, with the first card of a belote
        self.belotes = dict.fromkeys(CLOCKWISE, 0)

    def copy(self) -> PlayReading:
        other = copy(self)
        other.hands = {seat: set(hand) for seat, hand in self.hands.items()}
        other.trick, other.tricks, other.said = self.trick[:], self.tricks[:], self.said[:]
        other.belotes = dict(self.belotes)
        return other

    def owed(self) -> list[str]:
        return [self.turn] if any(self.hands.values()) else []

    def legal(self, seat: str) -> set[str]:
        if seat not in self.owed():
            return set()
        cards = {card for card in self.hands[seat] if self.may_play(card)}
        if self.options["belote_mode"] == "announced":
            cards |= {f"{card}+" for card in cards if self.in_belote(seat, card)}
        return cards

    def may_play(self, card: str) -> bool:
        """R1.8, R1.9, R4."""
        if not self.trick:
            return True
        hand = self.hands[self.turn]
        led = suit(self.trick[0][1])
        master, best = self.master()
        partner_master = master == partner(self.turn)
        if any(suit(held) == led for held in hand):
            if suit(card) != led:
                return False
            if not self.must_rise(led, partner_master):
                return True
            return self.beats(card, best) or not any(self.beats(held, best) for held in hand)
        trumps = {held for held in hand if suit(held) == self.strain}
        higher = {held for held in trumps if self.beats(held, best)}
        cut = suit(best) == self.strain
        if not trumps:
            return True
        if partner_master:
            if not cut or not higher or self.options["partner_master"] == "any":
                return True
            discarding = self.options["partner_master"] == "voluntary_rise" and card not in trumps
            return discarding or card in higher
        if not cut:
            return card in trumps
        if higher:
            return card in (higher if self.options["overtrump"] else trumps)
        return card in trumps or self.options["undertrump"] == "free"

    def must_rise(self, led: str, partner_master: bool) -> bool:
        """R4.4 to R4.6; in plain suits of a suit contract there is no duty to beat (R1.8)."""
        option = {"TA": "ta_rise", "SA": "sa_rise", led: "trump_rise"}.get(self.strain)
        rise = "never" if option is None else self.options[option]
        return bool(rise == "always" or (rise == "opponents" and not partner_master))

    def master(self) -> tuple[str, str]:
        """R1.10: who holds the trick, and with which card."""
        seat, best = self.trick[0]
        for other, card in self.trick[1:]:
            if self.beats(card, best):
                seat, best = other, card
        return seat, best

    def beats(self, card: str, best: str) -> bool:
        if suit(card) != suit(best):
            return suit(card) == self.strain
        order = TRUMP_ORDER if self.strain in ("TA", suit(card)) else PLAIN_ORDER
        return order.index(card[0]) > order.index(best[0])

    def in_belote(self, seat: str, card: str) -> bool:
        """R1.11, R6.2: king or queen of trump, with the other one dealt to the same hand."""
        trump = suit(card) == self.strain or (
            self.strain == "TA" and bool(self.options["belotes_at_all_trump"])
        )
        pair = {"K" + suit(card), "Q" + suit(card)}
        return trump and card in pair and pair <= self.dealt[seat]

    def act(self, action: str) -> None:
        seat, card = self.turn, action.removesuffix("+")
        if self.in_belote(seat, card) and (action != card or self.options["belote_mode"] == "auto"):
            if (seat, suit(card)) in self.said:
                self.belotes[seat] += 1
            else:
                self.said.append((seat, suit(card)))
        self.hands[seat].remove(card)
        self.trick.append((seat, card))
        self.turn = following(self.options, seat)
        if len(self.trick) == 4:
            self.turn = self.master()[0]
            self.tricks.append((self.turn, [card for _, card in self.trick]))
            self.trick = []

    def points(self) -> tuple[Fraction, ...]:
        """R5, R11.1: of North-South and East-West in the finished tricks, without belote."""
        won = {pair: [cards for seat, cards in self.tricks if seat in pair] for pair in PAIRS}
        worth = {
            pair: Fraction(sum(self.value(card) for cards in won[pair] for card in cards))
            for pair in PAIRS
        }
        if len(self.tricks) == 8:
            last, _ = self.tricks[-1]
            pair = next(pair for pair in PAIRS if last in pair)
            worth[pair] += self.options["last_trick"]
            if len(won[pair]) == 8:
                alone = all(seat == last for seat, _ in self.tricks)
                if alone and self.options["generale_last_trick"] != "off":
                    bonus = self.options["generale_last_trick"]
                elif self.options["capot_total"] != "off":
                    return tuple(Fraction(self.options["capot_total"]) * (p == pair) for p in PAIRS)
                else:
                    bonus = self.options["capot_last_trick"]
                worth[pair] += bonus - self.options["last_trick"]
        scaled = self.strain == "TA" and self.options["ta_scale"] == "two_thirds"
        scale = Fraction(2, 3) if scaled else Fraction(1)
        return tuple(worth[pair] * scale for pair in PAIRS)

    def value(self, card: str) -> int:
        """R1.2, R5.1, R5.2."""
        if self.strain == "SA" and card[0] == "A":
            return int(self.options["sa_ace"])
        if self.strain == "TA" and self.options["ta_scale"] == "table_152":
            return {"J": 14, "9": 9, "A": 6, "T": 5, "K": 3, "Q": 1}.get(card[0], 0)
        if self.strain in ("TA", suit(card)) and card[0] in "J9":
            return {"J": 20, "9": 14}[card[0]]
        return {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2}.get(card[0], 0)


def following(options: Options, seat: str) -> str:
    step = {"cw": 1, "ccw": -1}[options["turn_direction"]]
    return CLOCKWISE[(CLOCKWISE.index(seat) + step) % 4]


def partner(seat: str) -> str:
    return CLOCKWISE[(CLOCKWISE.index(seat) + 2) % 4]


def suit(card: str) -> str:
    return card[1]


def split_bid(bid: str) -> tuple[str, str]:
    """Level and strain."""
    cut = -2 if bid.endswith(("SA", "TA")) else -1
    return bid[:cut], bid[cut:]
