"""Names that hosts choose, kept apart: two hosts may use the same one."""

from __future__ import annotations

from typing import Final

EVERY_OWNER: Final = "*"


def of_owner(owner: str, name: str) -> str:
    """A name that a host chose, so that no other host's is the same.

    The separator is in no name: they can be printed.
    """
    return f"{owner}\x1f{name}" if owner else name
