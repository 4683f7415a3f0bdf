"""The short name of a seat in a message, put in place of another without reading the rest.

In every message about a seat ``seat_ref`` is the first field, so it comes first in its bytes.
"""

from __future__ import annotations

from typing import Final

_REF: Final = 0x08
"""Tag of field 1, a number."""


def renamed(message: bytes, ref: int) -> bytes:
    """A serialized ``ServerMessage`` about a seat, with another ``seat_ref`` in it."""
    inner = _after_number(message, 1)
    rest = (
        message[_after_number(message, inner + 1) :] if message[inner] == _REF else message[inner:]
    )
    body = b"\x08" + _number(ref) + rest
    return message[:1] + _number(len(body)) + body


def _after_number(data: bytes, start: int) -> int:
    """Where the number ends that begins there."""
    while data[start] & 0x80:
        start += 1
    return start + 1


def _number(number: int) -> bytes:
    if number < 0x80:
        return bytes((number,))
    parts = []
    while number > 0x7F:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes((*parts, number))
