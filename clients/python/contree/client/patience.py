"""Trying again, for as long as that may help."""

from __future__ import annotations

import asyncio
import logging
import random
from typing import Final

from contree.client.channel import Backoff
from contree.client.errors import ContreeError, ServiceError, TryLater, Unreachable

log: Final = logging.getLogger("contree.client")


class Patience:
    """Waits between tries and gives up in the end."""

    def __init__(self, address: str, limit: float, backoff: Backoff) -> None:
        self._address = address
        self._backoff = backoff
        self._now = asyncio.get_running_loop().time
        self._limit = limit
        self._since = self._now()
        self._failures = 0

    def succeeded(self, limit: float | None = None, *, at_ease: bool = True) -> None:
        """It went well: the time begins anew, with another ``limit`` if given. Not ``at_ease``,
        the next pauses stay as long as they have become.
        """
        self._since = self._now()
        if limit is not None:
            self._limit = limit
        if at_ease:
            self._failures = 0

    async def failed(self, error: ContreeError) -> None:
        """It did not go well: wait before the next try, or raise what to tell people."""
        self._failures += 1
        waited = self._now() - self._since
        delay = self._backoff.delay(self._failures)
        if isinstance(error, ServiceError):
            # Not all who were asked to wait come back at the same moment.
            delay = max(delay, error.retry_after * random.uniform(1.0, 1.25))
        if waited + delay > self._limit:
            if type(error) is TryLater:
                raise Unreachable(self._address, self._limit, str(error)) from None
            raise error
        level = logging.WARNING if self._failures == 1 else logging.DEBUG
        log.log(level, "no connection to %s: %s; trying again", self._address, error)
        await asyncio.sleep(delay)
