"""How a call is answered: first its duties are done, then the servicer answers, and where either
fails, the caller is told why. A stream can be ended from outside meanwhile.
"""

from __future__ import annotations

import asyncio
import inspect
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

from contree.server.access import RateLimited, Unauthenticated
from contree.server.host.errors import TooManyReads
from contree.server.rpc.errors import DETAILS, InvalidArgument, tell
from contree.server.rpc.stalls import Ending, Farewells, weakly

REQUEST_ID: Final = "x-request-id"
"""Metadata: given by the caller or made here, sent back, and in every log line of the call."""
MAX_REQUEST: Final = 64 * 1024
"""Bytes of a request that is no stream. The longest honest ones hold a rule set, which has 8192
characters at most; parsing a million labels takes the time of fifty moves.
"""
_UNAUTHENTICATED_S: Final = 0.25
_LIMITED_S: Final = 1.0
"""Seconds that a refusal waits; a permit that comes sooner is for who does not come at once."""

Context = aio.ServicerContext[Any, Any]
_log = structlog.get_logger(__name__)


class Call:
    """One call while it is answered. Thousands of streams are open at once, so it is kept small:
    what is held for it is a list, and no stack of generators.
    """

    __slots__ = (
        "_held",
        "_last",
        "began",
        "context",
        "failed",
        "finished",
        "method",
        "refusal",
        "request_id",
    )

    def __init__(self, method: str, context: Context) -> None:
        self.method = method
        self.context = context
        self.request_id = ""
        self.began = time.monotonic()
        self.finished = False
        """The servicer has said all."""
        self.failed = False
        """It ended with an error."""
        self.refusal = ""
        """Which, as `errors.Told.reason` names it; empty where it ended with none."""
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
        self.refusal = told.reason
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
        self._wrapped: dict[str, tuple[Any, Any]] = {}
        """Handlers by method, each with its wrap: made once, not for each call."""

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
        known = self._wrapped.get(method)
        if known is None or known[0] is not handler:
            wrapped = _wrapped(handler, method, self._duties, self._slowly, self._farewells)
            self._wrapped[method] = known = handler, wrapped
        return known[1]


def _wrapped(
    handler: Any,
    method: str,
    duties: tuple[Duty, ...],
    slowly: Slowly,
    farewells: Farewells,
) -> Any:
    read = _reader(handler)
    if handler.response_streaming:
        inner = handler.stream_stream or handler.unary_stream

        async def stream(request: Any, context: Context) -> AsyncIterator[Any]:
            call = Call(method, context)
            opened = Open(context, farewells)
            _open.set(opened)
            try:
                for duty in duties:
                    await duty(call)
                responses = inner(read(request), context)
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

        if handler.request_streaming:
            return grpc.stream_stream_rpc_method_handler(
                stream, handler.request_deserializer, handler.response_serializer
            )
        return grpc.unary_stream_rpc_method_handler(stream, None, handler.response_serializer)
    answer = handler.unary_unary

    async def unary(data: bytes, context: Context) -> Any:
        call = Call(method, context)
        try:
            for duty in duties:
                await duty(call)
            response = await answer(read(data), context)
            call.finished = True
            return response
        except Exception as error:
            await call.fail(error, slowly)
        finally:
            call.over()

    return grpc.unary_unary_rpc_method_handler(unary, None, handler.response_serializer)


def _reader(handler: Any) -> Callable[[Any], Any]:
    """Reads the request of a call once its duties are done: whoever may not call, or asks too much,
    does not make the server parse. The frames of a stream come parsed.
    """
    parse = handler.request_deserializer
    if handler.request_streaming or parse is None:
        return lambda request: request

    def read(data: bytes) -> Any:
        if len(data) > MAX_REQUEST:
            raise InvalidArgument(
                "request", f"{len(data)} bytes are given, at most {MAX_REQUEST} are taken"
            )
        return parse(data)

    return read


class Slowly:
    """Lets refusals wait, so that whoever is refused and comes again at once does not take the time
    of others. At most ``most`` wait; beyond that it would be the waiting that takes.
    """

    def __init__(self, most: int = 2048) -> None:
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


def ending_of_stream() -> Callable[[Exception], None]:
    """What ends the stream that is being answered here, with an error."""
    return _open.get().end
