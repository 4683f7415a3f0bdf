"""The match store: journals, leases, records, indexes and feeds of matches.

`connect` gives a `MatchStore` on a Redis or Valkey server; `embedded_store` starts such a server.
"""

from contree.server.store.api import (
    Append,
    Appended,
    AppendResult,
    Conflict,
    Created,
    Fenced,
    KeyStore,
    MatchStore,
    StoredKey,
)
from contree.server.store.api_keys import RedisKeys
from contree.server.store.embedded import EmbeddedStore, embedded_store, start_embedded
from contree.server.store.errors import (
    BadStoreUrl,
    EmbeddedStoreError,
    MatchNotFound,
    StoreError,
    StoreRefused,
    StoreUnavailable,
)
from contree.server.store.redis import RedisStore, connect
from contree.server.store.settings import StoreSettings

__all__ = [
    "Append",
    "AppendResult",
    "Appended",
    "BadStoreUrl",
    "Conflict",
    "Created",
    "EmbeddedStore",
    "EmbeddedStoreError",
    "Fenced",
    "KeyStore",
    "MatchNotFound",
    "MatchStore",
    "RedisKeys",
    "RedisStore",
    "StoreError",
    "StoreRefused",
    "StoreSettings",
    "StoreUnavailable",
    "StoredKey",
    "connect",
    "embedded_store",
    "start_embedded",
]
