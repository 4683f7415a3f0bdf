"""An ended match as it is kept: its journal compressed, with what is asked for most beside it.

The journal itself is kept, not only the record, because it alone loses nothing: the time charged
for each decision, faults in their place, instance ids, which actions were the house's. Compressed
it is smaller than the summary beside it. The record and the summary (the match resource) could be
made of it, and are kept so that reading them costs no replay.

All are values of one hash, so that a reader gets those it wants in one round trip, and a match has
one expiry.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from typing import Final

CHUNK: Final = 1024
"""Entries in one value: a reader of a long race takes it piece by piece."""

SUMMARY: Final = b"summary"
RECORD: Final = b"record"
VERSION: Final = b"version"


def fields(entries: Sequence[bytes], summary: bytes, record: bytes) -> Iterator[bytes]:
    """Names and values of the hash, in turn."""
    yield from (SUMMARY, zlib.compress(summary), RECORD, zlib.compress(record))
    yield from (VERSION, b"%d" % len(entries))
    for number, start in enumerate(range(0, len(entries), CHUNK)):
        yield b"j%d" % number
        yield _packed(entries[start : start + CHUNK])


def chunk_of(version: int) -> bytes:
    """The name of the value that holds the entry after so many."""
    return b"j%d" % (version // CHUNK)


def unpacked(value: bytes) -> list[bytes]:
    """The entries of one value."""
    data = zlib.decompress(value)
    entries = []
    at = 0
    while at < len(data):
        start = at + 4
        at = start + int.from_bytes(data[at:start], "big")
        entries.append(data[start:at])
    return entries


def text(value: bytes) -> bytes:
    """A summary or a record."""
    return zlib.decompress(value)


def _packed(entries: Sequence[bytes]) -> bytes:
    return zlib.compress(b"".join(len(one).to_bytes(4, "big") + one for one in entries))
