"""Programs that the runner starts: found or not, and gone when they are to be gone."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.tournament.waiting import WAIT_S, alive, children, eventually

from contree.tournament.bots import BotConfig
from contree.tournament.errors import ConfigError, ProcessError
from contree.tournament.participants import participants
from contree.tournament.processes import (
    MOST_RESTARTS,
    RESTARTS_WITHIN_S,
    Child,
    Restarts,
    environment_for,
    resolve,
)
from contree.tournament.racing import race


class Starter:
    """Starts Python programs and sees that none is left."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.children: list[Child] = []

    async def __call__(self, program: str, **variables: str) -> Child:
        child = await Child.start(
            "bot",
            ["python", "-c", program],
            log=self.folder / "bot.log",
            cwd=self.folder,
            environment=environment_for(variables),
        )
        self.children.append(child)
        return child

    async def said(self, text: str) -> str:
        """Wait until a program has written a line with this text; the line."""

        def lines() -> list[str]:
            written = (self.folder / "bot.log").read_text().splitlines(keepends=True)
            return [line.rstrip() for line in written if text in line and line.endswith("\n")]

        assert await eventually(lambda: bool(lines()))
        return lines()[0]


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[Starter]:
    starter = Starter(tmp_path)
    yield starter
    for child in starter.children:
        await child.stop(0.1)


async def gone(pid: int) -> bool:
    return await eventually(lambda: not alive(pid))


async def test_17_what_a_program_writes_is_kept_and_its_end_quoted(start: Starter) -> None:
    (start.folder / "bot.log").write_text("an earlier run\n")
    child = await start(
        "import sys; [print('line', n) for n in range(50)]; print('\\x1b[31mred', file=sys.stderr);"
        "sys.exit(3)"
    )
    assert await asyncio.wait_for(child.wait(), WAIT_S) == 3
    assert child.ending == "with exit code 3"
    tail = child.tail().splitlines()
    assert len(tail) == 12
    assert tail[-1] == "red"
    assert "line 0\n" in (start.folder / "bot.log").read_text()


async def test_the_tail_is_of_this_run_only(start: Starter) -> None:
    (start.folder / "bot.log").write_text("an earlier run\n")
    child = await start("")
    await asyncio.wait_for(child.wait(), WAIT_S)
    assert child.tail() == ""


async def test_17_a_signal_is_named(start: Starter) -> None:
    child = await start("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
    await asyncio.wait_for(child.wait(), WAIT_S)
    assert child.ending == "killed by SIGSEGV"


async def test_one_that_ignores_sigterm_is_killed(start: Starter) -> None:
    child = await start(
        "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('ready');"
        "signal.pause()"
    )
    await start.said("ready")
    await asyncio.wait_for(child.stop(0.2), WAIT_S)
    assert child.returncode == -signal.SIGKILL


async def test_one_that_heeds_sigterm_ends_itself(start: Starter) -> None:
    child = await start(
        "import signal, sys; signal.signal(signal.SIGTERM, lambda *_: sys.exit(7)); print('ready');"
        "signal.pause()"
    )
    await start.said("ready")
    await asyncio.wait_for(child.stop(WAIT_S), WAIT_S)
    assert child.returncode == 7


STUBBORN = (
    "import os, signal; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
    "print('grandchild', os.getpid(), flush=True); signal.pause()"
)
# Each is a program that has started one that heeds no SIGTERM.
PARENTS = {
    "a shell": (
        "import os; os.execvp('sh', ['sh', '-c', '\"$0\" -c \"$1\" & wait', "
        "{python!r}, {program!r}])"
    ),
    "a session of its own": (
        "import subprocess, signal;"
        "subprocess.Popen([{python!r}, '-c', {program!r}], start_new_session=True); signal.pause()"
    ),
    "forked twice": (
        "import os, signal\n"
        "if not os.fork():\n"
        "    os.setsid()\n"
        "    if not os.fork(): os.execv({python!r}, [{python!r}, '-c', {program!r}])\n"
        "    os._exit(0)\n"
        "os.wait(); signal.pause()"
    ),
}
PARENTS = {
    name: text.format(python=sys.executable, program=STUBBORN) for name, text in PARENTS.items()
}
linux = pytest.mark.skipif(sys.platform != "linux", reason="a guard needs Linux")


@linux
@pytest.mark.parametrize("parent", PARENTS.values(), ids=list(PARENTS))
@pytest.mark.parametrize("how", ["stopped", "killed"])
async def test_what_it_started_is_ended_too(start: Starter, parent: str, how: str) -> None:
    child = await start(parent)
    pid = int((await start.said("grandchild")).split()[1])
    assert alive(pid)
    if how == "killed":
        child.kill()
        await asyncio.wait_for(child.wait(), WAIT_S)
    else:
        await asyncio.wait_for(child.stop(WAIT_S), WAIT_S)
    assert not alive(pid)


@linux
async def test_what_it_started_ends_when_it_ends(start: Starter) -> None:
    ends = PARENTS["a session of its own"].removesuffix("signal.pause()") + (
        "import os, time, pathlib\n"
        "while 'grandchild' not in pathlib.Path('bot.log').read_text(): time.sleep(0.01)\n"
        "os._exit(3)"
    )
    child = await start(ends)
    assert await asyncio.wait_for(child.wait(), WAIT_S) == 3
    assert not alive(int((await start.said("grandchild")).split()[1]))


@linux
async def test_a_guard_that_is_stopped_ends_with_its_program_all_the_same(
    start: Starter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("contree.tournament.processes._KILL_GRACE_S", 0.1)
    child = await start("import os, signal; print('up', os.getpid(), flush=True); signal.pause()")
    pid = int((await start.said("up")).split()[1])
    os.kill(child.pid, signal.SIGSTOP)
    await asyncio.wait_for(child.stop(0.1), WAIT_S)
    assert child.returncode == -signal.SIGKILL
    assert await gone(pid)


async def test_one_that_ended_long_ago_is_sent_nothing(
    start: Starter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By then its number may be another's."""
    child = await start("")
    await asyncio.wait_for(child.wait(), WAIT_S)
    child.kill()
    sent: list[tuple[int, int]] = []
    monkeypatch.setattr("os.killpg", lambda *what: sent.append(what))
    child.kill()
    await child.stop()
    assert sent == []


async def test_signals_that_python_ignores_are_not_ignored_by_what_it_starts(
    tmp_path: Path,
) -> None:
    child = await Child.start(
        "bot",
        ["sh", "-c", "yes | head -1; echo over"],
        log=tmp_path / "bot.log",
        cwd=tmp_path,
        environment=environment_for({}),
    )
    assert await asyncio.wait_for(child.wait(), WAIT_S) == 0
    assert child.tail().splitlines() == ["y", "over"]


async def test_it_does_not_hear_what_the_terminal_sends(start: Starter) -> None:
    child = await start("import os; print('session', os.getsid(0) == os.getpid(), flush=True)")
    assert await start.said("session") == "session True"
    await asyncio.wait_for(child.wait(), WAIT_S)


RUNNER = """
import asyncio
from pathlib import Path
from contree.tournament.processes import Child, environment_for

async def main():
    folder = Path({folder!r})
    command = ["python", "-c", {program!r}]
    child = await Child.start(
        "bot", command, log=folder / "bot.log", cwd=folder, environment=environment_for({{}})
    )
    print(child.pid, flush=True)
    await child.wait()

asyncio.run(main())
"""


@linux
@pytest.mark.parametrize("parent", PARENTS.values(), ids=list(PARENTS))
async def test_all_ends_with_a_runner_that_is_killed(tmp_path: Path, parent: str) -> None:
    runner = RUNNER.format(folder=str(tmp_path), program=parent)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", runner, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    guard = int(await process.stdout.readline())
    grandchild = int((await Starter(tmp_path).said("grandchild")).split()[1])
    # One that only forked may still be about to end.
    assert await eventually(lambda: len(children(guard)) == 2)
    below = children(guard)
    assert grandchild in below
    process.kill()
    await process.wait()
    assert await eventually(lambda: not any(map(alive, [guard, *below])))


async def test_a_command_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ProcessError, match="bot cannot be started: the command 'no-such-bot'"):
        await Child.start(
            "bot",
            ["no-such-bot"],
            log=tmp_path / "l",
            cwd=tmp_path,
            environment=environment_for({}),
        )
    with pytest.raises(ProcessError, match="bot-file does not exist"):
        resolve("bot", ["./bot-file"], tmp_path, {})
    (tmp_path / "bot-file").write_text("")
    with pytest.raises(ProcessError, match="bot-file is not executable"):
        resolve("bot", ["./bot-file"], tmp_path, {})


async def test_a_program_that_cannot_be_executed_says_so(tmp_path: Path) -> None:
    program = tmp_path / "bot"
    program.write_bytes(b"\x7fELFrubbish")
    program.chmod(0o755)
    child = await Child.start(
        "bot", ["./bot"], log=tmp_path / "log", cwd=tmp_path, environment=environment_for({})
    )
    assert await asyncio.wait_for(child.wait(), WAIT_S) == 127
    assert "Exec format error" in child.tail()


def test_contree_and_python_are_those_that_run(tmp_path: Path) -> None:
    found = resolve("bot", ["contree", "bot", "run", "x:Y"], tmp_path, {})
    assert found == (sys.executable, "-P", "-m", "contree.cli", "bot", "run", "x:Y")
    assert resolve("bot", ["python", "x.py"], tmp_path, {}) == (sys.executable, "x.py")
    (tmp_path / "bot").write_text("")
    (tmp_path / "bot").chmod(0o755)
    assert resolve("bot", ["./bot", "-v"], tmp_path, {}) == (str(tmp_path / "bot"), "-v")


def test_bots_do_not_inherit_the_hosts_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONTREE_TOKEN", "secret")
    monkeypatch.setenv("CONTREE_TOKEN_FILE", "secret")
    monkeypatch.setenv("CONTREE_CERT_KEY", "secret")
    monkeypatch.setenv("CONTREE_CA", "ca.pem")
    environment = environment_for({"CONTREE_BOT": "x"})
    assert "secret" not in environment.values()
    assert environment["CONTREE_CA"] == str(Path("ca.pem").absolute())
    assert environment["CONTREE_BOT"] == "x"
    assert environment["PATH"].split(os.pathsep)[0] == str(Path(sys.executable).parent)


# -- what bots need before ----------------------------------------------------------------------


def bots(tmp_path: Path, **third: object) -> list[BotConfig]:
    common = {"command": ("python", "-c", ""), "cwd": tmp_path}
    return [BotConfig(name=name, **common) for name in "ab"] + [  # type: ignore[arg-type]
        BotConfig(name="c", **(common | third))  # type: ignore[arg-type]
    ]


FAILS = ("python", "-c", "print('no network'); raise SystemExit(4)")


@pytest.mark.parametrize(
    ("third", "said"),
    [
        ({"needs": "no-such-program"}, "c needs no-such-program, which is not installed."),
        ({"setup": ("no-such-setup",)}, "the command 'no-such-setup' was not found"),
        ({"setup": FAILS}, "ended with exit code 4"),
        ({"setup": ("python", "-c", ""), "setup_makes": Path("/no/such")}, "did not make /no/such"),
        (
            {
                "setup": ("python", "-c", "import signal; signal.pause()"),
                "setup_timeout": 0.2,
            },
            "took longer than 0.2 s",
        ),
    ],
    ids=["needs", "not found", "fails", "makes nothing", "too slow"],
)
async def test_a_bot_that_cannot_play(tmp_path: Path, third: dict[str, object], said: str) -> None:
    notes: list[str] = []
    able = await participants(bots(tmp_path, **third, optional=True), notes.append)
    assert [bot.name for bot in able] == ["a", "b"]
    assert said in notes[-1]
    assert notes[-1].endswith("c is optional, so the event goes on without it.")
    with pytest.raises(ProcessError, match=r"\bc\b") as caught:
        await participants(bots(tmp_path, **third), notes.append)
    assert said in str(caught.value)


async def test_what_a_failed_setup_wrote_is_shown(tmp_path: Path) -> None:
    with pytest.raises(ProcessError) as caught:
        await participants(bots(tmp_path, setup=FAILS), lambda text: None)
    assert caught.value.log_tail == "no network"


async def test_a_setup_is_run_once(tmp_path: Path) -> None:
    program = "open('made', 'a').write('x')"
    third = {"setup": ("python", "-c", program), "setup_makes": tmp_path / "made"}
    for _ in range(2):
        assert len(await participants(bots(tmp_path, **third), lambda text: None)) == 3
    assert (tmp_path / "made").read_text() == "x"


async def test_too_few_that_can_play(tmp_path: Path) -> None:
    all_but_one = bots(tmp_path, needs="no-such-program", optional=True)[1:]
    with pytest.raises(ConfigError, match="only 1 of them can play"):
        await participants(all_but_one, lambda text: None)


# -- the sandbox, where there can be none --------------------------------------------------------

REFUSES = "#!/bin/sh\necho 'bwrap: No permissions to create a new namespace' >&2\nexit 1\n"


async def test_a_sandbox_without_bubblewrap_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ProcessError, match="apt install bubblewrap"):
        await participants(bots(tmp_path, sandboxed=True, optional=True), lambda text: None)


async def test_a_sandbox_that_the_machine_refuses_says_what_it_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bwrap").write_text(REFUSES)
    (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ProcessError, match="a kernel that lets it make user namespaces") as caught:
        await participants(bots(tmp_path, sandboxed=True), lambda text: None)
    assert caught.value.log_tail == "bwrap: No permissions to create a new namespace"


# -- racing -------------------------------------------------------------------------------------


def test_one_that_falls_now_and_then_is_picked_up_each_time() -> None:
    restarts = Restarts()
    apart = RESTARTS_WITHIN_S / MOST_RESTARTS + 0.1
    assert all(restarts.may_restart(apart * n) for n in range(100))
    assert restarts.count == 100


def test_one_that_falls_again_and_again_is_not() -> None:
    restarts = Restarts()
    moments = [100.0 + n for n in range(MOST_RESTARTS)]
    assert all(restarts.may_restart(moment) for moment in moments)
    assert not restarts.may_restart(100.0 + MOST_RESTARTS)
    assert restarts.count == MOST_RESTARTS
    assert restarts.may_restart(100.0 + RESTARTS_WITHIN_S)


async def test_a_race_ends_with_the_first_and_cancels_the_others() -> None:
    ended: list[str] = []

    async def runs_for_ever() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("cancelled")

    async def fails() -> None:
        raise ProcessError("over")

    with pytest.raises(ProcessError, match="over"):
        await asyncio.wait_for(race(runs_for_ever(), fails()), WAIT_S)
    assert ended == ["cancelled"]
