"""Shorthands for the tests by rule number: questions about rules in a line."""

from __future__ import annotations

from typing import Any

from contree.engine import (
    DECLINE,
    PASS,
    Action,
    Announced,
    Card,
    Deal,
    FixedDeal,
    Game,
    Mode,
    Record,
    RuleSet,
    Seat,
    Strain,
    Tally,
    legal_plays,
    parse_action,
    parse_bid,
    parse_cards,
    preset,
    rules_from_dict,
    score,
)
from contree.engine.contract import Doubling
from contree.engine.notation import parse_hand
from contree.engine.record import replay_calls

SIMPLE, GENERALE, CLASSIQUE = "contree-simple", "contree-generale", "coinche-classique"
FAITS, ANNONCES, MIXTE = "ffb-points-faits", "ffb-points-annonces", "ffb-mixte"
TOURNOI, ANNONCE = "ffb-mixte-tournoi", "coinche-annonce"

# North holds spades, East hearts, South diamonds, West clubs.
BY_SUIT = "ATKQJ987... .ATKQJ987.. ..ATKQJ987. ...ATKQJ987"


def under(base: str, **options: object) -> RuleSet:
    """A preset with some options changed."""
    return rules_from_dict({"base": base, **options}) if options else preset(base)


def marks(rules: RuleSet, bid: str, taker: Any, defence: Any, **told: Any) -> tuple[int, int]:
    """What takers and defence mark; ``level`` 2 is contre, 4 surcontre, ``belotes`` are (theirs,
    the others'), ``tricks`` and ``bidder`` those of the takers and of the bidder.
    """
    named = parse_bid(bid)
    ours, theirs = told.get("belotes", (0, 0))
    tally = Tally(taker, defence, told.get("tricks"), told.get("bidder"), ours, theirs)
    marked = score(rules, named.level, named.strain, Doubling(told.get("level", 1)), tally)
    return marked.taker, marked.defence


def legal(rules: RuleSet, trump: str, trick: str, hand: str) -> str:
    """The cards that may be played, in the order of the hand."""
    held = parse_cards(hand)
    allowed = legal_plays(rules, Strain.parse(trump), parse_cards(trick), held)
    return " ".join(str(card) for card in held if card in allowed)


def dealt(rules: RuleSet, hands: str = BY_SUIT, dealer: str = "N") -> Deal:
    """A deal of these hands, N E S W, written as in records."""
    return Deal.start(rules, Seat.parse(dealer), [parse_hand(hand) for hand in hands.split()])


def after(deal: Deal, *said: str) -> Deal:
    """The deal after these actions of whoever owes one first; ``W:X`` names another seat."""
    for word in said:
        seat, colon, action = word.rpartition(":")
        deal = deal.apply(Seat.parse(seat) if colon else deal.owed[0], parse_action(action))
    return deal


def calls(deal: Deal) -> str:
    """What whoever is asked first may say."""
    return " ".join(map(str, deal.legal_actions(deal.owed[0])))


def asked(deal: Deal) -> str:
    """Who is asked now."""
    return "".join(map(str, deal.owed))


def past_windows(deal: Deal) -> Deal:
    """The deal once every open question about a contre was declined."""
    while deal.owed and "-" in calls(deal).split():
        deal = after(deal, "-")
    return deal


def quietly(deal: Deal) -> Deal:
    """The deal when nobody says anything any more and the cards are to be played."""
    while deal.play is None:
        deal = after(deal, "P" if "P" in calls(deal).split() else "-")
    return deal


def contracted(rules: RuleSet, bid: str, hands: str = BY_SUIT) -> Deal:
    """A deal in which the first to speak bids this and nobody else says anything."""
    return quietly(after(dealt(rules, hands), bid))


def play_out(deal: Deal) -> Deal:
    """Play the cards to the end, everybody the first that it may, and nobody says belote."""
    while deal.owed:
        deal = deal.apply(deal.owed[0], deal.legal_actions(deal.owed[0])[0])
    return deal


class Again:
    """Deals the same cards for ever, the dealer moving on."""

    def __init__(self, hands: str) -> None:
        self.dealt = dealt(preset(MIXTE), hands).dealt

    def board(self, number: int, rules: RuleSet) -> FixedDeal:
        return self.deal(number, rules)

    def deal(self, number: int, rules: RuleSet, previous: Deal | None = None) -> FixedDeal:
        dealer = Seat.NORTH if previous is None else rules.turn_direction.next(previous.dealer)
        return FixedDeal(dealer, self.dealt)


def race(rules: RuleSet, *bids: str, hands: str = BY_SUIT) -> Game:
    """A race in which deal after deal one bid is made, such as ``N80S`` (by North), or none: ``-``.

    Everybody plays the first card that it may.
    """
    game = Game.start(rules, Again(hands), Mode.RACE)
    for bid in bids:
        count = len(game.finished)
        while game.deal is not None and len(game.finished) == count:
            game = game.apply(game.owed[0], _action(game.deal, bid))
    return game


def said_of(record: Record) -> tuple[int, int]:
    """How many cards were played with belote said, of how many that could have been."""
    said = offered = 0
    game = record.start()
    for deal in record.deals:
        game = replay_calls(game, deal)
        for placed in deal.cards:
            card = placed.action.card if isinstance(placed.action, Announced) else placed.action
            assert isinstance(card, Card)
            offered += Announced(card) in game.legal_actions(placed.seat)
            said += isinstance(placed.action, Announced)
            game = game.apply(placed.seat, placed.action)
    return said, offered


def _action(deal: Deal, bid: str) -> Action:
    options = deal.legal_actions(deal.owed[0])
    if deal.play is not None:
        return options[0]
    if deal.contract is None and bid[0] == str(deal.owed[0]):
        return parse_bid(bid[1:])
    return PASS if PASS in options else DECLINE
