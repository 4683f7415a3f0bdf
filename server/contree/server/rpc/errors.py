"""What callers are told: one table from domain errors to status code and ErrorReason.

The unexpected becomes INTERNAL with a fixed text; its details go to the log under the request id.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import grpc
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2

from contree.engine import DeckError, NotationError, RulesError
from contree.server.access import PermissionDenied, RateLimited, Unauthenticated
from contree.server.host import errors as host
from contree.server.host.watch import TooSlow
from contree.server.match import JournalError, Rejected
from contree.server.store import FeedTrimmed, MatchNotFound, StoreError, StoreUnavailable
from contree.v1 import error_reason_pb2
from contree.wire import WireError

DOMAIN: Final = "contree"
DETAILS: Final = "grpc-status-details-bin"
"""The trailing metadata that carries google.rpc.Status."""


class InvalidArgument(Exception):
    """A field of a request that cannot be."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field


class HelloExpected(Exception):
    """The first message of a play stream was another."""

    def __init__(self) -> None:
        super().__init__("The first message of a play stream is Hello.")


class ProtocolVersion(Exception):
    """Client and server speak different versions."""

    def __init__(self, theirs: int, ours: int) -> None:
        older = "client" if theirs < ours else "server"
        super().__init__(
            f"The client speaks protocol version {theirs}, this server {ours}: upgrade the {older}."
        )


class NotUnderstood(Exception):
    """Most of what a client says cannot be understood."""

    def __init__(self, count: int) -> None:
        super().__init__(
            f"{count} messages of this stream were not understood: compare them with "
            "docs/protocol.md."
        )


class FrameTooLong(Exception):
    """More messages in one frame than any client has to say at once."""

    def __init__(self, count: int, most: int) -> None:
        super().__init__(
            f"A frame has {count} messages: for the capacity of this bot at most {most} are taken."
        )


class InvalidToken(Exception):
    """A resume or page token that cannot be read."""

    def __init__(self, field: str) -> None:
        super().__init__(f"{field} is not one that this service gave: leave it empty.")
        self.field = field


class Meaning(NamedTuple):
    """What an error means to a caller."""

    status: grpc.StatusCode
    reason: error_reason_pb2.ErrorReason.ValueType


_TABLE: Final[dict[type[Exception], Meaning]] = {
    MatchNotFound: Meaning(
        grpc.StatusCode.NOT_FOUND, error_reason_pb2.ERROR_REASON_MATCH_NOT_FOUND
    ),
    host.MatchEnded: Meaning(
        grpc.StatusCode.FAILED_PRECONDITION, error_reason_pb2.ERROR_REASON_MATCH_ENDED
    ),
    host.MatchNotEnded: Meaning(
        grpc.StatusCode.FAILED_PRECONDITION, error_reason_pb2.ERROR_REASON_MATCH_NOT_ENDED
    ),
    host.NotDisclosed: Meaning(
        grpc.StatusCode.FAILED_PRECONDITION, error_reason_pb2.ERROR_REASON_NOT_DISCLOSED
    ),
    host.WatchClosed: Meaning(
        grpc.StatusCode.FAILED_PRECONDITION, error_reason_pb2.ERROR_REASON_WATCH_CLOSED
    ),
    host.RequestIdReused: Meaning(
        grpc.StatusCode.ALREADY_EXISTS, error_reason_pb2.ERROR_REASON_REQUEST_ID_REUSED
    ),
    host.Draining: Meaning(grpc.StatusCode.UNAVAILABLE, error_reason_pb2.ERROR_REASON_DRAINING),
    host.MatchElsewhere: Meaning(
        grpc.StatusCode.UNAVAILABLE, error_reason_pb2.ERROR_REASON_MATCH_ELSEWHERE
    ),
    host.MatchUnreadable: Meaning(
        grpc.StatusCode.FAILED_PRECONDITION, error_reason_pb2.ERROR_REASON_MATCH_UNREADABLE
    ),
    host.MatchLost: Meaning(
        grpc.StatusCode.UNAVAILABLE, error_reason_pb2.ERROR_REASON_STORE_UNAVAILABLE
    ),
    Rejected: Meaning(
        grpc.StatusCode.FAILED_PRECONDITION, error_reason_pb2.ERROR_REASON_MATCH_ENDED
    ),
    StoreUnavailable: Meaning(
        grpc.StatusCode.UNAVAILABLE, error_reason_pb2.ERROR_REASON_STORE_UNAVAILABLE
    ),
    StoreError: Meaning(grpc.StatusCode.INTERNAL, error_reason_pb2.ERROR_REASON_INTERNAL),
    JournalError: Meaning(grpc.StatusCode.INTERNAL, error_reason_pb2.ERROR_REASON_INTERNAL),
    InvalidArgument: Meaning(
        grpc.StatusCode.INVALID_ARGUMENT, error_reason_pb2.ERROR_REASON_INVALID_ARGUMENT
    ),
    WireError: Meaning(
        grpc.StatusCode.INVALID_ARGUMENT, error_reason_pb2.ERROR_REASON_INVALID_ARGUMENT
    ),
    NotationError: Meaning(
        grpc.StatusCode.INVALID_ARGUMENT, error_reason_pb2.ERROR_REASON_INVALID_ARGUMENT
    ),
    DeckError: Meaning(
        grpc.StatusCode.INVALID_ARGUMENT, error_reason_pb2.ERROR_REASON_INVALID_ARGUMENT
    ),
    RulesError: Meaning(
        grpc.StatusCode.INVALID_ARGUMENT, error_reason_pb2.ERROR_REASON_INVALID_RULES
    ),
    InvalidToken: Meaning(
        grpc.StatusCode.INVALID_ARGUMENT, error_reason_pb2.ERROR_REASON_INVALID_TOKEN
    ),
    FeedTrimmed: Meaning(
        grpc.StatusCode.INVALID_ARGUMENT, error_reason_pb2.ERROR_REASON_INVALID_TOKEN
    ),
    FrameTooLong: Meaning(
        grpc.StatusCode.INVALID_ARGUMENT, error_reason_pb2.ERROR_REASON_INVALID_ARGUMENT
    ),
    NotUnderstood: Meaning(
        grpc.StatusCode.INVALID_ARGUMENT, error_reason_pb2.ERROR_REASON_INVALID_ARGUMENT
    ),
    HelloExpected: Meaning(
        grpc.StatusCode.INVALID_ARGUMENT, error_reason_pb2.ERROR_REASON_HELLO_EXPECTED
    ),
    ProtocolVersion: Meaning(
        grpc.StatusCode.FAILED_PRECONDITION, error_reason_pb2.ERROR_REASON_PROTOCOL_VERSION
    ),
    DecodeError: Meaning(
        grpc.StatusCode.INVALID_ARGUMENT, error_reason_pb2.ERROR_REASON_INVALID_ARGUMENT
    ),
    Unauthenticated: Meaning(
        grpc.StatusCode.UNAUTHENTICATED, error_reason_pb2.ERROR_REASON_UNAUTHENTICATED
    ),
    PermissionDenied: Meaning(
        grpc.StatusCode.PERMISSION_DENIED, error_reason_pb2.ERROR_REASON_PERMISSION_DENIED
    ),
    RateLimited: Meaning(
        grpc.StatusCode.RESOURCE_EXHAUSTED, error_reason_pb2.ERROR_REASON_RATE_LIMITED
    ),
    host.TooManyReads: Meaning(
        grpc.StatusCode.RESOURCE_EXHAUSTED, error_reason_pb2.ERROR_REASON_RATE_LIMITED
    ),
    TooSlow: Meaning(grpc.StatusCode.RESOURCE_EXHAUSTED, error_reason_pb2.ERROR_REASON_TOO_SLOW),
}

_INTERNAL: Final = Meaning(grpc.StatusCode.INTERNAL, error_reason_pb2.ERROR_REASON_INTERNAL)
_MAX_BYTES: Final = 1500
"""Of a text in UTF-8. It is sent twice, escaped to up to four times its length, and gRPC drops the
whole status where its metadata has more than 8 kB.
"""
_MAX_FIELD: Final = 200
_AWAY_TEXT: Final = "The store of this service does not answer: try again."
_INTERNAL_TEXT: Final = "The service failed; its log has more under this request id."


class Told(NamedTuple):
    """What goes to the caller."""

    status: grpc.StatusCode
    text: str
    details: bytes
    """google.rpc.Status with an ErrorInfo, and a RetryInfo where it is known when to try again."""
    expected: bool
    """False for an error of the service, which belongs into its log."""
    reason: str
    """As `ErrorReason` names it, in lower case and without its prefix."""


def tell(error: Exception, request_id: str = "") -> Told:
    """What a caller is told of an error."""
    meaning = next((_TABLE[kind] for kind in type(error).__mro__ if kind in _TABLE), _INTERNAL)
    expected = meaning.status is not grpc.StatusCode.INTERNAL
    if isinstance(error, StoreUnavailable):
        text = _AWAY_TEXT  # where the store is, and why, is for the log
    else:
        text = (str(error) or type(error).__name__) if expected else _INTERNAL_TEXT
    text = _cut(text, _MAX_BYTES)
    metadata = {"request_id": request_id} if request_id else {}
    field = getattr(error, "field", None) or getattr(error, "option", None)
    if expected and isinstance(field, str):
        metadata["field"] = _cut(field, _MAX_FIELD)
    reason = error_reason_pb2.ErrorReason.Name(meaning.reason)
    info = error_details_pb2.ErrorInfo(
        reason=reason,
        domain=DOMAIN,
        metadata=metadata,
    )
    status = status_pb2.Status(code=meaning.status.value[0], message=text)
    status.details.add().Pack(info)
    if isinstance(error, RateLimited | host.TooManyReads):
        retry = error_details_pb2.RetryInfo()
        retry.retry_delay.FromMilliseconds(math.ceil(error.retry_after * 1000))
        status.details.add().Pack(retry)
    return Told(
        meaning.status,
        text,
        status.SerializeToString(),
        expected,
        reason.removeprefix("ERROR_REASON_").lower(),
    )


def _cut(text: str, most: int) -> str:
    """A text without what is beyond so many bytes of it."""
    data = text.encode(errors="replace")
    return text if len(data) <= most else data[:most].decode(errors="ignore") + "..."
