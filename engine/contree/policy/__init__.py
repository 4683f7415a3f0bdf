"""Players as pure functions: a view goes in, an action comes out, always the same.

``rules_player`` bids and plays by rule of thumb: the opponent to practise with, and the substitute
for a bot at fault. ``random_player(seed)`` takes any legal action. Both can be given to
``contree.engine.drive``. ``styled_player`` makes other rules players from other numbers;
``advised_call`` asks one what it would say if somebody else's opinion of the cards counted half.
"""

from contree.policy.bidding import Opinion
from contree.policy.random import random_player
from contree.policy.rules import advised_call, rules_player, styled_player
from contree.policy.style import BID_STYLE, CARD_STYLE, BidStyle, CardStyle

__all__ = [
    "BID_STYLE",
    "CARD_STYLE",
    "BidStyle",
    "CardStyle",
    "Opinion",
    "advised_call",
    "random_player",
    "rules_player",
    "styled_player",
]
