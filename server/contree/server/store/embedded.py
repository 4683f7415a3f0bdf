"""The embedded store: a real Valkey or Redis server of our own, one per data folder.

The first server on a data folder starts the store and owns it: restarts it when it ends unasked,
and ends it with itself. Where the kernel offers it (Linux) the store ends even when its owner is
killed; elsewhere such an orphan goes on and the next server on the folder adopts it.

A later server on the same folder joins. When the owner ends, the store ends, and those who joined
get `StoreUnavailable` until some server starts on the folder again; the URL stays the same, so
their connections then find the new store. No write that was acknowledged is lost in between.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final
from urllib.parse import quote

import structlog

from contree.server.store.binary import find_binary
from contree.server.store.errors import EmbeddedStoreError
from contree.server.store.folder import Address, Fsync, StoreFolder
from contree.server.store.process import DIES_WITH_PARENT, Keeper

_log = structlog.get_logger(__name__)

_START_S: Final = 15.0  # without a sign of life; reading a long journal from disk is one
_POLL_S: Final = 0.01
_READY: Final = b"+PONG"
_LOADING: Final = b"-LOADING"


class EmbeddedStore:
    """A running store. `url` is its address, `owner` whether this process answers for it.

    `fsync` is how it writes: "always" before each reply, "everysec" once a second.
    """

    def __init__(
        self,
        folder: StoreFolder,
        address: Address,
        *,
        ownership: int | None = None,
        data_lock: int | None = None,
        keeper: Keeper | None = None,
        in_passing: bool = False,
    ) -> None:
        self.url = f"unix://{quote(address.socket)}"
        self.owner = ownership is not None
        self.fsync: Fsync = address.fsync
        self.data_dir = folder.path
        self._folder = folder
        self._socket = address.socket
        self._locks = [lock for lock in (data_lock, ownership) if lock is not None]
        self._keeper = keeper
        self._in_passing = in_passing

    @property
    def pid(self) -> int | None:
        """The process id of the store, if this process started it."""
        return self._keeper.pid if self._keeper else None

    @property
    def restarts(self) -> int:
        """How often the store ended unasked and was started again by this process."""
        return self._keeper.exits if self._keeper else 0

    async def stop(self) -> None:
        """End the store if this process owns it; a store joined goes on. Idempotent."""
        if not self.owner:
            return
        self.owner = False
        if self._keeper is None and self._in_passing:
            # An orphan that others may have joined: it is left as it was found.
            for lock in self._locks:
                os.close(lock)
            return
        if self._keeper is None:
            await _shut_down(self._socket)
            deadline = asyncio.get_running_loop().time() + _START_S
            while (data := self._folder.lock_data()) is None:
                await _pause(deadline, self._folder, "the adopted store does not end")
            self._locks.insert(0, data)
        # In a thread, and not given up half-way when the caller is cancelled.
        await asyncio.shield(asyncio.to_thread(self._end))

    def _end(self) -> None:
        if self._keeper:
            self._keeper.stop()
        self._folder.clear()
        for lock in self._locks:
            os.close(lock)


@asynccontextmanager
async def embedded_store(
    data_dir: Path | None = None, fsync: Fsync = "always", *, in_passing: bool = False
) -> AsyncIterator[EmbeddedStore]:
    """Start or join the store of a data folder, for the time of an `async with`.

    None is a temporary folder, removed at the end. `in_passing` is for whoever has only a word with
    the store: a server that starts meanwhile must not join one that will end in a moment, and so
    waits for it. Raises `EmbeddedStoreError`.
    """
    store = await start_embedded(data_dir, fsync, in_passing=in_passing)
    try:
        yield store
    finally:
        await store.stop()


async def start_embedded(
    data_dir: Path | None = None,
    fsync: Fsync = "always",
    *,
    tied: bool = DIES_WITH_PARENT,
    in_passing: bool = False,
) -> EmbeddedStore:
    """Start or join the store of a data folder; the caller ends it with `stop`.

    `tied` False leaves the store running when this process is killed, as on systems without a
    parent-death signal. Raises `EmbeddedStoreError`.
    """
    folder = StoreFolder.open(data_dir)
    deadline = asyncio.get_running_loop().time() + _START_S
    while True:
        ownership = folder.lock_ownership()
        if ownership is not None:
            try:
                return await _own(folder, ownership, fsync, tied, in_passing)
            except BaseException:
                os.close(ownership)
                raise
        address = folder.address()
        sign = await _sign_of_life(address.socket) if address else b""
        if address and sign == _READY:
            if address.fsync != fsync and not in_passing:
                _log.warning("embedded_store_joined", fsync=address.fsync, wanted=fsync)
            return EmbeddedStore(folder, address)
        if sign.startswith(_LOADING):
            deadline = asyncio.get_running_loop().time() + _START_S
        await _pause(deadline, folder, "another server holds it, but its store does not answer")


async def _own(
    folder: StoreFolder, ownership: int, fsync: Fsync, tied: bool, in_passing: bool
) -> EmbeddedStore:
    """Start the store as its owner, or adopt one that outlived its owner."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + _START_S
    former = folder.address()
    if former and former.tied:
        # It died with its owner, or will in a moment, and must not be joined meanwhile.
        folder.forget_address()
    while (data_lock := folder.lock_data()) is None:
        if former and not former.tied and await _sign_of_life(former.socket) == _READY:
            return EmbeddedStore(folder, former, ownership=ownership, in_passing=in_passing)
        await _pause(deadline, folder, "a store left over from before does not end")
    keeper = None
    try:
        socket = str(folder.make_socket_folder() / "s")
        address = Address(socket=socket, tied=tied, fsync=fsync)
        folder.trim_log()
        command = _command(folder, socket, fsync)
        keeper = Keeper(command, log=folder.log, lock_fd=data_lock, tied=tied)
        keeper.start()
        if not in_passing:
            folder.tell_address(address)
        deadline = loop.time() + _START_S
        while (sign := await _sign_of_life(socket)) != _READY:
            if keeper.exits:
                raise EmbeddedStoreError(
                    f"the server ended at once ({keeper.failure or folder.last_words()})",
                    f"look at {folder.log}",
                    str(folder.path),
                )
            if sign.startswith(_LOADING):
                deadline = loop.time() + _START_S
            await _pause(deadline, folder, "the server does not answer")
    except BaseException:
        if keeper:
            await asyncio.shield(asyncio.to_thread(keeper.stop))
        folder.clear()
        os.close(data_lock)
        raise
    return EmbeddedStore(folder, address, ownership=ownership, data_lock=data_lock, keeper=keeper)


def _command(folder: StoreFolder, socket: str, fsync: Fsync) -> list[str]:
    """The whole configuration: given on the command line, no file of the system is read."""
    options = {
        "port": "0",
        "unixsocket": socket,
        "unixsocketperm": "700",
        "dir": str(folder.path),
        "pidfile": str(folder.pid_file),
        "daemonize": "no",
        "databases": "1",
        "appendonly": "yes",
        "appendfsync": fsync,
        "save": "",
        "maxmemory-policy": "noeviction",
        "shutdown-on-sigterm": "nosave now force",
        "loglevel": "notice",
        "logfile": "",
    }
    return [str(find_binary()), *(part for k, v in options.items() for part in (f"--{k}", v))]


async def _sign_of_life(socket: str) -> bytes:
    """The first line a server at the socket says to a PING; empty when it says nothing."""
    return await _say(socket, b"PING\r\n")


async def _shut_down(socket: str) -> None:
    await _say(socket, b"SHUTDOWN NOSAVE NOW FORCE\r\n")


async def _say(socket: str, line: bytes) -> bytes:
    writer = None
    try:
        async with asyncio.timeout(1.0):
            reader, writer = await asyncio.open_unix_connection(socket)
            writer.write(line)
            return (await reader.readline()).rstrip()
    except (OSError, TimeoutError, ValueError):
        return b""
    finally:
        if writer:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()


async def _pause(deadline: float, folder: StoreFolder, problem: str) -> None:
    """Wait a little for another process, which has no way to tell us; not beyond the deadline."""
    if asyncio.get_running_loop().time() > deadline:
        raise EmbeddedStoreError(
            f"{problem} ({folder.path})",
            f"stop the process named in {folder.pid_file}, or choose another data folder",
            str(folder.path),
        )
    await asyncio.sleep(_POLL_S)
