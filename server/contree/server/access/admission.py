"""When a call is begun: while tables are in play so many a second, and each caller in its turn.

Most of what a call costs (gRPC's part, a task, a session, its metrics) cannot be put off once it
has begun, and limits do not spare it: a refusal costs as much as an answer. So calls begin no
faster than leaves the tables their time, whoever makes them and whatever becomes of them, and one
caller's flood is in nobody's way but its own. On a machine that is slow or full they begin slower.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Final

from contree.server.access.limits import Bucket, Rate, full, take
from contree.server.access.quotas import RateLimited

PER_SECOND: Final = 600.0
"""What begins in a second, in calls."""
_BURST: Final = 60.0
_PASS: Final = 4
"""Of those that had to wait, so many begin at once."""
_PASS_S: Final = 0.001
_REST: Final = 4.0
"""How much longer than that took others have their turn, before the next few."""
_LONGEST_S: Final = 0.012
"""But no longer: some 300 a second begin however busy the tables are."""
CALL: Final = 1.0
"""What a call weighs, and a stream before its first message is read."""
HELLO: Final = 2.0
"""What a bot weighs besides that holds no seats yet; others are waited for."""
_WAITING: Final = 16_384
"""Calls of one caller that wait, and half of what all may have: of streams, some 400 MB."""
_TRY_AGAIN_S: Final = 5.0


class Admission:
    """Lets calls begin. ``in_play`` tells whether there are tables that want their time."""

    def __init__(
        self,
        in_play: Callable[[], bool],
        *,
        per_second: float = PER_SECOND,
        waiting: int = _WAITING,
    ) -> None:
        """``waiting`` is how many calls of one caller may wait."""
        loop = asyncio.get_running_loop()
        self._in_play = in_play
        self._loop = loop
        self._most = waiting
        self._rate = Rate(_BURST, per_second)
        self._bucket: Bucket = full(self._rate, loop.time())
        self._waits = 0
        self._waiting: OrderedDict[str, deque[tuple[asyncio.Future[None], float]]] = OrderedDict()
        """Who waits, in the order in which they have their turns."""
        self._timer: asyncio.TimerHandle | None = None

    async def turn(self, who: str, weight: float = CALL) -> None:
        """Wait until a call of this caller may begin. Raises RateLimited."""
        if not self._waiting and not self._wait(weight):
            return
        mine = self._waiting.get(who)
        if self._waits >= 2 * self._most or (mine is not None and len(mine) >= self._most):
            raise RateLimited("Too many calls wait to begin.", _TRY_AGAIN_S)
        if mine is None:
            mine = self._waiting[who] = deque()
        turn = self._loop.create_future()
        mine.append((turn, weight))
        self._waits += 1
        if self._timer is None:
            self._next()
        try:
            await turn
        finally:
            self._waits -= 1

    def _wait(self, weight: float) -> float:
        """Take what a call weighs: 0.0, or the seconds to wait when there is too little."""
        self._bucket, wait = take(self._bucket, self._rate, self._loop.time(), weight)
        return wait if self._in_play() else 0.0

    def _next(self) -> None:
        """Let a few calls begin, and see how long they keep the loop."""
        self._timer = None
        begun, wait = 0, 0.0
        while self._waiting and begun < _PASS:
            who, mine = next(iter(self._waiting.items()))
            while mine and mine[0][0].done():
                mine.popleft()  # it was given up meanwhile
            if mine:
                wait = self._wait(mine[0][1])
                if wait:
                    break
                mine.popleft()[0].set_result(None)
                begun += 1
            if mine:
                self._waiting.move_to_end(who)
            else:
                del self._waiting[who]
        if begun:
            # In the next pass of the loop they go on, and the one after that comes when they have.
            self._timer = self._loop.call_later(0, self._look_again, self._loop.time(), 1)
        elif self._waiting:
            self._timer = self._loop.call_later(wait, self._next)

    def _look_again(self, began: float, passes: int) -> None:
        if passes:
            self._timer = self._loop.call_later(0, self._look_again, began, passes - 1)
        else:
            rest = _REST * (self._loop.time() - began) if self._in_play() else 0.0
            self._timer = self._loop.call_later(min(max(rest, _PASS_S), _LONGEST_S), self._next)
