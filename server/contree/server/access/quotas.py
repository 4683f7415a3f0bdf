"""What each caller may have open and ask for, on this server: by its key, or where it has none by
the address it calls from.

Nothing here counts what a bot says on its stream: an owed action is never limited, and a bot that
comes back for seats it holds is let in whatever others of its key or address have used up.
"""

from __future__ import annotations

import contextlib
import math
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Final, NamedTuple

from contree.server.access.callers import Caller, Unauthenticated
from contree.server.access.limits import Bucket, Rate, full, take

_BUCKETS: Final = 50_000
"""Buckets that are kept; of more, the one not used for longest is forgotten, and so full."""
_LISTED_A_CALL: Final = 50
"""Matches or bots in one answer that weigh as much as a call."""
RESUMES: Final = 30
"""Streams a minute that a bot instance with seats may open, however few its key may."""
STRANGERS: Final = 600
"""Calls a minute from one address that show no token where one is needed, or one that is not good.

Those that show a good one are not counted: behind a proxy many bots come from one address, and all
of them are new to a server that takes over from another.
"""
_TRY_AGAIN_S: Final = 5.0
"""For what ends when somebody ends it."""


class RateLimited(Exception):
    """More than the caller may; ``retry_after`` seconds later there may be room."""

    def __init__(self, text: str, retry_after: float) -> None:
        super().__init__(text)
        self.retry_after = retry_after


class Quota(NamedTuple):
    """What one caller may."""

    streams: int
    """Bot instances connected at once."""
    hellos: int
    """Play streams opened a minute."""
    queries: int
    """Calls a minute."""
    watches: int
    """Watches open at once."""
    matches: int
    """Live matches."""

    def of(self, caller: Caller) -> Quota:
        """With the limits of the caller's own key."""
        if not any(limit is not None for limit in caller.limits):
            return self
        own = {name: value for name, value in caller.limits._asdict().items() if value is not None}
        return self._replace(**own)


class _Opening:
    """A play stream that has not said Hello, as long as it is in the list of its kind."""

    __slots__ = ("_over", "end", "who")

    def __init__(
        self, who: str, end: Callable[[Exception], None], over: Callable[[_Opening], None]
    ) -> None:
        self.who = who
        self.end = end
        self._over = over

    def __enter__(self) -> None:
        """It was counted when it was made."""

    def __exit__(self, *error: object) -> None:
        self._over(self)


class _Playing:
    """A bot instance that is connected."""

    __slots__ = ("_instance", "_over", "_who")

    def __init__(self, who: str, instance: Hashable, over: Callable[[str, Hashable], None]) -> None:
        self._who = who
        self._instance = instance
        self._over = over

    def __enter__(self) -> None:
        """It was counted when it was made."""

    def __exit__(self, *error: object) -> None:
        self._over(self._who, self._instance)


_opening: ContextVar[_Opening | None] = ContextVar("opening", default=None)


class Quotas:
    """Counts what callers have open and how often they ask. ``now`` is a clock in seconds."""

    def __init__(self, quota: Quota, now: Callable[[], float]) -> None:
        self._quota = quota
        self._now = now
        self._buckets: OrderedDict[Hashable, Bucket] = OrderedDict()
        self._instances: dict[str, Counter[Hashable]] = {}
        self._watches: Counter[Hashable] = Counter()
        self._openings: dict[str, OrderedDict[_Opening, None]] = {}

    @contextlib.contextmanager
    def introduction(self, peer: str) -> Iterator[None]:
        """Somebody who was not met before calls from an address, and is looked up meanwhile. Raises
        RateLimited where too many turned out to be strangers: the store is not asked for each of a
        flood of made-up tokens.
        """
        key = ("strangers", peer)
        _, wait = self._taken(key, STRANGERS)
        if wait:
            raise _limited(STRANGERS, "calls a minute from this address without a good token", wait)
        try:
            yield
        except Unauthenticated:
            bucket, _ = self._taken(key, STRANGERS)
            self._keep(key, bucket)
            raise

    def ask(self, caller: Caller) -> None:
        """Somebody asks something. Raises RateLimited."""
        queries = self._quota.of(caller).queries
        self._take(("queries", caller.counted_as), queries, f"calls a minute for {_whom(caller)}")

    def weigh(self, caller: Caller, listed: int) -> None:
        """What somebody asked for is so many matches or bots, in one call. Raises RateLimited."""
        calls = math.ceil(listed / _LISTED_A_CALL) - 1  # one was counted when it came
        if calls > 0:
            queries = self._quota.of(caller).queries
            what = f"calls a minute for {_whom(caller)} (a list counts by its length)"
            self._take(("queries", caller.counted_as), queries, what, calls)

    @contextlib.contextmanager
    def watch(self, caller: Caller) -> Iterator[None]:
        """Somebody watches meanwhile. Raises RateLimited."""
        self.ask(caller)
        limit = self._quota.of(caller).watches
        if self._watches[caller.counted_as] >= limit:
            raise RateLimited(
                f"There are {limit} watches open for {_whom(caller)}, and no more are allowed: "
                "end one first.",
                _TRY_AGAIN_S,
            )
        self._watches[caller.counted_as] += 1
        try:
            yield
        finally:
            _less(self._watches, caller.counted_as)

    def create(self, caller: Caller, live: int) -> None:
        """Somebody makes a match, and has so many that are live. Raises RateLimited."""
        limit = self._quota.of(caller).matches
        if live >= limit:
            whose = _whom(caller) if caller.key_id else "callers without a key"
            raise RateLimited(
                f"There are {live} live matches of {whose} on this server, and no more than "
                f"{limit} are allowed (CONTREE_MAX_MATCHES): let some end first.",
                _TRY_AGAIN_S,
            )

    def opening(
        self, caller: Caller, end: Callable[[Exception], None]
    ) -> AbstractContextManager[None]:
        """A play stream is open and has not said Hello, until it is ``playing``.

        Of too many such streams the oldest is ended: an honest client says Hello at once, and so
        silent streams keep nobody out.
        """
        mine = _Opening(caller.counted_as, end, self._opened)
        waiting = self._openings.setdefault(mine.who, OrderedDict())
        waiting[mine] = None
        if len(waiting) > self._quota.of(caller).streams:
            oldest, _ = waiting.popitem(last=False)
            oldest.end(RateLimited("Too many streams have not said Hello.", _TRY_AGAIN_S))
        _opening.set(mine)
        return mine

    def playing(
        self, caller: Caller, instance: Hashable, *, owed: bool
    ) -> AbstractContextManager[None]:
        """A bot instance has said Hello and is connected meanwhile. Raises RateLimited.

        ``owed``: it holds seats. A new stream of a connected instance takes the place of the old.
        """
        mine = _opening.get()
        if mine is not None:
            self._opened(mine)
        quota = self._quota.of(caller)
        if owed:
            # Counted for the instance alone: what others do must not keep it from its seats, nor
            # may a key that is to open few streams lose the moves it owes.
            resumes = max(RESUMES, quota.hellos)
            self._take(("resumes", instance), resumes, "streams a minute for one bot")
        else:
            what = f"streams a minute for {_whom(caller)}"
            self._take(("hellos", caller.counted_as), quota.hellos, what)
        here = self._instances.setdefault(caller.counted_as, Counter())
        if not owed and instance not in here and len(here) >= quota.streams:
            raise RateLimited(
                f"There are {quota.streams} bots connected for {_whom(caller)}, and no more are "
                "allowed: one bot can play many seats (capacity).",
                _TRY_AGAIN_S,
            )
        here[instance] += 1
        return _Playing(caller.counted_as, instance, self._left)

    def _left(self, who: str, instance: Hashable) -> None:
        here = self._instances[who]
        _less(here, instance)
        if not here:
            del self._instances[who]

    def _opened(self, opening: _Opening) -> None:
        opening.end = _nobody  # it is kept as long as its call
        waiting = self._openings.get(opening.who)
        if waiting is not None:
            waiting.pop(opening, None)
            if not waiting:
                del self._openings[opening.who]

    def _take(self, key: Hashable, per_minute: int, things: str, count: int = 1) -> None:
        bucket, wait = self._taken(key, per_minute, count)
        self._keep(key, bucket)
        if wait:
            raise _limited(per_minute, things, wait)

    def _taken(self, key: Hashable, per_minute: int, count: int = 1) -> tuple[Bucket, float]:
        """The bucket after permits are taken, and how long to wait where there are too few."""
        rate, now = Rate.per_minute(per_minute), self._now()
        return take(self._buckets.get(key) or full(rate, now), rate, now, count)

    def _keep(self, key: Hashable, bucket: Bucket) -> None:
        self._buckets[key] = bucket
        self._buckets.move_to_end(key)
        if len(self._buckets) > _BUCKETS:
            self._buckets.popitem(last=False)


def _limited(per_minute: int, things: str, wait: float) -> RateLimited:
    text = f"More than {per_minute} {things}: try again in {math.ceil(wait)} s."
    return RateLimited(text, wait)


def _nobody(_: Exception) -> None:
    """Ends nothing."""


def _less(counter: Counter[Hashable], key: Hashable) -> None:
    counter[key] -= 1
    if counter[key] <= 0:
        del counter[key]


def _whom(caller: Caller) -> str:
    return f"key {caller.key_id}" if caller.key_id else "this address"
