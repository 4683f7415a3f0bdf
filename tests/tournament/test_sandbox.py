"""Real sandboxes: what is in them, what is not, and events in which somebody tries to get out."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import struct
import sys
import uuid
from asyncio.subprocess import PIPE, STDOUT, Process
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.tournament.meddling import PROGRAM, outcomes
from tests.tournament.meddling import REFUSED as HOSTS_ALONE
from tests.tournament.waiting import WAIT_S, alive, children, eventually

from contree.tournament.bots import BotConfig
from contree.tournament.errors import ProcessError
from contree.tournament.fleet import Fleet
from contree.tournament.folder import EventFolder
from contree.tournament.processes import Child, environment_for, resolve
from contree.tournament.sandbox import LINKS, PORT, SCRATCH, Sandbox, check_sandbox
from contree.tournament.seccomp import seccomp_filter
from contree.tournament.starting import Address, kernel_limits
from contree.tournament.usage import usages

pytestmark = [pytest.mark.sandbox, pytest.mark.timeout(600)]

ROOT = Path(__file__).resolve().parents[2]
RUN = "import sys; from contree.tournament import run_event; sys.exit(run_event('cup.toml'))"

# -- one program in a sandbox ---------------------------------------------------------------------


class Box:
    """Starts programs in sandboxes, and tells what they printed."""

    def __init__(self, folder: Path, server: str, hidden: Iterable[Path] = ()) -> None:
        self.folder = folder
        self.log = folder / "log"
        self._server = server
        self._hidden = hidden

    @asynccontextmanager
    async def run(self, program: str, at: str = "", **options: Any) -> AsyncIterator[Child]:
        """Start a program in Python, or the one at a path."""
        command = (at,) if at else ("python", "-c", program)
        bot = BotConfig(name="x", command=command, sandboxed=True, **options)
        with Sandbox.opened(self._server, self._hidden) as sandbox:
            outside = environment_for({"CONTREE_BOT": "x"} | dict(bot.env))
            inside = sandbox.environment(bot, outside)
            found = resolve("x", bot.command, bot.cwd, outside)
            limits = kernel_limits(bot.limits, 0, sandboxed=True)
            child = await Child.start(
                "x",
                sandbox.around(bot, found, limits, inside),
                log=self.log,
                cwd=bot.cwd.resolve(),
                environment=inside,
            )
            try:
                yield child
            finally:
                await child.stop(1.0)

    async def say(self, program: str, **options: Any) -> Any:
        """What a program that prints one value as JSON says."""
        text = f"import json, os, pathlib, socket\nprint(json.dumps({program}))"
        async with self.run(text, **options) as child:
            assert await asyncio.wait_for(child.wait(), WAIT_S) == 0, child.tail()
            return json.loads(child.tail())


@pytest.fixture
def box(tmp_path: Path) -> Box:
    return Box(tmp_path, "127.0.0.1:9")


def seen(*paths: Path | str) -> str:
    return f"[pathlib.Path(p).exists() for p in {list(map(str, paths))!r}]"


async def test_it_sees_its_own_folder_and_what_it_may_read_and_no_other(tmp_path: Path) -> None:
    event, results = tmp_path / "cup.toml", tmp_path / "results"
    own, other = tmp_path / "bots" / "own", tmp_path / "bots" / "other"
    for folder in (results, own, other, own / "inner"):
        folder.mkdir(parents=True)
        (folder / "file").write_text("there")
    event.write_text("seed")
    box = Box(tmp_path, "127.0.0.1:9", [event, results, own, other])
    asked = (own / "file", other / "file", event, results / "file", tmp_path / "log")
    nothing = await box.say(seen(*asked))
    assert nothing == [False] * 5
    assert await box.say(seen(*asked), cwd=own, own_folder=True) == [True, *[False] * 4]
    granted = await box.say(seen(*asked), cwd=own, own_folder=True, reads=(other / "file",))
    assert granted == [True, True, False, False, False]


async def test_what_is_hidden_is_not_even_in_a_folder_that_is_shown(tmp_path: Path) -> None:
    event, results, other = tmp_path / "cup.toml", tmp_path / "results", tmp_path / "other"
    own = other / "own"
    for folder in (results, own):
        folder.mkdir(parents=True)
        (folder / "file").write_text("there")
    (other / "file").write_text("there")
    event.write_text("the seed")
    box = Box(tmp_path, "127.0.0.1:9", [event, results, other])
    asked = (results / "file", other / "file", own / "file")
    whole: dict[str, Any] = {"cwd": tmp_path, "own_folder": True}
    assert await box.say(seen(*asked), **whole) == [False, False, False]
    assert await box.say(f"open({str(event)!r}).read()", **whole) == ""
    # Its own folder lies within one that is another's.
    assert await box.say(seen(*asked), cwd=own, own_folder=True) == [False, False, True]
    assert await box.say(seen(*asked), cwd=tmp_path, own_folder=True, reads=(own,)) == [
        False,
        False,
        True,
    ]


async def test_what_the_runner_is_told_by_its_variables_is_hidden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where a bot's folder is that of the event."""
    for name in ("host.token", "key.pem", "ca.pem", "house.token", "journal/part"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("secret")
    monkeypatch.setenv("CONTREE_TOKEN_FILE", str(tmp_path / "host.token"))
    monkeypatch.setenv("CONTREE_TLS_KEY", str(tmp_path / "key.pem"))
    monkeypatch.setenv("CONTREE_CA", str(tmp_path / "ca.pem"))
    monkeypatch.setenv("CONTREE_DATA_DIR", str(tmp_path / "journal"))
    box = Box(tmp_path, "127.0.0.1:9")
    whole: dict[str, Any] = {"cwd": tmp_path, "own_folder": True}
    read = [f"open({str(tmp_path / name)!r}).read()" for name in ("host.token", "key.pem")]
    assert await box.say(f"[{', '.join(read)}]", **whole) == ["", ""]
    assert await box.say(seen(tmp_path / "journal" / "part"), **whole) == [False]
    assert await box.say(f"open({str(tmp_path / 'ca.pem')!r}).read()", **whole) == "secret"


async def test_beside_the_event_a_bot_sees_its_own_and_nothing_private(tmp_path: Path) -> None:
    secrets = {
        "ann.token": "x",
        "notes/any": f"the token is contree_{'a' * 12}_{'B' * 49}, keep it",
        "key.pem": "-----BEGIN EC PRIVATE KEY-----",
        "tls/server.key": "x",
        ".env": "PASSWORD=x",
        "other.toml": 'seed = "x"\nboards = 2\n[[bots]]\nname = "rules"',
        "archive/cup-1/event.json": "{}",
        "archive/cup-1/seed": "x",
        "service/appendonlydir/part": "x",
        "service/store.lock": "",
    }
    others = {
        "bot.py": "x",
        "weights/large.bin": "x" * 100_000,
        "rules.toml": "target = 1000",
        "cert.pem": "-----BEGIN CERTIFICATE-----",
        "own.token": "x",
    }
    for name, text in (secrets | others).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "cup.toml").write_text("seed")
    read = """
def read(path):
    try:
        return len(open(path).read())
    except FileNotFoundError:
        return 0
print(*map(read, {paths!r}))
"""
    whole: dict[str, Any] = {"cwd": tmp_path, "own_folder": True}
    whole["env"] = (("CONTREE_TOKEN_FILE", "own.token"),)
    for box, hidden in (
        (Box(tmp_path, "127.0.0.1:9", [tmp_path / "cup.toml"]), True),
        # A folder of its own, in which there is nothing of the event: all of it is the bot's.
        (Box(tmp_path, "127.0.0.1:9"), False),
    ):
        async with box.run(read.format(paths=[*secrets, *others]), **whole) as child:
            assert await asyncio.wait_for(child.wait(), WAIT_S) == 0, child.tail()
            told = list(map(int, child.tail().split("\n")[-1].split()))
        expected = [0 if hidden else len(text) for text in secrets.values()]
        assert told == expected + [len(text) for text in others.values()]


async def test_results_of_other_events_are_hidden(tmp_path: Path) -> None:
    (tmp_path / "results" / "other-1").mkdir(parents=True)
    (tmp_path / "results" / "other-1" / "seed").write_text("of one that is running")
    program = (
        "import pathlib; p = pathlib.Path('results'); print([q.name for q in p.rglob('*')], "
        "p.exists())"
    )
    bot = BotConfig(
        name="x",
        command=("python", "-c", program),
        cwd=tmp_path,
        own_folder=True,
        sandboxed=True,
    )
    with EventFolder.opened(tmp_path / "results" / "event-1") as folder:
        address = Address("127.0.0.1:9", lambda post: post.key, 1)
        async with Fleet.running([bot], address, folder, lambda text: None):
            log = folder.bot_log("x")
            assert await eventually(lambda: log.exists() and "\n" in log.read_text())
        assert log.read_text().splitlines()[0] == "[] True"


@pytest.mark.parametrize("orphans", [False, True])
async def test_what_the_sandbox_takes_is_not_held_against_the_bot(box: Box, orphans: bool) -> None:
    holds = "x = b'x' * (32 << 20); print('up', flush=True); signal.pause()"
    program = f"import os, signal\n{holds}"
    if orphans:  # one is handed to a process of the sandbox's own
        program = (
            "import os, signal\n"
            "if not os.fork():\n"
            "    if os.fork(): os._exit(0)\n"
            "else: os.wait()\n"
            f"{holds}"
        )
    count = 2 if orphans else 1
    async with box.run(program) as child:
        assert await eventually(
            lambda: box.log.exists() and box.log.read_text().count("up") == count
        )
        used = usages({child.pid: 1 + LINKS})[child.pid]
        whole = usages({child.pid: 0})[child.pid]
        assert used.processes == count
        assert whole.processes > count + LINKS
        assert whole.memory > used.memory + (8 << 20)
        assert count * (32 << 20) <= used.memory < count * (48 << 20)


@pytest.mark.parametrize("link", ["cwd", "reads", "above", "relative", "chain"])
async def test_what_is_hidden_is_hidden_under_each_name_of_a_folder(
    tmp_path: Path, link: str
) -> None:
    base = tmp_path / "base"
    for name in ("bot", "results", "other"):
        (base / name).mkdir(parents=True)
        (base / name / "file").write_text("there")
    (base / "cup.toml").write_text("the seed")
    alias = tmp_path / "names" / "alias"
    alias.parent.mkdir()
    alias.symlink_to("../base" if link == "relative" else base)
    given = alias
    options: dict[str, Any] = {"cwd": given, "own_folder": True}
    if link == "reads":
        options = {"reads": (given,)}
    elif link == "above":
        given = tmp_path / "top" / "names" / "alias"
        (tmp_path / "top").symlink_to(tmp_path)
        options["cwd"] = given
    elif link == "chain":
        given = tmp_path / "further"
        given.symlink_to("names/alias")
        options["cwd"] = given
    box = Box(tmp_path, "127.0.0.1:9", [base / "cup.toml", base / "results", base / "other"])
    for folder in (base, given, alias):
        asked = [folder / name / "file" for name in ("bot", "results", "other")]
        assert await box.say(seen(*asked), **options) == [True, False, False], folder
        assert await box.say(f"open({str(folder / 'cup.toml')!r}).read()", **options) == ""


async def test_a_program_is_found_by_a_link_and_only_it_is_shown(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "bin").mkdir()
    for name in ("bot", "secret"):
        (tmp_path / "home" / name).write_text("#!/bin/sh\necho hello; cat ${0%/*}/../home/secret\n")
        (tmp_path / "home" / name).chmod(0o755)
    (tmp_path / "bin" / "bot").symlink_to("../home/bot")
    box = Box(tmp_path, "127.0.0.1:9")
    async with box.run("", at=str(tmp_path / "bin" / "bot")) as child:
        await asyncio.wait_for(child.wait(), WAIT_S)
        assert child.tail().splitlines()[0] == "hello"
        assert "No such file" in child.tail()


async def test_the_home_of_whoever_runs_the_event_is_not_there(box: Box) -> None:
    prefixes = {Path(sys.prefix), Path(sys.base_prefix)}
    for path in (Path.home() / ".ssh", Path.home() / ".bashrc", Path("/etc/shadow"), Path("/var")):
        assert not any(prefix.is_relative_to(path) for prefix in prefixes)
        assert await box.say(seen(path)) == [False]


WRITES = "[p for p in {paths!r} if not os.system('(: > %s) 2>/dev/null' % p)]"


async def test_nothing_can_be_written_but_its_own_scratch(box: Box, tmp_path: Path) -> None:
    mine = f"/tmp/{uuid.uuid4()}"
    paths = [f"{tmp_path}/x", "/x", "/usr/x", "/run/contree/x", "/dev/x", "/etc/passwd", mine]
    written = await box.say(
        WRITES.format(paths=[*paths, "/dev/shm/x"]), cwd=tmp_path, own_folder=True
    )
    assert written == [mine, "/dev/shm/x"]
    assert not (tmp_path / "x").exists()
    assert not os.path.lexists(mine)  # noqa: ASYNC240


@pytest.mark.parametrize("folder", ["/tmp", "/dev/shm"])
async def test_its_scratch_is_small(box: Box, folder: str) -> None:
    program = (
        f"file = open('{folder}/big', 'wb', buffering=0)\n"
        f"try:\n    [file.write(b'x' * (1 << 20)) for _ in range(1000)]\n"
        f"except OSError as error:\n    print(error.strerror, file.tell())"
    )
    async with box.run(program) as child:
        assert await asyncio.wait_for(child.wait(), WAIT_S) == 0
        assert child.tail() == f"No space left on device {SCRATCH}"


async def test_it_is_nobody_and_alone(box: Box) -> None:
    told = await box.say(
        "[os.getuid(), os.getgid(), len([p for p in os.listdir('/proc') if p.isdigit()]) < 8,"
        " [n for _, n in socket.if_nameindex()], socket.gethostname(),"
        " [l for l in open('/proc/self/status') if l.startswith('CapEff')]]"
    )
    assert told == [65534, 65534, True, ["lo"], "sandbox", ["CapEff:\t0000000000000000\n"]]


async def test_no_setting_of_the_kernel_can_be_written(box: Box) -> None:
    """The sysctl files ask for the user, and one that root started is root to them."""
    program = """
import os
opened = tried = 0
for folder, folders, names in os.walk("/proc"):
    folders[:] = [name for name in folders if name not in ("fd", "map_files", "task", "ns")]
    for name in names:
        tried += 1
        try:
            os.close(os.open(os.path.join(folder, name), os.O_WRONLY | os.O_NONBLOCK))
        except OSError:
            continue
        opened += 1
        print(os.path.join(folder, name))
print(opened, tried > 500, os.path.exists("/proc/sys/kernel/core_pattern"))
"""
    async with box.run(program) as child:
        assert await asyncio.wait_for(child.wait(), WAIT_S) == 0
        assert child.tail() == "0 True True"


REFUSED = """
import ctypes, errno, fcntl, json, os, socket, struct
told = {}
def attempt(name, call):
    try:
        told[name] = "done" if call() != -1 else errno.errorcode[ctypes.get_errno()]
    except OSError as error:
        told[name] = errno.errorcode[error.errno]
libc = ctypes.CDLL(None, use_errno=True)
seen = open(os.__file__)
attempt("vsock", lambda: socket.socket(socket.AF_VSOCK))
attempt("packets", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
attempt("udp", lambda: socket.socket(socket.AF_INET6, socket.SOCK_DGRAM))
attempt("networks", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW))
attempt("shared lock", lambda: fcntl.flock(seen, fcntl.LOCK_SH))
attempt("lock", lambda: fcntl.flock(open("/tmp/own", "w"), fcntl.LOCK_EX | fcntl.LOCK_NB))
attempt("range", lambda: fcntl.lockf(open("/tmp/own", "w"), fcntl.LOCK_EX | fcntl.LOCK_NB))
attempt("reader's range", lambda: fcntl.lockf(seen, fcntl.LOCK_SH | fcntl.LOCK_NB))
attempt("writer's range", lambda: fcntl.lockf(seen, fcntl.LOCK_EX | fcntl.LOCK_NB))
whole = struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0)
attempt("locks of others", lambda: len(fcntl.fcntl(seen, fcntl.F_GETLK, whole)))
attempt("their open locks", lambda: len(fcntl.fcntl(seen, 36, whole)))
attempt("lease", lambda: fcntl.fcntl(seen, fcntl.F_SETLEASE, fcntl.F_RDLCK))
attempt("notice", lambda: fcntl.fcntl(os.open("/usr", os.O_RDONLY), fcntl.F_NOTIFY, 1))
attempt("watch", lambda: libc.inotify_init1(0))
attempt("uring", lambda: libc.syscall(425, 1, 0))
attempt("own flags", lambda: fcntl.fcntl(seen, fcntl.F_GETFD) + 1)
print(json.dumps(told))
"""


async def test_it_cannot_signal_by_what_namespaces_leave_open(box: Box) -> None:
    async with box.run(REFUSED) as child:
        assert await asyncio.wait_for(child.wait(), WAIT_S) == 0, child.tail()
        told = json.loads(child.tail())
    assert told == {
        "vsock": "EAFNOSUPPORT",
        "packets": "EAFNOSUPPORT",
        "udp": "done",
        "networks": "done",
        "shared lock": "ENOLCK",
        "lock": "ENOLCK",
        "range": "done",
        "reader's range": "done",
        # Between files that nobody may write, locks of ranges only meet when they are shared.
        "writer's range": "EBADF",
        "locks of others": "EINVAL",
        "their open locks": "EINVAL",
        "lease": "EINVAL",
        "notice": "EINVAL",
        "watch": "ENOSYS",
        "uring": "ENOSYS",
        "own flags": "done",
    }


@pytest.mark.parametrize("machine", ["x86_64", "aarch64", "riscv64"])
def test_the_filter_ends_whatever_is_asked(machine: str) -> None:
    """No step leads out of it, and all ends in an answer."""
    code = seccomp_filter(machine)
    assert code is not None
    steps = list(struct.iter_unpack("=HBBI", code))
    for at, (code, if_so, if_not, _) in enumerate(steps):
        assert code == 0x06 or at + 1 + max(if_so, if_not) < len(steps)
    assert steps[-1] == (0x06, 0, 0, 0x7FFF0000)


def test_of_a_machine_that_is_not_known_nothing_is_filtered() -> None:
    assert seccomp_filter("vax") is None


async def test_it_knows_nothing_of_who_runs_the_event(
    box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_SECRET", "secret")
    monkeypatch.setenv("CONTREE_TOKEN", "secret")
    told = await box.say("dict(os.environ)", env=(("LEVEL", "3"),))
    assert "secret" not in str(told)
    assert told["HOME"] == told["TMPDIR"] == "/tmp"
    assert told["LEVEL"] == "3"
    assert told["CONTREE_SERVER"] == f"127.0.0.1:{PORT}"


async def test_it_reaches_the_service_and_nothing_else(tmp_path: Path) -> None:
    callers = {"service": 0, "other": 0}

    async def serve(name: str) -> asyncio.Server:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            callers[name] += 1
            writer.write(await reader.readexactly(5))
            writer.close()

        return await asyncio.start_server(answer, "0.0.0.0", 0)

    service, other = await serve("service"), await serve("other")
    ports = [server.sockets[0].getsockname()[1] for server in (service, other)]
    program = f"""
import socket
def call(host, port):
    try:
        with socket.create_connection((host, port), 3) as one:
            one.sendall(b"hello")
            return one.recv(5).decode()
    except OSError as error:
        return "no"
print(call("127.0.0.1", {PORT}), *(call(h, {ports[1]}) for h in ("127.0.0.1", "10.0.0.1")))
"""
    box = Box(tmp_path, f"127.0.0.1:{ports[0]}")
    async with service, other, box.run(program) as child:
        assert await asyncio.wait_for(child.wait(), WAIT_S) == 0
        assert child.tail() == "hello no no"
    assert callers == {"service": 1, "other": 0}


async def test_how_it_ended_is_told_outside(box: Box) -> None:
    for program, how in {
        "raise SystemExit(7)": "with exit code 7",
        "import os; os.kill(os.getpid(), 11)": "with exit code 139 (SIGSEGV)",
    }.items():
        async with box.run(program) as child:
            await asyncio.wait_for(child.wait(), WAIT_S)
            assert child.ending == how


async def test_a_service_with_tls_is_found_by_its_name(tmp_path: Path) -> None:
    box = Box(tmp_path, "tls://contree.example:443")
    told = await box.say("[os.environ['CONTREE_SERVER'], socket.gethostbyname('contree.example')]")
    assert told == [f"tls://contree.example:{PORT}", "127.0.0.1"]
    with (
        pytest.raises(ProcessError, match="by its name only"),
        Sandbox.opened("tls://10.0.0.1:1", ()),
    ):
        pass


# -- where there can be none ----------------------------------------------------------------------


async def test_sandboxes_can_be_made_here() -> None:
    await check_sandbox()


# -- whole events ---------------------------------------------------------------------------------

EVENT = """
name = "Cup"
boards = 2
tables = 4
isolation = "none"
sandbox = "bubblewrap"
[time]
per_move = "20s"
[limits]
memory = "512MiB"
[[bots]]
name = "rules"
command = ["python", "-m", "contree.bots.rules"]
[[bots]]
name = "random"
command = ["python", "-m", "contree.bots.random"]
"""
BAD = """
[[bots]]
name = "{name}"
command = ["python", "bot.py"]
cwd = "{name}"
"""
NETWORK = """
import socket
try:
    socket.create_connection(("127.0.0.1", {port}), 5)
    print("BREACH")
except OSError as error:
    raise SystemExit(f"no network: {{error.strerror}}")
"""
FILES = """
import pathlib
found = []
for path in {paths!r}:
    try:
        found.append(pathlib.Path(path).read_text())
        print("BREACH", path)
    except OSError as error:
        print(path, error.strerror)
for root in ("/", "/tmp", "/root", "/home", "/var", "/proc"):
    for path in pathlib.Path(root).rglob("*") if root != "/" else ():
        own = path.is_relative_to(pathlib.Path.cwd())
        if path.name in ("seed", "secret.txt", "cup.toml", "tables.jsonl") and not own:
            print("BREACH", path)
raise SystemExit("nothing to be found")
"""
MEMORY = """
from contree.client import Bot, run_bot


class Greedy(Bot):
    name = "memory"
    threaded = False
    moves = 0

    def decide(self, turn):
        self.moves += 1
        if self.moves > 20:
            print("now for all of it", flush=True)
            self.kept = bytearray(4 << 30)
            print("BREACH", flush=True)
        return turn.view.legal[0]


try:
    run_bot(Greedy())
except MemoryError:
    raise SystemExit("no memory")
"""


class Event:
    def __init__(self, folder: Path, text: str) -> None:
        self.folder = folder
        (folder / "cup.toml").write_text(text)

    def bot(self, name: str, program: str) -> None:
        (self.folder / name).mkdir()
        (self.folder / name / "bot.py").write_text(program)
        (self.folder / name / "secret.txt").write_text("what others must not know")
        with (self.folder / "cup.toml").open("a") as file:
            file.write(BAD.format(name=name))

    async def start(self) -> Process:
        return await asyncio.create_subprocess_exec(
            sys.executable, "-c", RUN, cwd=self.folder, stdout=PIPE, stderr=STDOUT
        )

    async def finish(self, process: Process) -> str:
        said, _ = await asyncio.wait_for(process.communicate(), 500)
        assert process.returncode == 0, said.decode()
        return said.decode()

    @property
    def results(self) -> Path:
        (found,) = (self.folder / "results").iterdir()
        return found


async def test_each_bad_bot_fails_alone_and_the_event_goes_on(tmp_path: Path) -> None:
    called: list[str] = []

    def hear(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        called.append("somebody got out")
        writer.close()

    listening = await asyncio.start_server(hear, "127.0.0.1", 0)
    # Seats whose bot has ended are waited for, so that there is less time to be late.
    event = Event(tmp_path, EVENT.replace("20s", "5s"))
    results = f"{tmp_path}/results"
    event.bot("network", NETWORK.format(port=listening.sockets[0].getsockname()[1]))
    event.bot("memory", MEMORY)
    event.bot(
        "files",
        FILES.format(
            paths=[f"{tmp_path}/memory/secret.txt", f"{tmp_path}/cup.toml", results, "/etc/shadow"]
        ),
    )
    async with listening:
        said = await event.finish(await event.start())
    assert called == []
    logs = {
        name: (event.results / "logs" / f"{name}.log").read_text()
        for name in ("network", "memory", "files")
    }
    assert not any("BREACH" in text for text in logs.values()), logs
    assert "no network: Connection refused" in logs["network"]
    assert "nothing to be found" in logs["files"]
    assert "now for all of it" in logs["memory"]
    for name in logs:
        assert f"{name} forfeits its tables" in said, said
    standings = json.loads((event.results / "standings.json").read_text())
    assert standings["complete"]
    rows = {row["bot"]: row for row in standings["standings"]}
    assert set(rows) == {"rules", "random", *logs}
    for name in ("rules", "random"):
        assert rows[name]["forfeits"] == rows[name]["replaced"] == 0
        assert not any(rows[name]["faults"].values())
    for name in logs:
        assert rows[name]["forfeits"] or any(rows[name]["faults"].values())
    header = json.loads((event.results / "event.json").read_text())
    assert all(bot["sandbox"] == "bubblewrap" for bot in header["bots"])
    assert header["bots"][0]["limits"] == {"memory": 512 << 20}


@pytest.mark.parametrize("isolation", ["seat", "match"])
async def test_bots_of_a_sandbox_play_apart(tmp_path: Path, isolation: str) -> None:
    text = EVENT.replace('"none"', f'"{isolation}"').replace("boards = 2", "boards = 1")
    event = Event(tmp_path, text)
    said = await event.finish(await event.start())
    assert "All 2 tables have a result" in said
    assert "run in a sandbox" in said
    assert {path.name for path in (event.results / "logs").iterdir()} == {
        "contree-serve.log",
        *(f"{bot}~{seat}.log" for bot in ("rules", "random")
          for seat in ("north", "east", "south", "west")),
    }  # fmt: skip
    lines = (event.results / "tables.jsonl").read_text().splitlines()
    assert [json.loads(line)["faults"] for line in lines] == [[], []]


async def test_a_bot_in_a_sandbox_cannot_do_what_is_the_hosts(tmp_path: Path) -> None:
    event = Event(tmp_path, EVENT.replace("boards = 2", "boards = 1"))
    event.bot("meddler", PROGRAM)
    await event.finish(await event.start())
    assert outcomes(event.results / "logs" / "meddler.log") == HOSTS_ALONE
    lines = (event.results / "tables.jsonl").read_text().splitlines()
    assert [json.loads(line)["faults"] for line in lines] == [[]] * 6


async def test_none_is_left_when_the_runner_is_killed(tmp_path: Path) -> None:
    event = Event(tmp_path, EVENT.replace("boards = 2", "boards = 500"))
    process = await event.start()

    def played() -> bool:
        logs = list((tmp_path / "results").glob("*/tables.jsonl"))
        return bool(logs) and logs[0].stat().st_size > 0

    assert await eventually(played, 180)
    below = children(process.pid)
    assert len(children(process.pid, "bwrap")) >= 2
    process.kill()
    await process.communicate()
    assert await eventually(lambda: not any(map(alive, below)), 90)


@pytest.mark.skipif(
    shutil.which("node") is None or not (ROOT / "bots" / "node" / "dist" / "main.js").is_file(),
    reason="needs node and a built bots/node: npm ci and npm run build",
)
async def test_a_bot_in_another_language_plays_in_a_sandbox(tmp_path: Path) -> None:
    text = EVENT.replace("boards = 2", "boards = 1") + (
        f'[[bots]]\nname = "node"\ncommand = ["node", "dist/main.js"]\ncwd = "{ROOT}/bots/node"\n'
        f'reads = ["{ROOT}/proto"]\n'
    )
    event = Event(tmp_path, text)
    await event.finish(await event.start())
    lines = (event.results / "tables.jsonl").read_text().splitlines()
    assert [json.loads(line)["faults"] for line in lines] == [[]] * 6


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
async def test_nobody_can_make_a_sandbox_too() -> None:
    from contree.tournament.sandbox import _probe  # noqa: PLC0415

    process = await asyncio.create_subprocess_exec(
        *_probe("bwrap"), user=65534, group=65534, extra_groups=[], stderr=PIPE
    )
    _, said = await asyncio.wait_for(process.communicate(), WAIT_S)
    assert process.returncode == 0, said.decode()
