"""Codes of tables where several people meet, and the names that come of them. Pure.

A code stands for a bot name: whoever connects under it gets a free seat of the table's match, as
any bot of that name would. So a table needs nothing of the protocol that bots do not have.
"""

from __future__ import annotations

import re
from typing import Final

LETTERS: Final = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""Without 0 O 1 I, which are taken for one another."""
LENGTH: Final = 4
_PREFIX: Final = "table-"
_CODE: Final = re.compile(rf"[{LETTERS}]{{{LENGTH}}}")


def code_of(number: int) -> str:
    """The code for a random number of at least 20 bits."""
    return "".join(LETTERS[number >> 5 * place & 31] for place in range(LENGTH))


def read_code(text: str) -> str | None:
    """A code as somebody typed it; None when it is none."""
    code = text.strip().upper().replace("-", "").replace(" ", "")
    return code if _CODE.fullmatch(code) else None


def table_name(code: str) -> str:
    """The name by which the seats of the table are given, and the label of its match."""
    return _PREFIX + code.lower()


def maker_name(code: str) -> str:
    """The name of the one who makes the table, whose seat is nobody else's."""
    return f"{table_name(code)}-host"


def shown_name(bot: str, version: str) -> str:
    """How somebody is called at a table: people of a table share the bot name and tell theirs as
    the version.
    """
    return version if bot.startswith(_PREFIX) and version else bot or "nobody yet"
