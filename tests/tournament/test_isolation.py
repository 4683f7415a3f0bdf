"""Which process plays which seat, over a whole schedule: what shares a memory, and what never."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import pairwise

import pytest
from tests.tournament.events import SEED

from contree.client import BotSeat, FaultPolicy, Race, TimeControl
from contree.engine import Seat, preset
from contree.tournament.bots import BotConfig
from contree.tournament.config import EventConfig
from contree.tournament.formats import Gauntlet, RoundRobin
from contree.tournament.isolation import Isolation, Post
from contree.tournament.layout import lay_out
from contree.tournament.plan import Plan
from contree.tournament.schedule import Side, Table

BOTS = ("x", "y", "z", "w")
BOARDS = 6


def plan(isolation: Isolation, *, guests: tuple[str, ...] = ()) -> Plan:
    bots = tuple(BotConfig(name=name, command=() if name in guests else ("x",)) for name in BOTS)
    config = EventConfig(
        name="cup",
        rules=preset("ffb-mixte"),
        preset="ffb-mixte",
        boards=BOARDS,
        tables=4,
        time=TimeControl(),
        faults=FaultPolicy(),
        seed=None,
        bots=bots,
        isolation=isolation,
    )
    return Plan(id="cup-1", config=config, bots=bots, schedule=RoundRobin(BOTS, BOARDS), seed=SEED)


Hand = int
"""A mask of cards."""


def seats(plan: Plan, table: Table, attempt: int = 1) -> dict[Seat, BotSeat]:
    found = plan.match(table, attempt).seats
    return {seat: spec for seat, spec in found.items() if isinstance(spec, BotSeat)}


def seen(plan: Plan) -> dict[tuple[str, str], list[tuple[Table, Seat, Hand]]]:
    """By bot and instance: each table at which it plays, the seat, and its hand as it was dealt,
    before the disguise.
    """
    found = defaultdict(list)
    rules, name = plan.config.rules, plan.config.name
    for table in plan.schedule.opened({}).tables:
        first = Table(table.board, table.pairing, table.side, 1)  # the one without a disguise
        dealt = lay_out(first, plan.seed, name, rules)
        here = lay_out(table, plan.seed, name, rules)
        for seat, spec in seats(plan, table).items():
            assert spec.name == here.seats[seat]
            found[spec.name, spec.instance_id].append(
                (table, seat, dealt.deal.hands[here.dealt[seat]])
            )
    return found


def test_a_process_for_each_seat_holds_one_hand_of_a_board() -> None:
    places = seen(plan(Isolation.SEAT))
    assert len(places) == 4 * len(BOTS)
    for held in places.values():
        hands: dict[int, set[Hand]] = defaultdict(set)
        for table, _, hand in held:
            hands[table.board].add(hand)
        assert all(len(one) == 1 for one in hands.values())
        # It does sit elsewhere each time: the disguise is not undone for it.
        assert len({seat for _, seat, _ in held}) > 1


@pytest.mark.parametrize("isolation", [Isolation.SEAT, Isolation.MATCH])
def test_partners_and_the_two_tables_share_no_process(isolation: Isolation) -> None:
    at: dict[tuple[str, int, object], dict[Side, list[str]]] = defaultdict(
        lambda: {Side.A: [], Side.B: []}
    )
    for (bot, instance), held in seen(plan(isolation)).items():
        for table, _, _ in held:
            at[bot, table.board, table.pairing][table.side].append(instance)
    assert at
    for sides in at.values():
        four = [*sides[Side.A], *sides[Side.B]]
        assert len(four) == len(set(four)) == 4


def test_without_isolation_a_bot_is_one_process() -> None:
    assert len(seen(plan(Isolation.NONE))) == len(BOTS)


def test_for_each_match_nothing_is_shared() -> None:
    event = plan(Isolation.MATCH)
    assert all(len(held) == 1 for held in seen(event).values())
    table = event.schedule.opened({}).tables[0]
    again = {spec.instance_id for spec in seats(event, table, 2).values()}
    assert again.isdisjoint(spec.instance_id for spec in seats(event, table, 1).values())


def test_the_posts_of_a_match_are_those_that_are_seated() -> None:
    event = plan(Isolation.MATCH, guests=("y",))
    for table in event.schedule.opened({}).tables:
        seated = seats(event, table, 3).values()
        crew = event.crew(table, 3)
        assert {event.instance(post) for post in crew} == {s.instance_id for s in seated} - {""}
        assert {s.name for s in seated if not s.instance_id} <= {"y"}
        assert [post.attempt for post in crew] == [f"{table.id}/3"] * len(crew)
    assert plan(Isolation.SEAT).crew(event.schedule.opened({}).tables[0], 1) == ()


@pytest.mark.parametrize("isolation", [Isolation.NONE, Isolation.SEAT])
def test_the_standing_posts_are_those_that_are_seated(isolation: Isolation) -> None:
    event = plan(isolation)
    standing = {event.instance(post) for bot in BOTS for post in isolation.standing(bot)}
    assert standing == {instance for _, instance in seen(event)}


def test_in_races_seats_stay_where_they_are() -> None:
    event = plan(Isolation.SEAT)
    event = replace(event, config=replace(event.config, race=Race(500, None)))
    for table in event.schedule.opened({}).tables:
        for seat, spec in seats(event, table).items():
            assert spec.instance_id == event.instance(Post(spec.name, seat))


def test_bots_that_always_come_second_have_all_four_posts_too() -> None:
    event = plan(Isolation.SEAT)
    event = replace(event, schedule=Gauntlet(BOTS, BOARDS, "x"))
    assert len(seen(event)) == 4 * len(BOTS)


def test_posts_are_told_apart() -> None:
    posts = [Post("x"), Post("x", Seat.NORTH), Post("x", Seat.NORTH, "b1/1"), Post("x", Seat.EAST)]
    keys = sorted(post.key for post in posts)
    assert all(one != other for one, other in pairwise(keys))
    assert list(map(str, posts)) == ["x", "x (north)", "x (north at b1/1)", "x (east)"]
    assert {post.place for post in posts} == {"", "north", "east"}


def test_the_header_says_what_shares_a_memory() -> None:
    texts = {level: plan(level).policy()["isolation"] for level in Isolation}
    assert len(set(texts.values())) == 3
    assert plan(Isolation.SEAT).header()["isolation"] == "seat"
    assert "Where y run" in plan(Isolation.SEAT, guests=("y",)).policy()["isolation"]
