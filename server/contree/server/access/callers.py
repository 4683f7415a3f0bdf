"""Who calls, as servicers see it."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Final

from contree.server.access.keys import ALL_ROLES, ApiKey, KeyLimits, Role

_SERVERS: Final = KeyLimits()


class Unauthenticated(Exception):
    """No token, or none that is good. The text never has any part of a token."""


class PermissionDenied(Exception):
    """The caller is known, and may not do this."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls. Without a key (``key_id`` empty) it is anybody who may connect."""

    key_id: str = ""
    name: str = ""
    roles: frozenset[Role] = ALL_ROLES - {Role.OPERATOR}
    bots: tuple[str, ...] = ()
    """The names its bots may have; empty for any."""
    limits: KeyLimits = _SERVERS
    digest: bytes = field(default=b"", repr=False)
    """Of the token that it showed."""
    peer: str = ""
    """Where it calls from, as `peers.counted_as` has it; only of whoever has no key."""
    counted_as: str = field(init=False, repr=False, compare=False)
    """Under what its calls are counted."""

    def __post_init__(self) -> None:
        # Made once: it is remembered by all that counts its calls.
        object.__setattr__(self, "counted_as", self.key_id or f"peer {self.peer}")

    @classmethod
    def of(cls, key: ApiKey) -> Caller:
        """The holder of a key."""
        return cls(key.key_id, key.name, key.roles, key.bots, key.limits, key.digest)

    def has(self, *roles: Role) -> bool:
        """Whether it has one of these roles; an operator has all."""
        return Role.OPERATOR in self.roles or not self.roles.isdisjoint(roles)

    def owns(self, owner: str) -> bool:
        """Whether it may do with a match of this owner (``MatchSpec.owner``) what its host may."""
        return Role.OPERATOR in self.roles or (Role.HOST in self.roles and owner == self.key_id)

    def must_own(self, owner: str, match_id: str) -> None:
        """Raises PermissionDenied unless it ``owns`` the match."""
        if not self.owns(owner):
            raise PermissionDenied(
                f"Match {match_id} was created with another key: only that one, or an operator's, "
                "may do this."
            )

    def must_play_as(self, bot: str) -> None:
        """Raises PermissionDenied unless its bots may have this name."""
        if self.bots and not any(fnmatchcase(bot, pattern) for pattern in self.bots):
            raise PermissionDenied(
                f"This key is not for a bot named {bot!r}, but for {' or '.join(self.bots)}."
            )


ANONYMOUS: Final = Caller()
_current: ContextVar[Caller | None] = ContextVar("caller", default=None)


def current_caller() -> Caller:
    """Who makes the call that is being answered. Raises Unauthenticated outside of one."""
    caller = _current.get()
    if caller is None:
        raise Unauthenticated("Nobody was asked who calls.")
    return caller


def set_caller(caller: Caller) -> None:
    """From here on, calls of this task are its. Each call is answered by a task of its own."""
    _current.set(caller)
