"""The manifest of an exported event: every file with its size and its SHA-256. Pure.

``manifest.jsonl`` has one line for each file and one before and after them. Besides the SHA-256 of
a file it has 24 bits of the SHA-256 of each of its lines, so that of a file that was changed the
line can be named; each line of the manifest carries a check of its own for the same reason. None of
that stops a forger, who can make a manifest as well. What does is the SHA-256 of the manifest,
published where it cannot be taken back.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final, NamedTuple

MANIFEST: Final = "manifest.jsonl"
SCHEMA: Final = 1
_LIBRARIES: Final = ("contree", "numpy", "openskill", "scipy")
"""What the figures of the standings were computed with."""
_LINE_DIGITS: Final = 6
_LINE: Final = re.compile(rb'(\{.*),"check":"([0-9a-f]{16})"\}')
_LAST: Final = re.compile(rb'\{"sha256":"([0-9a-f]{64})"\}')


class Finding(NamedTuple):
    """Something that is wrong with an exported event."""

    file: str
    line: int
    """From 1; 0 when it is about the file as a whole."""
    problem: str

    def __str__(self) -> str:
        place = f"{self.file}, line {self.line}" if self.line else self.file
        return f"{place}: {self.problem}"


def computed_with() -> dict[str, str]:
    """The versions of what computes standings, here."""
    found = {}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # pragma: no cover - contree in a tree that is not installed
            found[name] = "unknown"
    return found


def seal(event: str, files: Mapping[str, bytes]) -> bytes:
    """The manifest of these files."""
    about = {"manifest": SCHEMA, "event": event, "files": len(files), "versions": computed_with()}
    lines = [_checked(about)]
    for path, data in sorted(files.items()):
        entry = {
            "path": path,
            "bytes": len(data),
            "sha256": hashlib.sha256(data).hexdigest(),
            "lines": "".join(map(_of_line, data.split(b"\n"))),
        }
        lines.append(_checked(entry))
    text = b"".join(lines)
    return text + b'{"sha256":"%s"}\n' % hashlib.sha256(text).hexdigest().encode()


def about_seal(manifest: bytes) -> Mapping[str, Any]:
    """The first line of a manifest that is whole: its event and the versions it was made with."""
    about: Mapping[str, Any] = json.loads(manifest.split(b"\n", 1)[0])
    return about


def broken_seal(files: Mapping[str, bytes]) -> list[Finding]:
    """What is not as the manifest among these files says; nothing when all is.

    Of a file that was changed the first changed line is named.
    """
    manifest = files.get(MANIFEST)
    if manifest is None:
        return [Finding(MANIFEST, 0, "it is missing")]
    wrong = list(_damage(manifest))
    if wrong:
        return wrong
    lines = manifest.split(b"\n")[1:-2]
    entries = {entry["path"]: entry for entry in map(json.loads, lines)}
    wrong = [
        Finding(path, 0, "it is missing, though the manifest has it")
        for path in entries
        if path not in files
    ]
    for path, data in sorted(files.items()):
        if path == MANIFEST:
            continue
        if path not in entries:
            wrong.append(Finding(path, 0, "it is not in the manifest"))
        elif found := _change(path, data, entries[path]):
            wrong.append(found)
    return wrong


def _damage(manifest: bytes) -> Iterator[Finding]:
    """The first line of the manifest that was changed."""
    *lines, after = manifest.split(b"\n")
    *above, last = lines or [after]
    for number, line in enumerate(above, 1):
        found = _LINE.fullmatch(line)
        if found is None or _check(found[1] + b"}") != found[2].decode():
            yield Finding(MANIFEST, number, "this line was changed")
            return
    text = b"".join(line + b"\n" for line in above)
    found = _LAST.fullmatch(last)
    entries = len(above) - 1
    if found is None or found[1].decode() != hashlib.sha256(text).hexdigest() or after:
        yield Finding(MANIFEST, len(above) + 1, "it is not the SHA-256 of the lines above")
    elif entries < 0 or json.loads(above[0]).get("files") != entries:
        yield Finding(MANIFEST, 1, f"there are {max(entries, 0)} files in the manifest")


def _change(path: str, data: bytes, entry: Mapping[str, Any]) -> Finding | None:
    if hashlib.sha256(data).hexdigest() == entry["sha256"] and len(data) == entry["bytes"]:
        return None
    digests = entry["lines"]
    sealed = [digests[n : n + _LINE_DIGITS] for n in range(0, len(digests), _LINE_DIGITS)]
    found = list(map(_of_line, data.split(b"\n")))
    for number, (one, other) in enumerate(zip(sealed, found, strict=False), 1):
        if one != other:
            return Finding(path, number, "this line is not the one that the manifest is of")
    if len(found) < len(sealed):
        return Finding(path, len(found), "the manifest has more lines")
    return Finding(path, len(sealed) if len(found) > len(sealed) else 0, "it was changed")


def _of_line(line: bytes) -> str:
    return hashlib.sha256(line).hexdigest()[:_LINE_DIGITS]


def _check(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()[:16]


def _checked(entry: Mapping[str, Any]) -> bytes:
    body = json.dumps(entry, separators=(",", ":")).encode()
    return body[:-1] + b',"check":"%s"}\n' % _check(body).encode()
