"""What a card is worth in the hand: what playing it now gives up later."""

from __future__ import annotations

from collections.abc import Sequence

from contree.engine.cards import SUIT_MASKS
from contree.engine.masks import BEATS
from contree.policy.knowledge import Knowledge
from contree.policy.style import CardStyle


def keep_value(knowledge: Knowledge, card: int, points: Sequence[int], style: CardStyle) -> float:
    """What it is worth to keep this card of the hand, in points."""
    suit = SUIT_MASKS[card >> 3]
    higher = BEATS[knowledge.row + card] & knowledge.unseen & suit
    own = points[card]
    if suit == knowledge.trumps:
        if not knowledge.unseen & suit:
            return style.trick
        if not higher:
            return own + style.top_trump
        # The partner's better trumps take nothing from it.
        lost = 1.0 - style.lower
        return own * (1.0 - lost * knowledge.against(higher)) + style.ruff
    if not higher:
        safe = _safe(knowledge, suit)
        return own * (2.0 * safe - 1.0) + style.master * safe
    held = knowledge.hand & suit
    if higher & (higher - 1) == 0:
        return own * (style.guarded if held.bit_count() > 1 else style.bare)
    value = own * style.lower
    if held.bit_count() == 2 and _is_guarded(knowledge, held & ~(1 << card), points):
        value += style.guard
    return value


def _safe(knowledge: Knowledge, suit: int) -> float:
    """How likely a master of a plain suit, led, is not cut."""
    trumps = knowledge.trumps
    if not trumps or not knowledge.unseen & trumps:
        return 1.0
    safe = 1.0
    for seat in ((knowledge.seat + 1) & 3, (knowledge.seat + 3) & 3):
        cuts = knowledge.chance(seat, trumps)
        if cuts:
            safe *= 1.0 - cuts * (1.0 - knowledge.chance(seat, suit))
    return safe


def _is_guarded(knowledge: Knowledge, other: int, points: Sequence[int]) -> bool:
    """Whether this single card is worth guarding: high, with one card above it."""
    card = other.bit_length() - 1
    higher = BEATS[knowledge.row + card] & knowledge.unseen & SUIT_MASKS[card >> 3]
    return points[card] >= 4 and higher.bit_count() == 1
