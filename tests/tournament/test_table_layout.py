"""Cards and seats of a table: the bots exchange hands, the disguise hides that, points stay."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from contree.engine import SEATS, SeededDeals, preset
from contree.engine.disguise import disguise
from contree.tournament.formats import RoundRobin
from contree.tournament.layout import Layout, lay_out
from contree.tournament.schedule import Side

RULES = preset("ffb-mixte")
SCHEDULE = RoundRobin(("x", "y", "z"), 20)
seeds = st.binary(min_size=32, max_size=32)


def _hands_of(layout: Layout, bot: str) -> list[int]:
    return sorted(layout.deal.hands[seat] for seat in SEATS if layout.seats[seat] == bot)


@given(seeds, st.integers(1, 20))
def test_first_table_is_the_board_as_dealt(seed: bytes, board: int) -> None:
    layout = lay_out(SCHEDULE.tables_of(board)[0], seed, "event", RULES)
    assert layout.deal == SeededDeals(seed, "event").board(board, RULES)
    assert [layout.seats[seat] for seat in SEATS] == ["x", "y", "x", "y"]


@given(seeds, st.integers(1, 20))
def test_29_each_bot_has_the_hands_of_its_side_at_every_table_of_a_board(
    seed: bytes, board: int
) -> None:
    dealt = SeededDeals(seed, "event").board(board, RULES)
    for table in SCHEDULE.tables_of(board):
        layout = lay_out(table, seed, "event", RULES)
        first, second = table.pairing
        assert {layout.seats[s] for s in SEATS if s.team is layout.first_team} == {first}
        assert {layout.seats[s] for s in SEATS if s.team is layout.first_team.other} == {second}
        worn = disguise(seed, board, table.number)
        suits = worn.mask if table.number > 1 else int
        north_south = sorted(suits(dealt.hands[seat]) for seat in SEATS if seat.team == 0)
        holder = first if table.side is Side.A else second
        assert _hands_of(layout, holder) == north_south


@given(seeds, st.integers(1, 20))
def test_all_tables_of_a_board_look_different(seed: bytes, board: int) -> None:
    deals = [lay_out(table, seed, "e", RULES).deal for table in SCHEDULE.tables_of(board)]
    # Disguises are drawn from 96 of which one is not allowed: two may be alike, most are not.
    assert deals[0] not in deals[1:]


def test_labels_keep_events_apart() -> None:
    table = SCHEDULE.tables_of(1)[0]
    seed = bytes(32)
    assert lay_out(table, seed, "a", RULES).deal != lay_out(table, seed, "b", RULES).deal
