"""The hot rules on sets of cards: legal cards, who wins a trick, points.

Everything is a plain integer: a card is 0..31 (``suit * 8 + rank``), a set of cards a mask with bit
``card`` set, a suit 0..3, a strain 0..5 (four suits, 4 sans-atout, 5 tout-atout). Nothing here
checks its input, allocates or knows a ``RuleSet``; rule choices come in as flags (``play_duties``)
and as a table of points. Search compiles these functions as they stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from contree.engine.cards import SUIT_MASKS, TRUMP_ORDER

NO_TRUMP: Final = 4
ALL_TRUMP: Final = 5

# Duties of play, for ``legal_cards``; RuleSet.play_duties puts them together.
OVERTRUMP: Final = 1
"""Who must trump must beat an opponent's cut where possible."""
UNDERTRUMP_FREE: Final = 2
"""Who must trump and cannot beat the cut may play anything (not set: any trump)."""
VOLUNTARY_RISE: Final = 4
"""A trump put on the partner's cut must be higher where one is held."""
MUST_RISE: Final = 8
"""On the partner's cut a higher trump must be played where one is held."""
TRUMP_RISE: Final = 16
"""Trump led: rise over an opponent ..."""
TRUMP_RISE_PARTNER: Final = 32
"""... and over the partner."""
TA_RISE: Final = 64
TA_RISE_PARTNER: Final = 128
SA_RISE: Final = 256
SA_RISE_PARTNER: Final = 512

TRUMP_POWER: Final[tuple[int, ...]] = tuple(TRUMP_ORDER.index(rank) for rank in sorted(TRUMP_ORDER))
"""The strength 0..7 of a rank at trump; in plain suits it is the rank itself."""


def _ordered_as_trump(strain: int, suit: int) -> bool:
    return strain in (suit, ALL_TRUMP)


def _beaten_by(strain: int, card: int) -> int:
    """The cards that win over ``card`` where it holds the trick."""
    suit, rank = divmod(card, 8)
    if _ordered_as_trump(strain, suit):
        higher = [other for other in range(8) if TRUMP_POWER[other] > TRUMP_POWER[rank]]
    else:
        higher = list(range(rank + 1, 8))
    cuts = SUIT_MASKS[strain] if strain < NO_TRUMP and strain != suit else 0
    return cuts | sum(1 << (suit * 8 + other) for other in higher)


BEATS: Final[tuple[int, ...]] = tuple(
    _beaten_by(strain, card) for strain in range(6) for card in range(32)
)
"""``BEATS[strain * 32 + card]``: the cards that take the trick over ``card`` while it holds it."""


def legal_cards(  # noqa: PLR0917 - positional, for compilers
    hand: int, strain: int, led: int, best: int, partner_master: bool, duties: int
) -> int:
    """The cards of ``hand`` that may be played.

    ``led`` is the suit led, -1 for the leader; ``best`` the card that holds the trick and
    ``partner_master`` whether the partner played it (both ignored for the leader); ``duties`` the
    flags above.
    """
    if led < 0:
        return hand
    follow = hand & SUIT_MASKS[led]
    if follow:
        if led == strain:
            rise = TRUMP_RISE_PARTNER if partner_master else TRUMP_RISE
        elif strain < NO_TRUMP:
            return follow
        elif strain == ALL_TRUMP:
            rise = TA_RISE_PARTNER if partner_master else TA_RISE
        else:
            rise = SA_RISE_PARTNER if partner_master else SA_RISE
        if duties & rise:
            return follow & BEATS[strain * 32 + best] or follow
        return follow
    if strain >= NO_TRUMP:
        return hand
    return _void(hand, strain, best, partner_master, duties)


def rises_in(led: int, strain: int, duties: int) -> bool:
    """Whether who follows this suit can have a duty to rise."""
    if strain == ALL_TRUMP:
        return bool(duties & (TA_RISE | TA_RISE_PARTNER))
    if strain == NO_TRUMP:
        return bool(duties & (SA_RISE | SA_RISE_PARTNER))
    return led == strain and bool(duties & (TRUMP_RISE | TRUMP_RISE_PARTNER))


def _void(hand: int, strain: int, best: int, partner_master: bool, duties: int) -> int:
    """The legal cards, in a suit contract, of a hand without the suit led."""
    trumps = hand & SUIT_MASKS[strain]
    if not trumps:
        return hand
    if best >> 3 != strain:  # nobody has cut
        return hand if partner_master else trumps
    higher = trumps & BEATS[strain * 32 + best]
    if partner_master:
        if not higher or not duties & (VOLUNTARY_RISE | MUST_RISE):
            return hand
        return higher if duties & MUST_RISE else hand & ~trumps | higher
    if higher:
        return higher if duties & OVERTRUMP else trumps
    return hand if duties & UNDERTRUMP_FREE else trumps


def trick_winner(cards: Sequence[int], strain: int) -> int:
    """The position (0 the leader) of the card that holds a trick of at least one card."""
    row = strain * 32
    winner = 0
    best = cards[0]
    for position in range(1, len(cards)):
        card = cards[position]
        if BEATS[row + best] >> card & 1:
            winner = position
            best = card
    return winner


# Points by rank, 7 8 9 J Q K T A.
_PLAIN: Final = (0, 0, 0, 2, 3, 4, 10, 11)
_TRUMP: Final = (0, 0, 14, 20, 3, 4, 10, 11)
_ACE_19: Final = (0, 0, 0, 2, 3, 4, 10, 19)
_TRUMP_38: Final = (0, 0, 9, 14, 1, 3, 5, 6)


def _sums(ranks: tuple[int, ...]) -> bytes:
    return bytes(
        sum(points for rank, points in enumerate(ranks) if held >> rank & 1) for held in range(256)
    )


_PLAIN_SUMS: Final = _sums(_PLAIN)
_TRUMP_SUMS: Final = _sums(_TRUMP)

POINTS: Final[tuple[bytes, ...]] = (
    _TRUMP_SUMS + _PLAIN_SUMS + _PLAIN_SUMS + _PLAIN_SUMS,
    _PLAIN_SUMS + _TRUMP_SUMS + _PLAIN_SUMS + _PLAIN_SUMS,
    _PLAIN_SUMS + _PLAIN_SUMS + _TRUMP_SUMS + _PLAIN_SUMS,
    _PLAIN_SUMS + _PLAIN_SUMS + _PLAIN_SUMS + _TRUMP_SUMS,
    _PLAIN_SUMS * 4,
    _TRUMP_SUMS * 4,
)
"""Tables for ``points`` by strain: for each suit the points of its 256 sets of cards. Each suit
contract holds 152 points, sans-atout 120, tout-atout 248. (Bytes, as no suit exceeds 62.)"""

POINTS_NO_TRUMP_ACE_19: Final[bytes] = _sums(_ACE_19) * 4
"""Sans-atout with aces at 19: 152 points (004)."""
POINTS_ALL_TRUMP_152: Final[bytes] = _sums(_TRUMP_38) * 4
"""Tout-atout with V 14, 9 9, A 6, 10 5, R 3, D 1: 152 points (004)."""


def points(mask: int, table: bytes) -> int:
    """The points of a set of cards (a mask) by one of the tables above."""
    return (
        table[mask & 255]
        + table[256 + (mask >> 8 & 255)]
        + table[512 + (mask >> 16 & 255)]
        + table[768 + (mask >> 24 & 255)]
    )


def card_points(table: bytes) -> tuple[int, ...]:
    """The points of each of the 32 cards by one of the tables above."""
    return tuple(points(1 << card, table) for card in range(32))
