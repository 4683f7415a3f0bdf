"""Who a caller is to a match."""

from __future__ import annotations

from collections.abc import Iterable

from contree.server.access import Caller
from contree.server.host.showing import Audience


def audience_of(caller: Caller, owner: str, keys: Iterable[str]) -> Audience:
    """Who a caller is to a match of this owner, in whose seats are bots with these keys.

    Where callers need no key they cannot be told apart: who creates a match without a key leaves it
    to everybody who has none.
    """
    if caller.owns(owner):
        return Audience.HOST
    return Audience.PLAYER if caller.key_id and caller.key_id in keys else Audience.PUBLIC
