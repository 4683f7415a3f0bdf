"""Errors of the service as classes, rebuilt from google.rpc.ErrorInfo."""

from __future__ import annotations

import inspect
import re
from typing import Any

import grpc
import pytest
from grpc import aio
from tests.client.scripted import ScriptedServer, ServerError

from contree.client import (
    ContreeError,
    InvalidArgument,
    InvalidRules,
    MatchNotFound,
    ProtocolMismatch,
    ServiceError,
    TryLater,
    errors,
)
from contree.v1 import error_reason_pb2, match_service_pb2, match_service_pb2_grpc

PREFIX = "ERROR_REASON_"
ELSEWHERE = {"UNSPECIFIED", "SUPERSEDED"}  # never sent; an error of its own, no ServiceError


def classes() -> list[type[ServiceError]]:
    return [
        value
        for value in vars(errors).values()
        if inspect.isclass(value) and issubclass(value, ServiceError) and value.reasons
    ]


def test_every_reason_has_one_class() -> None:
    reasons = [reason for kind in classes() for reason in kind.reasons]
    known = {
        name.removeprefix(PREFIX) for name in error_reason_pb2.ErrorReason.DESCRIPTOR.values_by_name
    }
    assert len(reasons) == len(set(reasons))
    assert set(reasons) == known - ELSEWHERE


def test_the_tree_of_errors_is_drawn_on_top_of_the_module() -> None:
    assert errors.__doc__ is not None
    for name, value in vars(errors).items():
        if inspect.isclass(value) and issubclass(value, ContreeError):
            assert f" {name}" in errors.__doc__ or value is ContreeError


@pytest.mark.parametrize("kind", classes(), ids=lambda kind: str(kind.__name__))
async def test_an_error_comes_back_as_its_class(
    kind: type[ServiceError], server: ScriptedServer
) -> None:
    told = ServerError(
        grpc.StatusCode.ABORTED, "Because.", PREFIX + kind.reasons[0], request_id="r1", field="f"
    )
    server.answers["GetRecord"] = lambda request: told
    async with aio.insecure_channel(server.address) as channel:
        stub: Any = match_service_pb2_grpc.MatchServiceStub(channel)
        with pytest.raises(aio.AioRpcError) as failure:
            await stub.GetRecord(match_service_pb2.GetRecordRequest())
    error = errors.error_from_rpc(failure.value)
    assert type(error) is kind
    assert isinstance(error, ServiceError)
    assert str(error) == "Because."
    assert error.reason == kind.reasons[0]
    assert error.status is grpc.StatusCode.ABORTED
    assert error.request_id == "r1"
    if isinstance(error, InvalidArgument | InvalidRules):
        assert error.field == "f"


def rpc_error(
    code: grpc.StatusCode, details: str | None = None, *trailing: tuple[str, bytes]
) -> aio.AioRpcError:
    return aio.AioRpcError(code, aio.Metadata(), aio.Metadata(*trailing), details=details)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (grpc.StatusCode.UNAVAILABLE, TryLater),
        (grpc.StatusCode.CANCELLED, TryLater),
        (grpc.StatusCode.INTERNAL, TryLater),
        (grpc.StatusCode.UNIMPLEMENTED, ProtocolMismatch),
        (grpc.StatusCode.INVALID_ARGUMENT, InvalidArgument),
        (grpc.StatusCode.OUT_OF_RANGE, ServiceError),
    ],
    ids=lambda value: getattr(value, "name", value.__name__ if inspect.isclass(value) else ""),
)
def test_a_status_without_a_reason(status: grpc.StatusCode, kind: type[ServiceError]) -> None:
    error = errors.error_from_rpc(rpc_error(status))
    assert type(error) is kind
    assert status.name in str(error)


def test_details_of_others_are_passed_over() -> None:
    told = ServerError(grpc.StatusCode.NOT_FOUND, "No.", "ERROR_REASON_MATCH_NOT_FOUND").trailing[0]
    garbled = ("grpc-status-details-bin", b"\xff\xff")
    error = errors.error_from_rpc(
        rpc_error(grpc.StatusCode.NOT_FOUND, "No.", ("other-bin", b"x"), garbled, told)
    )
    assert type(error) is MatchNotFound
    foreign = told[1].replace(b"contree", b"another")
    error = errors.error_from_rpc(
        rpc_error(grpc.StatusCode.NOT_FOUND, "No.", ("grpc-status-details-bin", foreign))
    )
    assert type(error) is ServiceError


def test_grpc_is_quoted_briefly() -> None:
    text = (
        "failed to connect to all addresses; last error: UNKNOWN: ipv4:127.0.0.1:1: Failed to "
        "connect to remote host: connect: Connection refused (111)"
    )
    error = errors.error_from_rpc(rpc_error(grpc.StatusCode.UNAVAILABLE, text))
    assert str(error) == "Connection refused (111)"


def test_the_tree_of_the_page_is_that_of_the_classes() -> None:
    known = {
        name: one.__bases__[0].__name__
        for name, one in vars(errors).items()
        if isinstance(one, type) and issubclass(one, ContreeError)
    }
    above = {-4: "Exception"}
    shown = {}
    for line in (errors.__doc__ or "").splitlines():
        found = re.match(r"((?:[│ ] {3})*(?:[├└]── )?)(\w+)", line)
        if found is not None and found[2] in known:
            depth = len(found[1])
            above[depth] = found[2]
            shown[found[2]] = above[depth - 4]
    assert shown == known
