"""What a newer server says is passed over or shown as UNKNOWN; nothing raises."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from tests.client.bots import First, InPlace, playing
from tests.client.scripted import (
    ScriptedServer,
    a_match,
    accepted,
    act_result,
    assigned,
    match_ended,
    opening,
    soon,
    turn,
)

from contree.client import EndReason, FaultKind, Practice
from contree.client.messages import match_from_pb
from contree.engine import Seat
from contree.v1 import event_pb2, match_pb2, play_service_pb2
from contree.v1.play_service_pb2 import ServerMessage

NEW: Any = 99


def fault(ref: int, kind: Any, *, replaced: bool = False) -> ServerMessage:
    charged = event_pb2.FaultCharged(seat=1, kind=kind, strikes=1, replaced=replaced)  # type: ignore[arg-type]
    return ServerMessage(
        fault=play_service_pb2.SeatFault(seat_ref=ref, fault=charged, detail="so it is")
    )


async def test_faults_and_ends_of_new_kinds_are_told_as_unknown(server: ScriptedServer) -> None:
    bot = InPlace()
    async with playing(bot, server, matches=1) as played:
        line = await server.welcomed()
        ended = match_ended(1)
        ended.match_ended.match_ended.reason = NEW
        line.say(assigned(1), fault(1, NEW), ended)
        summary = await soon(played)
    assert (summary.matches, summary.faults) == (1, 1)
    told = {name: what[0] for name, _, *what in bot.told if what}
    assert told["fault"].kind is FaultKind.UNKNOWN  # type: ignore[attr-defined]
    assert told["match_ended"].reason is EndReason.UNKNOWN  # type: ignore[attr-defined]
    assert not EndReason.UNKNOWN.is_result


async def test_an_answer_with_a_new_status_is_not_asked_for_ever(
    server: ScriptedServer, caplog: pytest.LogCaptureFixture
) -> None:
    async with playing(InPlace(), server):
        line = await server.welcomed()
        line.say(assigned(1), turn(1, opening(), b"d1"))
        line.say(act_result(await line.hear("act"), NEW, reason="something new"))
        line.say(turn(1, opening(2), b"d2"))
        assert (await line.hear("act")).decision_id == b"d2"
    assert "the answer was not taken, UNKNOWN (99), this server is newer: something new" in (
        caplog.text
    )


def test_a_match_with_new_kinds_can_be_read() -> None:
    message = a_match(
        state=match_pb2.MATCH_STATE_ENDED,
        end_reason=NEW,
        faults=[match_pb2.Fault(seat=1, kind=NEW)],  # type: ignore[arg-type]
    )
    match = match_from_pb(message)
    assert match.end_reason is EndReason.UNKNOWN
    assert match.faults[0].kind is FaultKind.UNKNOWN


async def test_a_duplicate_counts_as_accepted(
    server: ScriptedServer, caplog: pytest.LogCaptureFixture
) -> None:
    """The turn is sent again after it: the answer is settled, and the bot is not asked."""
    bot = InPlace()
    async with playing(bot, server):
        line = await server.welcomed()
        line.say(assigned(1), turn(1, opening(), b"d1"))
        act = await line.hear("act")
        line.say(act_result(act, play_service_pb2.ACT_STATUS_DUPLICATE, reason="taken before"))
        line.say(turn(1, opening(), b"d1", again=True))
        assert (await line.hear("act")) == act
    assert len(bot.seen) == 1
    assert "not taken" not in caplog.text


async def test_an_illegal_answer_is_logged_once(
    server: ScriptedServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "contree")
    async with playing(InPlace(), server, matches=1) as played:
        line = await server.welcomed()
        line.say(assigned(1), turn(1, opening(), b"d1"))
        act = await line.hear("act")
        illegal = play_service_pb2.ACT_STATUS_ILLEGAL
        line.say(
            act_result(act, illegal, reason="not in this game"),
            fault(1, match_pb2.FAULT_KIND_ILLEGAL_ACTION),
            turn(1, opening(2), b"d2"),
        )
        act = await line.hear("act")
        lines = [line for line in caplog.messages if "llegal" in line or "not allowed" in line]
        assert lines == ["seat N of match m1, deal 1, step 2: P is not allowed: not in this game"]
        line.say(
            act_result(act, illegal, reason="nor in any other"),
            fault(1, match_pb2.FAULT_KIND_ILLEGAL_ACTION, replaced=True),
            match_ended(1),
        )
        summary = await soon(played)
    assert summary.replaced == 1
    assert any("the house plays on" in line for line in caplog.messages)


async def test_practice_matches_are_played_one_after_the_other(server: ScriptedServer) -> None:
    ids = set()
    async with playing(First(), server, practice=Practice(deals=1), matches=3) as played:
        for number in range(3):
            line = await server.dialled()
            hello = await line.welcome()
            ids.add(hello.practice.request_id)
            match_id = f"m{number}"
            line.say(assigned(1, Seat.NORTH, match_id), assigned(2, Seat.SOUTH, match_id))
            line.say(match_ended(1, match_id), match_ended(2, match_id))
            await line.hear_end()
        summary = await soon(played)
    assert summary.matches == 3
    assert len(ids) == 3


async def test_matches_without_an_end_are_one_practice_match(server: ScriptedServer) -> None:
    async with playing(First(), server, practice=Practice(deals=1)):
        line = await server.welcomed()
        line.say(assigned(1), match_ended(1), assigned(2, match_id="m2"))
        line.say(turn(2, opening(), b"d2"))
        line.say(accepted(await line.hear("act")))
    assert not server.dialled_again


IMPORTS = """
import importlib.abc, os, sys

class Watcher(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "grpc":
            print(os.environ.get("GRPC_VERBOSITY"))

sys.meta_path.insert(0, Watcher())
import {package}
"""


@pytest.mark.parametrize("package", ["contree.client", "contree.testing"])
@pytest.mark.parametrize(("given", "expected"), [(None, "ERROR"), ("DEBUG", "DEBUG")])
def test_grpc_is_told_to_be_quiet_before_it_is_imported(
    package: str, given: str | None, expected: str
) -> None:
    """It looks only once. Else it tells of each connection that a server ends ("Got goaway")."""
    environment = {} if given is None else {"GRPC_VERBOSITY": given}
    ran = subprocess.run(
        [sys.executable, "-c", IMPORTS.format(package=package)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env=environment,
    )
    assert ran.stdout.split() == [expected]
