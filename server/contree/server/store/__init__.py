"""The match store: journals, leases, archives, indexes and feeds of matches.

`connect` gives a `MatchStore` on a Redis or Valkey server; `embedded_store` starts such a server.
"""

from contree.server.store.api import (
    Append,
    Appended,
    AppendResult,
    Archived,
    Conflict,
    Created,
    FeedStore,
    Fenced,
    Finish,
    FinishResult,
    InboxStore,
    Kept,
    KeyStore,
    Listed,
    Look,
    MatchStore,
    RegistryStore,
    StoredKey,
    Swept,
    Unmoved,
    UnmovedStore,
)
from contree.server.store.api_keys import RedisKeys
from contree.server.store.embedded import EmbeddedStore, embedded_store, start_embedded
from contree.server.store.errors import (
    BadStoreUrl,
    EmbeddedStoreError,
    FeedTrimmed,
    MatchNotFound,
    StoreError,
    StoreRefused,
    StoreUnavailable,
)
from contree.server.store.feeds import is_feed_id
from contree.server.store.redis import RedisStore, connect
from contree.server.store.settings import StoreSettings

__all__ = [
    "Append",
    "AppendResult",
    "Appended",
    "Archived",
    "BadStoreUrl",
    "Conflict",
    "Created",
    "EmbeddedStore",
    "EmbeddedStoreError",
    "FeedStore",
    "FeedTrimmed",
    "Fenced",
    "Finish",
    "FinishResult",
    "InboxStore",
    "Kept",
    "KeyStore",
    "Listed",
    "Look",
    "MatchNotFound",
    "MatchStore",
    "RedisKeys",
    "RedisStore",
    "RegistryStore",
    "StoreError",
    "StoreRefused",
    "StoreSettings",
    "StoreUnavailable",
    "StoredKey",
    "Swept",
    "Unmoved",
    "UnmovedStore",
    "connect",
    "embedded_store",
    "is_feed_id",
    "start_embedded",
]
