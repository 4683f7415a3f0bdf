"""Every key of the store, in one table. No other module spells a key.

| key                   | type       | content                                     | expiry    |
|-----------------------|------------|---------------------------------------------|-----------|
| of a match, all in one hash slot                                                             |
| `{m:ID}:journal`      | stream     | entry n has id `n-0` and one field `e`      | none      |
| `{m:ID}:lease`        | hash       | `fence`, `owner`, `until` in ms of the      | none      |
|                       |            | store's clock, `creation` nonce             |           |
| `{m:ID}:archive`      | hash       | an ended match, in place of the two above:  | retention |
|                       |            | its `version` in digits; compressed,        |           |
|                       |            | `summary`, `record` and the entries in      |           |
|                       |            | `j0`, `j1`... (1,024 each)                  |           |
| registries                                                                                   |
| `registry:probe`      | string     | nothing: that it can be written is all; in  | a minute  |
|                       |            | a cluster `registry:probe:N`, one a master  |           |
| `registry:request:ID` | string     | the match id first bound to the request     | caller's  |
| `registry:disclosed:GROUP` | string | `1` once the disclosure group is released  | caller's  |
| `registry:sweeper`    | string     | the server that sweeps the indexes          | its lease |
| `registry:session:INSTANCE` | string | the nonce of the instance's newest session | a dozen   |
|                       |            |                                             | heartbeats|
| `registry:key:ID`     | hash       | an API key: `key` is the SHA-256 of its     | none      |
|                       |            | first token and what it allows, `digest`    |           |
|                       |            | that of its newest token, `revoked` ms      |           |
| `registry:unmoved:SERVER` | string | JSON: what stands still at a server, by    | 10 s      |
|                       |            | match id: for how many ms, and the seats    |           |
|                       |            | whose bots are there                        |           |
| `registry:keys`       | sorted set | ids of API keys, all with score 0; written  | none      |
|                       |            | before the key itself                       |           |
| of servers                                                                                   |
| `index:servers`       | hash       | by address: until when a server is there,   | none      |
|                       |            | in ms of the store's clock, and what it     |           |
|                       |            | lets the others know                        |           |
| `inbox:ADDRESS`       | stream     | one field `e`: what others have to say to a | a minute  |
|                       |            | server; about the newest 4,096, and not     | unused    |
|                       |            | what it has read                            |           |
| indexes, written before a journal's first entry, so they may name a match that is not there  |
| `index:live`          | sorted set | ids of unfinished matches, all with score 0 | none      |
| `index:leases`        | sorted set | ids of unfinished matches; score: when the  | none      |
|                       |            | lease ends, in ms of the store's clock      |           |
| `index:label:LABEL`   | sorted set | ids of the label's matches, with score 0    | none      |
| `index:labels`        | sorted set | all labels that have the one above, score 0 | none      |
| `index:feed:LABEL`    | stream     | one field `p`, about the newest 100,000; in | 30 days   |
|                       |            | a cluster `index:{feed}:LABEL`              | unused    |

Only the keys of a match, and in a cluster the feeds, are ever named together in one command; all
others are single keys, and lie wherever they fall. One question waits for the feeds of all labels
that a server watches, so that in a cluster they share a hash tag and lie on one node. On a single
node their names are as they were before there were clusters.

The version of a match is the length of its journal (XLEN): a journal only grows, one entry at a
time, so there is no second place that could disagree. The keys of a match share the hash tag in
braces and so live on one node of a cluster, where a script changes them together: a match has
either a journal or an archive, at every moment. The index of leases says where to look; whether a
match is leased only its own lease tells. Members of indexes whose match is gone, and those of the
indexes of unfinished matches whose match is archived, are swept (`sweep.py`).
"""

from __future__ import annotations

FEED_LENGTH = 100_000
FEED_EXPIRY_S = 30 * 24 * 3600
INBOX_LENGTH = 4096

LIVE = b"index:live"
API_KEYS = b"registry:keys"
LEASES = b"index:leases"
LABELS = b"index:labels"
SWEEPER = b"registry:sweeper"
PROBE = b"registry:probe"
SERVERS = b"index:servers"


def probe(number: int) -> bytes:
    """What is written to prove that a master of a cluster writes."""
    return b"%b:%d" % (PROBE, number)


def journal(match_id: str) -> bytes:
    """The stream of a match's entries."""
    return b"{m:%b}:journal" % match_id.encode()


def lease(match_id: str) -> bytes:
    """The hash with a match's lease and fencing number."""
    return b"{m:%b}:lease" % match_id.encode()


def archive(match_id: str) -> bytes:
    """What is kept of an ended match."""
    return b"{m:%b}:archive" % match_id.encode()


def request(request_id: str) -> bytes:
    """The match bound to a create request."""
    return b"registry:request:%b" % request_id.encode()


def disclosed(group: str) -> bytes:
    """Whether a disclosure group is released."""
    return b"registry:disclosed:%b" % group.encode()


def api_key(key_id: str) -> bytes:
    """An API key."""
    return b"registry:key:%b" % key_id.encode()


def session(instance: str) -> bytes:
    """The newest session of a bot instance."""
    return b"registry:session:%b" % instance.encode()


def inbox(address: str) -> bytes:
    """What there is to say to a server."""
    return b"inbox:%b" % address.encode()


def unmoved(server_id: str) -> bytes:
    """What stands still at a server."""
    return b"registry:unmoved:%b" % server_id.encode()


def label(name: str) -> bytes:
    """The matches of a label."""
    return b"index:label:%b" % name.encode()


def feed(name: str, *, parts: bool = False) -> bytes:
    """The announcements of a label; `parts` in a cluster."""
    return (b"index:{feed}:%b" if parts else b"index:feed:%b") % name.encode()
