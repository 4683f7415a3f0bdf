"""Streams whose client does not read: their handlers are stuck in a write, and are ended from here.

Nothing that a handler does can end it while it waits for flow control. So its status is sent from
beside it, behind what is still in the pipe: a client that reads again learns why it was cut. The
handler is cancelled, which frees all that it holds.
"""

from __future__ import annotations

import asyncio
import contextlib
import weakref
from collections.abc import Callable, Iterator
from typing import Any, Final

import structlog
from grpc import aio

from contree.server.host.watch import TooSlow
from contree.server.rpc.errors import DETAILS, Told, tell

Context = aio.ServicerContext[Any, Any]
_log = structlog.get_logger(__name__)
STALLED_S: Final = 60.0
"""A watcher or spectator that does not read for so long is sent away."""
LAST_WORDS_S: Final = 3.0
"""How long a client may take to read what was said before the end."""


def weakly(task: asyncio.Task[Any] | None) -> weakref.ref[asyncio.Task[Any]]:
    """A task that runs, held weakly."""
    if task is None:
        raise RuntimeError("this is for the handler of a call")
    return weakref.ref(task)


class Farewells:
    """The last words on the streams of a server that are cut; none outlives it."""

    def __init__(self, refused: Callable[[str], None] = lambda reason: None) -> None:
        """``refused`` is called with the reason of each, as `errors.Told.reason` names it."""
        self._refused = refused
        self._tasks: set[asyncio.Task[None]] = set()

    def say(self, context: Context, why: Exception) -> None:
        """Tell the client of a stream why it is cut, as soon as it reads."""
        told = tell(why)
        self._refused(told.reason)
        if not told.expected:
            _log.error("stream_failed", exc_info=why)
        task = asyncio.get_running_loop().create_task(_say_why(context, told))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def over(self, within_s: float) -> None:
        """Give them so long to be said, and say no more."""
        if not self._tasks:
            return
        _, left = await asyncio.wait(tuple(self._tasks), timeout=within_s)
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left, timeout=within_s)


class Ending:
    """Ends the stream of a handler: of the one in which it is made, unless another is given."""

    __slots__ = ("_context", "_farewells", "_handler", "_over", "_timer", "_why")

    def __init__(
        self,
        context: Context,
        farewells: Farewells,
        handler: asyncio.Task[Any] | None = None,
    ) -> None:
        self._context = context
        self._farewells = farewells
        # Weakly: what outlives a handler must not hold what its end is to clean up.
        self._handler = weakly(handler or asyncio.current_task())
        self._timer: asyncio.TimerHandle | None = None
        self._over = False
        self._why: Exception | None = None

    def within(self, seconds: float) -> None:
        """Cut the stream unless it has ended by then."""
        if not self._over:
            self._cancel_timer()
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(seconds, self._cut)

    def soon(self, dropped: bool, why: Exception | None) -> None:
        """Cut the stream when its client does not read what was said before the end; at once when
        all of that was ``dropped``. ``why`` it ends, if for an error.
        """
        self._why = why
        self.within(0 if dropped else LAST_WORDS_S)

    def over(self) -> None:
        """The handler has come to its end by itself."""
        self._over = True
        self._cancel_timer()

    @contextlib.contextmanager
    def at_most(self, seconds: float) -> Iterator[None]:
        """Cut the stream when what is done meanwhile takes longer."""
        self.within(seconds)
        try:
            yield
        finally:
            self._cancel_timer()

    def on_cut(self) -> None:
        """What is to be done when the handler is cancelled, before that."""

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _cut(self) -> None:
        self.cut(self._why or TooSlow())

    def cut(self, why: Exception) -> None:
        """End the stream now, with this error, while its handler waits for the client to read."""
        handler = self._handler()
        if self._over or handler is None or handler.done():
            return
        self._over = True
        self.on_cut()
        self._farewells.say(self._context, why)
        # After the farewell has begun: a call without a status would be left hanging.
        asyncio.get_running_loop().call_soon(handler.cancel)


async def _say_why(context: Context, told: Told) -> None:
    """Done when the client has heard it, or is gone."""
    with contextlib.suppress(Exception):
        await context.abort(told.status, told.text, ((DETAILS, told.details),))
