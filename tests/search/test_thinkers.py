"""The bots that think: one that samples, and one that also solves."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from tests.search.deals import RULES, bid_and_played, uniform_hands, variant

from contree.bots.sampler import Sampler
from contree.bots.solver import Solver
from contree.bots.strength import compare
from contree.bots.thinking import Thinker
from contree.client import (
    Board,
    FaultPolicy,
    Practice,
    SeatInfo,
    TimeControl,
    Turn,
    play_bot,
)
from contree.engine import (
    SEATS,
    Action,
    Announced,
    Card,
    Deal,
    DecisionKind,
    Strain,
    View,
    drive,
    project,
)
from contree.policy import random_player, rules_player
from contree.server.app import running
from contree.server.settings import Settings
from contree.testing import policy

FFB = RULES["ffb-mixte"]

both = pytest.mark.parametrize("kind", [Sampler, Solver])


@both
@pytest.mark.parametrize("name", RULES)
def test_plays_whole_deals_by_any_rules(kind: type[Thinker], name: str) -> None:
    rng = random.Random(name)
    player = policy(kind(worlds=16, seed="a"))
    for number in range(3):
        start = Deal.start(RULES[name], SEATS[number], uniform_hands(rng))
        assert drive((player, rules_player, player, random_player(1)), start).result is not None


@both
def test_plays_better_than_chance(kind: type[Thinker]) -> None:
    """With cards; the other bids as the rules player does."""
    anything = random_player(3)

    def by_chance(view: View) -> Action:
        return anything(view) if view.kind is DecisionKind.CARD else rules_player(view)

    found = compare(policy(kind(worlds=16, seed="b")), by_chance, FFB, boards=25)
    assert found.mean > found.error


@both
def test_plays_the_same_again(kind: type[Thinker]) -> None:
    deal, _ = bid_and_played(
        FFB, Strain.CLUBS, uniform_hands(random.Random(5)), random.Random(1), 12
    )
    views = [project(deal, deal.owed[0])] * 3
    one, other = (policy(kind(worlds=32, seed="c")) for _ in range(2))
    assert len({*map(one, views), *map(other, views)}) == 1


@both
def test_says_belote_where_it_has_to_be_said(kind: type[Thinker]) -> None:
    rules = variant("ffb-mixte", belote_mode="announced")
    player = policy(kind(worlds=16, seed="d"))
    rng = random.Random(7)
    said = 0
    for _ in range(30):
        deal, _ = bid_and_played(rules, Strain.SPADES, uniform_hands(rng), rng, 0)
        while deal.result is None:
            action = player(project(deal, deal.owed[0]))
            card = action.card if isinstance(action, Announced) else action
            assert isinstance(card, Card)
            assert (Announced(card) in deal.choices) is isinstance(action, Announced)
            said += isinstance(action, Announced)
            deal = deal.apply(deal.owed[0], action)
    assert said > 0


@both
@pytest.mark.parametrize("cards", [None, 4, 12], ids=["call", "second trick", "fourth trick"])
@pytest.mark.parametrize(
    ("budget_ms", "left"),
    [(30.0, 3600.0), (3_600_000.0, 1.03), (3_600_000.0, 0.0)],
    ids=["budget", "reserve", "no time at all"],
)
def test_stops_thinking(
    kind: type[Thinker], budget_ms: float, left: float, cards: int | None
) -> None:
    """All would think for an hour if they heeded the other limit only, but for what is enough."""
    bot = kind(budget_ms, reserve_ms=1000.0)
    hands = uniform_hands(random.Random(5))
    deal = Deal.start(FFB, SEATS[0], hands)
    if cards is not None:
        deal, _ = bid_and_played(FFB, Strain.CLUBS, hands, random.Random(1), cards)
    view = project(deal, deal.owed[0])
    table = SeatInfo("", view.seat, FFB, Board(0), TimeControl(), FaultPolicy(), resumed=False)
    deadline = time.monotonic() + left
    turn = Turn(view, table, deadline, bank=0.0, allowance=0.0, charged=0.0, round_trip=None)
    assert bot.decide(turn) in view.legal


@both
async def test_plays_a_practice_match(tmp_path: Path, kind: type[Thinker]) -> None:
    settings = Settings(listen="127.0.0.1:0", metrics=None, data_dir=tmp_path)
    async with running(settings) as serving:
        done = await play_bot(
            kind(10.0), server=serving.address, practice=Practice(deals=2), matches=1
        )
    assert done.decisions >= 2 * 2 * 8
    assert (done.illegal, done.late, done.faults) == (0, 0, 0)
