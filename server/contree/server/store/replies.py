"""What an error of redis-py means to a user of the store."""

from __future__ import annotations

import os
import ssl
from typing import Final

from redis import exceptions as redis_errors

from contree.server.store.errors import StoreError, StoreRefused, StoreUnavailable

# What a reply can say that is about the state of the server and not about the command.
_PASSING: Final = frozenset(
    (
        *("BUSY", "CLUSTERDOWN", "LOADING", "MASTERDOWN", "MISCONF"),
        *("NOREPLICAS", "OOM", "READONLY", "UNBLOCKED"),
    )
)
_PASSING_ERRORS: Final = (
    redis_errors.AskError,  # and MOVED: slots that change hands again and again
    redis_errors.BusyLoadingError,
    redis_errors.ClusterDownError,
    redis_errors.MasterDownError,
    redis_errors.NoScriptError,  # flushed again between loading and use
    redis_errors.OutOfMemoryError,
    redis_errors.ReadOnlyError,
    redis_errors.TryAgainError,
)
_DENIED: Final = (redis_errors.AuthenticationError, redis_errors.NoPermissionError)


class TooFewReplicas(redis_errors.RedisError):
    """Something was written, but not as many replicas are known to have it as were asked for."""

    def __init__(self, why: Exception | str) -> None:
        super().__init__(str(why))
        self.why = why


def last_word(error: Exception) -> bool:
    """Whether an error that came while connecting is the server's answer, not a lost connection."""
    return isinstance(error, _PASSING_ERRORS + _DENIED)


def unwrapped(error: Exception) -> Exception:
    """The error itself, which redis-py hides in another when it comes while connecting."""
    while isinstance(error.__cause__, redis_errors.RedisError):
        error = error.__cause__
    return error


def typed(error: Exception, endpoint: str) -> StoreError:
    """The error of the store that an error of redis-py comes to."""
    reason = _reason(error)
    if isinstance(error, _DENIED):
        return StoreUnavailable(endpoint, reason, "check the user and password in its URL")
    if isinstance(error, TooFewReplicas):
        return StoreUnavailable(
            endpoint, reason, "check its replicas, or ask for fewer by CONTREE_STORE_REPLICAS"
        )
    passing = isinstance(error, _PASSING_ERRORS) or reason.split(" ", 1)[0] in _PASSING
    if isinstance(error, redis_errors.ResponseError) and not passing:
        return StoreRefused(endpoint, reason)
    return StoreUnavailable(endpoint, reason)


def _reason(error: Exception) -> str:
    """What went wrong, in as few words as the system has for it."""
    source = error.__context__
    if isinstance(source, ssl.SSLCertVerificationError):
        return f"certificate verify failed: {source.verify_message}"
    if isinstance(source, ssl.SSLError):  # its number is none of the system's
        return f"TLS: {source.reason or source}"
    if isinstance(source, OSError) and source.errno:
        return os.strerror(source.errno).lower()
    return str(error).rstrip(".") or type(error).__name__
