"""What is done around every call, one duty each: a request id, metrics, errors, who
calls, and how much that one may ask.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager
from contextvars import ContextVar
from types import AsyncGeneratorType
from typing import Any, Final, TypeVar

import grpc
import structlog
from grpc import aio

from contree.server.access import (
    Caller,
    Guard,
    PermissionDenied,
    Quotas,
    RateLimited,
    Unauthenticated,
    calling,
    counted_as,
    current_caller,
)
from contree.server.rpc.errors import DETAILS, tell
from contree.server.rpc.rights import RIGHTS, Kind
from contree.server.rpc.stalls import Ending, weakly
from contree.server.telemetry import Metrics

REQUEST_ID: Final = "x-request-id"
"""Metadata: given by the caller or made here, sent back, and in every log line of the call."""
AUTHORIZATION: Final = "authorization"
"""Metadata: ``Bearer TOKEN``."""
_UNAUTHENTICATED_S: Final = 0.25
_LIMITED_S: Final = 1.0
"""Seconds that a refusal waits; a permit that comes sooner is for who does not come at once."""

Context = aio.ServicerContext[Any, Any]
Around = Callable[[str, Context], AbstractAsyncContextManager[None]]
_Handler = TypeVar("_Handler")
_log = structlog.get_logger(__name__)


class Interceptor(aio.ServerInterceptor):
    """Runs every call inside context managers, the first of them outermost.

    One interceptor for all: each further one would have every message of a stream pass through
    another generator.
    """

    def __init__(self, *arounds: Around) -> None:
        self._arounds = arounds

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        """Wrap the handler of a call, if there is one."""
        handler = await continuation(handler_call_details)
        if handler is None:
            return None
        return _wrapped(handler, handler_call_details.method, self._arounds)


def _wrapped(handler: Any, method: str, arounds: tuple[Around, ...]) -> Any:
    if handler.response_streaming:
        inner = handler.stream_stream or handler.unary_stream

        async def stream(request: Any, context: Context) -> AsyncIterator[Any]:
            async with contextlib.AsyncExitStack() as stack:
                opened = Open(context)
                _open.set(opened)
                for around in arounds:
                    await stack.enter_async_context(around(method, context))
                stack.enter_context(opened.answering())
                responses = inner(request, context)
                opened.answers(responses)
                async for response in responses:
                    yield response

        make = (
            grpc.stream_stream_rpc_method_handler
            if handler.request_streaming
            else grpc.unary_stream_rpc_method_handler
        )
        return make(stream, handler.request_deserializer, handler.response_serializer)
    call = handler.unary_unary

    async def unary(request: Any, context: Context) -> Any:
        async with contextlib.AsyncExitStack() as stack:
            for around in arounds:
                await stack.enter_async_context(around(method, context))
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


class Slowly:
    """Lets refusals wait, so that whoever is refused and comes again at once does not take the time
    of others. At most ``most`` wait; beyond that it would be the waiting that takes.
    """

    def __init__(self, most: int = 512) -> None:
        self._most = most
        self._waiting = 0

    async def refuse(self, error: Exception) -> None:
        """Wait, if this error is one that callers are refused with for what they are or ask."""
        if isinstance(error, RateLimited):
            seconds = _LIMITED_S
        elif isinstance(error, Unauthenticated):
            seconds = _UNAUTHENTICATED_S
        else:
            return
        if self._waiting >= self._most:
            return
        self._waiting += 1
        try:
            await asyncio.sleep(seconds)
        finally:
            self._waiting -= 1
        if isinstance(error, RateLimited):
            error.retry_after = max(0.0, error.retry_after - seconds)


def errors(slowly: Slowly) -> Around:
    """Turn errors into statuses. Cancellation goes on up: a handler that swallows it leaks."""

    @contextlib.asynccontextmanager
    async def around(method: str, context: Context) -> AsyncIterator[None]:
        try:
            yield
        except aio.AbortError:
            raise
        except Exception as error:
            await slowly.refuse(error)
            await _abort(method, context, error)

    return around


async def _abort(method: str, context: Context, error: Exception) -> None:
    request_id = structlog.contextvars.get_contextvars().get("request_id", "")
    told = tell(error, request_id)
    if not told.expected:
        _log.exception("call_failed", method=method)
    await context.abort(told.status, told.text, ((DETAILS, told.details), (REQUEST_ID, request_id)))


class Open:
    """A stream that is being answered, and can be ended from outside. Made in its handler."""

    def __init__(self, context: Context) -> None:
        self._ending = Ending(context)
        self._task = weakly(asyncio.current_task())
        self._ended = False
        self._why: Exception | None = None
        self._responses: weakref.ref[AsyncGeneratorType[Any, None]] | None = None

    def answers(self, responses: AsyncGeneratorType[Any, None]) -> None:
        """These are the answers of the servicer; held weakly, for their end cleans up."""
        self._responses = weakref.ref(responses)

    def end(self, why: Exception) -> None:
        """End the stream with this error."""
        task = self._task()
        if self._ended or task is None:
            return
        self._ended = True
        responses = None if self._responses is None else self._responses()
        if responses is not None and not responses.ag_running:
            # It waits for its client to read: nothing that is raised there is told to anybody.
            self._ending.cut(why)
        else:
            self._why = why
            task.cancel()

    @contextlib.contextmanager
    def answering(self) -> Iterator[None]:
        """Answer meanwhile; raises what ``end`` was told."""
        try:
            yield
        except asyncio.CancelledError:
            task, why, self._why = self._task(), self._why, None
            if why is None or task is None:
                raise
            task.uncancel()
            raise why from None
        finally:
            self._ending.over()


_open: ContextVar[Open] = ContextVar("open")


def identified(guard: Guard) -> Around:
    """Learn who calls, before anything else is done; end a stream when its key is good no more.

    ``current_caller`` tells it to the servicer.
    """

    @contextlib.asynccontextmanager
    async def around(method: str, context: Context) -> AsyncIterator[None]:
        right = RIGHTS.get(method)
        if right is None:
            raise PermissionDenied("This method is open to nobody.")
        peer = counted_as(context.peer())
        if right.roles is None:
            with calling(Caller(roles=frozenset(), peer=peer)):
                yield
            return
        caller = await guard.caller(_authorization(context), peer)
        if not caller.has(*right.roles):
            wanted = " or ".join(role.value for role in right.roles)
            raise PermissionDenied(f"This takes a key with the role {wanted}, and yours has not.")
        with contextlib.ExitStack() as stack:
            stack.enter_context(calling(caller))
            if right.streams:
                stack.enter_context(guard.open(caller, _open.get().end))
            yield

    return around


def limited(quotas: Quotas) -> Around:
    """Let a caller have and ask for no more than it may. Health is for everybody, at all times."""

    @contextlib.asynccontextmanager
    async def around(method: str, context: Context) -> AsyncIterator[None]:
        right, caller = RIGHTS[method], current_caller()
        with contextlib.ExitStack() as stack:
            if right.kind is Kind.PLAY:
                stack.enter_context(quotas.opening(caller, _open.get().end))
            elif right.kind is Kind.WATCH:
                stack.enter_context(quotas.watch(caller))
            elif right.roles is not None:
                quotas.ask(caller)
            yield

    return around


def _authorization(context: Context) -> str | None:
    """The token that is shown, if any. Two would leave open who calls."""
    shown = [value for name, value in context.invocation_metadata() or () if name == AUTHORIZATION]
    if len(shown) > 1 or any(isinstance(value, bytes) for value in shown):
        raise Unauthenticated("There is more than one token: show one.")
    return str(shown[0]) if shown else None


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
