"""``run_bot`` as a program of its own: how it logs and how it ends."""

from __future__ import annotations

import asyncio
import signal
import sys
from asyncio.subprocess import PIPE, Process
from pathlib import Path

import pytest
from tests.client.bots import First
from tests.client.scripted import (
    QUICK,
    ScriptedServer,
    accepted,
    assigned,
    match_ended,
    opening,
    soon,
    turn,
)

from contree.client import run_bot

PROGRAM = """
from contree.client import Bot, run_bot

class MyBot(Bot):
    def call(self, view):
        return {call}

    def play(self, view):
        return view.legal[0]

print(run_bot(MyBot()))
"""


async def start(
    server: ScriptedServer, folder: Path, call: str = "view.legal[0]", **environment: str
) -> Process:
    program = folder / "my_bot.py"
    program.write_text(PROGRAM.format(call=call))
    return await asyncio.create_subprocess_exec(
        sys.executable,
        program,
        stdout=PIPE,
        stderr=PIPE,
        env={"CONTREE_SERVER": server.address, "PYTHONWARNINGS": "error", **environment},
    )


def test_the_first_bot_takes_less_than_twenty_lines() -> None:
    assert len(PROGRAM.strip().splitlines()) < 20


async def test_ctrl_c_ends_a_bot_in_good_order(server: ScriptedServer, tmp_path: Path) -> None:
    process = await start(server, tmp_path)
    line = await server.dialled()
    hello = await line.welcome()
    assert hello.bot == "MyBot"
    line.say(assigned(1), turn(1, opening(), b"d1"))
    line.say(accepted(await line.hear("act")))
    process.send_signal(signal.SIGINT)
    assert await line.hear_end() == ["leave", "resign"]
    out, err = await soon(process.communicate())
    assert process.returncode == 0, err
    assert b"decisions=1" in out
    assert b"interrupted=True" in out
    assert b"INFO connected to scripted (contree 0) as MyBot" in err
    assert b"Traceback" not in err


async def test_ctrl_c_ends_a_bot_that_never_answers(server: ScriptedServer, tmp_path: Path) -> None:
    process = await start(server, tmp_path, "__import__('time').sleep(3600)")
    line = await server.welcomed()
    line.say(assigned(1, ready_owed=True), turn(1, opening()))
    await line.hear("ready")
    process.send_signal(signal.SIGINT)
    assert await line.hear_end() == ["leave", "resign"]
    out, err = await soon(process.communicate())
    assert process.returncode == 0, err
    assert b"interrupted=True" in out


async def test_sigterm_ends_a_bot_with_143(server: ScriptedServer, tmp_path: Path) -> None:
    process = await start(server, tmp_path, CONTREE_INSTANCE="i7")
    line = await server.welcomed()
    line.say(assigned(1, ready_owed=True))
    await line.hear("ready")
    process.send_signal(signal.SIGTERM)
    assert await line.hear_end() == ["leave"]
    _, err = await soon(process.communicate())
    assert process.returncode == 143, err
    assert b"Traceback" not in err


async def test_an_error_of_the_bot_ends_the_program_with_its_traceback(
    server: ScriptedServer, tmp_path: Path
) -> None:
    process = await start(server, tmp_path, "1 / 0")
    line = await server.welcomed()
    line.say(assigned(1), turn(1, opening()))
    _, err = await soon(process.communicate())
    assert process.returncode == 1
    assert b"my_bot.py" in err
    assert b"ZeroDivisionError: division by zero" in err
    assert err.rstrip().endswith(
        b"The bot MyBot failed with ZeroDivisionError: division by zero at seat N of match m1."
    )


async def test_no_server_is_told_in_a_few_lines(tmp_path: Path) -> None:
    program = (
        "from contree.client import *\n"
        "run_bot(Bot(), server='127.0.0.1:1', connection=Connection(patience=0.01))\n"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, stdout=PIPE, stderr=PIPE, cwd=tmp_path, env={}
    )
    _, err = await soon(process.communicate())
    assert process.returncode == 1
    lines = err.decode().splitlines()
    assert len(lines) < 10
    assert lines[-1].startswith("contree.client.errors.Unreachable: No contree server answers at")


async def test_run_bot_returns_when_its_matches_are_over(server: ScriptedServer) -> None:
    """In a thread, where no signal can be handled."""
    running = asyncio.create_task(
        asyncio.to_thread(
            run_bot, First(), server=server.address, matches=1, connection=QUICK, name="x"
        )
    )
    line = await server.welcomed()
    line.say(assigned(1), match_ended(1))
    summary = await soon(running)
    assert (summary.matches, summary.interrupted) == (1, False)


def test_what_it_is_told_wrongly_is_said_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONTREE_CAPACITY", "-1")
    with pytest.raises(ValueError, match="CONTREE_CAPACITY is '-1'"):
        run_bot(First())
