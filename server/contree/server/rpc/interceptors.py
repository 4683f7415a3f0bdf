"""What is done for every call, one duty each: a request id, metrics, who calls, and how much that
one may ask; and what is told where it fails.
"""

from __future__ import annotations

import asyncio
import inspect
import secrets
import time
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractContextManager, aclosing
from contextvars import ContextVar
from types import AsyncGeneratorType
from typing import Any, Final, NoReturn

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
    counted_as,
    current_caller,
    set_caller,
)
from contree.server.host.errors import TooManyReads
from contree.server.rpc.errors import DETAILS, tell
from contree.server.rpc.rights import RIGHTS, Kind
from contree.server.rpc.stalls import Ending, Farewells, weakly
from contree.server.telemetry import Metrics

REQUEST_ID: Final = "x-request-id"
"""Metadata: given by the caller or made here, sent back, and in every log line of the call."""
AUTHORIZATION: Final = "authorization"
"""Metadata: ``Bearer TOKEN``."""
_UNAUTHENTICATED_S: Final = 0.25
_LIMITED_S: Final = 1.0
"""Seconds that a refusal waits; a permit that comes sooner is for who does not come at once."""

Context = aio.ServicerContext[Any, Any]
_log = structlog.get_logger(__name__)


class Call:
    """One call while it is answered. Thousands of streams are open at once, so it is kept small:
    what is held for it is a list, and no stack of generators.
    """

    __slots__ = ("_held", "_last", "began", "context", "failed", "finished", "method", "request_id")

    def __init__(self, method: str, context: Context) -> None:
        self.method = method
        self.context = context
        self.request_id = ""
        self.began = time.monotonic()
        self.finished = False
        """The servicer has said all."""
        self.failed = False
        """It ended with an error."""
        self._held: list[AbstractContextManager[object]] = []
        self._last: Callable[[Call], None] | None = None

    def hold(self, something: AbstractContextManager[object]) -> None:
        """Enter a context, and leave it when the call is over."""
        something.__enter__()
        self._held.append(something)

    def at_last(self, act: Callable[[Call], None]) -> None:
        """Do this when the call is over and everything let go of."""
        self._last = act

    def over(self) -> None:
        """The call has its end."""
        self._let_go()
        if self._last is not None:
            self._last(self)

    def _let_go(self) -> None:
        while self._held:
            self._held.pop().__exit__(None, None, None)

    async def fail(self, error: Exception, slowly: Slowly) -> NoReturn:
        """Turn an error into a status. Cancellation is none: a handler that swallows it leaks."""
        self.failed = True
        self._let_go()
        if isinstance(error, aio.AbortError):
            raise error
        await slowly.refuse(error)
        told = tell(error, self.request_id)
        if not told.expected:
            _log.error("call_failed", method=self.method, exc_info=error)
        await self.context.abort(
            told.status, told.text, ((DETAILS, told.details), (REQUEST_ID, self.request_id))
        )
        raise AssertionError("abort raises")


Duty = Callable[[Call], Awaitable[None]]
"""Done before a call is answered; refuses it by raising."""


class Interceptor(aio.ServerInterceptor):
    """Has every call pass its duties, in their order, and tells what fails, some of it slowly.

    One interceptor for all: each further one would have every message of a stream pass through
    another generator.
    """

    def __init__(self, *duties: Duty, slowly: Slowly, farewells: Farewells) -> None:
        self._duties = duties
        self._farewells = farewells
        self._slowly = slowly

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        """Wrap the handler of a call, if there is one."""
        handler = await continuation(handler_call_details)
        if handler is None:
            return None
        method = handler_call_details.method
        return _wrapped(handler, method, self._duties, self._slowly, self._farewells)


def _wrapped(
    handler: Any,
    method: str,
    duties: tuple[Duty, ...],
    slowly: Slowly,
    farewells: Farewells,
) -> Any:
    if handler.response_streaming:
        inner = handler.stream_stream or handler.unary_stream

        async def stream(request: Any, context: Context) -> AsyncIterator[Any]:
            call = Call(method, context)
            opened = Open(context, farewells)
            _open.set(opened)
            try:
                for duty in duties:
                    await duty(call)
                responses = inner(request, context)
                if inspect.iscoroutine(responses):
                    await responses  # it writes its answers by itself, as the one of health does
                else:
                    opened.answers(responses)
                    async with aclosing(responses):
                        async for response in responses:
                            yield response
                call.finished = True
            except asyncio.CancelledError:
                why = opened.ended()
                if why is None:
                    raise
                await call.fail(why, slowly)
            except Exception as error:
                await call.fail(error, slowly)
            finally:
                opened.over()
                call.over()

        make = (
            grpc.stream_stream_rpc_method_handler
            if handler.request_streaming
            else grpc.unary_stream_rpc_method_handler
        )
        return make(stream, handler.request_deserializer, handler.response_serializer)
    answer = handler.unary_unary

    async def unary(request: Any, context: Context) -> Any:
        call = Call(method, context)
        try:
            for duty in duties:
                await duty(call)
            response = await answer(request, context)
            call.finished = True
            return response
        except Exception as error:
            await call.fail(error, slowly)
        finally:
            call.over()

    return grpc.unary_unary_rpc_method_handler(
        unary, handler.request_deserializer, handler.response_serializer
    )


class Slowly:
    """Lets refusals wait, so that whoever is refused and comes again at once does not take the time
    of others. At most ``most`` wait; beyond that it would be the waiting that takes.
    """

    def __init__(self, most: int = 512) -> None:
        self._most = most
        self._waiting = 0

    async def refuse(self, error: Exception) -> None:
        """Wait, if this error is one that callers are refused with for what they are or ask."""
        if isinstance(error, RateLimited | TooManyReads):
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
        if isinstance(error, RateLimited | TooManyReads):
            error.retry_after = max(0.0, error.retry_after - seconds)


class Open:
    """A stream that is being answered, and can be ended from outside. Made in its handler."""

    __slots__ = ("_context", "_ended", "_ending", "_farewells", "_responses", "_task", "_why")

    def __init__(self, context: Context, farewells: Farewells) -> None:
        self._context = context
        self._farewells = farewells
        self._ending: Ending | None = None
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
            self._ending = Ending(self._context, self._farewells, task)
            self._ending.cut(why)
        else:
            self._why = why
            task.cancel()

    def ended(self) -> Exception | None:
        """What ``end`` was told, for the handler that it cancelled; None where that was not it."""
        task, why, self._why = self._task(), self._why, None
        if task is not None and why is not None:
            task.uncancel()
        return why

    def over(self) -> None:
        """The handler has come to its end."""
        self._ended = True
        if self._ending is not None:
            self._ending.over()


_open: ContextVar[Open] = ContextVar("open")


async def request_ids(call: Call) -> None:
    """Give the call a request id and put it into its log lines."""
    given = dict(call.context.invocation_metadata() or ()).get(REQUEST_ID, "")
    fits = isinstance(given, str) and 0 < len(given) <= 64
    call.request_id = str(given) if fits else secrets.token_hex(8)
    structlog.contextvars.bind_contextvars(request_id=call.request_id, method=call.method)
    call.context.set_trailing_metadata(((REQUEST_ID, call.request_id),))


def identified(guard: Guard) -> Duty:
    """Learn who calls, before anything else is done; end a stream when its key is good no more.

    ``current_caller`` tells it to the servicer.
    """

    async def duty(call: Call) -> None:
        right = RIGHTS.get(call.method)
        if right is None:
            raise PermissionDenied("This method is open to nobody.")
        peer = counted_as(call.context.peer())
        if right.roles is None:
            set_caller(Caller(roles=frozenset(), peer=peer))
            return
        caller = await guard.caller(_authorization(call.context), peer)
        if not caller.has(*right.roles):
            wanted = " or ".join(role.value for role in right.roles)
            raise PermissionDenied(f"This takes a key with the role {wanted}, and yours has not.")
        set_caller(caller)
        if right.streams and caller.key_id:
            call.hold(guard.open(caller, _open.get().end))

    return duty


def limited(quotas: Quotas) -> Duty:
    """Let a caller have and ask for no more than it may. Health is for everybody, at all times."""

    async def duty(call: Call) -> None:
        right, caller = RIGHTS[call.method], current_caller()
        if right.kind is Kind.PLAY:
            call.hold(quotas.opening(caller, _open.get().end))
        elif right.kind is Kind.WATCH:
            call.hold(quotas.watch(caller))
        elif right.roles is not None:
            quotas.ask(caller)

    return duty


def _authorization(context: Context) -> str | None:
    """The token that is shown, if any. Two would leave open who calls."""
    shown = [value for name, value in context.invocation_metadata() or () if name == AUTHORIZATION]
    if len(shown) > 1 or any(isinstance(value, bytes) for value in shown):
        raise Unauthenticated("There is more than one token: show one.")
    return str(shown[0]) if shown else None


def counted(metrics: Metrics, methods: frozenset[str], unary: frozenset[str]) -> Duty:
    """Count calls by method and status, and time the ``unary`` ones of them.

    ``methods`` are the only values of the label.
    """

    def count(call: Call) -> None:
        name = call.method if call.method in methods else "other"
        code = _code(call.context)
        if not call.finished and not call.failed:
            code = grpc.StatusCode.CANCELLED
        elif code is None:
            code = grpc.StatusCode.OK if call.finished else grpc.StatusCode.UNKNOWN
        metrics.rpcs.labels(name, code.name).inc()
        if call.method in unary:
            metrics.rpc_seconds.labels(name).observe(time.monotonic() - call.began)

    async def duty(call: Call) -> None:
        call.at_last(count)

    return duty


def _code(context: Context) -> grpc.StatusCode | None:
    code: Any = context.code()
    if isinstance(code, int):
        return next((one for one in grpc.StatusCode if one.value[0] == code and code), None)
    return code if isinstance(code, grpc.StatusCode) else None
