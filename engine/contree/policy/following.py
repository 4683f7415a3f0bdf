"""Which card to play to a trick that somebody else has led."""

from __future__ import annotations

from collections.abc import Sequence

from contree.engine.cards import Card
from contree.engine.masks import BEATS, trick_winner
from contree.policy.keeping import keep_value
from contree.policy.knowledge import Knowledge
from contree.policy.style import CardStyle


def follow(
    knowledge: Knowledge,
    trick: Sequence[Card],
    legal: Sequence[Card],
    points: Sequence[int],
    style: CardStyle,
) -> Card:
    """The card of ``legal`` that is worth most: what the trick brings, less what the card is worth
    in the hand.
    """
    count = len(trick)
    holder = trick_winner(trick, knowledge.strain)
    best = trick[holder]
    led = trick[0] >> 3
    ours = holder == count - 2
    later = tuple((knowledge.seat + knowledge.step * turn) & 3 for turn in range(1, 4 - count))
    beaten_by = BEATS[knowledge.row + best]

    on_table = sum(points[card] for card in trick)
    last = not knowledge.hand & (knowledge.hand - 1)
    won, lost = float(on_table), float(on_table)
    for seat in later:
        if seat == knowledge.seat ^ 2:
            won += style.partner_gives
            lost += style.partner_loses
        else:
            won += style.opponent_loses
            lost += style.opponent_gives
    won += style.lead_again
    del last

    # Without a card that takes the trick its fate is the same whatever is thrown in.
    unchanged = -1.0
    chosen, most = legal[0], float("-inf")
    for card in legal:
        if beaten_by >> card & 1:
            chance = knowledge.holds_up(card, ours=True, led=led, later=later)
        else:
            if unchanged < 0.0:
                unchanged = knowledge.holds_up(best, ours=ours, led=led, later=later)
            chance = unchanged
        own = points[card]
        value = chance * (won + own) - (1.0 - chance) * (lost + own)
        value -= keep_value(knowledge, card, points, style)
        if value > most:
            chosen, most = card, value
    return chosen
