"""What is done around every call, one duty each: a request id, metrics, errors."""

from __future__ import annotations

import contextlib
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, Final, TypeVar

import grpc
import structlog
from grpc import aio

from contree.server.rpc.errors import DETAILS, tell
from contree.server.telemetry import Metrics

REQUEST_ID: Final = "x-request-id"
"""Metadata: given by the caller or made here, sent back, and in every log line of the call."""

Context = aio.ServicerContext[Any, Any]
Around = Callable[[str, Context], AbstractAsyncContextManager[None]]
_Handler = TypeVar("_Handler")
_log = structlog.get_logger(__name__)


class Interceptor(aio.ServerInterceptor):
    """Runs every call inside a context manager."""

    def __init__(self, around: Around) -> None:
        self._around = around

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        """Wrap the handler of a call, if there is one."""
        handler = await continuation(handler_call_details)
        if handler is None:
            return None
        return _wrapped(handler, handler_call_details.method, self._around)


def _wrapped(handler: Any, method: str, around: Around) -> Any:
    if handler.response_streaming:
        inner = handler.stream_stream or handler.unary_stream

        async def stream(request: Any, context: Context) -> AsyncIterator[Any]:
            async with around(method, context):
                async for response in inner(request, context):
                    yield response

        make = (
            grpc.stream_stream_rpc_method_handler
            if handler.request_streaming
            else grpc.unary_stream_rpc_method_handler
        )
        return make(stream, handler.request_deserializer, handler.response_serializer)
    call = handler.unary_unary

    async def unary(request: Any, context: Context) -> Any:
        async with around(method, context):
            return await call(request, context)

    return grpc.unary_unary_rpc_method_handler(
        unary, handler.request_deserializer, handler.response_serializer
    )


@contextlib.asynccontextmanager
async def request_ids(method: str, context: Context) -> AsyncIterator[None]:
    """Give the call a request id and put it into its log lines."""
    given = dict(context.invocation_metadata() or ()).get(REQUEST_ID, "")
    request_id = given if isinstance(given, str) and 0 < len(given) <= 64 else secrets.token_hex(8)
    structlog.contextvars.bind_contextvars(request_id=request_id, method=method)
    context.set_trailing_metadata(((REQUEST_ID, request_id),))
    yield


@contextlib.asynccontextmanager
async def errors(method: str, context: Context) -> AsyncIterator[None]:
    """Turn errors into statuses. Cancellation goes on up: a handler that swallows it leaks."""
    try:
        yield
    except aio.AbortError:
        raise
    except Exception as error:
        request_id = structlog.contextvars.get_contextvars().get("request_id", "")
        told = tell(error, request_id)
        if not told.expected:
            _log.exception("call_failed", method=method)
        await context.abort(
            told.status, told.text, ((DETAILS, told.details), (REQUEST_ID, request_id))
        )


def counted(metrics: Metrics, methods: frozenset[str], unary: frozenset[str]) -> Around:
    """Count calls by method and status, and time the ``unary`` ones of them.

    ``methods`` are the only values of the label.
    """

    @contextlib.asynccontextmanager
    async def around(method: str, context: Context) -> AsyncIterator[None]:
        name = method if method in methods else "other"
        began = time.monotonic()
        code = grpc.StatusCode.CANCELLED
        try:
            yield
            code = _code(context) or grpc.StatusCode.OK
        except Exception:
            code = _code(context) or grpc.StatusCode.UNKNOWN
            raise
        finally:
            metrics.rpcs.labels(name, code.name).inc()
            if method in unary:
                metrics.rpc_seconds.labels(name).observe(time.monotonic() - began)

    return around


def _code(context: Context) -> grpc.StatusCode | None:
    code: Any = context.code()
    if isinstance(code, int):
        return next((one for one in grpc.StatusCode if one.value[0] == code and code), None)
    return code if isinstance(code, grpc.StatusCode) else None
