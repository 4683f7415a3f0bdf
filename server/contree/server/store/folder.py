"""The folders of an embedded store: its data, its locks and its socket.

A data folder holds `appendonlydir/` (the data), `store.json` (where the store listens),
`store.pid`, `store.log` and two locks. `store.lock` is held by the server process and by the
process that started it: whoever gets it may open the data. `owner.lock` is held by the process that
answers for the store: free while `store.lock` is not, the store is an orphan.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import stat
import tempfile
import time
from pathlib import Path
from typing import Final, Literal, NamedTuple

from contree.server.store.errors import EmbeddedStoreError

Fsync = Literal["always", "everysec"]

TEMPORARY_PREFIX: Final = "contree-store-"
_LONGEST_SOCKET_PATH: Final = 103  # bytes; 107 on Linux, 103 on macOS
_LEFTOVER_AGE_S: Final = 60.0
_LONG_LOG_BYTES: Final = 1_000_000


class Address(NamedTuple):
    """What a running store's folder tells a later server.

    `tied` says that the store ends with its owner, `fsync` how safely it writes.
    """

    socket: str
    tied: bool
    fsync: Fsync


class StoreFolder:
    """The data folder of one store."""

    def __init__(self, path: Path, *, temporary: bool = False) -> None:
        self.path = path
        self.temporary = temporary
        self.log = path / "store.log"
        self.pid_file = path / "store.pid"
        self._address = path / "store.json"

    @classmethod
    def open(cls, path: Path | None) -> StoreFolder:
        """Make the folder if need be; None is a new temporary one. Raises `EmbeddedStoreError`."""
        try:
            if path is None:
                _remove_leftovers()
                return cls(Path(tempfile.mkdtemp(prefix=TEMPORARY_PREFIX)), temporary=True)
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder = cls(path.resolve())
            os.close(os.open(folder.path / "owner.lock", os.O_RDWR | os.O_CREAT, 0o600))
            return folder
        except OSError as error:
            where = str(path or tempfile.gettempdir())
            raise EmbeddedStoreError(
                f"the folder {where} cannot be written ({error.strerror})",
                "choose another data folder, or change its rights",
                where,
            ) from error

    def lock_ownership(self) -> int | None:
        """Become the one who answers for the store: a descriptor to close at the end, or None."""
        return _try_lock(self.path / "owner.lock")

    def lock_data(self) -> int | None:
        """Get the right to open the data: a descriptor to hand to the server, or None."""
        return _try_lock(self.path / "store.lock")

    def address(self) -> Address | None:
        """Where the folder's store listens, if one was started and not stopped."""
        try:
            return Address(**json.loads(self._address.read_text()))
        except (OSError, ValueError, TypeError):
            return None

    def tell_address(self, address: Address) -> None:
        """Write the address for later servers, whole or not at all."""
        draft = self._address.with_suffix(".new")
        draft.write_text(json.dumps(address._asdict()))
        draft.replace(self._address)

    def forget_address(self) -> None:
        """Take back what `tell_address` told."""
        self._address.unlink(missing_ok=True)

    def make_socket_folder(self) -> Path:
        """A short folder for the socket, private to this user, always the same for this data.

        Always the same, so that clients of a store find the one that takes its place.
        """
        for base in _socket_bases():
            folder = base / self._socket_folder_name()
            if len(os.fsencode(folder / "s")) > _LONGEST_SOCKET_PATH:
                continue
            try:
                folder.mkdir(mode=0o700, exist_ok=True)
                found = folder.lstat()
                # Someone else could have made it first, to listen in our place.
                if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid():
                    folder.chmod(0o700)
                    return folder
            except OSError:
                continue
        raise EmbeddedStoreError(
            "no private folder with a short path can be made for its socket",
            "set XDG_RUNTIME_DIR or TMPDIR to a short folder of yours",
            str(self.path),
        )

    def clear(self) -> None:
        """Forget a stopped store: its address, its socket, and its data if temporary."""
        self.forget_address()
        for base in _socket_bases():
            folder = base / self._socket_folder_name()
            if folder.is_dir() and not folder.is_symlink() and folder.lstat().st_uid == os.getuid():
                shutil.rmtree(folder, ignore_errors=True)
        if self.temporary:
            shutil.rmtree(self.path, ignore_errors=True)

    def trim_log(self) -> None:
        """Start the server's log anew when it has become long."""
        with contextlib.suppress(FileNotFoundError):
            if self.log.stat().st_size > _LONG_LOG_BYTES:
                self.log.unlink()

    def last_words(self) -> str:
        """The end of the server's log, on one line, for an error message."""
        try:
            lines = self.log.read_text(errors="replace").splitlines()
        except OSError:
            return ""
        return " | ".join(line.strip() for line in lines[-3:])

    def _socket_folder_name(self) -> str:
        digest = hashlib.blake2b(os.fsencode(self.path), digest_size=8).hexdigest()
        return f"contree-{os.getuid()}-{digest}"


def _socket_bases() -> list[Path]:
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    bases = [Path(runtime)] if runtime else []
    return [*bases, Path(tempfile.gettempdir()), Path("/tmp")]


def _try_lock(path: Path) -> int | None:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _remove_leftovers() -> None:
    """Remove temporary folders whose owners were killed and could not do it."""
    for path in Path(tempfile.gettempdir()).glob(f"{TEMPORARY_PREFIX}*"):
        try:
            found = path.lstat()
            # A new one may not be locked yet.
            fresh = time.time() - found.st_mtime < _LEFTOVER_AGE_S
            if fresh or found.st_uid != os.getuid() or not stat.S_ISDIR(found.st_mode):
                continue
            folder = StoreFolder(path, temporary=True)
            ownership = folder.lock_ownership()
            if ownership is None:
                continue
            try:
                data = folder.lock_data()
                if data is not None:
                    folder.clear()
                    os.close(data)
            finally:
                os.close(ownership)
        except OSError:
            continue
