"""The same position with other cards behind it: what was said and played stays as it was.

For those who ask what a seat cannot know: a proof that nothing hidden is shown, or a player who
imagines the hands of the others.
"""

from __future__ import annotations

from collections.abc import Sequence

from contree.engine.actions import Action, Announced
from contree.engine.cards import ALL_CARDS, cards_in
from contree.engine.deal import Deal, check_hands
from contree.engine.masks import legal_cards

__all__ = ["exchange"]


def exchange(deal: Deal, hands: Sequence[int]) -> Deal:
    """The deal as it would stand if the seats held these cards now (masks by ``Seat``).

    The hands must be as large as they are and hold the same cards all told; DeckError otherwise.
    Nothing asks whether what was played could have been played from them.
    """
    played = ALL_CARDS ^ deal.unplayed
    dealt = check_hands([was & played | hand for was, hand in zip(deal.dealt, hands, strict=True)])
    if deal.setting is None:
        return deal._replace(dealt=dealt)
    changed = deal._replace(dealt=dealt, marriages=deal.setting.marriages(dealt))
    return changed._replace(choices=_choices(changed)) if deal.owed else changed


def _choices(deal: Deal) -> tuple[Action, ...]:
    """What the seat to play may do."""
    setting, (turn,) = deal.setting, deal.owed
    assert setting is not None
    legal = legal_cards(
        deal.dealt[turn] & deal.unplayed,
        setting.strain,
        deal.cards[0].suit if deal.cards else -1,
        deal.best,
        deal.holder is turn.partner,
        setting.duties,
    )
    said = map(Announced, cards_in(legal & deal.marriages)) if setting.aloud else ()
    return (*cards_in(legal), *said)
