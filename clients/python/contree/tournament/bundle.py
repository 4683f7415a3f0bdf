"""The files of an event as one value, read from and written to a folder, a zip or a tar archive.

An archive holds one folder with the name of the event. The same files give the same archive, byte
for byte. Archives and folders come from strangers: links, paths that lead out of the archive and
more than ``MOST_BYTES`` are refused, and nothing is unpacked to the disk.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import shutil
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import IO, Final

from contree.tournament.documents import BOARDS, CONDUCT, STANDINGS, STANDINGS_CSV
from contree.tournament.errors import ResultsError
from contree.tournament.export import HEADER, REPORT
from contree.tournament.manifest import MANIFEST
from contree.tournament.results import LOG_NAME, UNFINISHED

MOST_BYTES: Final = 1 << 30
"""The size of an event that is read, unpacked."""
_GZIP: Final = b"\x1f\x8b"
TARS: Final = (".tar", ".tar.gz", ".tgz")
RECORDS: Final = "records"
PUBLISHED: Final = frozenset(
    {HEADER, LOG_NAME, BOARDS, STANDINGS, STANDINGS_CSV, CONDUCT, REPORT, RECORDS}
)
"""What of a runner's own folder is the event: all else there the runner, or its host, keeps for
itself."""

Files = Mapping[str, bytes]
"""What is in an event, by path; its folders are divided by slashes."""


def read_files(path: Path) -> dict[str, bytes]:
    """The files of an event. Raises ResultsError when there are none, or they cannot be read."""
    try:
        if path.is_dir():
            return _whole(path, _in_folder(path))
        if not path.exists():
            raise ResultsError(f"There is no event {path}: check the path.")
        if zipfile.is_zipfile(path):
            return _without_folder(path, _whole(path, _in_zip(path)))
        return _without_folder(path, _whole(path, _in_tar(path)))
    except (OSError, tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise ResultsError(f"{path} cannot be read as an event ({error}).") from None
    except (NotImplementedError, RuntimeError) as error:  # an encrypted zip, a method unknown
        raise ResultsError(f"{path} cannot be unpacked ({error}).") from None


def write_files(files: Files, target: Path, name: str) -> None:
    """Write them to ``target``, whole or not at all: an archive when it is named like one, else a
    folder. ``name`` is that of the folder in an archive. Raises ResultsError, and will not write
    over anything.
    """
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise ResultsError(f"{target} is there already: name another, or delete it.")
    temporary = target.with_name(f".{target.name}{UNFINISHED}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _clear(temporary)  # of an export that was killed
        if target.name.endswith(".zip"):
            temporary.write_bytes(_zip(files, name))
        elif target.name.endswith(TARS):
            plain = _tar(files, name)
            packed = plain if target.suffix == ".tar" else gzip.compress(plain, mtime=0)
            temporary.write_bytes(packed)
        else:
            _write_folder(files, temporary)
        temporary.replace(target)
    except OSError as error:
        raise ResultsError(f"{target} cannot be written ({error.strerror}).") from None
    finally:
        if temporary.is_dir():
            shutil.rmtree(temporary, ignore_errors=True)
        else:
            temporary.unlink(missing_ok=True)


def _in_folder(path: Path) -> Iterator[tuple[str, bytes]]:
    sealed = (path / MANIFEST).exists()
    if not sealed and not (path / HEADER).exists():
        raise ResultsError(f"There is no event in {path}: it has no {HEADER}.")
    for found in sorted(path.rglob("*")):
        inside = found.relative_to(path)
        if not sealed and (inside.parts[0] not in PUBLISHED or inside.suffix == UNFINISHED):
            continue
        if found.is_symlink():
            raise ResultsError(f"{found} is a link: an event holds its files themselves.")
        if found.is_file():
            yield inside.as_posix(), found.read_bytes()


def _in_zip(path: Path) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(path) as archive:
        _limit(path, sum(info.file_size for info in archive.infolist()))
        for info in archive.infolist():
            kind = stat.S_IFMT(info.external_attr >> 16)
            if kind not in {0, stat.S_IFREG, stat.S_IFDIR}:
                raise ResultsError(f"{path}: {info.filename} is no file but a link or a device.")
            if not info.is_dir():
                yield info.filename, archive.read(info)


class _Bounded(io.RawIOBase):
    """A tar archive of bounded size: its headers, too, can say that they are of any length."""

    def __init__(self, path: Path, packed: IO[bytes] | gzip.GzipFile) -> None:
        self._path = path
        self._packed = packed
        self._read = 0

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes. Raises ResultsError."""
        data = self._packed.read(size)
        self._read += len(data)
        _limit(self._path, self._read)
        return data


def _in_tar(path: Path) -> Iterator[tuple[str, bytes]]:
    with contextlib.ExitStack() as stack:
        file = stack.enter_context(path.open("rb"))
        packed = file.peek(len(_GZIP)).startswith(_GZIP)
        plain = stack.enter_context(gzip.open(file)) if packed else file
        bounded = _Bounded(path, plain)
        archive = stack.enter_context(tarfile.open(fileobj=bounded, mode="r|"))
        for member in archive:
            if member.isdir():
                continue
            content = archive.extractfile(member) if member.isreg() else None
            if content is None:
                raise ResultsError(f"{path}: {member.name} is no file but a link or a device.")
            _limit(path, member.size)
            yield member.name, content.read()


def _whole(path: Path, files: Iterator[tuple[str, bytes]]) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    size = 0
    for name, data in files:
        parts = PurePosixPath(name).parts
        if not name.isprintable() or not parts:
            raise ResultsError(f"{path}: {name!r} is no name of a file of an event.")
        if name.startswith("/") or ".." in parts or "\\" in name:
            raise ResultsError(f"{path}: {name!r} leads out of the event.")
        if name in found:
            raise ResultsError(f"{path}: {name} is there twice.")
        size += len(data)
        _limit(path, size)
        found[name] = data
    return found


def _limit(path: Path, size: int) -> None:
    if size > MOST_BYTES:
        raise ResultsError(f"{path} holds more than {MOST_BYTES >> 20} MiB: that is no event.")


def _without_folder(path: Path, files: dict[str, bytes]) -> dict[str, bytes]:
    """The files of the one folder that an archive holds."""
    tops = {name.partition("/")[0] for name in files}
    if len(tops) != 1 or any("/" not in name for name in files):
        raise ResultsError(f"{path} is no exported event: that is one folder in an archive.")
    return {name.partition("/")[2]: data for name, data in files.items()}


def _clear(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _write_folder(files: Files, folder: Path) -> None:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _zip(files: Files, name: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in sorted(files.items()):
            info = zipfile.ZipInfo(f"{name}/{path}", (1980, 1, 1, 0, 0, 0))
            info.external_attr = 0o644 << 16
            archive.writestr(info, data, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _tar(files: Files, name: str) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, data in sorted(files.items()):
            info = tarfile.TarInfo(f"{name}/{path}")
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return packed.getvalue()
