"""Tokens: ``contree_<key id>_<secret><checksum>``.

The prefix lets people and secret scanners know one where they see it, and the checksum (CRC-32 of
all before it, 6 digits of base 62) tells a real one from a text that only looks alike, without
asking anybody. The secret has 43 digits of base 62, 256 bits, drawn by the operating system.

The store keeps a plain SHA-256 of the token and nothing else of it. A slow hash with salt protects
secrets that people choose, for which there are lists to try; for 256 random bits there is none, and
a slow hash would only let anybody keep the server busy.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import zlib
from typing import Final, NamedTuple

from contree.server.token_form import ID_LENGTH, PREFIX

_SECRET_LENGTH: Final = 43
_CHECKSUM_LENGTH: Final = 6
_DIGITS: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_ID_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
_TOKEN: Final = re.compile(
    rf"{PREFIX}([0-9a-z]{{{ID_LENGTH}}})_[0-9A-Za-z]{{{_SECRET_LENGTH + _CHECKSUM_LENGTH}}}",
    re.ASCII,
)
_ID: Final = re.compile(rf"[0-9a-z]{{{ID_LENGTH}}}", re.ASCII)


class Token(NamedTuple):
    """What a token says: of which key it is, and the digest to compare with the store's."""

    key_id: str
    digest: bytes


def new_key_id() -> str:
    """A key id; it is no secret."""
    return _random(_ID_DIGITS, ID_LENGTH)


def new_token(key_id: str) -> str:
    """A new token of a key. It is to be shown once and kept by nobody but its holder."""
    if not is_key_id(key_id):
        raise ValueError(f"{key_id!r} is no key id")
    text = f"{PREFIX}{key_id}_{_random(_DIGITS, _SECRET_LENGTH)}"
    return text + _checksum(text)


def parse_token(text: str) -> Token | None:
    """What a token says; None when the text is none. Nothing is looked up."""
    found = _TOKEN.fullmatch(text)
    if found is None or _checksum(text[:-_CHECKSUM_LENGTH]) != text[-_CHECKSUM_LENGTH:]:
        return None
    return Token(found[1], digest(text))


def digest(token: str) -> bytes:
    """What the store keeps of a token."""
    return hashlib.sha256(token.encode()).digest()


def is_key_id(text: str) -> bool:
    """Whether a text has the form of a key id."""
    return _ID.fullmatch(text) is not None


def _random(digits: str, length: int) -> str:
    return "".join(secrets.choice(digits) for _ in range(length))


def _checksum(text: str) -> str:
    value = zlib.crc32(text.encode())
    found = ""
    for _ in range(_CHECKSUM_LENGTH):
        value, digit = divmod(value, len(_DIGITS))
        found = _DIGITS[digit] + found
    return found
