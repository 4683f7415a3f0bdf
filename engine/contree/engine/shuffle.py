"""Deals from a seed: verifiable shuffles, cuts, packets, commitment and disguise.

Everything here is a function of a 256-bit seed and of public names, so that anyone who is given the
seed afterwards can compute every deal again, in any language.

**Messages.** All pseudo-random bytes come from HMAC-SHA256 with the 32 bytes of the seed as key. A
message is a list of fields, joined without separator:

- a text is written as its length in bytes (2 bytes, big-endian), then its UTF-8 bytes;
- a number is written as 8 bytes, big-endian, unsigned.

**Bytes.** ``stream(purpose, label, numbers)`` is the concatenation, for block = 0, 1, 2 ..., of
HMAC-SHA256(seed, purpose, label, each of the numbers, block): 32 bytes a block, used in order.

**Numbers.** A number below n (n <= 256) takes the next byte b of the stream; if
b >= 256 - 256 mod n it is rejected and the next byte is taken; else the number is b mod n.

**Deck i** (deal number i of a match, or board number i): cards 0..31 (``suit * 8 + rank``, suits
S H D C, ranks 7 8 9 J Q K T A) in this order; then for k = 31, 30 ... 1 draw j below k + 1 from
stream("deck", label, [i]) and exchange places k and j. Place 0 is the top of the pack.

**Cut k** (before deal number k, only where the rules cut; m = ``cut_minimum``, 2 in 002): m + a
number below 33 - 2 m from stream("cut", label, [k]): so many cards (m .. 32 - m) go from the top to
the bottom.

**First dealer** of a race, where drawn by lot: a number below 4 (N E S W) from
stream("dealer", label, []). Of board b: the seat b - 1 turns after North, in turn direction.

**Gather** (a later deal of a race, where the rules shuffle only once): the previous deal's cards,
from the top: the tricks of the takers in the order played, then those of the defence; each trick in
the order its cards were played. Of a passed-out deal: the hands, from the seat after the dealer in
turn order, each from its lowest card index up.

**Packets**: from the top, one packet to each seat, from the seat after the dealer in turn
direction; three rounds, e.g. 3-2-3 (also where the rules leave the choice to the dealer).

**Commitment**: SHA-256 of the 32 bytes of the seed, in hex, published before; the seed after.
**Entropy**: the seed used is HMAC-SHA256(seed, "entropy" as a text field, then the raw bytes of the
public entropy), where an event mixes some in.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from contree.engine.cards import CARDS, Card, cards_in
from contree.engine.errors import DeckError
from contree.engine.options import FirstDealer, Packets, RedealDealer, Shuffle
from contree.engine.rules import RuleSet
from contree.engine.table import SEATS, Direction, Seat

if TYPE_CHECKING:
    from contree.engine.deal import Deal

__all__ = [
    "SEED_BYTES",
    "Deals",
    "FixedDeal",
    "Hands",
    "ListedDeals",
    "SeededDeals",
    "board_dealer",
    "commitment",
    "cut",
    "cut_size",
    "deal_packets",
    "drawing",
    "gather",
    "mix",
    "next_dealer",
    "shuffled",
]

SEED_BYTES: Final = 32
"""The length of a seed."""

Hands = tuple[int, int, int, int]
"""Four sets of cards, as masks by ``Seat``."""


class FixedDeal(NamedTuple):
    """A dealer and the hands, as masks by ``Seat``; as a source of deals, good for one."""

    dealer: Seat
    hands: Hands

    def board(self, number: int, rules: RuleSet) -> FixedDeal:
        """These cards, whatever the board number."""
        del number, rules
        return self

    def deal(self, number: int, rules: RuleSet, previous: Deal | None = None) -> FixedDeal:
        """These cards, for the first deal of a race; DeckError for a later one."""
        del rules, previous
        if number != 1:
            raise DeckError(f"there is no deal number {number}, only one was given")
        return self


class Deals(Protocol):
    """Where a match gets its cards from."""

    def board(self, number: int, rules: RuleSet) -> FixedDeal:
        """The cards and the dealer of a board, by its number from 1."""
        ...

    def deal(self, number: int, rules: RuleSet, previous: Deal | None = None) -> FixedDeal:
        """The cards and the dealer of a race's deal, by its number from 1; ``previous`` is the
        finished deal before it, None for the first.
        """
        ...


class SeededDeals(NamedTuple):
    """Deals computed from a seed of 32 bytes; ``label`` keeps matches with one seed apart."""

    seed: bytes
    label: str = ""

    def board(self, number: int, rules: RuleSet) -> FixedDeal:
        """Board ``number``: shuffled (and cut, where the rules cut), its dealer by its number."""
        dealer = board_dealer(number, rules.turn_direction)
        return FixedDeal(dealer, self._fresh(number, rules, dealer))

    def deal(self, number: int, rules: RuleSet, previous: Deal | None = None) -> FixedDeal:
        """Deal ``number`` of a race: the dealer follows from the previous deal, and so do the cards
        where the rules shuffle only once.
        """
        if previous is None:
            return self._first(number, rules)
        dealer = next_dealer(rules, previous.dealer, passed_out=previous.play is None)
        if rules.shuffle is Shuffle.EACH_DEAL:
            return FixedDeal(dealer, self._fresh(number, rules, dealer))
        return FixedDeal(dealer, self._dealt(gather(previous), number, rules, dealer))

    def _first(self, number: int, rules: RuleSet) -> FixedDeal:
        dealer = Seat.NORTH
        if rules.first_dealer is FirstDealer.RANDOM:
            dealer = SEATS[drawing(self.seed, "dealer", self.label)(4)]
        return FixedDeal(dealer, self._fresh(number, rules, dealer))

    def _fresh(self, number: int, rules: RuleSet, dealer: Seat) -> Hands:
        return self._dealt(shuffled(self.seed, self.label, number), number, rules, dealer)

    def _dealt(self, deck: Sequence[Card], number: int, rules: RuleSet, dealer: Seat) -> Hands:
        if rules.cut_minimum is not None:
            deck = cut(deck, cut_size(self.seed, self.label, number, rules.cut_minimum))
        return deal_packets(deck, dealer, rules.turn_direction, rules.packets)

    def __repr__(self) -> str:
        return f"SeededDeals(<seed {commitment(self.seed)[:8]}>, {self.label!r})"


class ListedDeals(NamedTuple):
    """Deals written down: number ``first`` and the following ones."""

    deals: tuple[FixedDeal, ...]
    first: int = 1

    def board(self, number: int, rules: RuleSet) -> FixedDeal:
        """The deal listed under this number; DeckError when there is none."""
        return self.deal(number, rules)

    def deal(self, number: int, rules: RuleSet, previous: Deal | None = None) -> FixedDeal:
        """The deal listed under this number; DeckError when there is none."""
        del rules, previous
        if not 0 <= number - self.first < len(self.deals):
            raise DeckError(f"deal number {number} is not in the list")
        return self.deals[number - self.first]


def commitment(seed: bytes) -> str:
    """What is published before a match: SHA-256 of the seed, in hex."""
    return hashlib.sha256(_checked(seed)).hexdigest()


def mix(seed: bytes, entropy: bytes) -> bytes:
    """The seed with public entropy mixed in, which nobody could choose both of."""
    return hmac.digest(_checked(seed), _field("entropy") + entropy, "sha256")


def drawing(seed: bytes, purpose: str, label: str, *numbers: int) -> Callable[[int], int]:
    """A function that draws numbers below n (1 <= n <= 256), uniform and reproducible."""
    stream = _stream(_checked(seed), _field(purpose) + _field(label), numbers)

    def below(bound: int) -> int:
        limit = 256 - 256 % bound
        for byte in stream:
            if byte < limit:
                return byte % bound
        raise AssertionError("the stream has no end")

    return below


def shuffled(seed: bytes, label: str, number: int) -> tuple[Card, ...]:
    """Deck ``number``: the 32 cards, the top one first."""
    below = drawing(seed, "deck", label, number)
    deck = list(CARDS)
    for place in range(31, 0, -1):
        other = below(place + 1)
        deck[place], deck[other] = deck[other], deck[place]
    return tuple(deck)


def cut_size(seed: bytes, label: str, number: int, minimum: int) -> int:
    """How many cards the cut before deal ``number`` takes from the top: at least ``minimum``, and
    leaving as many.
    """
    return minimum + drawing(seed, "cut", label, number)(33 - 2 * minimum)


def cut(deck: Sequence[Card], size: int) -> tuple[Card, ...]:
    """The deck with its ``size`` top cards put below the others."""
    return (*deck[size:], *deck[:size])


def deal_packets(
    deck: Sequence[Card], dealer: Seat, direction: Direction, packets: Packets
) -> Hands:
    """The hands, as masks by ``Seat``, that dealing the deck in packets gives."""
    hands = [0, 0, 0, 0]
    order = direction.order(direction.next(dealer))
    top = iter(deck)
    for size in packets.sizes:
        for seat in order:
            for _ in range(size):
                hands[seat] |= 1 << next(top)
    north, east, south, west = hands
    return north, east, south, west


def gather(deal: Deal) -> tuple[Card, ...]:
    """The pack as it is put together after a finished deal, the top card first."""
    if deal.play is None:
        order = deal.rules.turn_direction.order(deal.rules.turn_direction.next(deal.dealer))
        return tuple(card for seat in order for card in cards_in(deal.dealt[seat]))
    takers = deal.play.contract.team
    won = list(zip(deal.play.winners, deal.play.tricks, strict=True))
    piles = [trick for seat, trick in won if seat.team is takers]
    piles += [trick for seat, trick in won if seat.team is not takers]
    return tuple(card for trick in piles for card in trick.cards)


def board_dealer(number: int, direction: Direction) -> Seat:
    """The dealer of a board: North deals board 1, the next seat in turn board 2, and so on."""
    return direction.next(Seat.NORTH, number - 1)


def next_dealer(rules: RuleSet, dealer: Seat, *, passed_out: bool) -> Seat:
    """Who deals after a deal of a race, given its dealer and whether all four passed."""
    if passed_out and rules.redeal_dealer is RedealDealer.SAME:
        return dealer
    return rules.turn_direction.next(dealer)


def _checked(seed: bytes) -> bytes:
    if len(seed) != SEED_BYTES:
        raise DeckError(f"a seed has {SEED_BYTES} bytes, not {len(seed)}")
    return seed


def _field(text: str) -> bytes:
    data = text.encode()
    return len(data).to_bytes(2, "big") + data


def _stream(seed: bytes, prefix: bytes, numbers: Sequence[int]) -> Iterator[int]:
    prefix += b"".join(number.to_bytes(8, "big") for number in numbers)
    block = 0
    while True:
        yield from hmac.digest(seed, prefix + block.to_bytes(8, "big"), "sha256")
        block += 1
