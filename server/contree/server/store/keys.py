"""Every key of the store, in one table. No other module spells a key.

| key                   | type       | content                                     | expiry    |
|-----------------------|------------|---------------------------------------------|-----------|
| of a match, all in one hash slot                                                             |
| `{m:ID}:journal`      | stream     | entry n has id `n-0` and one field `e`      | retention |
| `{m:ID}:lease`        | hash       | `fence`, `owner`, `until` in ms of the      | retention |
|                       |            | store's clock, `creation` nonce             |           |
| `{m:ID}:record`       | string     | the record of the ended match               | retention |
| registries                                                                                   |
| `registry:request:ID` | string     | the match id first bound to the request     | caller's  |
| `registry:disclosed:GROUP` | string | `1` once the disclosure group is released  | none      |
| `registry:key:ID`     | hash       | an API key: `key` is the SHA-256 of its     | none      |
|                       |            | first token and what it allows, `digest`    |           |
|                       |            | that of its newest token, `revoked` ms      |           |
| `registry:keys`       | sorted set | ids of API keys, all with score 0; written  | none      |
|                       |            | before the key itself                       |           |
| indexes, written before a journal's first entry, so they may name a match that is not there  |
| `index:live`          | sorted set | ids of unfinished matches, all with score 0 | none      |
| `index:leases`        | sorted set | ids of unfinished matches; score: when the  | none      |
|                       |            | lease ends, in ms of the store's clock      |           |
| `index:label:LABEL`   | sorted set | ids of the label's matches, with score 0    | none      |
| `index:feed:LABEL`    | stream     | one field `p`, about the newest 100,000     | 30 days   |
|                       |            |                                             | unused    |

The version of a match is the length of its journal (XLEN): a journal only grows, one entry at a
time, so there is no second place that could disagree. The keys of a match share the hash tag in
braces and so live on one node of a cluster, where a script changes them together. The index of
leases says where to look; whether a match is leased only its own lease tells.
"""

from __future__ import annotations

FEED_LENGTH = 100_000
FEED_EXPIRY_S = 30 * 24 * 3600

LIVE = b"index:live"
API_KEYS = b"registry:keys"
LEASES = b"index:leases"


def journal(match_id: str) -> bytes:
    """The stream of a match's entries."""
    return b"{m:%b}:journal" % match_id.encode()


def lease(match_id: str) -> bytes:
    """The hash with a match's lease and fencing number."""
    return b"{m:%b}:lease" % match_id.encode()


def record(match_id: str) -> bytes:
    """The record of an ended match."""
    return b"{m:%b}:record" % match_id.encode()


def request(request_id: str) -> bytes:
    """The match bound to a create request."""
    return b"registry:request:%b" % request_id.encode()


def disclosed(group: str) -> bytes:
    """Whether a disclosure group is released."""
    return b"registry:disclosed:%b" % group.encode()


def api_key(key_id: str) -> bytes:
    """An API key."""
    return b"registry:key:%b" % key_id.encode()


def label(name: str) -> bytes:
    """The matches of a label."""
    return b"index:label:%b" % name.encode()


def feed(name: str) -> bytes:
    """The announcements of a label."""
    return b"index:feed:%b" % name.encode()
