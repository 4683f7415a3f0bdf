"""Who meets whom on which board: complete, balanced, the same each time."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contree.tournament.formats import RoundRobin
from contree.tournament.schedule import (
    Pairing,
    Seating,
    Side,
    Table,
    board_group,
    event_id,
    request_id,
)

events = st.builds(
    lambda bots, boards: RoundRobin(tuple(f"bot{n}" for n in range(bots)), boards),
    st.integers(2, 6),
    st.integers(1, 12),
)


@given(events)
def test_each_two_meet_on_each_board_at_both_tables(schedule: RoundRobin) -> None:
    tables = list(schedule)
    assert len(tables) == len(schedule)
    met = Counter((frozenset(table.pairing), table.board, table.side) for table in tables)
    bots, boards = len(schedule.bots), schedule.boards
    assert len(met) == bots * (bots - 1) // 2 * boards * 2
    assert set(met.values()) == {1}


@given(events)
def test_ids_are_unique_and_numbers_count_the_tables_of_a_board(schedule: RoundRobin) -> None:
    tables = list(schedule)
    assert len({table.id for table in tables}) == len(tables)
    for board in range(1, schedule.boards + 1):
        numbers = [table.number for table in schedule.tables_of(board)]
        assert numbers == list(range(1, len(numbers) + 1))


@given(events)
def test_order_is_by_board_and_always_the_same(schedule: RoundRobin) -> None:
    tables = list(schedule)
    assert tables == sorted(tables, key=lambda table: (table.board, table.number))
    assert tables == list(RoundRobin(schedule.bots, schedule.boards))


@given(events, st.integers(1, 9), st.randoms(use_true_random=False), st.data())
def test_seating_hands_out_each_table_once_and_no_bot_twice_on_a_board(
    schedule: RoundRobin, at_once: int, chance: object, data: st.DataObject
) -> None:
    room = {bot: data.draw(st.integers(1, 5)) for bot in schedule.bots if data.draw(st.booleans())}
    done = {table.id for table in schedule if data.draw(st.booleans())}
    seating = Seating(schedule.bots, room)
    seating.open(table for table in schedule if table.id not in done)
    playing: list[Table] = []
    handed_out: Counter[Table] = Counter()
    again: set[Table] = set()
    while True:
        while len(playing) < at_once and (table := seating.next()) is not None:
            playing.append(table)
            handed_out[table] += 1
            for bot in table.pairing:
                assert sum(bot in t.pairing for t in playing if t.board == table.board) == 1
                assert sum(bot in t.pairing for t in playing) <= room.get(bot, at_once)
        if not playing:
            break
        table = playing.pop(data.draw(st.integers(0, len(playing) - 1)))
        replay = table not in again and data.draw(st.booleans())
        if replay:
            again.add(table)
        seating.left(table, again=replay)
    expected = {table for table in schedule if table.id not in done}
    assert set(handed_out) == expected
    assert all(count == 1 + (table in again) for table, count in handed_out.items())


def test_seating_goes_through_the_boards_in_order() -> None:
    seating = Seating("xyz")
    seating.open(RoundRobin(("x", "y", "z"), 3))
    tables = [seating.next() for _ in range(4)]
    assert [table and table.id for table in tables] == [
        "b0001-x~y-A",
        "b0002-x~y-A",
        "b0003-x~y-A",
        None,
    ]
    assert tables[0] is not None
    seating.left(tables[0])
    following = seating.next()
    assert following is not None
    assert following.id == "b0001-x~y-B"


def test_a_table_to_be_played_again_comes_before_later_boards() -> None:
    seating = Seating("xy")
    seating.open(RoundRobin(("x", "y"), 9))
    first = seating.next()
    assert first is not None
    seating.next()
    seating.left(first, again=True)
    assert seating.next() == first


def test_ids_are_as_documented() -> None:
    table = Table(7, Pairing("alpha", "beta"), Side.B, 4)
    assert table.id == "b0007-alpha~beta-B"
    assert request_id("demo-1234abcd", table, 2) == "demo-1234abcd/b0007-alpha~beta-B/2"
    assert board_group("demo-1234abcd", 7) == "demo-1234abcd/b0007"


def test_request_ids_stay_below_what_the_service_takes() -> None:
    event = event_id("n" * 64, {})
    table = Table(1_000_000, Pairing("a" * 32, "b" * 32), Side.A, 1)
    assert len(request_id(event, table, 999)) <= 128


@pytest.mark.parametrize(
    ("name", "slug"), [("Spring Cup 2027!", "spring-cup-2027"), ("...", "event"), ("A_b", "a-b")]
)
def test_event_id_is_a_slug_and_a_digest(name: str, slug: str) -> None:
    assert event_id(name, {"boards": 3}).rsplit("-", 1)[0] == slug


def test_event_id_follows_the_settings_and_nothing_else() -> None:
    assert event_id("e", {"a": 1, "b": 2}) == event_id("e", {"b": 2, "a": 1})
    assert event_id("e", {"a": 1}) != event_id("e", {"a": 2})
