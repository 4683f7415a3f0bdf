"""The sandbox of bots that are started here: bubblewrap (``bwrap``), and a way out to the service.

What is in it: the system's programs and libraries, the interpreter that runs the event, the bot's
own folder and what else it was granted, all of it read-only; a ``/tmp`` and a ``/dev/shm`` of its
own, small and gone with it; one port that leads to the service. Not in it: any network, processes
or shared memory of others, the folder of results with its seeds, the event's file, the folders of
other bots, the environment and the home of who runs the event, the files its variables name.

A started bot becomes this chain; each link ends with the one before it, however that ends:

    launch.py   the guard: ends with the runner
    relay.py    takes connections at a socket in a private folder, passes them on to the service
    bwrap       --die-with-parent
    relay.py    takes connections at a port of the sandbox, passes them on to the socket
    launch.py   sets the limits
    the bot
"""

from __future__ import annotations

import asyncio
import importlib.util
import ipaddress
import itertools
import os
import shutil
import sys
import tempfile
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from contree.tournament.bots import BotConfig
from contree.tournament.errors import ProcessError
from contree.tournament.private import private_paths
from contree.tournament.processes import launched
from contree.tournament.seccomp import seccomp_filter

PORT: Final = 50051
"""Where bots find the service; whatever is at this port outside has nothing to do with it."""
SCRATCH: Final = 64 << 20
"""Bytes that /tmp holds, and /dev/shm likewise."""
LINKS: Final = 4
"""Of the chain, those between the guard and the bot: bwrap is two processes."""
_PROGRAM: Final = "bwrap"
_RUN: Final = "/run/contree"
_SOCKET: Final = f"{_RUN}/service"
_RELAY: Final = Path(__file__).with_name("relay.py")
_NOBODY: Final = "65534"
_TLS: Final = "tls://"
_PROBE_S: Final = 20.0
_MOST_STEPS: Final = 1000
"""Of a path, links followed; what exists takes fewer."""
_LONGEST_PARENT: Final = 60
"""The path of a socket has 107 bytes at most."""
_SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store")
_SETTINGS: Final = (
    # What programs need to start, and nothing that is told of the machine's owner.
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/crypto-policies",
    "/etc/gai.conf",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/pki/tls/certs",
    "/etc/pki/ca-trust/extracted",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/timezone",
)
_SETTINGS_OF: Final = ("java-*-openjdk", "java*", "dotnet", "mono")
_AUTHORITY: Final = "CONTREE_CA"
_JOURNAL: Final = "CONTREE_DATA_DIR"
_CREDENTIALS: Final = frozenset({"CONTREE_TOKEN_FILE", "CONTREE_CERT", "CONTREE_CERT_KEY"})
_VARIABLES: Final = ("PATH", "LANG", "LANGUAGE", "TZ", "PYTHONUNBUFFERED", _AUTHORITY)
_ALONE: Final = (
    "--die-with-parent",
    "--unshare-all",
    "--unshare-user",
    "--disable-userns",
    "--uid",
    _NOBODY,
    "--gid",
    _NOBODY,
    "--cap-drop",
    "ALL",
    "--hostname",
    "sandbox",
)


class Sandbox:
    """How bots are started in a sandbox of their own each. Made by ``opened``."""

    def __init__(self, run: Path, server: str, hidden: Iterable[Path]) -> None:
        self._run = run
        self._server = server
        self._hidden = frozenset(path.resolve() for path in (*hidden, *_named_to_the_runner()))
        self._private: dict[Path, frozenset[Path]] = {}
        self._numbers = itertools.count(1)
        self._host = ""
        if server.startswith(_TLS):
            # Its certificate is for its name, so that must lead to the port of the sandbox.
            self._host = server.removeprefix(_TLS).split(",")[0].rpartition(":")[0].strip("[]")
            if _is_number(self._host):
                raise ProcessError(
                    f"From a sandbox TLS leads to a service by its name only, not to {server}: "
                    "give the name that is in its certificate."
                )
        (run / "hosts").write_text(f"127.0.0.1 localhost {self._host}\n", encoding="ascii")
        (run / "empty").touch()
        self._bwrap = _filtered(run)
        (run / "passwd").write_text(f"bot:x:{_NOBODY}:{_NOBODY}::/tmp:/bin/sh\n", encoding="ascii")

    @classmethod
    @contextmanager
    def opened(cls, server: str, hidden: Iterable[Path]) -> Iterator[Sandbox]:
        """For bots of the service at ``server``; paths that are ``hidden`` are in no sandbox, not
        even below a folder that is, but for that of the bot whose they are. So are the files that
        variables CONTREE_... of the runner name, such as its token.

        Raises ProcessError for a server that cannot be reached from a sandbox.
        """
        parent = tempfile.gettempdir()
        if len(parent) > _LONGEST_PARENT:
            parent = "/tmp"
        with tempfile.TemporaryDirectory(prefix="contree-", dir=parent) as run:
            yield cls(Path(run), server, hidden)

    @property
    def server(self) -> str:
        """Where the service is for who is inside."""
        return f"{_TLS}{self._host}:{PORT}" if self._host else f"127.0.0.1:{PORT}"

    def environment(self, bot: BotConfig, outside: dict[str, str]) -> dict[str, str]:
        """The variables of a bot: what it was given, and of the runner's what a program needs."""
        own = dict(bot.env)
        kept = {
            name: text
            for name, text in outside.items()
            if name in own or name in _VARIABLES or name.startswith(("LC_", "CONTREE_"))
        }
        return {"HOME": "/tmp", "TMPDIR": "/tmp"} | kept | {"CONTREE_SERVER": self.server}

    def around(
        self,
        bot: BotConfig,
        command: Sequence[str],
        limits: Sequence[str],
        environment: dict[str, str],
    ) -> list[str]:
        """The command in a sandbox; its program has been found."""
        socket = self._run / f"{next(self._numbers)}"
        inside = [
            *self._relay(f"127.0.0.1:{PORT}", f"unix:{_SOCKET}", f"{_RUN}/relay.py"),
            *launched(command, 0, limits=limits),
        ]
        targets = ",".join(one.removeprefix(_TLS) for one in self._server.split(","))
        return [
            *self._relay(f"unix:{socket}", targets, str(_RELAY)),
            *self._bwrap,
            *_ALONE,
            *_system(),
            *self._files(bot, command, environment),
            *("--ro-bind", str(socket), _SOCKET),
            *("--ro-bind", str(_RELAY), f"{_RUN}/relay.py"),
            *("--ro-bind", str(self._run / "hosts"), "/etc/hosts"),
            *("--ro-bind", str(self._run / "passwd"), "/etc/passwd"),
            *("--remount-ro", "/dev"),
            *("--remount-ro", "/"),
            *("--chdir", str(bot.cwd.resolve()) if bot.own_folder else "/tmp"),
            "--",
            *inside,
        ]

    def _beside(self, folder: Path) -> frozenset[Path]:
        """What is private in a folder that is not one bot's alone, looked for once."""
        if not any(path != folder and path.is_relative_to(folder) for path in self._hidden):
            return frozenset()
        if folder not in self._private:
            inner = [path for path in _interpreter() if path.resolve().is_relative_to(folder)]
            self._private[folder] = frozenset(
                path for path in private_paths(folder) if not any(map(path.is_relative_to, inner))
            )
        return self._private[folder]

    def _relay(self, place: str, targets: str, program: str) -> list[str]:
        return [sys.executable, "-I", "-S", program, place, targets, "--"]

    def _files(
        self, bot: BotConfig, command: Sequence[str], environment: dict[str, str]
    ) -> list[str]:
        """What is shown, and what of it is covered: outer folders first, inner ones upon them."""
        named = {*_interpreter(), *bot.reads, Path(command[0])}
        if bot.own_folder:
            named.add(bot.cwd)
        if authority := environment.get(_AUTHORITY):
            named.add(Path(authority))
        shown = {path.resolve() for path in named}
        shown |= {path.resolve() for path in _own_keys(bot, environment)}
        system = {Path(name) for name in (*_SYSTEM, *_settings())}
        beside = {path for one in _granted(bot) for path in self._beside(one)}
        hidden = {
            path
            for path in (self._hidden | beside) - shown
            if path.exists() and any(map(path.is_relative_to, shown | system))
        }
        links = {link: to for path in named for link, to in _links(path)}
        binds: list[str] = []
        seals: list[str] = []
        for path in sorted({*shown, *hidden, *links}, key=lambda path: (len(path.parts), path)):
            if path in hidden:
                if _nearest(path, shown | system | hidden) in hidden:
                    continue
                if path.is_dir():
                    binds += ["--tmpfs", str(path)]
                    seals += ["--remount-ro", str(path)]
                else:
                    binds += ["--ro-bind", str(self._run / "empty"), str(path)]
            elif path in system or _seen(path, (shown | system) - {path}, hidden):
                continue
            elif path in links:
                binds += ["--symlink", links[path], str(path)]
            else:
                binds += ["--ro-bind", str(path), str(path)]
        return binds + seals


def _granted(bot: BotConfig) -> Iterator[Path]:
    """Folders that the event's file says the bot may read."""
    for path in (*([bot.cwd] if bot.own_folder else []), *bot.reads):
        if path.is_dir():
            yield path.resolve()


def _own_keys(bot: BotConfig, environment: dict[str, str]) -> Iterator[Path]:
    """Files with which the bot says who it is: its own, wherever they lie in what it is shown."""
    for name in _CREDENTIALS & environment.keys():
        path = bot.cwd / environment[name]
        if any(map(path.resolve().is_relative_to, _granted(bot))) and path.is_file():
            yield path


def _named_to_the_runner() -> Iterator[Path]:
    """What its own variables name: files with tokens and keys, the journal."""
    for name, text in os.environ.items():
        if name.startswith("CONTREE_") and name != _AUTHORITY and text:
            path = Path(text)
            with suppress(OSError):
                if path.is_file() or (name == _JOURNAL and path.is_dir()):
                    yield path


def _links(path: Path) -> Iterator[tuple[Path, str]]:
    """The links that a path leads over, where they really are, and what they say. Inside, the same
    links lead to what is shown: were it shown twice, what is covered in one place would be seen in
    the other.
    """
    steps = list(reversed(path.absolute().parts))
    real = Path("/")
    for _ in range(_MOST_STEPS):
        if not steps:
            return
        step = steps.pop()
        if step in ("/", ".."):
            real = Path("/") if step == "/" else real.parent
        elif (real / step).is_symlink():
            to = (real / step).readlink()
            yield real / step, str(to)
            steps += reversed(to.parts)
        else:
            real /= step


def _seen(path: Path, shown: set[Path], hidden: set[Path]) -> bool:
    """Whether it is there already: below something that is shown, and not covered there."""
    nearest = _nearest(path, shown | hidden)
    return nearest is not None and nearest not in hidden


def _nearest(path: Path, others: set[Path]) -> Path | None:
    """The innermost of some folders that a path lies in."""
    above = [one for one in others if path != one and path.is_relative_to(one)]
    return max(above, key=lambda one: len(one.parts), default=None)


def _is_number(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _settings() -> list[str]:
    return [*_SETTINGS, *(str(p) for kind in _SETTINGS_OF for p in Path("/etc").glob(kind))]


def _system() -> list[str]:
    arguments = []
    for name in _SYSTEM:
        path = Path(name)
        if path.is_symlink():
            arguments += ["--symlink", str(path.readlink()), name]
        elif path.exists():
            arguments += ["--ro-bind", name, name]
    for name in _settings():
        arguments += ["--ro-bind-try", name, name]
    scratch = ("--size", str(SCRATCH), "--tmpfs")
    # Started by root, nobody inside is root to the kernel, which asks for the user and not for
    # capabilities where /proc/sys is written: core_pattern is a program that root runs outside.
    proc = ("--proc", "/proc", "--remount-ro", "/proc")
    return [*arguments, *proc, "--dev", "/dev", *scratch, "/dev/shm", *scratch, "/tmp"]


def _interpreter() -> set[Path]:
    """Where Python and contree are: also bots in other languages are started by them."""
    prefixes = {Path(sys.prefix), Path(sys.base_prefix), Path(sys.exec_prefix)}
    spec = importlib.util.find_spec("contree")  # a namespace package: it has several parts
    assert spec is not None
    roots = {Path(part) for part in spec.submodule_search_locations or ()}
    return {path for path in prefixes | roots if path.exists()}


def _filtered(run: Path) -> list[str]:
    """The program, told to refuse what ``seccomp`` says. It takes that at a descriptor, which only
    a shell between it and the relay can open.
    """
    if (steps := seccomp_filter()) is None:
        return [_PROGRAM]
    (run / "filter").write_bytes(steps)
    script = 'exec "$@" 3<"$0"'
    return ["/bin/sh", "-c", script, str(run / "filter"), _PROGRAM, "--seccomp", "3"]


def _probe(program: str) -> list[str]:
    return [program, *_ALONE, *_system(), "--", "/usr/bin/true"]


async def check_sandbox() -> None:
    """See that sandboxes can be made here. Raises ProcessError that says what is missing."""
    found = shutil.which(_PROGRAM)
    if found is None:
        raise ProcessError(
            "The sandbox needs bubblewrap (bwrap), which is not installed: on Debian and Ubuntu "
            "apt install bubblewrap, on Fedora dnf install bubblewrap."
        )
    process = await asyncio.create_subprocess_exec(
        *_probe(found), stdin=DEVNULL, stdout=PIPE, stderr=PIPE
    )
    try:
        async with asyncio.timeout(_PROBE_S):
            _, said = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        said = f"it does not end within {_PROBE_S:g} s".encode()
    if process.returncode:
        raise ProcessError(
            "No sandbox can be made here: bubblewrap 0.8 or newer is needed, and a kernel that "
            "lets it make user namespaces (sysctl kernel.unprivileged_userns_clone=1; on Ubuntu "
            "kernel.apparmor_restrict_unprivileged_userns=0; in a container a seccomp profile "
            "that allows unshare and mount).",
            said.decode(errors="replace").strip(),
        )
