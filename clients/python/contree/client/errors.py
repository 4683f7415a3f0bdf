"""What can go wrong, by what happened.

ContreeError
├── Misconfigured           the token or a certificate that was given cannot be used
├── Unreachable             no server answers at the address
├── Superseded              a newer process with the same instance id took over
├── BotFailed               the bot raised, or answered with something that is no action
├── Garbled                 the server said something that this version cannot read
└── ServiceError            the service said no: status, reason, details
    ├── MatchNotFound       no match with this id
    ├── MatchOver           the match is over
    ├── MatchNotEnded       the match is not over
    ├── NotDisclosed        its hidden cards may not be shown yet
    ├── WatchClosed         it may not be watched yet
    ├── MatchUnreadable     the server cannot read the match
    ├── RequestIdReused     the request id was used for another match
    ├── InvalidArgument     a field is missing or cannot be; ``field`` names it
    ├── InvalidRules        no such preset, or a rule set that cannot be
    ├── InvalidToken        a resume or page token that cannot be read
    ├── ProtocolMismatch    client and server speak no common version
    ├── Unauthenticated     no token, or none that is known
    ├── PermissionDenied    the key does not allow this
    ├── TryLater            may go well later
    │   ├── RateLimited     too many requests
    │   ├── ServerFull      the server takes no more
    │   ├── StoreUnavailable  its store does not answer
    │   ├── Draining        it is stopping
    │   ├── MatchElsewhere  another server holds the match
    │   └── TooSlow         this client read too slowly
    └── InternalError       an error of the service; its log has more
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import grpc
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2
from grpc import aio

from contree.engine import Seat

DOMAIN: Final = "contree"
_DETAILS: Final = "grpc-status-details-bin"
_PREFIX: Final = "ERROR_REASON_"


class ContreeError(Exception):
    """The root of what this package raises; the text is one sentence for people."""


class Misconfigured(ContreeError):
    """The token, or a file of certificates, that was given cannot be used. It is not shown."""


class Unreachable(ContreeError):
    """No server answers at ``address``; it was tried for ``waited`` seconds."""

    def __init__(self, address: str, waited: float, detail: str = "") -> None:
        why = f" ({detail})" if detail else ""
        super().__init__(
            f"No contree server answers at {address} within {waited:g} s{why}: start one with "
            "'contree serve', or set CONTREE_SERVER to where it is."
        )
        self.address = address
        self.waited = waited
        self.detail = detail


class Superseded(ContreeError):
    """A newer stream of the same instance took over; this process plays no more."""

    def __init__(self, instance_id: str) -> None:
        super().__init__(
            f"Another process took over as instance {instance_id!r}: give each process its own "
            "CONTREE_INSTANCE, or leave it unset."
        )
        self.instance_id = instance_id


class BotFailed(ContreeError):
    """The bot raised (``__cause__``), or answered with something that is no action."""

    def __init__(
        self, bot: str, problem: str, seat: Seat | None = None, match_id: str = ""
    ) -> None:
        where = f" at seat {seat} of match {match_id}" if seat is not None else ""
        super().__init__(f"The bot {bot} {problem}{where}.")
        self.bot = bot
        self.problem = problem
        self.seat = seat
        self.match_id = match_id


class Garbled(ContreeError):
    """The server said something that this version cannot read; ``field`` names what."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(
            f"The server's message cannot be read ({field}: {problem}): upgrade contree here."
        )
        self.field = field
        self.problem = problem


class ServiceError(ContreeError):
    """The service said no."""

    reasons: tuple[str, ...] = ()
    """The names of the ``ErrorReason``s that the class stands for, without their prefix."""

    def __init__(
        self,
        text: str,
        *,
        reason: str = "",
        status: grpc.StatusCode = grpc.StatusCode.UNKNOWN,
        metadata: Mapping[str, str] | None = None,
        retry_after: float = 0.0,
    ) -> None:
        super().__init__(text)
        self.reason = reason
        """The name of the ErrorReason without its prefix, such as ``MATCH_NOT_FOUND``."""
        self.status = status
        self.metadata = dict(metadata or {})
        self.retry_after = retry_after
        """Seconds that the service asks to wait before the next try; 0 when it does not say."""

    @property
    def request_id(self) -> str:
        """Under which the server's log has more; empty when it gave none."""
        return self.metadata.get("request_id", "")


class MatchNotFound(ServiceError):
    """No match with this id."""

    reasons = ("MATCH_NOT_FOUND",)


class MatchOver(ServiceError):
    """The match is over."""

    reasons = ("MATCH_ENDED",)


class MatchNotEnded(ServiceError):
    """The match is not over."""

    reasons = ("MATCH_NOT_ENDED",)


class NotDisclosed(ServiceError):
    """The hidden cards of the match may not be shown yet."""

    reasons = ("NOT_DISCLOSED",)


class WatchClosed(ServiceError):
    """The match may not be watched before its disclosure group is released."""

    reasons = ("WATCH_CLOSED",)


class MatchUnreadable(ServiceError):
    """The server cannot read the match: it is damaged, or a newer server's."""

    reasons = ("MATCH_UNREADABLE",)


class RequestIdReused(ServiceError):
    """The request id was used for another match."""

    reasons = ("REQUEST_ID_REUSED",)


class InvalidArgument(ServiceError):
    """A field of the request is missing or cannot be."""

    reasons = ("INVALID_ARGUMENT",)

    @property
    def field(self) -> str:
        """The path of the field; empty when the server did not name it."""
        return self.metadata.get("field", "")


class InvalidRules(ServiceError):
    """No preset of this name, or a rule set that cannot be."""

    reasons = ("INVALID_RULES",)

    @property
    def field(self) -> str:
        """The option at fault; empty when the server did not name it."""
        return self.metadata.get("field", "")


class InvalidToken(ServiceError):
    """A resume or page token that cannot be read."""

    reasons = ("INVALID_TOKEN",)


class ProtocolMismatch(ServiceError):
    """Client and server speak no common protocol."""

    reasons = ("PROTOCOL_VERSION", "HELLO_EXPECTED")


class Unauthenticated(ServiceError):
    """No token, or none that is known."""

    reasons = ("UNAUTHENTICATED",)


class PermissionDenied(ServiceError):
    """The key does not allow this."""

    reasons = ("PERMISSION_DENIED",)


class TryLater(ServiceError):
    """What may go well later; the SDK tries again by itself before it raises this."""


class RateLimited(TryLater):
    """Too many requests of a kind that is limited."""

    reasons = ("RATE_LIMITED",)


class ServerFull(TryLater):
    """The server takes no more."""

    reasons = ("CAPACITY",)


class StoreUnavailable(TryLater):
    """The store of the server does not answer."""

    reasons = ("STORE_UNAVAILABLE",)


class Draining(TryLater):
    """The server is stopping."""

    reasons = ("DRAINING",)


class MatchElsewhere(TryLater):
    """Another server holds the match: it is taken over soon, or is to be asked for there."""

    reasons = ("MATCH_ELSEWHERE",)


class TooSlow(TryLater):
    """This client read too slowly."""

    reasons = ("TOO_SLOW",)


class InternalError(ServiceError):
    """An error of the service; its log has more under ``request_id``."""

    reasons = ("INTERNAL",)


_BY_REASON: Final[dict[str, type[ServiceError]]] = {
    reason: kind
    for kind in (
        MatchNotFound,
        MatchOver,
        MatchNotEnded,
        NotDisclosed,
        WatchClosed,
        MatchUnreadable,
        RequestIdReused,
        InvalidArgument,
        InvalidRules,
        InvalidToken,
        ProtocolMismatch,
        Unauthenticated,
        PermissionDenied,
        RateLimited,
        ServerFull,
        StoreUnavailable,
        Draining,
        MatchElsewhere,
        TooSlow,
        InternalError,
    )
    for reason in kind.reasons
}

# What a status means that came without a reason: from a proxy, or from gRPC itself, in whose view
# a broken connection is one of several things.
_BY_STATUS: Final[dict[grpc.StatusCode, type[ServiceError]]] = {
    grpc.StatusCode.INVALID_ARGUMENT: InvalidArgument,
    grpc.StatusCode.UNAUTHENTICATED: Unauthenticated,
    grpc.StatusCode.PERMISSION_DENIED: PermissionDenied,
    grpc.StatusCode.UNIMPLEMENTED: ProtocolMismatch,
    grpc.StatusCode.UNAVAILABLE: TryLater,
    grpc.StatusCode.DEADLINE_EXCEEDED: TryLater,
    grpc.StatusCode.CANCELLED: TryLater,
    grpc.StatusCode.INTERNAL: TryLater,
    grpc.StatusCode.UNKNOWN: TryLater,
}


def error_from_rpc(error: aio.AioRpcError, instance_id: str = "") -> ServiceError | Superseded:
    """The typed error of a failed call."""
    status = error.code()
    reason, metadata, retry_after = _details_of(error)
    text = _brief(error.details()) or f"the call failed with {status.name}"
    if reason == "SUPERSEDED":
        return Superseded(instance_id)
    kind = _BY_REASON.get(reason) or _BY_STATUS.get(status, ServiceError)
    if status is grpc.StatusCode.UNIMPLEMENTED:
        text = f"The server does not offer this: {text}"
    return kind(text, reason=reason, status=status, metadata=metadata, retry_after=retry_after)


def _brief(details: str | None) -> str:
    """What gRPC says, without the addresses and layers that it says it of."""
    text = details or ""
    if "last error: " in text:
        text = text.rpartition(": ")[2]
    return text


def _details_of(error: aio.AioRpcError) -> tuple[str, dict[str, str], float]:
    """What the error's details say: the reason without its prefix, its metadata, and the seconds
    to wait; empty and 0 when they do not.
    """
    reason, metadata, retry_after = "", {}, 0.0
    for key, value in error.trailing_metadata() or ():
        if key != _DETAILS or not isinstance(value, bytes):
            continue
        try:
            details = status_pb2.Status.FromString(value).details
        except DecodeError:
            continue
        for detail in details:
            info, retry = error_details_pb2.ErrorInfo(), error_details_pb2.RetryInfo()
            if detail.Unpack(info) and info.domain == DOMAIN:
                reason, metadata = info.reason.removeprefix(_PREFIX), dict(info.metadata)
            elif detail.Unpack(retry):
                delay = retry.retry_delay
                retry_after = max(0.0, delay.seconds + delay.nanos / 1e9)
    return reason, metadata, retry_after
