"""Views: a function of what a seat may know, and of nothing else."""

import dataclasses
import random
from collections.abc import Sequence

import pytest

from contree.engine import (
    PRESET_NAMES,
    SEATS,
    Action,
    Announced,
    Card,
    Deal,
    DecisionKind,
    FixedDeal,
    Game,
    IllegalAction,
    Mode,
    Phase,
    RuleSet,
    Say,
    Seat,
    SeededDeals,
    Strain,
    Suit,
    View,
    cards_in,
    mask_of,
    parse_action,
    preset,
    project,
    spectate,
)
from contree.engine.options import BeloteMode
from contree.engine.shuffle import Hands

N, E, S, W = SEATS
Step = tuple[Seat, Action]


def random_prefix(rules: RuleSet, rng: random.Random, number: int) -> tuple[Deal, list[Step]]:
    """A random deal stopped somewhere, mostly in the play, and how it got there."""
    dealer, hands = SeededDeals(bytes(range(32))).board(number, rules)
    deal = Deal.start(rules, dealer, hands)
    steps: list[Step] = []
    for _ in range(rng.randrange(48)):
        if not deal.owed:
            break
        seat = rng.choice(deal.owed)
        action = rng.choice(deal.legal_actions(seat))
        steps.append((seat, action))
        deal = deal.apply(seat, action)
    return deal, steps


def shuffled_behind(deal: Deal, viewer: Seat, rng: random.Random) -> Hands:
    """Dealt hands in which the cards that the viewer cannot see have changed places."""
    hidden = [cards_in(0 if seat is viewer else deal.hands[seat]) for seat in SEATS]
    pool = [card for cards in hidden for card in cards]
    rng.shuffle(pool)
    hands = list(deal.dealt)
    for seat, cards in zip(SEATS, hidden, strict=True):
        hands[seat] ^= mask_of(cards)
        hands[seat] |= mask_of(pool[: len(cards)])
        del pool[: len(cards)]
    north, east, south, west = hands
    return north, east, south, west


def replayed(rules: RuleSet, dealer: Seat, hands: Hands, steps: Sequence[Step]) -> Deal | None:
    """The same steps with other hands; None where the rules forbid one of them."""
    deal = Deal.start(rules, dealer, hands)
    try:
        for seat, action in steps:
            deal = deal.apply(seat, action)
    except IllegalAction:
        return None
    return deal


ANNOUNCED = dataclasses.replace(
    preset("coinche-classique"), name="announced", belote_mode=BeloteMode.ANNOUNCED
)


@pytest.mark.parametrize(
    "rules", [*map(preset, PRESET_NAMES), ANNOUNCED], ids=lambda rules: rules.name
)
def test_view_does_not_change_with_hidden_cards(rules: RuleSet) -> None:
    rng = random.Random(rules.name)
    compared = changed = 0
    for number in range(1, 121):
        deal, steps = random_prefix(rules, rng, number)
        viewer = rng.choice(SEATS)
        view = project(deal, viewer)
        for _ in range(12):
            hands = shuffled_behind(deal, viewer, rng)
            other = replayed(rules, deal.dealer, hands, steps)
            if other is None:
                continue  # somebody could not have played so: the viewer can tell
            theirs = project(other, viewer)
            if view.belotes != theirs.belotes:
                # An automatic belote is said aloud, so hands without it are excluded too.
                assert rules.belote_mode is BeloteMode.AUTO
                continue
            assert theirs == view
            assert spectate(other)._replace(result=None) == spectate(deal)._replace(result=None)
            compared += 1
            changed += hands != deal.dealt
    assert compared > 300
    assert changed > 200


@pytest.mark.parametrize("name", PRESET_NAMES)
def test_answers_to_a_window_are_seen_by_nobody(name: str) -> None:
    rules = preset(name)
    rng = random.Random(name)
    windows = 0
    for number in range(1, 150):
        deal, _ = random_prefix(rules, rng, number)
        if len(deal.owed) < 2:
            continue
        windows += 1
        for seat in deal.owed:
            yes, no = (deal.apply(seat, answer) for answer in deal.legal_actions(seat))
            assert spectate(yes) == spectate(no) == spectate(deal)
            for viewer in SEATS:
                assert project(yes, viewer) == project(no, viewer)
                if viewer is not seat:
                    assert project(yes, viewer) == project(deal, viewer)
            assert project(yes, seat).kind is None
            assert project(yes, seat).legal == ()
    assert bool(windows) == (rules.contre_timing.value != "own_turn")


def test_view_of_a_deal_under_way() -> None:
    rules = preset("contree-simple")
    game = Game.start(rules, SeededDeals(bytes(32)), Mode.BOARD, 4)
    dealer = game.deal.dealer if game.deal else N
    assert dealer is W
    for word in ("80S", "P", "P", "X", "P", "P", "P"):
        game = game.apply(game.owed[0], parse_action(word))
    for _ in range(6):
        game = game.apply(game.owed[0], game.legal_actions(game.owed[0])[0])
    deal = game.deal
    assert deal is not None
    assert deal.play is not None
    mover = game.owed[0]
    view = project(game, mover)
    assert (view.seat, view.dealer) == (mover, W)
    assert view.number == 1  # of the match: not the board number, which the seats need not know
    assert view.kind is DecisionKind.CARD
    assert view.legal == game.legal_actions(mover)
    assert set(view.legal) <= set(view.hand)
    assert view.auction_over
    assert str(view.contract) == "80SNx"
    assert view.strain is Strain.SPADES
    assert view.trump is Suit.SPADES
    assert [str(call) for call in view.calls] == ["N:80S", "E:P", "S:P", "W:X", "N:P", "E:P", "S:P"]
    assert view.trick is not None
    assert len(view.trick.cards) == 2
    assert view.trick.to_play(rules.turn_direction) is mover
    assert view.winners == (view.trick.leader,)
    assert view.cards_played.bit_count() == 6
    assert view.partner is mover.partner
    assert view.team is mover.team
    assert view.scores == (0, 0)
    assert sum(view.points_taken) > 0
    waiting = project(game, mover.partner)
    assert waiting.kind is None
    assert waiting.legal == ()
    assert waiting.hand == cards_in(deal.hands[mover.partner])


def test_points_taken_are_those_of_the_result_at_the_end() -> None:
    rng = random.Random(3)
    for name in PRESET_NAMES:
        for number in range(1, 20):
            deal, _ = random_prefix(preset(name), rng, number)
            while deal.owed:
                view = project(deal, deal.owed[0])
                assert view.points_taken == (0, 0) or deal.play is not None
                deal = deal.apply(deal.owed[0], rng.choice(deal.legal_actions(deal.owed[0])))
            assert deal.result is not None
            assert project(deal, N).points_taken == deal.result.points
            assert project(deal, N).hand == ()
            assert project(deal, N).trick is None


def test_belote_is_seen_once_said() -> None:
    # North deals to himself the spades: belote is there from the start, but not yet said.
    hands = (0xFF, 0xFF00, 0xFF0000, 0xFF000000)
    rules = preset("contree-simple")
    deal = Deal.start(rules, W, hands)
    for word in ("80S", "P", "P", "P"):
        deal = deal.apply(deal.owed[0], parse_action(word))
    assert project(deal, N).belotes == ()
    deal = deal.apply(N, parse_action("QS"))
    assert all(project(deal, seat).belotes == (N,) for seat in SEATS)
    assert spectate(deal).belotes == (N,)


def test_spectators_see_no_cards_but_who_is_asked() -> None:
    rules = preset("contree-generale")
    deal = Deal.start(rules, *SeededDeals(bytes(32)).board(4, rules))
    assert spectate(deal).asked == (N,)
    for word in ("80S", "P", "P", "P"):
        deal = deal.apply(deal.owed[0], parse_action(word))
    public = spectate(deal)
    assert public.phase is Phase.AUCTION
    assert not public.auction_over
    assert public.asked == (E, W)
    assert spectate(deal.apply(E, Say.CONTRE)).asked == (E, W)
    assert "hand" not in public._fields
    assert "hands" not in public._fields


def test_view_of_a_match_that_is_over_shows_its_last_deal_and_the_final_scores() -> None:
    rules = preset("ffb-mixte")
    rng = random.Random(5)
    game = Game.start(rules, SeededDeals(bytes(32)))
    while game.owed:
        view: View = project(game, game.owed[0])
        assert view.number == game.number
        assert view.scores == game.scores
        game = game.apply(game.owed[0], rng.choice(view.legal))
    last = project(game, E)
    assert last.number == len(game.finished)
    assert last.scores == game.scores
    assert len(last.tricks) == 8
    assert spectate(game).result == game.results[-1]
    assert spectate(game).phase is Phase.DONE


@pytest.mark.parametrize("name", PRESET_NAMES)
def test_who_holds_the_trick_and_what_would_take_it(name: str) -> None:
    """Told before the card as the finished trick tells afterwards, in either direction of play."""
    rules = preset(name)
    rng = random.Random(name)
    for number in range(1, 9):
        deal = Deal.start(rules, *SeededDeals(bytes(32)).board(number, rules))
        while deal.owed:
            seat = deal.owed[0]
            view = project(deal, seat)
            action = rng.choice(view.legal)
            deal = deal.apply(seat, action)
            if view.kind is not DecisionKind.CARD:
                assert view.holder is None
                continue
            assert view.trick is not None
            assert (view.holder is None) is (not view.trick.cards)
            card = action.card if isinstance(action, Announced) else action
            assert isinstance(card, Card)
            after = project(deal, seat)
            won = after.holder if len(view.trick.cards) < 3 else after.winners[-1]
            assert view.takes(card) is (won is seat)
            if not view.takes(card):
                assert won is view.holder


def test_bare_deal_is_number_one() -> None:
    deal = Deal.start(preset("ffb-mixte"), *FixedDeal(E, (0xFF, 0xFF00, 0xFF0000, 0xFF000000)))
    assert project(deal, N).number == 1
    assert not any(isinstance(action, Announced) for action in project(deal, N).legal)
