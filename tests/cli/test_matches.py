"""`contree matches`: what is played, what stands still, and how it is ended."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.cli.conftest import Contree
from tests.cli.running import start
from tests.cli.test_serve import serving

from contree import bots
from contree.cli.match_lines import as_json, details, table
from contree.client import (
    Board,
    BotSeat,
    EndReason,
    Fault,
    FaultKind,
    HostClient,
    HouseSeat,
    Match,
    MatchSpec,
    MatchState,
    SeatStatus,
    Standing,
    TimeControl,
    Turn,
)
from contree.engine import SEATS, Seat, preset
from contree.server.store import connect, embedded_store


class Late(bots.Random):
    """A bot that takes longer than it has."""

    def decide(self, turn: Turn) -> Any:
        time.sleep(0.3)
        return super().decide(turn)


class Waiting(NamedTuple):
    """Matches whose bots do not come, and one that is over; and where they are."""

    server: str
    waiting: list[str]
    over: str


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Waiting]:
    async def create(address: str) -> tuple[list[str], str]:
        async with HostClient(address) as host:
            spec = MatchSpec(
                request_id="0",
                mode=Board(1),
                labels=("cup-1",),
                seats={seat: BotSeat("ann") if seat < 2 else HouseSeat() for seat in SEATS},
            )
            ids = [
                (await host.create_match(_with(spec, request_id=str(number), labels=labels))).id
                for number, labels in enumerate([("cup-1",), ("cup-1",), ("cup-2",)])
            ]
            house = {seat: HouseSeat() for seat in SEATS}
            over = await host.create_match(_with(spec, request_id="house", seats=house))
            async for update in host.watch_matches("cup-1"):
                if update.match.id == over.id and update.match.ended:
                    return ids, over.id
        raise AssertionError("watching does not end")

    with serving(tmp_path_factory.mktemp("matches")) as running:
        yield Waiting(running.address, *asyncio.run(create(running.address)))


def _with(spec: MatchSpec, **fields: object) -> MatchSpec:
    return replace(spec, **fields)  # type: ignore[arg-type]


def test_the_matches_that_are_not_over(server: Waiting, contree: Contree) -> None:
    ran = contree("matches", "list", "--server", server.server)
    assert ran.code == 0, ran.err
    head, *lines = ran.out.splitlines()
    assert head.split() == ["MATCH", "STATE", "UNMOVED", "AWAITED", "SEATS", "SERVER", "LABELS"]
    assert [line.split()[0] for line in lines] == sorted(server.waiting)
    assert "waiting" in lines[0]
    assert "N:ann E:ann  N:ann(away) E:ann(away) S:rules(house) W:rules(house)" in lines[0]


def test_those_of_an_event(server: Waiting, contree: Contree) -> None:
    ran = contree("matches", "list", "--event", "cup-1", "--json", "--server", server.server)
    told = json.loads(ran.out)["matches"]
    assert {match["id"] for match in told} == set(server.waiting[:2])
    assert {match["state"] for match in told} == {"waiting"}
    assert told[0]["awaited"] == ["N", "E"]
    assert told[0]["unmoved_s"] >= 0
    ran = contree(
        *("matches", "list", "--event", "cup-1", "--state", "ended", "--json"),
        *("--server", server.server),
    )
    (over,) = json.loads(ran.out)["matches"]
    assert (over["id"], over["server"]) == (server.over, None)


def test_those_of_a_bot(server: Waiting, contree: Contree) -> None:
    def ids(*options: str) -> set[str]:
        ran = contree("matches", "list", *options, "--json", "--server", server.server)
        return {match["id"] for match in json.loads(ran.out)["matches"]}

    assert ids("--bot", "ann") == set(server.waiting)
    assert ids("--bot", "rules") == set(), "whom the house plays is no bot"
    assert ids("--event", "cup-1", "--bot", "ann") == set(server.waiting[:2])
    assert ids("--faults") == set()


async def test_faults_are_listed_of_matches_that_are_over_too(
    tmp_path: Path, contree: Contree
) -> None:
    with serving(tmp_path) as running:
        seats = {seat: BotSeat("ill") if seat == 0 else HouseSeat() for seat in SEATS}
        hurry = TimeControl(per_move=0.05)
        spec = MatchSpec(
            request_id="ill", mode=Board(1), labels=("cup",), seats=seats, time_control=hurry
        )
        async with HostClient(running.address) as host:
            made = (await host.create_match(spec)).id
            playing = start(
                *("bot", "run", "tests.cli.test_matches:Late", "--name", "ill"),
                *("--server", running.address),
            )
            try:
                async for update in host.watch_matches("cup"):
                    if update.match.ended:
                        break
            finally:
                playing.kill()
                playing.communicate()
        options = ("--event", "cup", "--faults", "--server", running.address)
        ran = await asyncio.to_thread(contree, "matches", "list", *options, "--bot", "ill")
        head, line = ran.out.splitlines()
        assert (head.split()[-1], line.split()[0]) == ("FAULTS", made)
        assert line.split()[-1].startswith("N:timeout")
        ran = await asyncio.to_thread(contree, "matches", "list", *options, "--bot", "rules")
        assert ran.out == ""


async def test_what_cannot_be_read_is_listed_as_such(tmp_path: Path, contree: Contree) -> None:
    async with embedded_store() as embedded:
        with serving(tmp_path, "--redis", embedded.url) as running:
            store = await connect(embedded.url)
            await store.create("m-damaged", labels=[], entries=[b"\xff"], owner="x", lease_ms=1)
            await store.close()

            async def told(*options: str) -> str:
                asked = ("matches", "list", *options, "--server", running.address)
                return (await asyncio.to_thread(contree, *asked)).out

            for options in ((), ("--unreadable",)):
                line = (await told(*options)).splitlines()[1]
                assert line.split() == ["m-damaged", "unreadable"]
            assert json.loads(await told("--json")) == {"matches": [], "unreadable": ["m-damaged"]}
            assert await told("--stuck") == "", "it is not known to be in play"


def test_what_waits_for_its_bots_is_not_stuck(server: Waiting, contree: Contree) -> None:
    ran = contree("matches", "list", "--stuck", "--server", server.server)
    assert (ran.code, ran.out, ran.err) == (0, "", "No match is stuck.\n")
    ran = contree("matches", "list", "--event", "none", "--server", server.server)
    assert (ran.code, ran.out, ran.err) == (0, "", "No such match.\n")


def test_one_match(server: Waiting, contree: Contree) -> None:
    ran = contree("matches", "show", server.waiting[0], "--server", server.server)
    assert ran.code == 0, ran.err
    assert "Awaited: N:ann E:ann\n" in ran.out
    assert "North: ann (not there yet), 0 decisions in 0.0 s\n" in ran.out
    ran = contree("matches", "show", server.over, "--json", "--server", server.server)
    assert json.loads(ran.out)["state"] == "ended"
    ran = contree("matches", "show", "m404", "--server", server.server)
    assert (ran.code, ran.out) == (2, "")


def test_matches_are_cancelled_and_the_rest_is_tried(server: Waiting, contree: Contree) -> None:
    mine = server.waiting[2]
    ran = contree(
        *("matches", "cancel", server.over, mine, "--reason", "the hall closes"),
        *("--server", server.server),
    )
    assert ran.code == 1
    assert ran.out == f"{mine} is cancelled.\n"
    assert ran.err.startswith(f"{server.over}: ")
    ran = contree("matches", "show", mine, "--server", server.server)
    assert ran.out.startswith(f"Match {mine}: ended, cancelled (the hall closes)\n")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--state stuck", "There is no state 'stuck': write one of waiting readying playing ended"),
        ("--state ended", "Matches that are over are listed by event: add --event LABEL."),
        ("--stuck --state waiting", "What is stuck is in play: leave --state out."),
        ("--unreadable --bot ann", "Of what is unreadable only the id is known: leave the other"),
    ],
    ids=["unknown", "ended", "stuck", "unreadable"],
)
def test_what_cannot_be_asked(contree: Contree, options: str, said: str) -> None:
    ran = contree("matches", "list", *options.split())
    assert ran.code == 2
    assert ran.err.startswith(f"contree: {said}")


# -- lines ---------------------------------------------------------------------------------------


def a_match(**fields: object) -> Match:
    seats = tuple(
        SeatStatus(seat, bot, "1", house, True, connected, 7, 3.21, replaced)
        for seat, (bot, house, connected, replaced) in zip(
            SEATS,
            [
                ("ann", False, True, False),
                ("bob", False, False, False),
                ("ann", False, True, True),
                ("rules", True, True, False),
            ],
            strict=True,
        )
    )
    given: dict[str, object] = {
        "id": "m1",
        "state": MatchState.PLAYING,
        "rules": preset("ffb-mixte"),
        "mode": Board(1),
        "labels": ("cup-1",),
        "seats": seats,
        "standing": Standing("vm-1", (Seat.EAST,), 192.4),
    }
    return Match(**given | fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(None, "no"), (0.9, "0s"), (59.9, "59s"), (192.4, "3m12s"), (7384, "2h03m")],
    ids=str,
)
def test_a_line_says_who_keeps_the_table_waiting(seconds: float | None, told: str) -> None:
    _, line = table([a_match(standing=Standing("vm-1", (Seat.EAST,), seconds))])
    assert line.split() == [
        *("m1", "playing", told, "E:bob"),
        *("N:ann", "E:bob(away)", "S:ann(replaced)", "W:rules(house)", "vm-1", "cup-1"),
    ]


@pytest.mark.parametrize(
    ("clock", "line"),
    [
        (TimeControl(per_move=600.0, bank=0.0, increment=0.0), "Clock: 600 s a move"),
        (
            TimeControl(per_move=1.5, bank=20.0, increment=0.5),
            "Clock: 1.5 s a move, a bank of 20 s, 0.5 s more in it a move",
        ),
    ],
    ids=["plain", "bank"],
)
def test_details_tell_how_long_a_bot_may_think(clock: TimeControl, line: str) -> None:
    match = a_match(time_control=clock)
    assert line in details(match)
    assert as_json(match)["clock"]["per_move"] == clock.per_move


def test_a_line_says_how_often_each_seat_was_charged() -> None:
    late = Fault(Seat.EAST, FaultKind.TIMEOUT, 1, "No answer in 5 s.", False)
    faults = (late, Fault(Seat.SOUTH, FaultKind.RESIGNED, 1, "", True), late)
    head, line, other = table([a_match(faults=faults)], ["m2"], faults=True)
    assert head.split()[-1] == "FAULTS"
    assert line.endswith("E:timeout*2 S:resigned")
    assert other.split() == ["m2", "unreadable"]


def test_details_name_faults_and_an_end() -> None:
    fault = Fault(Seat.EAST, FaultKind.TIMEOUT, 1, "No answer in 5 s.", True)
    ended = a_match(
        state=MatchState.ENDED,
        standing=None,
        faults=(fault,),
        end_reason=EndReason.NOT_STARTED,
        end_detail="Not ready in time: North (ann).",
    )
    lines = details(ended)
    assert lines[0] == "Match m1: ended, not started (Not ready in time: North (ann))"
    assert "East: bob (away), 7 decisions in 3.2 s" in lines
    assert lines[-1] == "Fault of East: timeout, the house plays on. No answer in 5 s."
    assert not any(line.startswith("Awaited") for line in lines)
    assert not any(line.startswith("Clock") for line in lines)
    assert as_json(ended)["unmoved_s"] is None
