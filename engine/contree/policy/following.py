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
    """The card of ``legal`` that is worth most: what the trick may then be expected to bring, less
    what the card is worth in the hand. ``points`` are those of the 32 cards.
    """
    count = len(trick)
    holder = trick_winner(trick, knowledge.strain)
    best, led = trick[holder], trick[0] >> 3
    ours = holder == count - 2
    beaten_by = BEATS[knowledge.row + best]
    later = tuple([(knowledge.seat + knowledge.step * turn) & 3 for turn in range(1, 4 - count)])
    # Third to play, one opponent is left; second, one as well, and the partner; last, nobody.
    opponents = (len(later) + 1) // 2
    on_table = sum([points[card] for card in trick])
    won = on_table + opponents * style.opponent_loses + style.win
    lost = on_table + opponents * style.opponent_gives

    kept = -1.0
    chosen, most = legal[0], float("-inf")
    for card in legal:
        if beaten_by >> card & 1:
            chance = knowledge.holds_up(card, ours=True, led=led, later=later)
        else:
            if kept < 0.0:  # the same for every card that does not take the trick
                kept = knowledge.holds_up(best, ours=ours, led=led, later=later)
            chance = kept
        own = points[card]
        value = chance * (won + own) - (1.0 - chance) * (lost + own)
        value -= keep_value(knowledge, card, points, style)
        if value > most:
            chosen, most = card, value
    return chosen
