"""The numbers that a rules player weighs its choices with: change them to get another player."""

from __future__ import annotations

from typing import Final, NamedTuple


class CardStyle(NamedTuple):
    """How much things are worth in the card play, in points."""

    # keeping a card for later
    master: float = 5.5
    """A card that nothing beats any more, besides its own points, while it stays safe."""
    guarded: float = 1.3
    """Part of the points of a card that only one card beats, with a lower one to guard it ..."""
    bare: float = 0.3
    """... and alone."""
    lower: float = 0.8
    """Part of the points of any other card."""
    guard: float = 5.0
    """The only card that guards a ten or king."""
    ruff: float = 3.0
    """A trump, to ruff with."""
    top_trump: float = 10.0
    """The best trump, besides its own points."""
    trick: float = 40.0
    """A trump when nobody else has one: a trick."""

    # what a trick brings, besides what lies on the table
    opponent_gives: float = 6.0
    """Points that an opponent still to play adds to a trick that his pair wins ..."""
    opponent_loses: float = 4.0
    """... and to one that it loses."""
    win: float = 3.5
    """To win a trick that others have led: one leads to the next."""

    # leading
    draw: float = 4.0
    """For the taker, each trump that the opponents may be expected to lose to a trump lead ..."""
    draw_winner: float = 6.0
    """... for each card of the other suits that wins once trumps are out."""
    helper_draw: float = 0.8
    """Part of it for the taker's partner."""
    defence_trump: float = -9.0
    """For the defence, to lead trump."""
    short: float = 3.0
    """To lead a singleton while holding trumps."""
    partner_suit: float = 1.5
    """To lead a suit that the partner has bid."""
    under_master: float = -2.5
    """To lead a low card of a suit in which one holds the ten or the ace."""


CARD_STYLE: Final = CardStyle()


class BidStyle(NamedTuple):
    """How the player bids. Points are card points, marks those of the score."""

    spread: float = 19.0
    """Standard deviation of the points about what is expected of them."""
    capot_mean: float = 168.0
    """Where half the deals are capots ..."""
    capot_spread: float = 12.0
    """... and how quickly that changes."""
    open_above: float = 0.0
    """Marks that a bid must promise to be made when one may pass."""
    claim: float = 1.0
    """Marks that each point of a bid is worth: it tells the partner and hinders the opponents."""
    claim_most: float = 40.0
    """The points of a bid, above the lowest one possible, that are worth it at most."""
    unopposed: float = 0.5
    """The part of it that is left when both opponents have passed."""
    usual: float = 102.0
    """The points that a hand may expect in its best strain, on average over hands ..."""
    usual_spread: float = 15.0
    """... and their standard deviation."""
    partner_passed: float = 1.5
    """Points that a hand is worth less when the partner has passed."""
    partner_elsewhere: float = 4.0
    """The same when the partner has bid another strain."""
    opposed: float = 1.5
    """The same for each opponent who has bid."""
    stretched: float = 13.0
    """Points above its level that the lowest bid over an opponent promises at most."""
    believed: float = 0.75
    """The part that is believed of what opponents promise above the usual."""
    believed_most: float = 155.0
    """The highest mean that opponents are believed to have."""
    partner_defends: float = 6.0
    """Points that the opponents' contract is worth less when the partner has bid."""
    feared: float = 0.3
    """The likelihood that opponents say contre when it pays."""
    contre: float = 0.3
    """What a contre must be expected to gain, as part of what it gains when all goes well."""
    surcontre: float = 0.6
    """The same for a surcontre."""
    contred: float = 14.0
    """Points that one's own contract is worth less once it was contred."""


BID_STYLE: Final = BidStyle()
