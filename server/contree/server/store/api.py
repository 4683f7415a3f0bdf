"""What the rest of the server may ask of the match store.

The journal of a match is a list of entries, numbered from 1; its version is the number of entries.
Entries are opaque bytes here. A server writes to a match only under a lease, and each lease has a
fencing number higher than all before it, so that a server that lost its lease without noticing
cannot write any more. Leases are measured on the store's clock only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from contree.server.store.errors import StoreError


class Append(NamedTuple):
    """One table's part of a group commit.

    `expected_version` is the number of entries the writer believes to be in the journal, `fence`
    the fencing number of the lease under which it believes to write.
    """

    match_id: str
    expected_version: int
    fence: int
    entries: tuple[bytes, ...]


class Appended(NamedTuple):
    """The entries are in the journal, which has `version` entries up to and with them."""

    version: int


class Conflict(NamedTuple):
    """Nothing was written: the journal has `version` entries, not as many as expected."""

    version: int


class Fenced(NamedTuple):
    """Nothing was written: the writer's lease has ended, the newest one has number `fence`."""

    fence: int


AppendResult = Appended | Conflict | Fenced


class StoredKey(NamedTuple):
    """An API key as kept: what it allows is opaque here."""

    key_id: str
    digest: bytes
    """SHA-256 of its token; nothing else of the token is kept."""
    details: bytes
    revoked_ms: int | None = None
    """Since when it is no good, in milliseconds since the epoch."""


class Created(NamedTuple):
    """`created` tells whether this call made the match; then `fence` is its first lease, else 0."""

    created: bool
    fence: int


class MatchStore(Protocol):
    """Journals, leases, records, indexes and feeds of matches.

    Every method may raise `StoreUnavailable` or `StoreRefused`, within a bounded time, and may be
    called again after `StoreUnavailable`. Every method may be called concurrently.
    """

    async def create(
        self,
        match_id: str,
        *,
        labels: Sequence[str],
        entries: Sequence[bytes],
        owner: str,
        lease_ms: int,
    ) -> Created:
        """Create a match with its first entries, leased to `owner` for `lease_ms` milliseconds.

        Idempotent: when the match exists, nothing changes and `created` is False. Raises
        `ValueError` when there is no entry, or the id or a label is empty.
        """
        ...

    async def append(self, group: Sequence[Append]) -> list[AppendResult | StoreError]:
        """Append to many journals in one round trip; the results have the order of `group`.

        Each part stands alone. `Appended` means written as safely as the store is set up to write,
        and is also the answer when these very entries already stand at that place under the same
        lease: a repeated part is recognised, so a part that got `StoreUnavailable` can be sent
        again. A part may be `MatchNotFound`. Only programming errors are raised.
        """
        ...

    async def read(self, match_id: str, after: int = 0, *, limit: int | None = None) -> list[bytes]:
        """The entries after number `after`, in order, at most `limit`. Raises `MatchNotFound`."""
        ...

    async def acquire(self, match_id: str, owner: str, lease_ms: int) -> int | None:
        """Take the lease for `lease_ms` milliseconds; its fencing number, higher than all before.

        None when another owner's lease is alive. The same owner always gets it, with a new number.
        Raises `MatchNotFound`.
        """
        ...

    async def renew(self, owner: str, leases: Mapping[str, int], lease_ms: int) -> list[str]:
        """Prolong leases (match id to fencing number) by `lease_ms` from now; the matches lost.

        A lease that ran out but that nobody took is prolonged too. One round trip.
        """
        ...

    async def take(self, match_ids: Sequence[str], owner: str, lease_ms: int) -> dict[str, int]:
        """`acquire` for many matches in one round trip: the fencing numbers of those taken."""
        ...

    async def release(self, leases: Mapping[str, int]) -> None:
        """Give leases (match id to fencing number) up, in one round trip.

        Nothing can be written under these numbers any more, and others find the matches at once.
        Leases that are history are left alone.
        """
        ...

    async def expired(self, limit: int = 100) -> list[str]:
        """Up to `limit` unfinished matches whose lease has probably ended, longest ago first.

        A match of which no more is known than that it is live comes only after `reindex`.
        """
        ...

    async def reindex(self) -> int:
        """Let `expired` name the live matches that it does not know of; how many there were."""
        ...

    async def finish(self, match_id: str, record: bytes, *, retain_s: int | None) -> None:
        """Store the record of an ended match and take it from the live matches.

        Journal and record are kept for `retain_s` seconds, or for ever when None; the record never
        outlives the journal. Idempotent. Raises `MatchNotFound`.
        """
        ...

    async def conclude(
        self,
        finished: Mapping[str, bytes],
        announced: Sequence[tuple[str, bytes]],
        *,
        retain_s: int | None,
    ) -> None:
        """`finish` for each match id and record, `announce` for each label and payload, in order.

        One round trip for all. A match without a journal is passed over. Idempotent but for the
        feeds, which get an item at least once.
        """
        ...

    async def record(self, match_id: str) -> bytes | None:
        """The record of a finished match; None while it has none."""
        ...

    async def live(self, *, after: str = "", limit: int = 1000) -> list[str]:
        """Up to `limit` unfinished matches with an id above `after`, in order of id.

        May name a match whose creation was cut short and which has no journal.
        """
        ...

    async def matches(self, label: str, *, after: str = "", limit: int = 100) -> list[str]:
        """Up to `limit` matches with the label and an id above `after`, in order of id.

        May name a match whose creation was cut short or whose retention is over.
        """
        ...

    async def announce(self, label: str, payload: bytes) -> str:
        """Add to the label's feed, which keeps about its newest 100,000; the new item's id.

        Delivered at least once: an item can be there twice after a lost reply.
        """
        ...

    async def follow(self, label: str, after: str, wait_ms: int) -> list[tuple[str, bytes]]:
        """The next items of the label's feed after the id `after` ("0" is the start), up to 1,000.

        Waits up to `wait_ms` milliseconds for the first one, not at all when 0; may be empty.
        Raises `ValueError` when `after` is no id of a feed.
        """
        ...

    async def remember(self, request_id: str, match_id: str, ttl_s: int) -> str:
        """Bind a request to a match for `ttl_s` seconds; the match it was bound to first."""
        ...

    async def disclose(self, group: str) -> None:
        """Release a disclosure group: the cards of its ended matches may be shown. Idempotent."""
        ...

    async def disclosed(self, group: str) -> bool:
        """Whether a disclosure group has been released."""
        ...

    async def ping(self) -> None:
        """Return when the store answers."""
        ...

    async def close(self) -> None:
        """Close all connections. The store must not be used afterwards."""
        ...


class KeyStore(Protocol):
    """The API keys. Errors as with `MatchStore`."""

    async def add(self, key: StoredKey) -> bool:
        """Add a key; False, and nothing changed, when there is one with its id."""
        ...

    async def get(self, key_ids: Sequence[str]) -> list[StoredKey | None]:
        """The keys with these ids, None for those that there are not. One round trip."""
        ...

    async def rotate(self, key_id: str, digest: bytes) -> bool:
        """Give a key another token; the one before is no good from then on. False: no such key."""
        ...

    async def revoke(self, key_id: str, now_ms: int) -> bool:
        """Revoke a key for ever; the first time counts. False when there is no such key."""
        ...

    async def page(self, *, after: str = "", limit: int = 1000) -> list[StoredKey]:
        """Up to about `limit` keys with an id above `after`, in order of id; [] after the last."""
        ...
