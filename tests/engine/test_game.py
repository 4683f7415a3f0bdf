"""Matches: boards and races, dealers, targets, limits and ties."""

import dataclasses
import random

import pytest

from contree.engine import (
    SEATS,
    DeckError,
    FixedDeal,
    Game,
    IllegalAction,
    Mode,
    RuleSet,
    Say,
    Seat,
    SeededDeals,
    Team,
    Termination,
    parse_action,
    preset,
)
from contree.engine.options import FirstDealer, MatchEndTie, RedealDealer
from contree.engine.shuffle import ListedDeals

N, E, S, W = SEATS
SEED = bytes(range(32))
CLOCKWISE = preset("contree-simple")
COUNTER = preset("ffb-points-faits")
A_SUIT_EACH = (0xFF, 0xFF00, 0xFF0000, 0xFF000000)


def passed(game: Game) -> Game:
    for _ in SEATS:
        game = game.apply(game.owed[0], Say.PASS)
    return game


def played(game: Game, rng: random.Random, *, first: str | None = None) -> Game:
    """The match after its current deal, played at random."""
    finished = len(game.finished)
    if first is not None:
        for word in (first, "P", "P", "P"):
            game = game.apply(game.owed[0], parse_action(word))
    while game.owed and len(game.finished) == finished:
        seat = rng.choice(game.owed)
        game = game.apply(seat, rng.choice(game.legal_actions(seat)))
    return game


def dealer(game: Game) -> Seat:
    assert game.deal is not None
    return game.deal.dealer


@pytest.mark.parametrize(
    ("rules", "dealers"), [(CLOCKWISE, "NESWN"), (COUNTER, "NWSEN")], ids=["cw", "ccw"]
)
def test_board_number_gives_the_dealer(rules: RuleSet, dealers: str) -> None:
    deals = SeededDeals(SEED)
    games = [Game.start(rules, deals, Mode.BOARD, number) for number in range(1, 6)]
    assert "".join(str(dealer(game)) for game in games) == dealers
    assert [game.number for game in games] == [1, 2, 3, 4, 5]


def test_board_ends_with_its_deal() -> None:
    game = played(Game.start(CLOCKWISE, SeededDeals(SEED), Mode.BOARD, 3), random.Random(1))
    assert game.outcome is not None
    assert game.outcome.reason is Termination.BOARD_DONE
    assert game.outcome.scores == game.scores == game.results[0].marks
    ahead = Team.NORTH_SOUTH if game.scores[0] > game.scores[1] else Team.EAST_WEST
    assert game.outcome.winner is ahead
    assert game.deal is None
    assert game.owed == ()
    assert game.legal_actions(N) == ()
    assert game.decision_kind(N) is None
    with pytest.raises(IllegalAction, match="the match is over"):
        game.apply(N, Say.PASS)


def test_board_passed_out_ends_at_nothing() -> None:
    game = passed(Game.start(CLOCKWISE, SeededDeals(SEED), Mode.BOARD, 3))
    assert game.outcome == (Termination.PASSED_OUT, None, (0, 0))
    assert len(game.results) == 1
    assert game.results[0].contract is None
    assert game.results[0].winner is None


def test_race_runs_to_the_target() -> None:
    rng = random.Random(2)
    for number in range(10):
        game = Game.start(COUNTER, SeededDeals(SEED, f"race {number}"))
        while game.owed:
            assert max(game.scores) < COUNTER.target
            assert game.number == len(game.finished) + 1
            game = played(game, rng)
            marks = [result.marks for result in game.results]
            assert game.scores == tuple(map(sum, zip(*marks, strict=True)))
        assert game.outcome is not None
        assert game.outcome.reason is Termination.TARGET_REACHED
        assert game.outcome.scores == game.scores
        assert max(game.scores) >= COUNTER.target


def test_deal_passes_on_in_turn_direction() -> None:
    rules = dataclasses.replace(COUNTER, first_dealer=FirstDealer.FIXED)
    game = Game.start(rules, SeededDeals(SEED))
    dealers = ""
    for _ in range(5):
        dealers += str(dealer(game))
        game = played(game, random.Random(3), first="80S")
    assert dealers == "NWSEN"


@pytest.mark.parametrize(
    ("redeal", "dealers"), [(RedealDealer.NEXT, "NESW"), (RedealDealer.SAME, "NNNN")]
)
def test_passed_out_deal_of_a_race_is_dealt_again(redeal: RedealDealer, dealers: str) -> None:
    rules = dataclasses.replace(
        CLOCKWISE, redeal_dealer=redeal, first_dealer=FirstDealer.FIXED, deals_limit=4
    )
    game = Game.start(rules, SeededDeals(SEED))
    seen, hands = "", set()
    while game.deal is not None:
        seen += str(dealer(game))
        hands.add(game.deal.dealt)
        game = passed(game)
    assert seen == dealers
    assert len(hands) == 4
    assert game.outcome == (Termination.DEALS_PLAYED, None, (0, 0))
    assert game.number == 4


def test_first_dealer_is_drawn_or_north() -> None:
    drawn = {dealer(Game.start(CLOCKWISE, SeededDeals(SEED, str(label)))) for label in range(40)}
    assert drawn == set(SEATS)
    fixed = dataclasses.replace(CLOCKWISE, first_dealer=FirstDealer.FIXED)
    assert {dealer(Game.start(fixed, SeededDeals(SEED, str(n)))) for n in range(9)} == {N}


def test_limit_of_deals_ends_a_race_before_the_target() -> None:
    rules = dataclasses.replace(CLOCKWISE, deals_limit=3, target=1_000_000)
    game = Game.start(rules, SeededDeals(SEED))
    for _ in range(3):
        assert game.outcome is None
        game = played(game, random.Random(4), first="80S")
    assert game.outcome is not None
    assert game.outcome.reason is Termination.DEALS_PLAYED


def tied(rules: RuleSet) -> Game:
    """A match in which both pairs reach 80 with equal scores, in one deal."""
    rng = random.Random(5)
    for label in range(2000):
        game = Game.start(rules, SeededDeals(SEED, f"tie {label}"))
        game = played(game, rng, first="80S")
        if game.scores[0] == game.scores[1]:
            return game
    raise AssertionError("no tie found")


def test_tie_goes_to_the_winner_of_the_last_deal() -> None:
    game = tied(dataclasses.replace(COUNTER, target=80))
    assert game.outcome is not None
    assert game.outcome.scores == (80, 80)
    assert game.outcome.winner is game.results[-1].winner is not None


def test_tie_is_played_on_where_the_rules_say_so() -> None:
    rules = dataclasses.replace(COUNTER, target=80, match_end_tie=MatchEndTie.PLAY_ON)
    game = tied(rules)
    assert game.outcome is None
    game = played(game, random.Random(6), first="capotS")
    assert game.outcome is not None
    assert game.outcome.winner is not None


def test_listed_deals_run_out() -> None:
    one = FixedDeal(W, A_SUIT_EACH)
    game = Game.start(CLOCKWISE, one)
    assert dealer(game) is W
    for _ in range(3):
        game = game.apply(game.owed[0], Say.PASS)
    with pytest.raises(DeckError, match="no deal number 2"):
        game.apply(game.owed[0], Say.PASS)
    listed = ListedDeals((one, one._replace(dealer=S)), first=7)
    assert dealer(Game.start(CLOCKWISE, listed, Mode.BOARD, 8)) is S
    with pytest.raises(DeckError, match="deal number 9 is not in the list"):
        Game.start(CLOCKWISE, listed, Mode.BOARD, 9)


def test_actions_of_the_current_deal() -> None:
    game = Game.start(CLOCKWISE, FixedDeal(W, A_SUIT_EACH), Mode.BOARD)
    assert game.owed == (N,)
    assert Say.PASS in game.legal_actions(N)
    assert game.decision_kind(N) is not None
    assert game.decision_kind(E) is None
    with pytest.raises(IllegalAction, match="it is North's turn to speak"):
        game.apply(E, Say.PASS)
