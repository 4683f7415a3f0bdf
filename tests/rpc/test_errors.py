"""What callers are told: the table is complete, and the unexpected gives nothing away."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import ModuleType

import grpc
import pytest
from google.rpc import error_details_pb2, status_pb2

from contree.engine import errors as engine_errors
from contree.server.access import callers
from contree.server.host import errors as host_errors
from contree.server.rpc import errors
from contree.server.store import errors as store_errors
from contree.v1 import error_reason_pb2
from contree.wire import WireError

# Errors that no call can end in: they are raised before a server serves, or become a verdict.
_NEVER_TOLD = {
    store_errors.BadStoreUrl,
    store_errors.EmbeddedStoreError,
    engine_errors.IllegalAction,
    engine_errors.EngineError,
    host_errors.HostError,
}


def _errors_of(module: ModuleType) -> list[type[Exception]]:
    return [
        kind
        for _, kind in inspect.getmembers(module, inspect.isclass)
        if issubclass(kind, Exception) and kind.__module__ == module.__name__
    ]


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, id=kind.__name__)
        for module in (host_errors, store_errors, engine_errors, errors, callers)
        for kind in _errors_of(module)
        if kind not in _NEVER_TOLD
    ]
    + [pytest.param(WireError, id="WireError")],
)
def test_every_error_of_the_domain_has_its_place(kind: type[Exception]) -> None:
    assert any(ancestor in errors._TABLE for ancestor in kind.__mro__)


def test_the_unexpected_says_nothing_of_itself() -> None:
    told = errors.tell(RuntimeError("secret seed 1234"), "r-1")
    assert told.status is grpc.StatusCode.INTERNAL
    assert not told.expected
    assert "secret" not in told.text
    assert b"secret" not in told.details
    assert _info(told).metadata["request_id"] == "r-1"


def test_an_error_names_its_field() -> None:
    told = errors.tell(errors.InvalidArgument("seats[1].bot", "is empty"))
    info = _info(told)
    assert info.domain == "contree"
    assert info.metadata["field"] == "seats[1].bot"
    assert info.reason == error_reason_pb2.ErrorReason.Name(
        error_reason_pb2.ERROR_REASON_INVALID_ARGUMENT
    )


@pytest.mark.parametrize(
    "text", ["x" * 20_000, "é" * 20_000, "\U0001f0a1" * 20_000], ids=["1", "2", "4"]
)
@pytest.mark.parametrize(
    "error",
    [
        lambda text: errors.InvalidArgument(text, text),
        lambda text: WireError(text, text),
        lambda text: engine_errors.RulesError(text, text, text),
        store_errors.MatchNotFound,
    ],
    ids=["argument", "wire", "rules", "match"],
)
def test_a_status_fits_into_what_grpc_sends(error: Callable[[str], Exception], text: str) -> None:
    told = errors.tell(error(text), "r" * 128)
    escaped = sum(1 if 32 <= byte < 127 else 3 for byte in told.text.encode())
    assert escaped + len(told.details) * 4 / 3 < 8000


def test_where_the_store_is_is_told_to_nobody() -> None:
    told = errors.tell(store_errors.StoreUnavailable("10.1.2.3:6379", "refused for the test"))
    assert told.status is grpc.StatusCode.UNAVAILABLE
    for secret in ("10.1.2.3", "refused"):
        assert secret not in told.text
        assert secret.encode() not in told.details


def _info(told: errors.Told) -> error_details_pb2.ErrorInfo:
    status = status_pb2.Status.FromString(told.details)
    info = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(info)
    return info
