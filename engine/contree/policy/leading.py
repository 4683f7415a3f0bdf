"""Which card to lead."""

from __future__ import annotations

from collections.abc import Sequence

from contree.engine.cards import SUIT_MASKS, Card
from contree.engine.masks import BEATS
from contree.policy.keeping import keep_value
from contree.policy.knowledge import Knowledge
from contree.policy.style import CardStyle


def lead(
    knowledge: Knowledge,
    legal: Sequence[Card],
    points: Sequence[int],
    partner_suits: int,
    style: CardStyle,
) -> Card:
    """The card of ``legal`` that is worth most to lead.

    ``partner_suits`` are the suits that the partner has bid, as a mask of cards.
    """
    later = tuple((knowledge.seat + knowledge.step * turn) & 3 for turn in (1, 2, 3))
    trumps, hand, unseen = knowledge.trumps, knowledge.hand, knowledge.unseen
    against = knowledge.against_may_hold(trumps)
    won, lost = 2 * style.opponent_loses, 2 * style.opponent_gives
    winners = _winners(knowledge)
    chosen, most = legal[0], float("-inf")
    for card in legal:
        suit = SUIT_MASKS[card >> 3]
        own = points[card]
        chance = knowledge.holds_up(card, ours=True, led=card >> 3, later=later)
        value = chance * (won + own) - (1.0 - chance) * (lost + own)
        value -= keep_value(knowledge, card, points, style)
        if suit == trumps:
            if not knowledge.taking:
                value += style.defence_trump
            elif against:
                worth = style.draw + style.draw_winner * winners
                if not knowledge.mine:
                    worth *= style.helper_draw
                value += worth * _drawn(knowledge, later)
        else:
            held = hand & suit
            if suit & partner_suits:
                value += style.partner_suit
            if held & (held - 1) == 0:
                if hand & trumps:
                    value += style.short
            elif BEATS[knowledge.row + card] & unseen & suit and _holds_high(held, card, points):
                value += style.under_master
        # Of equal cards the best in points: the partner sees that the trick is ours.
        value += 0.01 * own
        if value > most:
            chosen, most = card, value
    return chosen


def _drawn(knowledge: Knowledge, later: Sequence[int]) -> float:
    """How many opponents are expected to have to follow to a trump."""
    return knowledge.chance(later[0], knowledge.trumps) + knowledge.chance(
        later[2], knowledge.trumps
    )


def _holds_high(held: int, card: int, points: Sequence[int]) -> bool:
    """Whether the suit held has an ace or a ten besides this card."""
    others = held & ~(1 << card)
    while others:
        low = others & -others
        if points[low.bit_length() - 1] >= 10:
            return True
        others ^= low
    return False


def _winners(knowledge: Knowledge) -> int:
    """How many cards of the hand, trumps aside, nothing but a cut beats."""
    rest = knowledge.hand & ~knowledge.trumps
    count = 0
    while rest:
        low = rest & -rest
        card = low.bit_length() - 1
        if not BEATS[knowledge.row + card] & knowledge.unseen & SUIT_MASKS[card >> 3]:
            count += 1
        rest ^= low
    return count
