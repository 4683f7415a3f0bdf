"""Something that is made anew at most once a second, however many ask for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Final, Generic, TypeVar

KEPT_S: Final = 1.0
"""How long one answer is good for everybody."""

_Value = TypeVar("_Value")


class Kept(Generic[_Value]):
    """Makes it when it is wanted, and gives it to whoever asks meanwhile and for a second after."""

    def __init__(
        self,
        make: Callable[[], Coroutine[Any, Any, _Value]],
        *,
        spawn: Callable[[Coroutine[Any, Any, None]], None],
    ) -> None:
        """``spawn`` runs something besides: whoever breaks off takes it from nobody else."""
        self._make = make
        self._spawn = spawn
        self._loop = asyncio.get_running_loop()
        self._made: asyncio.Future[_Value] | None = None
        self._until = 0.0

    async def get(self) -> _Value:
        """What was made last, or what is being made. Raises what making it raises, to those who
        wait for it; then it is made again for the next one.
        """
        made = self._made
        if made is None or (made.done() and self._loop.time() >= self._until):
            self._made = made = self._loop.create_future()
            self._spawn(self._fill(made))
        return await asyncio.shield(made)

    async def _fill(self, made: asyncio.Future[_Value]) -> None:
        try:
            value = await self._make()
        except BaseException as error:
            self._made = None
            if isinstance(error, asyncio.CancelledError):
                made.cancel()  # the server stops
            else:
                made.set_exception(error)
                made.exception()  # it is told here, whether anybody waits or not
            raise
        self._until = self._loop.time() + KEPT_S
        made.set_result(value)
