"""API keys as values, and their bytes in the store: JSON with a schema number."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final, NamedTuple

from contree.server.access.tokens import digest, new_key_id, new_token
from contree.server.store import StoredKey

SCHEMA: Final = 1
MAX_NAME: Final = 128


class Role(Enum):
    """What a key may be used for."""

    HOST = "host"
    """Creates matches, and reads, cancels and discloses its own."""
    BOT = "bot"
    """Plays seats."""
    SPECTATOR = "spectator"
    """Reads and watches what is open to the public."""
    OPERATOR = "operator"
    """All of these, and the matches of every host."""


ALL_ROLES: Final = frozenset(Role)


class KeyLimits(NamedTuple):
    """Limits of one key, where they differ from the server's; None is the server's."""

    streams: int | None = None
    """Bot instances connected at once."""
    hellos: int | None = None
    """Play streams opened a minute."""
    queries: int | None = None
    """Other calls a minute."""
    watches: int | None = None
    """Watches open at once."""
    matches: int | None = None
    """Live matches."""


_SERVERS: Final = KeyLimits()


class UnreadableKey(Exception):
    """Bytes in the store that are no key that this server can read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """An API key. Its secret is nowhere but with its holder; ``digest`` is what is known of it.

    Times are milliseconds since the epoch.
    """

    key_id: str
    digest: bytes = field(repr=False)
    name: str = ""
    """For people: who has it."""
    roles: frozenset[Role] = frozenset()
    bots: tuple[str, ...] = ()
    """The names that its bots may have, ``*`` standing for anything; empty for any name."""
    created_ms: int = 0
    expires_ms: int | None = None
    revoked_ms: int | None = None
    limits: KeyLimits = _SERVERS

    def refusal(self, now_ms: int) -> str:
        """Why the key is not good any more; empty while it is."""
        if self.revoked_ms is not None:
            return "was revoked"
        if self.expires_ms is not None and now_ms >= self.expires_ms:
            return "has expired"
        return ""


def new_key(*roles: Role, created_ms: int, **fields: Any) -> tuple[ApiKey, str]:
    """A new key and its token, which is to be shown once and kept by nobody but its holder.

    ``fields`` are others of ApiKey.
    """
    key_id = new_key_id()
    token = new_token(key_id)
    key = ApiKey(
        key_id=key_id,
        digest=digest(token),
        roles=frozenset(roles),
        created_ms=created_ms,
        **fields,
    )
    return key, token


def encode_key(key: ApiKey) -> StoredKey:
    """A key as the store keeps it."""
    details = {
        "schema": SCHEMA,
        "name": key.name,
        "roles": sorted(role.value for role in key.roles),
        "bots": list(key.bots),
        "created_ms": key.created_ms,
        "expires_ms": key.expires_ms,
        "limits": {
            name: value for name, value in key.limits._asdict().items() if value is not None
        },
    }
    return StoredKey(
        key.key_id,
        key.digest,
        json.dumps(details, separators=(",", ":")).encode(),
        key.revoked_ms,
    )


def decode_key(stored: StoredKey) -> ApiKey:
    """A key that the store keeps; UnreadableKey when it cannot be read.

    A role that this version does not know, from a newer one, is left out: it allows nothing here.
    """
    try:
        details: dict[str, Any] = json.loads(stored.details)
        if details["schema"] != SCHEMA:
            raise UnreadableKey(
                f"key {stored.key_id} has schema {details['schema']!r}, not {SCHEMA}"
            )
        known = {role.value: role for role in Role}
        limits = details.get("limits", {})
        return ApiKey(
            key_id=stored.key_id,
            digest=stored.digest,
            name=details["name"],
            roles=frozenset(known[name] for name in details["roles"] if name in known),
            bots=tuple(details["bots"]),
            created_ms=details["created_ms"],
            expires_ms=details["expires_ms"],
            revoked_ms=stored.revoked_ms,
            limits=KeyLimits(**{name: limits.get(name) for name in KeyLimits._fields}),
        )
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise UnreadableKey(f"key {stored.key_id} cannot be read: {error}") from error
