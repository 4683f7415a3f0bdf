"""What the rest of the server may ask of the match store.

The journal of a match is a list of entries, numbered from 1; its version is the number of entries.
Entries are opaque bytes here. A server writes to a match only under a lease, and each lease has a
fencing number higher than all before it, so that a server that lost its lease without noticing
cannot write any more. Leases are measured on the store's clock only.

A match that has ended is archived: in one step its journal and lease go and its archive is there,
which holds the same entries, a summary and a record. ``read`` does not show the difference.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
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


class Finish(NamedTuple):
    """An ended match to be archived: all its entries, and what is read of it most.

    `fence` is that of the lease under which the match was held.
    """

    match_id: str
    fence: int
    entries: Sequence[bytes]
    summary: bytes
    record: bytes


class Archived(NamedTuple):
    """The match has its archive, and no journal any more."""


FinishResult = Archived | Conflict | Fenced


class Look(NamedTuple):
    """What a listing needs of a match: its summary when it is archived, else its next entries."""

    summary: bytes | None
    version: int
    """Entries in its journal; 0 when it has none, so that without a summary it is not there."""
    after: int
    entries: list[bytes]
    """Entries after number ``after``."""


class Swept(NamedTuple):
    """What a sweep did, and where the next one begins; "" when all has been looked at."""

    cursor: str
    removed: int


class Unmoved(NamedTuple):
    """A table that stands still."""

    milliseconds: int
    """For how long."""
    connected: tuple[bool, ...]
    """Which seats' bots are there."""


class Kept(NamedTuple):
    """What is kept of an archived match besides its entries."""

    summary: bytes
    record: bytes


class StoredKey(NamedTuple):
    """An API key as kept: what it allows is opaque here."""

    key_id: str
    digest: bytes
    """SHA-256 of its token; nothing else of the token is kept."""
    details: bytes
    revoked_ms: int | None = None
    """Since when it is no good, in milliseconds since the epoch."""


class Listed(NamedTuple):
    """A server in the list of servers."""

    left_ms: int
    """How long it counts as there if it says nothing more; below 0 when that is over."""
    about: bytes
    """What it lets the others know."""


class Created(NamedTuple):
    """`created` tells whether this call made the match; then `fence` is its first lease, else 0."""

    created: bool
    fence: int


class MatchStore(Protocol):
    """Journals, leases, archives and indexes of matches, and what else the servers share.

    Every method may raise `StoreUnavailable` or `StoreRefused`, within a bounded time, and may be
    called again after `StoreUnavailable`. Every method may be called concurrently. So it is with
    the methods of its parts.
    """

    @property
    def parts(self) -> bool:
        """Whether matches lie with several masters, of which one may be away while others are not.

        Then what is answered about some matches says nothing about others; only `expired`, `ping`
        and `probe` return when all masters answer.
        """
        ...

    @property
    def feeds(self) -> FeedStore:
        """The feeds of labels."""
        ...

    @property
    def unmoved(self) -> UnmovedStore:
        """Tables that stand still."""
        ...

    @property
    def registry(self) -> RegistryStore:
        """Requests, sessions and releases."""
        ...

    @property
    def inboxes(self) -> InboxStore:
        """The servers and their inboxes."""
        ...

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
        """Up to `limit` entries after number `after`, in order, archived or not.

        Raises `MatchNotFound`.
        """
        ...

    async def look(
        self, match_ids: Sequence[str], *, after: Mapping[str, int] | None = None, limit: int = 1024
    ) -> list[Look]:
        """What there is of matches, in one round trip: see `Look`.

        Of each up to `limit` entries after the number that `after` has for it, from the first where
        it has none.
        """
        ...

    async def renew(self, owner: str, leases: Mapping[str, int], lease_ms: int) -> list[str]:
        """Prolong leases (match id to fencing number) by `lease_ms` from now; the matches lost.

        A lease that ran out but that nobody took is prolonged too. One round trip.
        """
        ...

    async def take(self, match_ids: Sequence[str], owner: str, lease_ms: int) -> dict[str, int]:
        """Take the leases of matches for `lease_ms` milliseconds, in one round trip.

        Returned are the fencing numbers of those taken, each higher than all before of its match.
        Not taken are those of which another owner's lease is alive, and those that are not there.
        The same owner always gets a lease, with a new number.
        """
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

    async def finish(
        self, group: Sequence[Finish], *, retain_s: int | None
    ) -> list[FinishResult | StoreError]:
        """Archive ended matches, and take them from the live ones; results have the order given.

        Each in one step, so that no crash leaves a match with neither journal nor archive, or both.
        Archives are kept for `retain_s` seconds, or for ever when None. `Archived` is the answer
        for a match that is archived already; `Fenced` when another owner has it, `Conflict` when
        `entries` is not its journal, `MatchNotFound` when there is none: then nothing is changed.
        Idempotent.
        """
        ...

    async def kept(self, match_id: str) -> Kept | None:
        """Summary and record of an archived match; None while it has none."""
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

    # -- sweeping -------------------------------------------------------------------------------

    async def may_sweep(self, owner: str, lease_ms: int) -> bool:
        """Take or prolong the sweeper's lease; False when another server has it."""
        ...

    async def sweep(self, cursor: str, *, limit: int, feed_s: int | None) -> Swept:
        """Look at up to `limit` members of the indexes from a place ("" is the start).

        Members whose match is gone, and live ones whose match is archived, are removed. Items of
        feeds older than `feed_s` seconds are trimmed. A few round trips, whatever the store holds.
        """
        ...

    async def ping(self) -> None:
        """Return when the store answers."""
        ...

    async def probe(self) -> None:
        """Return when the store has written something: a store can answer and yet write nothing."""
        ...

    async def close(self) -> None:
        """Close all connections. The store must not be used afterwards."""
        ...


class FeedStore(Protocol):
    """What there is to tell the watchers of each label, in order."""

    async def announce(self, items: Sequence[tuple[str, bytes]]) -> list[str]:
        """Add payloads to the feeds of labels, in order, in one round trip; the items' ids.

        A feed keeps about its newest 100,000. Delivered at least once: an item can be there twice
        after a lost reply. Ids grow.
        """
        ...

    async def updates(self, label: str, after: str, limit: int = 1000) -> list[tuple[str, bytes]]:
        """The next items of a label's feed after the item `after` ("0" is the start); without wait.

        Raises `FeedTrimmed` when the item `after` is not in the feed (any more), so that items
        after it may be missing, and `ValueError` when it is no id of a feed.
        """
        ...

    async def follow(
        self, after: Mapping[str, str], wait_ms: int
    ) -> dict[str, list[tuple[str, bytes]]]:
        """The next items of many labels' feeds, each after an id, up to 1,000 of each.

        Waits up to `wait_ms` milliseconds for the first one, not at all when 0; may be empty.
        Raises `ValueError` when an id is none of a feed. Whether items are missing is not looked
        at: see `updates`.
        """
        ...

    async def newest(self, label: str) -> str:
        """The id of the newest item of a label's feed, "0" when there was none yet."""
        ...


class RegistryStore(Protocol):
    """What the servers of a store let each other know besides matches."""

    async def remember(self, request_id: str, match_id: str, ttl_s: int | None) -> str:
        """Bind a request to a match for `ttl_s` seconds; the match it was bound to first."""
        ...

    async def enter_sessions(self, nonces: Mapping[str, str], ttl_s: int) -> None:
        """Make these (instance to nonce) the newest sessions of their instances, for `ttl_s`."""
        ...

    async def keep_sessions(self, nonces: Mapping[str, str], ttl_s: int) -> list[str]:
        """Prolong the entries of these sessions; the instances whose newest session is another.

        An entry that is gone is made again. One round trip, or two where some are gone.
        """
        ...

    async def disclose(self, group: str, ttl_s: int | None = None) -> None:
        """Release a disclosure group: the cards of its ended matches may be shown. Idempotent.

        Kept for `ttl_s` seconds from the last call, or for ever when None.
        """
        ...

    async def disclosed(self, group: str) -> bool:
        """Whether a disclosure group has been released."""
        ...

    async def keep_disclosed(self, groups: Sequence[str], ttl_s: int) -> None:
        """Keep the releases of those groups that are released for `ttl_s` seconds from now."""
        ...


class InboxStore(Protocol):
    """The servers of a store, by addresses that are never used again, and what they say to each
    other. Errors as with `MatchStore`.
    """

    async def announce(
        self, address: str, about: bytes, ttl_ms: int, read_to: str
    ) -> dict[str, Listed]:
        """A server is there, for ``ttl_ms`` milliseconds; all that are or were, it among them.

        Sees to it that it has an inbox, which lasts a minute from each call, and lets go of what is
        in there up to the entry ``read_to`` ("0": nothing).
        """
        ...

    async def leave(self, address: str) -> None:
        """A server is there no more, nor its inbox."""
        ...

    async def put(self, entries: Sequence[tuple[str, bytes]]) -> list[bool | StoreError]:
        """Put entries into inboxes (address, data), in order, in one round trip.

        False for one whose inbox is not there. An entry that got `StoreUnavailable` may be there.
        An inbox holds a few thousand entries; the oldest go when there are more.
        """
        ...

    async def read(self, address: str, after: str, wait_ms: int) -> list[tuple[str, bytes]]:
        """The next entries of an inbox (id, data) after an id ("0" is the start); waits up to
        `wait_ms` milliseconds for the first one. Empty data is nobody's.
        """
        ...


class UnmovedStore(Protocol):
    """Where matches are held and which of them stand still. Errors as with `MatchStore`."""

    async def tell(self, server_id: str, tables: Mapping[str, Unmoved]) -> None:
        """Let it be known what stands still at a server, by match id, for ten seconds."""
        ...

    async def told(self, server_ids: Collection[str]) -> dict[str, Unmoved]:
        """What stands still at these servers, by match id."""
        ...

    async def holders(self, match_ids: Sequence[str]) -> list[str]:
        """The server that last had the lease of each match; "" where it was given up."""
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
