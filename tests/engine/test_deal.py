"""Whole deals: invariants of a thousand random ones by preset, and single rules by example."""

import dataclasses
import random
from fractions import Fraction

import pytest

from contree.engine import (
    CARDS,
    PRESET_NAMES,
    SEATS,
    Action,
    Announced,
    Bid,
    Card,
    Deal,
    DeckError,
    IllegalAction,
    Phase,
    RuleSet,
    Say,
    Seat,
    SeededDeals,
    Strain,
    mask_of,
    parse_action,
    preset,
)
from contree.engine.cards import ALL_CARDS
from contree.engine.deal import PASSED_OUT, DealResult, DecisionKind
from contree.engine.notation import parse_hand
from contree.engine.options import BeloteMode, ContreTiming, Undertrump

N, E, S, W = SEATS
EVERY_CALL: tuple[Action, ...] = (
    *Say,
    *(Bid(level, strain) for level in (*range(80, 280, 10),) for strain in Strain),
    *(parse_action(f"{slam}{strain}") for slam in ("capot", "generale") for strain in Strain),
)
EVERY_CARD: tuple[Action, ...] = (*CARDS, *(Announced(card) for card in CARDS))

# Card points with the last trick, unless one pair takes all: 162, 172 (258 x 2/3 at tout-atout of
# 002); and the points of all eight tricks, by one player where that differs (001).
TOTALS: dict[str, tuple[int, set[int]]] = {
    "contree-simple": (162, {252}),
    "contree-generale": (162, {252, 502}),
    "coinche-classique": (162, {250}),
    "ffb-points-faits": (162, {250}),
    "ffb-points-annonces": (162, {250}),
    "ffb-mixte": (162, {250}),
    "ffb-mixte-tournoi": (162, {250}),
    "coinche-annonce": (162, {162}),
}


def dealt(rules: RuleSet, number: int) -> Deal:
    dealer, hands = SeededDeals(bytes(range(32)), rules.name).board(number, rules)
    return Deal.start(rules, dealer, hands)


def refusal(deal: Deal, seat: Seat, action: Action) -> IllegalAction | None:
    try:
        deal.apply(seat, action)
    except IllegalAction as error:
        return error
    return None


def check_exactly_the_legal(deal: Deal) -> None:
    """Every legal action is accepted, every other refused, of every seat."""
    for seat in SEATS:
        legal = deal.legal_actions(seat)
        assert bool(legal) == (seat in deal.owed) == (deal.decision_kind(seat) is not None)
        assert len(set(map(str, legal))) == len(legal)
        for action in (*EVERY_CALL, *EVERY_CARD):
            refused = refusal(deal, seat, action)
            assert (refused is None) == (action in legal)
            if refused is not None:
                assert refused.reason
                assert refused.legal == legal


def check_result(deal: Deal, total: int, sweeps: set[int]) -> None:
    result, play = deal.result, deal.play
    assert result is not None
    if play is None:
        assert result == PASSED_OUT
        return
    cards = [card for trick in play.tricks for card in trick.cards]
    assert len(play.tricks) == len(play.winners) == 8
    assert sorted(cards) == list(CARDS)
    assert sum(result.tricks) == 8
    assert play.taken[0] ^ play.taken[1] == ALL_CARDS
    if 8 in result.tricks:
        assert set(result.points) <= {0, *sweeps}
        assert sum(result.points) in sweeps
    elif deal.rules.name == "coinche-classique" and play.strain is Strain.ALL_TRUMP:
        assert sum(result.points) == Fraction(258 * 2, 3) == 172
    else:
        assert sum(result.points) == total
    leader = deal.rules.turn_direction.next(deal.dealer)
    for trick, winner in zip(play.tricks, play.winners, strict=True):
        assert trick.leader is leader
        assert trick.winner(play.strain, deal.rules.turn_direction) is winner
        for index, card in enumerate(trick.cards):
            assert deal.dealt[trick.seat_of(index, deal.rules.turn_direction)] >> card & 1
        leader = winner
    assert result.score is not None
    marks = (result.score.taker, result.score.defence)
    assert result.marks == (marks if play.contract.team == 0 else marks[::-1])


@pytest.mark.parametrize("name", PRESET_NAMES)
def test_a_thousand_random_deals(name: str) -> None:
    rules = preset(name)
    rng = random.Random(name)
    played = 0
    for number in range(1, 1001):
        deal = dealt(rules, number)
        samples = {rng.randrange(10, 50)} if number % 25 == 0 else set()
        step = 0
        while deal.owed:
            if step in samples or (number % 25 == 0 and step < 8):
                check_exactly_the_legal(deal)
            seat = rng.choice(deal.owed)
            if deal.phase is Phase.PLAY:
                assert deal.decision_kind(seat) is DecisionKind.CARD
                assert len(deal.owed) == 1
            legal = deal.legal_actions(seat)
            # Passes often, so that low contracts and passed-out deals occur too.
            action = legal[0] if step < 12 and rng.random() < 0.4 else rng.choice(legal)
            deal = deal.apply(seat, action)
            step += 1
        assert deal.phase is Phase.DONE
        check_result(deal, *TOTALS[name])
        played += deal.play is not None
    assert 500 < played < 1000


def test_announced_belotes_are_legal_and_counted_in_random_deals() -> None:
    rules = dataclasses.replace(preset("coinche-annonce"), belote_mode=BeloteMode.ANNOUNCED)
    rng = random.Random(9)
    counted = 0
    for number in range(1, 400):
        deal = dealt(rules, number)
        said: list[tuple[Seat, Card]] = []
        while deal.owed:
            seat = deal.owed[0]
            if number % 100 == 0:
                check_exactly_the_legal(deal)
            action = rng.choice(deal.legal_actions(seat))
            if isinstance(action, Announced):
                said.append((seat, action.card))
            deal = deal.apply(seat, action)
        assert deal.result is not None
        pairs = {(seat, card.suit) for seat, card in said}
        both = [pair for pair in pairs if [(s, c.suit) for s, c in said].count(pair) == 2]
        assert sum(deal.result.belotes) == len(both)
        counted += len(both)
    assert counted


# -- single deals -----------------------------------------------------------------------------

# Belotes: North in spades, South in hearts and in diamonds; clubs are parted.
BELOTES = "KQ7.AT.AT.T T98.98.98.9 AJ.KQ.KQ.AK .J7.J7.QJ87"
# North has all the spades, the others share the hearts.
ONE_SUIT = "ATKQJ987... .TK8.ATKQJ. .J7.987.ATK .AQ9..QJ987"


def hands_of(text: str) -> tuple[int, int, int, int]:
    north, east, south, west = (parse_hand(hand) for hand in text.split())
    return north, east, south, west


def after(rules: RuleSet, hands: str, script: str) -> Deal:
    """A deal in which North speaks and leads first, after these calls and cards."""
    dealer = W if rules.turn_direction.next(W) is N else E
    deal = Deal.start(rules, dealer, hands_of(hands))
    for word in script.split():
        deal = deal.apply(deal.owed[0], parse_action(word))
    return deal


def to_the_end(deal: Deal) -> DealResult:
    while deal.owed:
        deal = deal.apply(deal.owed[0], deal.legal_actions(deal.owed[0])[0])
    assert deal.result is not None
    return deal.result


SIMPLE = preset("contree-simple")
REFUSALS = [
    (SIMPLE, BELOTES, "80S P P P AH", "8D", "you must follow hearts"),
    (SIMPLE, BELOTES, "80S P P P KS", "8S", "you must play higher than KS where you can"),
    (SIMPLE, BELOTES, "80S P P P KS", "AS", "East does not hold AS"),
    (SIMPLE, BELOTES, "80H P P P 7S 8S AS", "JD", "you must trump: South is master"),
    (SIMPLE, BELOTES, "80S P P P AH 8H QH 7H", "AH", "AH has been played already"),
    (SIMPLE, BELOTES, "80S P P P", "P", "it is time to play a card"),
    (SIMPLE, BELOTES, "80S P P P", "KS+", "belote counts by itself under these rules"),
    (SIMPLE, ONE_SUIT, "80H P P P AS", "AD", "you must trump: North is master"),
    (SIMPLE, ONE_SUIT, "80H P P P AS TH", "7H", "you must overtrump TH: East is master"),
    (SIMPLE, ONE_SUIT, "80H P P P AS TH", "9D", "you must overtrump TH: East is master"),
    (SIMPLE, ONE_SUIT, "80H P P P AS TH JH", "QC", "you must trump: South is master"),
]


@pytest.mark.parametrize(
    ("rules", "hands", "script", "action", "reason"),
    REFUSALS,
    ids=[f"{script}-{action}" for _, _, script, action, _ in REFUSALS],
)
def test_refused_cards_say_why(
    rules: RuleSet, hands: str, script: str, action: str, reason: str
) -> None:
    deal = after(rules, hands, script)
    seat = deal.owed[0]
    with pytest.raises(IllegalAction) as caught:
        deal.apply(seat, parse_action(action))
    assert caught.value.reason == reason
    assert caught.value.legal == deal.legal_actions(seat) != ()


def test_seats_that_owe_nothing_are_told_whose_turn_it_is() -> None:
    deal = after(SIMPLE, BELOTES, "80S P P P")
    with pytest.raises(IllegalAction, match="it is North's turn to play") as caught:
        deal.apply(E, Card.parse("TS"))
    assert caught.value.legal == ()
    passed = after(SIMPLE, BELOTES, "P P P P")
    with pytest.raises(IllegalAction, match="the auction is over"):
        passed.apply(N, Say.PASS)


def test_partner_master_frees_from_trumping() -> None:
    deal = after(SIMPLE, BELOTES, "80H P P P 7S TS JS")
    assert mask_of(deal.legal_actions(W)) == deal.hands[W]  # type: ignore[arg-type]


def test_undertrump_is_free_in_003_and_a_duty_in_000() -> None:
    must = after(SIMPLE, ONE_SUIT, "80H P P P AS TH JH")
    assert [str(card) for card in must.legal_actions(W)] == ["9H", "QH", "AH"]
    free_rules = dataclasses.replace(SIMPLE, undertrump=Undertrump.FREE)
    free = after(free_rules, ONE_SUIT, "80H P P P AS TH JH")
    assert len(free.legal_actions(W)) == 8


def test_automatic_belote_is_public_with_its_first_card() -> None:
    deal = after(SIMPLE, BELOTES, "80S P P P")
    assert deal.play is not None
    assert deal.play.belotes == ()
    deal = deal.apply(N, Card.parse("KS"))
    assert deal.play is not None
    assert deal.play.belotes == (N,)
    assert deal.play.belotes_counted() == (0, 0)
    assert to_the_end(deal).belotes == (1, 0)


ANNOUNCED = dataclasses.replace(SIMPLE, belote_mode=BeloteMode.ANNOUNCED)


@pytest.mark.parametrize(
    ("first", "second", "said", "counted"),
    [("KS+", "QS+", (N,), 1), ("KS+", "QS", (N,), 0), ("KS", "QS+", (N,), 0), ("KS", "QS", (), 0)],
)
def test_announced_belote_counts_when_both_cards_were_announced(
    first: str, second: str, said: tuple[Seat, ...], counted: int
) -> None:
    state = after(ANNOUNCED, BELOTES, f"80S P P P {first}")
    while state.owed[0] is not N or parse_action(second) not in state.legal_actions(N):
        seat = state.owed[0]
        plain = [a for a in state.legal_actions(seat) if str(a)[:2] != "QS"]
        state = state.apply(seat, plain[0])
    state = state.apply(N, parse_action(second))
    assert state.play is not None
    assert state.play.belotes == said
    assert to_the_end(state).belotes == (counted, 0)


def test_announcing_is_legal_beside_the_plain_card() -> None:
    deal = after(ANNOUNCED, BELOTES, "80S P P P")
    texts = [str(action) for action in deal.legal_actions(N)]
    assert texts == ["7S", "QS", "KS", "TH", "AH", "TD", "AD", "TC", "QS+", "KS+"]
    with pytest.raises(IllegalAction, match="belote needs king and queen of trump in one hand"):
        deal.apply(N, parse_action("7S+"))


@pytest.mark.parametrize(
    ("script", "belotes"),
    [
        ("80S - P P P", (1, 0)),
        ("80C - P P P", (0, 0)),
        ("80SA - P P P", (0, 0)),
        ("80TA - P P P", (3, 0)),
    ],
)
def test_belotes_by_strain(script: str, belotes: tuple[int, int]) -> None:
    deal = after(preset("coinche-classique"), BELOTES, script)
    assert deal.play is not None
    assert to_the_end(deal).belotes == belotes


@pytest.mark.parametrize(
    ("hands", "message"),
    [
        ("ATKQJ987... .ATKQJ987.. ..ATKQJ987. ..ATKQJ987.", "dealt twice"),
        ("ATKQJ987... .ATKQJ987.. ..ATKQJ987. ...ATKQJ98", "West holds 7 cards, not 8: 8C 9C"),
        ("ATKQJ987.A.. .ATKQJ987.. ..ATKQJ987. ...ATKQJ98", "North holds 9 cards, not 8"),
    ],
)
def test_hands_that_are_no_deal_are_refused(hands: str, message: str) -> None:
    with pytest.raises(DeckError, match=message):
        Deal.start(SIMPLE, N, hands_of(hands))


def test_hands_must_be_four_sets_of_cards() -> None:
    with pytest.raises(DeckError, match="four hands, not 3"):
        Deal.start(SIMPLE, N, (1, 2, 3))
    with pytest.raises(DeckError, match="no set of cards"):
        Deal.start(SIMPLE, N, (-1, 2, 3, 4))


def test_contre_window_of_a_deal_asks_both_opponents() -> None:
    deal = after(preset("contree-generale"), BELOTES, "80S P P P")
    assert deal.owed == (E, W)
    assert deal.phase is Phase.AUCTION
    assert deal.decision_kind(W) is DecisionKind.CONTRE
    deal = deal.apply(W, Say.CONTRE)
    assert deal.owed == (E,)
    deal = deal.apply(E, Say.DECLINE).apply(S, Say.DECLINE).apply(N, Say.DECLINE)
    assert deal.phase is Phase.PLAY
    assert str(deal.contract) == "80SNx"
    assert deal.rules.contre_timing is ContreTiming.AFTER_AUCTION
