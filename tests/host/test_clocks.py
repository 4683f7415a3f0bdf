"""Nobody's time runs out while the service could not take the answer; then it does, on time."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from tests.host.virtual import at, owing, place, stop_process, virtually
from tests.match.matches import seated, spec

from contree.engine import SEATS, DecisionKind, Seat
from contree.server.match import (
    Act,
    Acted,
    Created,
    EndReason,
    FaultKind,
    FaultPolicy,
    Match,
    SayReady,
    Stage,
    Step,
    TakeSeat,
    TimeControl,
    Verdict,
    create,
    decide,
)
from contree.server.store import StoreUnavailable

CONTROL = TimeControl(
    per_move=10_000,
    bank=0,
    increment=0,
    allowance=200,
    ready=10_000,
    seat_timeout=10_000,
    disconnect_grace=10_000,
)
GENEROUS = FaultPolicy(illegal_strikes=99, timeout_strikes=10_000)
LIMIT_S = 10.2


def timed(control: TimeControl = CONTROL, match_id: str = "m-test") -> Match:
    return seated(replace(spec(time=control, faults=GENEROUS), match_id=match_id))[0]


@virtually
async def test_a_silent_bot_is_late_when_its_clock_and_the_allowance_are_over() -> None:
    async with place() as here:
        table = here.sit(match=timed())
        await asyncio.sleep(LIMIT_S - 0.05)
        assert not table.match.faults
        await asyncio.sleep(0.1)
        assert [fault.kind for fault in table.match.faults] == [FaultKind.TIMEOUT]


@virtually
async def test_the_store_is_asked_once_for_all_that_is_due_and_not_otherwise() -> None:
    """No periodic chatter, no round trip per table."""
    async with place() as here:
        tables = [here.sit(match=timed(match_id=f"m{number}")) for number in range(50)]
        await asyncio.sleep(LIMIT_S - 0.1)
        assert here.store.pings == 0
        await asyncio.sleep(0.2)
        assert here.store.pings <= 2
        assert all(table.match.faults for table in tables)


@virtually
async def test_no_time_runs_out_before_the_store_has_proved_alive_after_the_deadline() -> None:
    """The store hangs from before the deadline: found out only by asking because it has come."""
    async with place() as here:
        table = here.sit(match=timed())
        (seat,) = owing(table)
        here.store.down()
        await asyncio.sleep(60.0)
        assert not table.match.faults
        assert here.tables.deadlines.elapsed_ms(table, seat) < 100
        here.store.up()
        await asyncio.sleep(LIMIT_S - 1.0)
        assert not table.match.faults
        here.act(table, seat)
        await asyncio.sleep(0.1)
        assert (table.match.seats[seat].decisions, table.match.faults) == (1, ())


@virtually
async def test_clocks_stand_still_while_the_store_reads_but_does_not_write() -> None:
    """Memory or disk full: its answers to whoever reads are no proof that a move can be kept."""
    async with place() as here:
        idle = here.sit(match=timed(match_id="idle"))
        busy = here.sit(match=timed())
        (seat,), (waiting,) = owing(busy), owing(idle)
        here.store.writes = False
        here.act(busy, seat)
        for _ in range(200):
            await asyncio.sleep(0.05)
            assert here.tables.watch.away
            await here.tables.watch.ask(here.store.ping())
        assert here.tables.deadlines.elapsed_ms(idle, waiting) <= 300
        here.store.writes = True
        await asyncio.sleep(0.2)
        assert not here.tables.watch.away
        assert busy.match.seats[seat].decisions == 1
        assert not idle.match.faults
        assert here.tables.deadlines.elapsed_ms(idle, waiting) <= 500


@virtually
async def test_who_writes_nothing_finds_out_that_the_store_writes_again() -> None:
    """The write that failed was a lease's, and there is none to be renewed any more."""
    async with place() as here:

        async def renewed() -> None:
            raise StoreUnavailable("scripted", "READONLY")

        with pytest.raises(StoreUnavailable):
            await here.tables.watch.ask(renewed(), write=True)
        await asyncio.sleep(0.01)
        assert not here.tables.watch.away


@virtually
async def test_an_outage_found_out_at_one_table_is_charged_at_none() -> None:
    """Idle tables get back the time since the store last proved alive (before: up to 5 s lost)."""
    async with place() as here:
        idle = here.sit(match=timed(match_id="idle"))
        busy = here.sit(match=timed())
        (seat,) = owing(busy)
        here.store.down()
        await asyncio.sleep(4.0)
        here.act(busy, seat)  # hangs
        await asyncio.sleep(4.0)
        here.store.up()
        await asyncio.sleep(0.2)
        (waiting,) = owing(idle)
        assert here.tables.deadlines.elapsed_ms(idle, waiting) <= 300


@virtually
async def test_an_answer_in_an_outage_is_not_late() -> None:
    """LATE needs the proof, too: here the clock is over, and the store has not answered since."""
    async with place() as here:
        table = here.sit(match=timed())
        (seat,) = owing(table)
        here.store.down()
        await asyncio.sleep(LIMIT_S + 0.1)  # asked whether it lives, and hangs
        answer = here.act(table, seat)
        await asyncio.sleep(20.0)
        assert not answer.outcomes
        here.store.up()
        await asyncio.sleep(0.2)
        assert answer.step.verdict is Verdict.ACCEPTED
        assert not table.match.faults


@virtually
async def test_an_answer_after_a_stall_is_not_late_and_not_charged() -> None:
    """SIGSTOP, SIGCONT: the answer is looked at before any timer, or after."""
    async with place() as here:
        table = here.sit(match=timed())
        (seat,) = owing(table)
        await asyncio.sleep(1.0)
        stop_process(3600.0)
        answer = here.act(table, seat)
        await asyncio.sleep(0.1)
        (acted,) = answer.step.entries
        assert isinstance(acted, Acted)
        assert answer.step.verdict is Verdict.ACCEPTED
        assert 900 <= acted.charged <= 1000


@virtually
async def test_timers_that_come_first_after_a_stall_do_nothing() -> None:
    async with place() as here:
        table = here.sit(match=timed())
        await asyncio.sleep(1.0)
        stop_process(3600.0)
        await asyncio.sleep(LIMIT_S - 1.2)
        assert not table.match.faults
        await asyncio.sleep(0.4)
        assert table.match.faults


@pytest.mark.parametrize("refuses", [True, False], ids=["refuses", "hangs"])
@pytest.mark.parametrize("stage", [Stage.WAITING, Stage.READYING], ids=str)
def test_no_match_fails_to_start_in_an_outage(stage: Stage, refuses: bool) -> None:
    """Nor before its time; and the end says who kept it (also: rows 17 and 24)."""

    async def test() -> None:
        made = spec(time=CONTROL)
        match = create(Created(made), 0).after
        for seat in SEATS if stage is Stage.READYING else SEATS[:2]:
            match = decide(match, TakeSeat(seat, "1", "i"), 0).after
        if stage is Stage.READYING:
            match = decide(match, SayReady(Seat.NORTH), 0).after
        assert match.stage is stage
        async with place() as here:
            table = here.tables.add(match, 1)
            await asyncio.sleep(5.0)
            here.store.down(refuses=refuses)
            await asyncio.sleep(60.0)
            assert table.match.stage is stage
            here.store.up()
            await asyncio.sleep(4.0)
            assert table.match.stage is stage
            await asyncio.sleep(7.0)
            assert table.match.end is EndReason.NOT_STARTED
            assert table.match.end_detail == (
                "Not ready in time: East (bot-E), South (bot-S), West (bot-W)."
                if stage is Stage.READYING
                else "Not taken in time: South (bot-S), West (bot-W)."
            )

    virtually(test)()


ABSENCES = {
    "longer-than-the-grace": [("leaves", 9.9), ("still away", 0.2)],
    "they-add-up": [("leaves", 3.0), ("comes", 30.0)] * 3 + [("leaves", 0.9), ("still away", 0.2)],
    # Not one second of the nine was proved: the store had not been asked anything.
    "not-in-an-outage": [("leaves", 9.0), ("store down", 300.0), ("store up", 9.0), ("still", 1.5)],
}


@pytest.mark.parametrize("story", ABSENCES.values(), ids=ABSENCES.keys())
def test_absence_beyond_the_grace_is_a_fault_on_time(story: list[tuple[str, float]]) -> None:
    """What happens, and how long nothing more does: the fault comes with the last, not before."""

    async def test() -> None:
        async with place() as here:
            table = here.sit(match=timed(CONTROL._replace(per_move=3_600_000)))
            for what, seconds in story:
                assert not table.match.faults, what
                match what:
                    case "leaves":
                        here.detach(table, Seat.WEST)
                    case "comes":
                        here.attach(table, Seat.WEST)
                    case "store down":
                        here.store.down()
                    case "store up":
                        here.store.up()
                await asyncio.sleep(seconds)
            faults = [(fault.seat, fault.kind) for fault in table.match.faults]
            assert faults == [(Seat.WEST, FaultKind.DISCONNECTED)]

    virtually(test)()


@virtually
async def test_adopted_bots_have_a_return_window_even_without_any_grace() -> None:
    """Rows 10 and 12: a restart takes nothing from a bot that is still on its way back."""
    control = CONTROL._replace(disconnect_grace=0, per_move=1_000)
    async with place(return_s=15.0) as here:
        table = here.adopt(timed(control))
        (first,) = owing(table)
        await asyncio.sleep(14.0)
        here.attach(table, first)
        assert here.tables.deadlines.elapsed_ms(table, first) == 0  # all of its time is there again
        here.act(table, first)
        await asyncio.sleep(0.1)
        # Made to owe by another's move, and still on its way.
        (second,) = owing(table)
        assert second is not first
        await asyncio.sleep(0.7)
        assert not table.match.faults
        assert here.tables.deadlines.elapsed_ms(table, second) == 0
        for seat in SEATS:
            if table.attached[seat] is None:
                here.attach(table, seat)
        here.act(table, second)
        await asyncio.sleep(0.1)
        assert not table.match.faults
        assert table.match.seats[second].decisions == 1


@virtually
async def test_after_the_return_window_absence_and_clocks_count_as_always() -> None:
    control = CONTROL._replace(disconnect_grace=5_000, per_move=2_000)
    async with place(return_s=15.0) as here:
        table = here.adopt(timed(control))
        await asyncio.sleep(15.0 + 2.1)
        assert not table.match.faults
        await asyncio.sleep(0.3)
        assert [f.kind for f in table.match.faults] == [FaultKind.TIMEOUT]
        await asyncio.sleep(2.8)
        assert FaultKind.DISCONNECTED in [f.kind for f in table.match.faults]


@virtually
async def test_a_bot_that_came_back_and_left_again_is_away() -> None:
    control = CONTROL._replace(disconnect_grace=1_000, per_move=60_000)
    async with place(return_s=15.0) as here:
        table = here.adopt(timed(control))
        for seat in SEATS:
            here.attach(table, seat)
        here.detach(table, Seat.EAST)
        await asyncio.sleep(1.1)
        assert [f.seat for f in table.match.faults] == [Seat.EAST]


@virtually
async def test_an_adopted_match_that_has_not_begun_waits_for_its_bots_to_come_back() -> None:
    made = spec(time=CONTROL._replace(ready=1_000))
    match = create(Created(made), 0).after
    for seat in SEATS:
        match = decide(match, TakeSeat(seat, "1", "i"), 0).after
    async with place(return_s=15.0) as here:
        table = here.tables.add(match, 2, adopted=True)
        await asyncio.sleep(15.9)
        assert table.match.stage is Stage.READYING
        await asyncio.sleep(0.2)
        assert table.match.end is EndReason.NOT_STARTED


@pytest.mark.parametrize("rules", ["ffb-mixte", "contree-simple", "coinche-classique"])
def test_16_a_silent_bot_never_blocks_a_table_longer_than_its_clock(rules: str) -> None:
    """Row 16: all four are silent for a whole match, contre windows included; the server's own
    timer moves each decision on when its clock is over, and not before.
    """

    async def test() -> None:
        control = CONTROL._replace(per_move=2_000, bank=1_000, increment=0, allowance=100)
        match = seated(spec(rules, time=control, faults=GENEROUS))[0]
        kinds = set()
        async with place() as here:
            table = here.sit(match=match)
            began = {seat: at() for seat in owing(table)}
            while table.match.end is None:
                before = table.match
                await asyncio.sleep(0.01)
                for seat in SEATS:
                    owed = before.owed_since[seat]
                    if not owed or owed == table.match.owed_since[seat]:
                        assert not owed or at() - began[seat] < 3.2
                    else:
                        kinds.add(before.game.decision_kind(seat))
                        limit = 2.1 + before.seats[seat].bank / 1000
                        assert limit - 0.02 <= at() - began[seat] < limit + 0.03
                    if table.match.owed_since[seat] not in (0, owed):
                        began[seat] = at()
        asked = {DecisionKind.CALL, DecisionKind.CARD}
        if rules == "coinche-classique":
            asked |= {DecisionKind.CONTRE, DecisionKind.SURCONTRE}
        assert kinds >= asked
        assert all(seat.decisions for seat in table.match.seats)

    virtually(test)()


@virtually
async def test_contre_windows_run_out_for_all_who_are_asked_at_once() -> None:
    async with place() as here:
        table = here.sit(match=timed())
        (seat,) = owing(table)
        bid = next(one for one in table.match.game.legal_actions(seat) if "80" in str(one))
        here.act(table, seat, bid)
        await asyncio.sleep(0.1)
        asked = list(owing(table))
        assert asked
        began = at()
        await asyncio.sleep(LIMIT_S - 0.2)
        assert not table.match.faults
        await asyncio.sleep(0.4)
        late = {entry.seat for entry in table.match.faults if entry.kind is FaultKind.TIMEOUT}
        assert late == set(asked)
        assert at() - began < LIMIT_S + 0.3


@virtually
async def test_a_late_answer_is_late_while_all_is_well() -> None:
    async with place() as here:
        table = here.sit(match=timed())
        (seat,) = owing(table)
        late = Act(seat, table.match.decision_id(seat), table.match.game.legal_actions(seat)[0], 0)
        await asyncio.sleep(LIMIT_S + 0.1)
        outcomes: list[object] = []
        here.tables.submit(table, late, outcomes.append)
        (step,) = outcomes
        assert isinstance(step, Step)
        assert step.verdict is Verdict.LATE


@virtually
async def test_21_clocks_begin_when_all_four_are_ready() -> None:
    """Row 21: getting ready has a generous limit of its own, and costs no decision anything."""
    made = spec(time=CONTROL._replace(per_move=1_000, ready=60_000), faults=GENEROUS)
    match = create(Created(made), 0).after
    for seat in SEATS:
        match = decide(match, TakeSeat(seat, "1", "i"), 0).after
    async with place() as here:
        table = here.sit(match=match)
        for seat in SEATS[:3]:
            here.tables.submit(table, SayReady(seat))
            await asyncio.sleep(0.1)
        await asyncio.sleep(59.0)  # one bot loads its model
        here.tables.submit(table, SayReady(Seat.WEST))
        await asyncio.sleep(0.01)
        assert table.match.stage is Stage.PLAYING
        (seat,) = owing(table)
        assert here.tables.deadlines.elapsed_ms(table, seat) <= 10
        await asyncio.sleep(1.1)
        assert not table.match.faults


@virtually
async def test_nothing_runs_out_in_a_server_that_drains() -> None:
    """Nor is anything asked, nor an answer late, nor a bot that leaves away."""
    control = CONTROL._replace(disconnect_grace=0, per_move=1_000)
    async with place() as here:
        table = here.sit(match=timed(control))
        (seat,) = owing(table)
        await asyncio.sleep(0.5)
        here.tables.deadlines.wind_up()
        other = next(one for one in SEATS if one is not seat)
        here.detach(table, other)
        await asyncio.sleep(60.0)
        answer = here.act(table, seat)
        await asyncio.sleep(0.1)
        assert answer.step.verdict is Verdict.ACCEPTED
        (acted,) = answer.step.entries
        assert isinstance(acted, Acted)
        assert acted.charged <= 500
        await asyncio.sleep(60.0)
        assert not table.match.faults


@virtually
async def test_what_is_due_at_one_seat_hurries_no_other_after_an_outage() -> None:
    """Two deadlines at a table, and an outage behind it: each comes at its own time."""
    control = CONTROL._replace(disconnect_grace=5_000)
    async with place() as here:
        table = here.sit(match=timed(control))
        here.act(table, Seat.WEST)
        await asyncio.sleep(0.01)
        assert list(owing(table)) == [Seat.SOUTH]
        here.store.down()
        here.detach(table, Seat.WEST)
        await asyncio.sleep(60.0)
        here.store.up()
        await asyncio.sleep(6.0)
        assert [fault.kind for fault in table.match.faults] == [FaultKind.DISCONNECTED]
        await asyncio.sleep(LIMIT_S - 5.0)
        kinds = [fault.kind for fault in table.match.faults]
        assert kinds == [FaultKind.DISCONNECTED, FaultKind.TIMEOUT]
