"""What callers are told: the table is complete, and the unexpected gives nothing away."""

from __future__ import annotations

import inspect
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


def _info(told: errors.Told) -> error_details_pb2.ErrorInfo:
    status = status_pb2.Status.FromString(told.details)
    info = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(info)
    return info
