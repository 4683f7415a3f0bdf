"""The loop against a scripted service: all tables, the same whenever it is stopped."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.tournament.scripted import (
    Match,
    Request,
    ScriptedService,
    by_group,
    plays_to_strength,
    serving,
)
from tests.tournament.waiting import WAIT_S, eventually

from contree.client import HostClient
from contree.tournament import runner as runner_module
from contree.tournament.bots import BotConfig
from contree.tournament.config import parse_event
from contree.tournament.errors import TournamentError, Unplayable
from contree.tournament.folder import EventFolder
from contree.tournament.formats import RoundRobin
from contree.tournament.plan import Plan
from contree.tournament.progress import Progress
from contree.tournament.results import ResultLog
from contree.tournament.runner import MOST_ATTEMPTS, Runner
from contree.tournament.schedule import Pairing
from contree.tournament.standings import close_boards, standings
from contree.tournament.tables import TableResult
from contree.v1 import match_pb2, table_pb2


def plan(tmp_path: Path, boards: int = 6, tables: int = 4, bots: str = "xyz") -> Plan:
    values = {
        "name": "test",
        "boards": boards,
        "tables": tables,
        "bots": [{"name": name} for name in bots],
    }
    config = parse_event(values, tmp_path)
    schedule = RoundRobin(tuple(bots), boards)
    return Plan(id="test-1", config=config, bots=config.bots, schedule=schedule, seed=bytes(32))


class Hall:
    """Where the event takes place: a service, a folder, and what was said."""

    def __init__(self, service: ScriptedService, address: str, folder: Path) -> None:
        self.service = service
        self.address = address
        self.folder = folder
        self.notes: list[str] = []
        self.progress: list[Progress] = []
        self.broken: list[str] = []

    async def run(
        self,
        plan: Plan,
        *,
        stop_after: int | None = None,
        room: dict[str, int] | None = None,
        goes_on: bool = False,
        give_up: tuple[int, str] | None = None,
    ) -> None:
        """One run of the runner; ``stop_after`` so many results it is stopped, as by Ctrl-C.

        ``goes_on``: without bots that have failed; ``give_up``: one after so many results.
        """
        self.progress.clear()
        loop = asyncio.get_running_loop()

        def heard(progress: Progress) -> None:
            self.progress.append(progress)
            if progress.played == stop_after:
                loop.call_soon(playing.cancel)
            if give_up is not None and progress.played == give_up[0]:
                runner.give_up(give_up[1])

        def broken(bot: str, error: TournamentError) -> None:
            if not goes_on:
                raise error
            self.broken.append(bot)
            runner.give_up(bot)

        with (
            EventFolder.opened(self.folder) as folder,
            ResultLog(folder.log) as log,
        ):
            async with HostClient(self.address) as host:
                runner = Runner(
                    plan,
                    host,
                    folder,
                    log,
                    note=self.notes.append,
                    on_result=heard,
                    broken=broken,
                )
                await runner.clear_left_over()
                playing = asyncio.ensure_future(runner.play(room or {}))
                try:
                    await asyncio.wait_for(playing, WAIT_S)
                except asyncio.CancelledError:
                    await runner.cancel_playing()

    @property
    def results(self):  # type: ignore[no-untyped-def]
        with ResultLog(self.folder / "tables.jsonl") as log:
            return dict(log.done)


@pytest.fixture
async def hall(tmp_path: Path) -> AsyncIterator[Hall]:
    service = ScriptedService()
    async with serving(service) as address:
        yield Hall(service, address, tmp_path / "event")


def ids(plan: Plan) -> set[str]:
    return {table.id for table in plan.schedule.opened({}).tables}


async def test_every_table_is_played_once(hall: Hall, tmp_path: Path) -> None:
    event = plan(tmp_path)
    await hall.run(event)
    assert set(hall.results) == ids(event)
    assert Counter(hall.service.created).most_common(1)[0][1] == 1
    assert hall.notes == []
    assert hall.progress[-1] == Progress(36, 36, 18, 18, 0, 36)


async def test_standings_are_those_of_the_strengths(hall: Hall, tmp_path: Path) -> None:
    event = plan(tmp_path)
    await hall.run(event)
    table = standings(event.schedule.bots, tuple(hall.results.values()))
    means = {row.bot: row.points.mean for row in table.rows if row.points}
    assert means == {"x": 70.0, "y": 10.0, "z": -80.0}
    assert {board.points for board in close_boards(hall.results.values())} == {40.0, 60.0, 100.0}


async def test_no_more_tables_at_once_than_there_may_be(hall: Hall, tmp_path: Path) -> None:
    hall.service.ends_matches = False
    run = asyncio.create_task(hall.run(plan(tmp_path, tables=3)))
    assert await eventually(lambda: len(hall.service.playing()) == 3)
    async with asyncio.timeout(WAIT_S):
        while not run.done():
            for request in hall.service.playing():
                await hall.service.end(request.request_id)
            await asyncio.sleep(0)
    await run
    assert hall.service.most_playing == 3


async def test_bots_have_room_and_sit_at_one_table_of_a_board(hall: Hall, tmp_path: Path) -> None:
    def check(request: Request) -> None:
        playing = [*hall.service.playing(), request]
        for requests in by_group(playing).values():
            names = [name for one in requests for name in {spec.bot for spec in one.seats}]
            assert len(names) == len(set(names))
        assert sum(any(spec.bot == "x" for spec in one.seats) for one in playing) <= 2

    hall.service.on_create = check
    event = plan(tmp_path, tables=30, boards=20)
    await hall.run(event, room={"x": 2, "y": 64, "z": 64})
    assert set(hall.results) == ids(event)


async def test_a_board_is_disclosed_when_all_pairings_have_played_it(
    hall: Hall, tmp_path: Path
) -> None:
    event = plan(tmp_path)
    await hall.run(event)  # the service itself checks that all tables of the group are over
    assert sorted(hall.service.released) == [event.group(n) for n in range(1, 7)]
    records = {path.stem: path.read_text() for path in (hall.folder / "records").iterdir()}
    assert set(records) == ids(event)
    assert records["b0001-x~y-A"] == "[BGN 1] test-1/b0001-x~y-A/1\n"


async def test_no_request_tells_the_seed(hall: Hall, tmp_path: Path) -> None:
    await hall.run(plan(tmp_path, boards=1))
    for request in hall.service.requests.values():
        assert request.deals.WhichOneof("source") == "fixed"
        assert request.disclosure_policy == match_pb2.DISCLOSURE_POLICY_WHEN_GROUP_RELEASED


@pytest.mark.parametrize("stops", [(1,), (5, 9), (3, 1, 1, 20), (35,)], ids=str)
async def test_1_and_2_stopped_anywhere_it_comes_to_the_same(
    hall: Hall, tmp_path: Path, stops: tuple[int, ...]
) -> None:
    event = plan(tmp_path)
    for results in stops:
        await hall.run(event, stop_after=results)
        assert hall.service.playing() == []
        records = {path.stem for path in (hall.folder / "records").glob("*.bgn")}
        assert records <= set(hall.results)
    await hall.run(event)
    assert set(hall.results) == ids(event)
    table = standings(event.schedule.bots, tuple(hall.results.values()))
    assert {row.bot: row.points and row.points.mean for row in table.rows} == {
        "x": 70.0,
        "y": 10.0,
        "z": -80.0,
    }
    assert len(list((hall.folder / "records").iterdir())) == len(ids(event))
    finished = [one.match_id for one in hall.results.values()]
    assert not set(finished) & set(hall.service.cancelled)


@pytest.mark.parametrize("stop", range(4, 36, 5))
async def test_3_stopped_with_many_tables_in_play_only_whole_boards_count(
    hall: Hall, tmp_path: Path, stop: int
) -> None:
    """fastchess #857: results were saved one by one, those of pairs were not complete."""
    event = plan(tmp_path, tables=12)
    await hall.run(event, stop_after=stop)
    kept = hall.results
    whole = [
        one
        for one in kept.values()
        if sum((o.table.board, o.table.pairing) == _of(one) for o in kept.values()) == 2
    ]
    assert len(close_boards(kept.values())) == len(whole) / 2
    table, of_whole = (standings(event.schedule.bots, tuple(of)) for of in (kept.values(), whole))
    assert table.meetings == of_whole.meetings
    assert [(row.bot, row.points, row.tally) for row in table.rows] == [
        (row.bot, row.points, row.tally) for row in of_whole.rows
    ]
    await hall.run(event)
    assert {**hall.results, **kept} == hall.results
    assert len(close_boards(hall.results.values())) == 18


def _of(result: TableResult) -> tuple[int, Pairing]:
    """Which board, and who played it."""
    return result.table.board, result.table.pairing


async def test_running_a_finished_event_again_creates_nothing(hall: Hall, tmp_path: Path) -> None:
    event = plan(tmp_path)
    await hall.run(event)
    created = len(hall.service.created)
    await hall.run(event)
    assert len(hall.service.created) == created


async def test_a_result_that_was_not_written_is_asked_for_again(hall: Hall, tmp_path: Path) -> None:
    event = plan(tmp_path)
    await hall.run(event)
    log = hall.folder / "tables.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[:-3]) + lines[-3][:40])
    matches = len(hall.service.matches)
    await hall.run(event)
    assert set(hall.results) == ids(event)
    assert len(hall.service.matches) == matches


async def test_records_that_were_not_fetched_are_fetched(hall: Hall, tmp_path: Path) -> None:
    event = plan(tmp_path)
    await hall.run(event)
    lost = hall.folder / "records" / "b0003-y~z-B.bgn"
    text = lost.read_text()
    lost.unlink()
    await hall.run(event)
    assert lost.read_text() == text


async def test_a_record_that_is_gone_does_not_stop_the_event(hall: Hall, tmp_path: Path) -> None:
    event = plan(tmp_path)
    await hall.run(event, stop_after=20)
    hall.service.matches = {
        key: match for key, match in hall.service.matches.items() if "/b0001-" not in key
    }
    for path in (hall.folder / "records").glob("b0001-*"):
        path.unlink()
    await hall.run(event)
    assert set(hall.results) == ids(event)
    assert any("record of table b0001-x~y-A cannot be had" in note for note in hall.notes)


# -- matches that are no result -----------------------------------------------------------------


def failing(reason: int, times: int, name: str = "b0002-x~z-B") -> ScriptedService:
    left = [times]

    def script(request: Request, match: Match) -> None:
        if name in request.request_id and left[0]:
            left[0] -= 1
            match.end_reason = reason  # type: ignore[assignment]
            if reason == match_pb2.END_REASON_NOT_STARTED:
                match.end_detail = detail(match)
        else:
            plays_to_strength(request, match)

    return ScriptedService(script)


def detail(match: Match) -> str:
    """What the service says of a match of z that did not start."""
    of_z = [seat for seat in match.seats if seat.bot == "z"]
    what = "taken" if not all(seat.taken for seat in of_z) else "ready"
    names = ", ".join(f"{table_pb2.Seat.Name(seat.seat)[5:].title()} (z)" for seat in of_z)
    return f"Not {what} in time: {names}."


NO_RESULTS = [
    pytest.param(match_pb2.END_REASON_NOT_STARTED, "not_started", id="not started"),
    pytest.param(match_pb2.END_REASON_CANCELLED, "cancelled", id="cancelled"),
    pytest.param(match_pb2.END_REASON_INFRASTRUCTURE, "infrastructure", id="infrastructure"),
]


@pytest.mark.parametrize(("reason", "name"), NO_RESULTS)
async def test_5_what_is_no_result_is_played_again(tmp_path: Path, reason: int, name: str) -> None:
    service = failing(reason, MOST_ATTEMPTS - 1)
    async with serving(service) as address:
        hall = Hall(service, address, tmp_path / "event")
        event = plan(tmp_path)
        await hall.run(event)
    replayed = hall.results["b0002-x~z-B"]
    assert [attempt.reason for attempt in replayed.attempts] == [name] * 2
    assert replayed.match_id == "test-1/b0002-x~z-B/3"
    assert set(hall.results) == ids(event)
    assert len(hall.notes) == 2
    assert name.replace("_", " ") in hall.notes[0]


async def test_5_attempts_are_bounded_and_begin_anew_with_the_next_run(tmp_path: Path) -> None:
    service = failing(match_pb2.END_REASON_INFRASTRUCTURE, MOST_ATTEMPTS)
    async with serving(service) as address:
        hall = Hall(service, address, tmp_path / "event")
        event = plan(tmp_path)
        with pytest.raises(Unplayable, match="b0002-x~z-B came to no result in 3 attempts"):
            await hall.run(event)
        await hall.run(event)
    assert set(hall.results) == ids(event)
    assert len(hall.results["b0002-x~z-B"].attempts) == MOST_ATTEMPTS


async def test_who_did_not_come_is_named(tmp_path: Path) -> None:
    service = failing(match_pb2.END_REASON_NOT_STARTED, 99, "~z-")
    del service.bots["z"]
    async with serving(service) as address:
        hall = Hall(service, address, tmp_path / "event")
        with pytest.raises(Unplayable, match=r"Not taken in time: \w+ \(z\), \w+ \(z\)"):
            await hall.run(plan(tmp_path))


@pytest.mark.parametrize("there", [False, True], ids=["not there", "not ready"])
async def test_who_does_not_come_again_and_again_forfeits_and_the_others_play_on(
    tmp_path: Path, there: bool
) -> None:
    service = failing(match_pb2.END_REASON_NOT_STARTED, 999, "z-")
    if not there:
        del service.bots["z"]
    async with serving(service) as address:
        hall = Hall(service, address, tmp_path / "event")
        event = plan(tmp_path)
        await hall.run(event, goes_on=True)
    assert set(hall.results) == ids(event)
    for one in hall.results.values():
        if "z" in one.table.pairing:
            assert one.reason == "forfeited"
            assert one.forfeited_by == ("z",)
            assert one.marks == (250, 0)  # z is always the second of its pairings
        else:
            assert one.reason == "board_done"
    assert hall.broken == ["z"]
    records = {path.stem for path in (hall.folder / "records").iterdir()}
    assert records == {table for table in ids(event) if "z" not in table}


async def test_a_bot_that_is_given_up_forfeits_what_it_has_not_begun(tmp_path: Path) -> None:
    service = ScriptedService()
    async with serving(service) as address:
        hall = Hall(service, address, tmp_path / "event")
        event = plan(tmp_path, tables=2)
        await hall.run(event, give_up=(10, "y"))
    forfeits = [one for one in hall.results.values() if one.reason == "forfeited"]
    assert set(hall.results) == ids(event)
    assert 12 <= len(forfeits) <= 24
    assert all(one.forfeited_by == ("y",) for one in forfeits)
    table = standings(event.schedule.bots, tuple(hall.results.values()))
    conduct = {row.bot: row.conduct for row in table.rows}
    assert conduct["y"].forfeits == len(forfeits)
    assert conduct["y"].tables == 24 - len(forfeits)


async def test_28_a_fault_is_part_of_a_result(hall: Hall, tmp_path: Path) -> None:
    def script(request: Request, match: Match) -> None:
        plays_to_strength(request, match)
        match.faults.add(seat=1, kind=match_pb2.FAULT_KIND_TIMEOUT, detail="late", replaced=True)

    hall.service.script = script
    await hall.run(plan(tmp_path, boards=1, bots="xy"))
    (fault,) = hall.results["b0001-x~y-A"].faults
    assert (fault.bot, fault.seat, fault.kind, fault.replaced) == ("x", "N", "timeout", True)


# -- what an earlier run left behind ------------------------------------------------------------


async def killed(hall: Hall, event: Plan) -> list[str]:
    """A run that is killed with all its tables in play; the ids of these."""
    hall.service.ends_matches = False
    async with HostClient(hall.address) as host:
        for table in event.schedule.opened({}).tables:
            if table.number == 1 and table.board < 5:
                await host.create_match(event.match(table, 1))
    hall.service.ends_matches = True
    return list(hall.service.matches)


async def test_2_unfinished_tables_are_cancelled_and_played_again(
    hall: Hall, tmp_path: Path
) -> None:
    event = plan(tmp_path)
    left = await killed(hall, event)
    await hall.run(event)
    assert hall.service.cancelled == left
    assert hall.notes == ["4 unfinished tables are played again."]
    assert hall.results["b0001-x~y-A"].match_id == "test-1/b0001-x~y-A/2"
    assert [a.reason for a in hall.results["b0001-x~y-A"].attempts] == ["cancelled"]


async def test_tables_that_ended_unattended_count_unless_there_was_a_fault(
    hall: Hall, tmp_path: Path
) -> None:
    event = plan(tmp_path)
    clean, faulty, *_ = await killed(hall, event)
    await hall.service.end(clean)
    hall.service.matches[faulty].faults.add(seat=2, kind=match_pb2.FAULT_KIND_DISCONNECTED)
    await hall.service.end(faulty)
    await hall.run(event)
    assert hall.results["b0001-x~y-A"].match_id == clean
    assert hall.results["b0002-x~y-A"].match_id == "test-1/b0002-x~y-A/2"
    assert [a.reason for a in hall.results["b0002-x~y-A"].attempts] == ["unattended"]


# -- a service that is not perfect --------------------------------------------------------------


async def test_news_that_never_come_are_looked_for(
    hall: Hall, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner_module, "QUIET_S", 0.05)
    hall.service.tells_ends = False
    event = plan(tmp_path, boards=2)
    await hall.run(event)
    assert set(hall.results) == ids(event)


async def test_the_order_in_which_tables_end_makes_no_difference(
    hall: Hall, tmp_path: Path
) -> None:
    event = plan(tmp_path, tables=12)
    hall.service.ends_matches = False
    chance = random.Random(5)
    run = asyncio.create_task(hall.run(event))
    async with asyncio.timeout(WAIT_S):
        while not run.done():
            playing = hall.service.playing()
            if playing:
                await hall.service.end(chance.choice(playing).request_id)
            await asyncio.sleep(0)
    await run
    assert set(hall.results) == ids(event)
    assert [board.board for board in close_boards(hall.results.values())] == [
        n for n in range(1, 7) for _ in range(3)
    ]


def test_dial_in_bots_have_no_command() -> None:
    assert BotConfig(name="x").dials_in
